import HAPModel
import HAPWire

extension ProfileReader {
  /// Returns the value in its canonical form, or nil after reporting a problem. The range is checked later.
  mutating func value(
    _ node: JSONNode, for characteristic: Characteristic, _ definition: CharacteristicDefinition?
  ) -> Value? {
    if node.isNull {
      if isExact || characteristic.type.readsAsNull || !characteristic.perms.contains(.pairedRead) { return .null }
      report(.valueNull, node, "null is not a value of format \(characteristic.format.rawValue)")
      return nil
    }
    if characteristic.type.readsAsNull {
      report(.valueNull, node, "a press has no state, so its value is always null: leave it out")
      return nil
    }
    switch characteristic.format {
    case .bool:
      if let bool = node.boolValue { return .bool(bool) }
      if node.integerValue == 0 || node.integerValue == 1 { return .bool(node.integerValue == 1) }
      if let word = node.stringValue { return named(word, definition, characteristic.format, node) }
      return wrongKind(node, "true or false is")
    case .uint8, .uint16, .uint32, .uint64, .int:
      if let integer = node.integerValue { return .integer(integer) }
      if let word = node.stringValue { return named(word, definition, characteristic.format, node) }
      return wrongKind(node, "an integer is")
    case .float:
      if let text = node.stringValue, let literal = literal(text, .float) {
        report(.valueKind, node, "write \(literal) without quotes")
        return nil
      }
      if let number = node.numberValue, number.double.isFinite { return .float(number.double) }
      return wrongKind(node, "a number is")
    case .string:
      if let text = node.stringValue { return .string(text) }
      return wrongKind(node, "a string is")
    case .tlv8, .data:
      guard let text = node.stringValue else { return wrongKind(node, "base64 text is") }
      guard let bytes = Base64.decode(text) else {
        report(.valueKind, node, "this is not base64")
        return nil
      }
      if characteristic.format == .tlv8, (try? TLV(decoding: bytes)) == nil {
        report(.valueTLV8, node, "the bytes are not TLV8")
      }
      return .data(bytes)
    }
  }

  private mutating func wrongKind(_ node: JSONNode, _ expectation: String) -> Value? {
    let hint = node.numberValue.map { $0.isInteger ? "" : " (\($0.text) has a fraction or an exponent)" } ?? ""
    report(.valueKind, node, "\(expectation) expected, not \(node.kindName)\(hint)")
    return nil
  }

  /// Returns the JSON literal that a text in quotes probably means, or nil if the text is neither a number nor a truth value.
  private func literal(_ word: String, _ format: Format) -> String? {
    if format == .bool {
      switch word.lowercased() {
      case "true", "on", "yes", "1": return "true"
      case "false", "off", "no", "0": return "false"
      default: return nil
      }
    }
    guard let number = (try? JSONNode.parse(Array(word.utf8)))?.numberValue else { return nil }
    return number.isInteger || format == .float ? number.text : nil
  }

  private mutating func named(
    _ word: String, _ definition: CharacteristicDefinition?, _ format: Format, _ node: JSONNode
  ) -> Value? {
    if let value = definition?.value(forWord: word) { return value }
    if let literal = literal(word, format) {
      report(.valueKind, node, "write \(literal) without quotes")
      return nil
    }
    guard let definition, !definition.values.isEmpty else {
      let expected = format == .bool ? "true or false" : "an integer"
      report(.wordUnknown, node, "\(expected) is expected: the values of this characteristic have no names")
      return nil
    }
    let words = definition.values.map(\.word)
    let hint =
      nearestName(to: word, in: words).map { ": did you mean \"\($0)\"?" } ?? " (\(words.joined(separator: ", ")))"
    report(.wordUnknown, node, "no value of \(definition.name) is named \"\(word)\"\(hint)")
    return nil
  }
}
