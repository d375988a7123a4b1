/// Lays a JSON text out for people and for `diff`: what fits on a line stays on one, everything else is a line for each element or member.
package struct JSONLayout: ~Copyable {
  private let width: Int
  private var lines = ByteBuffer()

  /// - Parameter width: how long a line may be.
  /// - Returns: the text with a line end at its end.
  package static func text(_ node: JSONNode, width: Int = 120) -> String {
    var layout = JSONLayout(width: width)
    layout.write(node, indentation: 0, before: 0, after: 0)
    return String(decoding: layout.lines.bytes, as: UTF8.self) + "\n"
  }

  private init(width: Int) { self.width = width }

  /// - Parameters:
  ///   - before: how much of the line is taken by what stands before the value.
  ///   - after: by what follows it: a comma.
  private mutating func write(_ node: JSONNode, indentation: Int, before: Int, after: Int) {
    let start = lines.readableCount
    writeOnOneLine(node)
    let length = lines.readableCount - start
    if length + before + after <= width { return }
    switch node.kind {
    case .array(let elements) where !elements.isEmpty:
      lines.removeLast(lines.readableCount - start)
      lines.append("[\n")
      for (index, element) in elements.enumerated() {
        let isLast = index == elements.count - 1
        indent(indentation + 2)
        write(element, indentation: indentation + 2, before: indentation + 2, after: isLast ? 0 : 1)
        lines.append(isLast ? "\n" : ",\n")
      }
      indent(indentation)
      lines.append("]")
    case .object(let members) where !members.isEmpty:
      lines.removeLast(lines.readableCount - start)
      lines.append("{\n")
      for (index, member) in members.enumerated() {
        let isLast = index == members.count - 1
        indent(indentation + 2)
        let nameStart = lines.readableCount
        lines.appendJSON(member.name)
        lines.append(": ")
        let before = indentation + 2 + lines.readableCount - nameStart
        write(member.value, indentation: indentation + 2, before: before, after: isLast ? 0 : 1)
        lines.append(isLast ? "\n" : ",\n")
      }
      indent(indentation)
      lines.append("}")
    default: break
    }
  }

  private mutating func indent(_ count: Int) { for _ in 0..<count { lines.append(UInt8(ascii: " ")) } }

  private mutating func writeOnOneLine(_ node: JSONNode) {
    switch node.kind {
    case .array(let elements):
      lines.append("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { lines.append(", ") }
        writeOnOneLine(element)
      }
      lines.append("]")
    case .object(let members):
      lines.append(members.isEmpty ? "{" : "{ ")
      for (index, member) in members.enumerated() {
        if index > 0 { lines.append(", ") }
        lines.appendJSON(member.name)
        lines.append(": ")
        writeOnOneLine(member.value)
      }
      lines.append(members.isEmpty ? "}" : " }")
    default: lines.appendJSON(node)
    }
  }
}
