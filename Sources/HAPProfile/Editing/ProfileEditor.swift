import HAPWire

/// Edits the text of a profile. All text outside the edited place stays unchanged.
///
/// Each edit returns a description of the change. An edit that fails throws the reason with its place and changes nothing.
/// `AccessoryProfile` checks whether the result is a valid profile.
package struct ProfileEditor: Sendable {
  var document: JSONDocument

  /// The current text.
  package var json: [UInt8] { document.bytes }

  /// The change that the last edit made to the text.
  package var lastChange: TextChange? { document.lastChange }

  package init(json: [UInt8]) throws(JSONError) { document = try JSONDocument(json) }

  /// Appends to a list member. The list is created if it is missing.
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

  /// - Throws: a problem at `node`, if the edit would make the text invalid.
  mutating func change(
    at node: JSONNode, _ body: (inout JSONDocument) throws(JSONError) -> Void
  ) throws(JSONProblem) {
    do throws(JSONError) { try body(&document) } catch { throw node.problem(error.message) }
  }
}

extension JSONNode {
  /// Sets a member of an object. It replaces the member of that name, or is added as the last one.
  mutating func put(_ name: String, _ value: JSONNode) {
    let members = (members ?? []).map { ($0.name, $0.value) }
    let isThere = members.contains { $0.0 == name }
    self = .object(members.map { $0.0 == name ? (name, value) : $0 } + (isThere ? [] : [(name, value)]))
  }
}
