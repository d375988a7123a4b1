import HAPSuite
import HAPWire

extension Pattern {
  /// Returns a pattern as text for messages: `{"$any": [200, 429]}` is "200 or 429". Long texts are clipped.
  package static func words(_ pattern: JSONNode) -> String { clipped(text(pattern)) }

  private static func text(_ pattern: JSONNode) -> String {
    switch pattern.stringValue {
    case "$absent": return "absent"
    case "$present": return "present"
    case "$anything": return "anything"
    default: break
    }
    if let elements = pattern.elements { return "[\(elements.map(text).joined(separator: ", "))]" }
    guard let members = pattern.members else { return literal(pattern) }
    guard members.contains(where: { $0.name.hasPrefix("$") }) else {
      return "{\(members.map { "\($0.name): \(text($0.value))" }.joined(separator: ", "))}"
    }
    let parts = members.compactMap { constraint($0.name, $0.value, in: pattern) }
    return parts.joined(separator: " and ")
  }

  /// - Returns: nil for a member that belongs to another constraint.
  private static func constraint(_ text: String, _ wanted: JSONNode, in pattern: JSONNode) -> String? {
    let wantedText = self.text(wanted)
    guard let constraint = ConstraintName(rawValue: text) else { return "\(text.dropFirst()) \(wantedText)" }
    switch constraint {
    case .by, .factor: return nil
    case .is: return wantedText
    case .any: return either(wanted)
    case .all: return (wanted.elements ?? []).map(self.text).joined(separator: " and ")
    case .not: return "not \(wantedText)"
    case .min: return "at least \(multiple(wanted, pattern))"
    case .max: return "at most \(multiple(wanted, pattern))"
    case .near:
      return pattern["$by"].map { "within \(self.text($0)) of \(wantedText)" } ?? "about \(wantedText)"
    case .multiple: return "a multiple of \(wantedText)"
    case .kind: return kindName(wanted)
    case .distinct: return wanted.boolValue ?? true ? "no equal elements" : "two equal elements"
    case .upper: return wanted.boolValue ?? true ? "no lower-case letters" : "lower-case letters"
    case .set: return "\(joined(wanted)) in any order"
    case .includes: return "a list that includes \(joined(wanted))"
    case .matches: return "text of the form \(wantedText)"
    case .starts: return "text that starts with \(wantedText)"
    case .contains: return "text that contains \(wantedText)"
    case .length: return "a length of \(wantedText)"
    case .bytes: return "a number of bytes of \(wantedText)"
    case .utf8: return "a UTF-8 length of \(wantedText)"
    case .decimal: return "a decimal number, \(wantedText)"
    case .base64: return "Base64 of \(wantedText)"
    case .each: return "a list, each element \(wantedText)"
    case .only: return "only \(wantedText)"
    }
  }

  /// Returns the alternatives as text, such as "200, 204 or 429".
  private static func either(_ wanted: JSONNode) -> String {
    let words = (wanted.elements ?? []).map(text)
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return "\(words.dropLast().joined(separator: ", ")) or \(last)"
  }

  private static func joined(_ wanted: JSONNode) -> String { (wanted.elements ?? []).map(text).joined(separator: ", ") }

  private static func kindName(_ wanted: JSONNode) -> String {
    switch wanted.stringValue {
    case "null": "null"
    case "integer": "an integer"
    case "object": "an object"
    case "string": "text"
    case let name: "a \(name ?? "value")"
    }
  }

  /// Returns the bound of `$min` or `$max` as text, with `$factor` if given.
  static func multiple(_ node: JSONNode, _ pattern: JSONNode) -> String {
    (pattern["$factor"].map { "\(shown($0)) times " } ?? "") + shown(node)
  }

  // MARK: Values

  /// Returns a value as text for messages. Long texts are clipped.
  package static func shown(_ node: JSONNode?) -> String { node.map { clipped(literal($0)) } ?? "missing" }

  /// Largest number of hexadecimal digits in a message.
  private static let digitLimit = 80

  private static func literal(_ node: JSONNode) -> String {
    if let text = node.stringValue, text.utf8.count > digitLimit, let bytes = Hexadecimal.bytes(text) {
      let more = bytes.count - digitLimit / 2
      return "\"\(text.prefix(digitLimit))…\" (\(more) more byte\(more == 1 ? "" : "s") in the evidence)"
    }
    var buffer = ByteBuffer()
    buffer.appendJSON(node)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  private static func clipped(_ text: String) -> String {
    text.count > 160 ? text.prefix(120) + "…" + text.suffix(30) : text
  }
}
