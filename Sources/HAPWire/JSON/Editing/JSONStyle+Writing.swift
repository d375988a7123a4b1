extension JSONStyle {
  /// Returns the text of a value: flat values on one line, all others with one item per line.
  ///
  /// - Parameters:
  ///   - margin: the indentation of the line in which the value begins.
  ///   - column: the column in which it begins.
  package func text(_ node: JSONNode, margin: String = "", column: Int = 0) -> String {
    let line = line(node)
    guard !isOneLine, let items = node.items, !items.isEmpty else { return line }
    if isFlat(node), column + line.unicodeScalars.count <= width { return line }
    let inner = margin + indent
    let lines = items.map { item in
      let name = item.name.map { quoted($0) + colon } ?? ""
      let column = inner.unicodeScalars.count + name.unicodeScalars.count
      return inner + name + text(item.value, margin: inner, column: column)
    }
    let (open, close) = node.members == nil ? ("[", "]") : ("{", "}")
    return open + newline + lines.joined(separator: "," + newline) + newline + margin + close
  }

  /// Returns the whole value on one line.
  func line(_ node: JSONNode) -> String {
    guard let items = node.items else {
      var buffer = ByteBuffer()
      buffer.appendJSON(node)
      return String(decoding: buffer.bytes, as: UTF8.self)
    }
    let (open, close) = node.members == nil ? ("[", "]") : ("{", "}")
    guard !items.isEmpty else { return open + close }
    let padding =
      node.members != nil
      ? objectPadding : items.contains { $0.value.items != nil } ? nestedPadding : listPadding
    let parts = items.map { item in (item.name.map { quoted($0) + colon } ?? "") + line(item.value) }
    return open + padding + parts.joined(separator: comma) + padding + close
  }

  func quoted(_ name: String) -> String { line(.text(name)) }

  /// Returns whether it contains only plain values, and members that are lists of plain values.
  private func isFlat(_ node: JSONNode) -> Bool {
    (node.items ?? []).allSatisfy { item in
      item.value.items == nil || item.name != nil && item.value.elements?.allSatisfy { $0.items == nil } == true
    }
  }
}

extension JSONNode {
  /// Elements or members; nil for a plain value.
  fileprivate var items: [(name: String?, value: JSONNode)]? {
    switch kind {
    case .array(let elements): elements.map { (nil, $0) }
    case .object(let members): members.map { ($0.name, $0.value) }
    case .null, .bool, .number, .string: nil
    }
  }
}
