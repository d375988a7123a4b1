import HAPHome
import HAPModel
import HAPWire

/// Values as a document has them: names of values, base64, texts, numbers, true and false.
extension HomeCharacteristic {
  /// Words for a characteristic that has no names of values, such as On.
  private static let switchWords: [(word: String, value: Value)] = [("on", true), ("off", false)]

  /// Returns the value that a document means.
  /// - Throws: for a text that is neither a name of a value nor possible.
  package func meaning(of written: Value) throws(HomeDirectory.NotFound) -> Value {
    guard case .string(let text) = written, rules.format != .string else { return written }
    if let value = word(text) { return value }
    if rules.format == .tlv8 || rules.format == .data {
      guard let bytes = Base64.decode(text) else {
        throw HomeDirectory.NotFound(message: "\"\(text.prefix(40))\" is not base64, which \(typeText) needs")
      }
      return .data(bytes)
    }
    let names = definition?.values.map(\.word) ?? []
    let words = names.isEmpty && rules.format == .bool ? Self.switchWords.map(\.word) : names
    let hint = nearestName(to: text, in: words).map { ": did you mean \"\($0)\"?" }
    let list = words.isEmpty ? "" : ": it has \(words.joined(separator: ", "))"
    throw HomeDirectory.NotFound(message: "\(typeText) has no value \"\(text.prefix(40))\"\(hint ?? list)")
  }

  /// Returns the form of a value in a document, for which `meaning` returns the value.
  package func written(_ value: Value) -> Value {
    if case .data(let bytes) = value { return .string(Base64.encode(bytes)) }
    guard rules.format != .string else { return value }
    let names = (definition?.word(for: value)).map { [$0] } ?? []
    let words = type == 0x25 ? Self.switchWords.map(\.word) : names
    return words.first { word($0) == value }.map { .string($0) } ?? value
  }

  /// Returns the value of an action as it is written: a whole number without a fraction. The command adds it again.
  package func writtenAction(_ value: Value) -> Value {
    let written = written(value)
    guard case .float(let number) = written, let whole = Int64(exactly: number), rules.format == .float else {
      return written
    }
    return .integer(Int128(whole))
  }

  /// Returns the value for people: its name, or the value with its unit.
  package func text(of value: Value) -> String {
    let written = writtenAction(value)
    let text =
      switch written {
      case .null: "no value"
      case .bool(let bool): bool ? "true" : "false"
      case .integer(let number): "\(number)"
      case .float(let number): "\(number)"
      case .string(let text): text.oneLine
      case .data(let bytes): Base64.encode(bytes)
      }
    guard let shownUnit, value.doubleValue != nil, written == value || rules.format == .float else { return text }
    return text + shownUnit.suffix
  }

  /// Returns the form in which values are compared: forms that the home regards as one value are equal.
  func normal(_ value: Value) -> Value {
    switch (rules.format, value) {
    case (.bool, .integer(0)): return false
    case (.bool, .integer(1)): return true
    case (.float, .integer(let number)): return .float(Double(number))
    case (.tlv8, .string(let text)), (.data, .string(let text)): return Base64.decode(text).map { .data($0) } ?? value
    default: return value
    }
  }

  private func word(_ text: String) -> Value? {
    if let value = definition?.value(forWord: text) { return value }
    return rules.format == .bool ? Self.switchWords.first { $0.word == text }?.value : nil
  }

  private var definition: CharacteristicDefinition? { Catalogue.characteristic(type) }
}
