/// A JSON text that is changed at places, and stays as it was written everywhere else, byte for byte.
///
/// What is added is laid out like its neighbours: on a line of its own where they are on lines of their own, and by the indentation of the
/// text. A path that leads nowhere is our own mistake and traps.
package struct JSONDocument: Sendable {
  package private(set) var bytes: [UInt8]
  package private(set) var root: JSONNode
  var layout: JSONLayout
  let style: JSONStyle
  /// Nil while the text is as it was read.
  package private(set) var lastChange: TextChange?

  /// - Parameter width: columns beyond which what was on one line is broken up.
  package init(_ bytes: [UInt8], width: Int = 120) throws(JSONError) {
    root = try JSONNode.parse(bytes)
    self.bytes = bytes
    layout = JSONLayout(bytes)
    var style = JSONStyle(of: layout, in: bytes)
    style.width = width
    self.style = style
  }

  /// Puts a value in the place of another.
  /// - Throws: when the text would be nested too deeply; then nothing has changed.
  package mutating func replace(_ path: JSONPath, with value: JSONNode) throws(JSONError) {
    try splice(replacing(trail(to: path), with: value))
  }

  /// Adds an element to a list, behind all others.
  package mutating func append(_ value: JSONNode, to list: JSONPath) throws(JSONError) {
    let trail = trail(to: list)
    precondition(trail.node.elements != nil, "\(list) is no list")
    try splice(adding(Addition(value: value), after: trail.layout.items.count - 1, in: trail))
  }

  /// Gives an object a member: in place of the one of that name, else behind those that `order` has before it, else behind all.
  package mutating func set(
    _ name: String, of object: JSONPath, to value: JSONNode, order: [String] = []
  ) throws(JSONError) {
    let trail = trail(to: object)
    guard let members = trail.node.members else { preconditionFailure("\(object) is no object") }
    if let old = members.first(where: { $0.name == name }) { return try replace(old.value.path, with: value) }
    let before = order.prefix { $0 != name }
    let neighbour = order.contains(name) ? members.lastIndex { before.contains($0.name) } : nil
    try splice(adding(Addition(name: name, value: value), after: neighbour ?? members.count - 1, in: trail))
  }

  /// Takes out an element or a member.
  package mutating func remove(_ path: JSONPath) {
    let trail = trail(to: path)
    guard let parent = trail.steps.last else { preconditionFailure("a text without its value is none") }
    // Less than there was is never nested too deeply.
    try? splice(removing(parent.index, from: parent.container))
  }

  /// Another text in place of some bytes.
  private mutating func splice(_ change: Splice) throws(JSONError) {
    let change = TextChange(of: bytes, change.range, to: change.text.utf8)
    root = try JSONNode.parse(change.newText)
    bytes = change.newText
    layout = JSONLayout(bytes)
    lastChange = change
  }
}

extension JSONDocument {
  /// Bytes that give way to a text.
  struct Splice {
    var range: Range<Int>
    var text: String
  }

  /// A member, or an element.
  struct Addition {
    var name: String?
    var value: JSONNode
  }

  /// The way from the root to a value.
  struct Trail {
    /// The lists and objects on the way, from the root, each with the item taken.
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
