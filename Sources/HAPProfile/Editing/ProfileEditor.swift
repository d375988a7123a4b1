import HAPWire

/// A profile's text, changed as a person asks for it, and left as it was written everywhere else.
///
/// Each change says in words what it did. What it can't do it throws, with the place that stands against it, and changes nothing. Whether
/// the outcome is a good profile, `AccessoryProfile` tells.
package struct ProfileEditor: Sendable {
  var document: JSONDocument

  /// The text as it is now.
  package var json: [UInt8] { document.bytes }

  /// What the last edit changed in the text.
  package var lastChange: TextChange? { document.lastChange }

  package init(json: [UInt8]) throws(JSONError) { document = try JSONDocument(json) }

  /// Adds to a list that is a member, and may be missing.
  /// - Returns: the path of the new element.
  mutating func append(
    _ node: JSONNode, to name: String, of parent: JSONNode, order: [String]
  ) throws(JSONProblem) -> String {
    _ = try parent.asObject()
    let list = try parent[name].map { (list) throws(JSONProblem) in (list.path, try list.asList().count) }
    try change(at: parent) { (document) throws(JSONError) in
      if let list {
        try document.append(node, to: list.0)
      } else {
        try document.set(name, of: parent.path, to: .list([node]), order: order)
      }
    }
    return JSONPath.element(of: .member(of: parent.path, name), list?.1 ?? 0).description
  }

  func order(of accessory: AccessoryPlace) -> [String] {
    accessory.number == 1 ? ProfileMembers.document : ProfileMembers.bridgedAccessory
  }

  /// - Throws: a problem of `node` where the text would be none any more.
  mutating func change(
    at node: JSONNode, _ body: (inout JSONDocument) throws(JSONError) -> Void
  ) throws(JSONProblem) {
    do throws(JSONError) { try body(&document) } catch { throw node.problem(error.message) }
  }
}

extension JSONNode {
  /// Gives an object a member, behind the others or in place of the one of that name.
  mutating func put(_ name: String, _ value: JSONNode) {
    let members = (members ?? []).map { ($0.name, $0.value) }
    let isThere = members.contains { $0.0 == name }
    self = .object(members.map { $0.0 == name ? (name, value) : $0 } + (isThere ? [] : [(name, value)]))
  }
}
