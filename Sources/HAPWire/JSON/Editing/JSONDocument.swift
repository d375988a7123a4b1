/// A JSON text that is edited in place. All other bytes stay unchanged.
///
/// Added values are laid out like their neighbours: on separate lines if those are on separate lines, and with the
/// indentation of the text. A path that doesn't exist is a programming error and traps.
package struct JSONDocument: Sendable {
  package private(set) var bytes: [UInt8]
  package private(set) var root: JSONNode
  var layout: JSONLayout
  let style: JSONStyle
  /// Nil while the text is unchanged.
  package private(set) var lastChange: TextChange?

  /// - Parameter width: the maximum number of columns before a line is broken up.
  package init(_ bytes: [UInt8], width: Int = 120) throws(JSONError) {
    root = try JSONNode.parse(bytes)
    self.bytes = bytes
    layout = JSONLayout(bytes)
    var style = JSONStyle(of: layout, in: bytes)
    style.width = width
    self.style = style
  }

  /// Replaces a value.
  /// - Throws: if the text would be nested too deeply; nothing has changed then.
  package mutating func replace(_ path: JSONPath, with value: JSONNode) throws(JSONError) {
    try splice(replacing(trail(to: path), with: value))
  }

  /// Appends an element to a list.
  package mutating func append(_ value: JSONNode, to list: JSONPath) throws(JSONError) {
    let trail = trail(to: list)
    precondition(trail.node.elements != nil, "\(list) is not a list")
    try splice(adding(Addition(value: value), after: trail.layout.items.count - 1, in: trail))
  }

  /// Sets a member of an object. Replaces a member of the same name; otherwise adds it after the members that precede
  /// it in `order`, or at the end.
  package mutating func set(
    _ name: String, of object: JSONPath, to value: JSONNode, order: [String] = []
  ) throws(JSONError) {
    let trail = trail(to: object)
    guard let members = trail.node.members else { preconditionFailure("\(object) is not an object") }
    if let old = members.first(where: { $0.name == name }) { return try replace(old.value.path, with: value) }
    let before = order.prefix { $0 != name }
    let neighbour = order.contains(name) ? members.lastIndex { before.contains($0.name) } : nil
    try splice(adding(Addition(name: name, value: value), after: neighbour ?? members.count - 1, in: trail))
  }

  /// Removes an element or a member.
  package mutating func remove(_ path: JSONPath) {
    let trail = trail(to: path)
    guard let parent = trail.steps.last else { preconditionFailure("the root can't be removed") }
    // A removal can't nest the text too deeply.
    try? splice(removing(parent.index, from: parent.container))
  }

  /// Replaces some bytes with another text.
  private mutating func splice(_ change: Splice) throws(JSONError) {
    let change = TextChange(of: bytes, change.range, to: change.text.utf8)
    root = try JSONNode.parse(change.newText)
    bytes = change.newText
    layout = JSONLayout(bytes)
    lastChange = change
  }
}

extension JSONDocument {
  /// A range of bytes and the text that replaces it.
  struct Splice {
    var range: Range<Int>
    var text: String
  }

  /// A new member or element.
  struct Addition {
    var name: String?
    var value: JSONNode
  }

  /// The path from the root to a value.
  struct Trail {
    /// The lists and objects on the path, from the root, each with the selected item.
    var steps: [(container: JSONLayout, index: Int)] = []
    var layout: JSONLayout
    var node: JSONNode

    fileprivate mutating func go(to index: Int, _ next: JSONNode) {
      steps.append((layout, index))
      layout = layout.items[index].value
      node = next
    }
  }

  private func trail(to path: JSONPath) -> Trail {
    var trail = Trail(layout: layout, node: root)
    for step in path.steps {
      switch step {
      case .member(let name):
        guard let members = trail.node.members, let index = members.firstIndex(where: { $0.name == name }) else {
          preconditionFailure("there is no \(path)")
        }
        trail.go(to: index, members[index].value)
      case .element(let index):
        guard let elements = trail.node.elements, elements.indices.contains(index) else {
          preconditionFailure("there is no \(path)")
        }
        trail.go(to: index, elements[index])
      }
    }
    return trail
  }
}
