import HAPWire

extension JSONNode {
  /// The text as YAML for people: blocks, indented by two; small lists and mappings are on one line. `JSONNode.yaml` reads an equal tree.
  ///
  /// Texts are in quotes only where this is necessary. The text ends with a line end.
  package var yamlText: String {
    YAMLWriter.block(self).map { $0 + "\n" }.joined()
  }
}

/// Writes YAML 1.2 that readers of YAML 1.1, such as libyaml and PyYAML, read as the same values.
enum YAMLWriter {
  /// A collection on one line has at most this number of characters, without its key.
  private static let flowLength = 90
  /// A collection on one line contains at most this number of levels.
  private static let flowDepth = 2
  /// libyaml accepts at most 1024 characters before a colon. A longer key needs a question mark.
  private static let keyLength = 200

  /// Returns the lines of a value that starts a line.
  static func block(_ node: JSONNode) -> [String] {
    switch node.kind {
    case .array(let elements) where !elements.isEmpty:
      return elements.flatMap { element in
        let lines = flow(element).map { [$0] } ?? block(element)
        return lines.enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
      }
    case .object(let members) where !members.isEmpty:
      return members.flatMap { member in
        let key = scalar(member.name)
        let inline = flow(member.value)
        if key.unicodeScalars.count > keyLength {
          let lines = inline.map { [$0] } ?? block(member.value)
          return ["? \(key)"] + lines.enumerated().map { ($0 == 0 ? ": " : "  ") + $1 }
        }
        return inline.map { ["\(key): \($0)"] } ?? ["\(key):"] + block(member.value).map { "  " + $0 }
      }
    case .null, .bool, .number, .string, .array, .object: return [flow(node) ?? ""]
    }
  }

  /// Returns the value on one line; `nil` if it does not fit.
  private static func flow(_ node: JSONNode) -> String? {
    guard let text = flow(node, levels: flowDepth) else { return nil }
    if node.elements == nil, node.members == nil { return text }
    return text.unicodeScalars.count <= flowLength ? text : nil
  }

  private static func flow(_ node: JSONNode, levels: Int) -> String? {
    switch node.kind {
    case .null: return "null"
    case .bool(let bool): return bool ? "true" : "false"
    case .number(let number): return number.text
    case .string(let text): return scalar(text)
    case .array(let elements):
      if elements.isEmpty { return "[]" }
      guard levels > 0 else { return nil }
      let parts = elements.compactMap { flow($0, levels: levels - 1) }
      return parts.count == elements.count ? "[\(parts.joined(separator: ", "))]" : nil
    case .object(let members):
      if members.isEmpty { return "{}" }
      guard levels > 0 else { return nil }
      let parts = members.compactMap { member in
        flow(member.value, levels: levels - 1).map { "\(scalar(member.name)): \($0)" }
      }
      return parts.count == members.count ? "{ \(parts.joined(separator: ", ")) }" : nil
    }
  }

  // MARK: Texts

  /// Returns a text as a scalar, in quotes if it would otherwise be read as something else.
  static func scalar(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last, first != " ", last != " ",
      !"-?&*!|>%@".unicodeScalars.contains(first), text != "<<", !text.hasPrefix("..."),
      (try? YAMLScalar.plain(text)) == .string(text), !isOtherValue(text)
    else { return false }
    // A text with these characters can be plain at some places only.
    return text.unicodeScalars.allSatisfy { isPrintable($0) && !"#:,[]{}\"'`=".unicodeScalars.contains($0) }
  }

  /// Whether other software can read a plain text as a Boolean, a number or a date, by YAML 1.1 (yaml.org/type) or one of its variants.
  private static func isOtherValue(_ text: String) -> Bool {
    if ["y", "n", "yes", "no", "on", "off"].contains(text.lowercased()) { return true }
    guard let first = text.unicodeScalars.first, "0123456789+.".unicodeScalars.contains(first) else { return false }
    let isPrefixed = ["0x", "0X"].contains(text.prefix(2))
    let characters = isPrefixed ? "0123456789abcdefABCDEFxX_" : "0123456789bBoOeEtTzZ_.:+- "
    return text.unicodeScalars.allSatisfy { characters.unicodeScalars.contains($0) }
  }

  /// Whether a character can be written without an escape: the printable characters of YAML 1.2.2 §5.1 without line ends and marks of the
  /// byte order.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case let scalar where isPrintable(scalar): quoted.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
      }
    }
    return quoted + "\""
  }
}
