import HAPWire

extension JSONNode {
  /// Also refuses members that start with "x-", because an API doesn't keep notes.
  package func refuseUnknownMembers(exactly names: [String]) throws(JSONProblem) {
    try refuseUnknownMembers(except: names)
    if let odd = members?.first(where: { !names.contains($0.name) }) {
      throw odd.value.problem("there is no member \"\(odd.name.prefix(100))\"")
    }
  }
}
