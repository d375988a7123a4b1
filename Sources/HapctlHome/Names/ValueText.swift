import HAPHome
import HAPHomeFile
import HAPModel
import HAPWire

extension HomeCharacteristic {
  /// Returns the value that a person means: a name of a value such as open, a number with or without the unit, on or off,
  /// text, or base64.
  /// - Throws: rule S2 for a value that the characteristic does not take.
  func value(fromText text: String) throws -> Value {
    let text = try withoutUnit(text)
    let written: Value
    if rules.format == .string {
      written = .string(text)
    } else if let number = Int128(text) {
      written = .integer(number)
    } else if let number = Double(text), number.isFinite {
      written = .float(number)
    } else if let bool = Bool(text) {
      written = .bool(bool)
    } else {
      written = .string(text)
    }
    let value: Value
    do { value = try meaning(of: written) } catch { throw HomeFailure(.problem, error.message) }
    return try canonical(value)
  }

  /// Returns a number without its unit: "20" for "20 %", "20%" and "20". Any other text stays as it is.
  /// - Throws: for a number with another unit than that of the characteristic.
  func withoutUnit(_ text: String) throws(HomeFailure) -> String {
    guard rules.format.isNumeric else { return text }
    let number = String(text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) })
    let unit = text.dropFirst(number.count).trimmed
    guard !unit.isEmpty, Double(number) != nil, !unit.contains(where: { $0.isNumber || "+-.,".contains($0) }) else {
      return text
    }
    if let shownUnit, shownUnit.words.contains(unit.lowercased()) { return number }
    guard UnitWord.isUnit(unit) else { return text }
    let what =
      shownUnit.map { "is in \($0.suffix.trimmed): give the number in this unit" } ?? "has no unit: write \(number)"
    throw HomeFailure("\(text.quoted): \(typeText) \(what)")
  }

  /// The value in JSON: as it is in `.hashome` files, without names.
  func node(of value: Value) -> JSONNode {
    if case .data(let bytes) = value { return .text(Base64.encode(bytes)) }
    return value.exactNode
  }

  /// Words for a value, for completion.
  var valueWords: [String] {
    let names = Catalogue.characteristic(type)?.values.map(\.word) ?? []
    return names.isEmpty && rules.format == .bool ? ["on", "off"] : names
  }
}

/// The units that people write after a number.
enum UnitWord {
  /// Units that no characteristic has, but that people know.
  private static let others: Set<String> = ["°f", "f", "fahrenheit", "k", "min", "h", "ms"]

  /// Whether the text is a unit.
  static func isUnit(_ text: String) -> Bool {
    let word = text.lowercased()
    return others.contains(word) || Unit.allCases.contains { $0.words.contains(word) }
  }

  /// Joins a number and the unit that follows it as a separate argument: "40", "%" is "40 %", as it is printed.
  static func joined(_ words: [String]) -> [String] {
    var joined: [String] = []
    for word in words {
      if isUnit(word), let last = joined.last, Double(last) != nil {
        joined[joined.count - 1] = "\(last) \(word)"
      } else {
        joined.append(word)
      }
    }
    return joined
  }
}

extension Unit {
  /// The texts for the unit, in lower case.
  fileprivate var words: Set<String> {
    switch self {
    case .celsius: ["°c", "c", "°", "celsius", "degrees"]
    case .percentage: ["%", "percent"]
    case .arcdegrees: ["°", "deg", "degrees"]
    case .lux: ["lx", "lux"]
    case .seconds: ["s", "sec", "second", "seconds"]
    }
  }
}
