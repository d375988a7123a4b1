extension JSONNode {
  /// The text without blanks, as sent over the wire.
  package var compactText: String { JSONWriter.text { $0.node(self) } }

  /// The text for people: two blanks per level, empty lists and objects on one line, no line end at the end.
  package var indentedText: String {
    var buffer = ByteBuffer()
    write(0, to: &buffer)
    return buffer.withReadable { String(decoding: $0, as: UTF8.self) }
  }

  private func write(_ depth: Int, to buffer: inout ByteBuffer) {
    switch kind {
    case .array(let elements) where !elements.isEmpty:
      buffer.append("[\n")
      for (index, element) in elements.enumerated() {
        Self.indent(depth + 1, &buffer)
        element.write(depth + 1, to: &buffer)
        buffer.append(index < elements.count - 1 ? ",\n" : "\n")
      }
      Self.indent(depth, &buffer)
      buffer.append("]")
    case .object(let members) where !members.isEmpty:
      buffer.append("{\n")
      for (index, member) in members.enumerated() {
        Self.indent(depth + 1, &buffer)
        buffer.appendJSON(member.name)
        buffer.append(": ")
        member.value.write(depth + 1, to: &buffer)
        buffer.append(index < members.count - 1 ? ",\n" : "\n")
      }
      Self.indent(depth, &buffer)
      buffer.append("}")
    case .null, .bool, .number, .string, .array, .object: buffer.appendJSON(self)
    }
  }

  private static func indent(_ depth: Int, _ buffer: inout ByteBuffer) {
    for _ in 0..<depth { buffer.append("  ") }
  }
}
