import HAPHome
import HAPHomeFile
import HAPModel
import HAPWire

extension HomeCharacteristic {
  /// Returns the value that a person means: a name of a value such as open, a number, on or off, text, or base64.
  /// - Throws: rule S2 for a value that the characteristic does not take.
  func value(fromText text: String) throws -> Value {
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

  /// The value for people: its name, or the value with its unit.
  func text(of value: Value) -> String {
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
    guard let unit, value.doubleValue != nil, written == value || rules.format == .float else { return text }
    return text + unit.suffix
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

extension Unit {
  fileprivate var suffix: String {
    switch self {
    case .celsius: " °C"
    case .percentage: " %"
    case .arcdegrees: "°"
    case .lux: " lx"
    case .seconds: " s"
    }
  }
}
