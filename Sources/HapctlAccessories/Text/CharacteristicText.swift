import HAPController
import HAPModel
import HAPWire

extension AttributeDatabase {
  /// Returns the catalogue's name ("Target Door State"), a vendor's description, or the type.
  func title(ofSlot slot: Int) -> String {
    let characteristic = characteristics[slot]
    return Catalogue.characteristic(characteristic.type)?.name ?? characteristic.description
      ?? characteristic.type.description
  }
}

extension Characteristic {
  /// Returns a value as text, with its name and its unit: "open (0)", "21.5 °C", "\"Hall\"".
  func text(of value: Value) -> String {
    switch value {
    case .null: return "–"
    case .bool(let bool): return word(value).map { "\($0) (\(bool))" } ?? "\(bool)"
    case .integer(let number): return word(value).map { "\($0) (\(number))" } ?? "\(number)" + suffix
    case .float(let number):
      return (number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)") + suffix
    case .string(let text): return "\"\(text)\""
    case .data(let bytes):
      let shown = Hexadecimal.text(bytes.prefix(32))
      return bytes.isEmpty ? "no bytes" : "\(bytes.count) bytes: \(shown)\(bytes.count > 32 ? "…" : "")"
    }
  }

  private func word(_ value: Value) -> String? {
    Catalogue.characteristic(type).flatMap { $0.word(for: value) }?.split(separator: "-").joined(separator: " ")
  }

  private var suffix: String {
    switch unit {
    case nil: ""
    case .celsius?: " °C"
    case .percentage?: " %"
    case .arcdegrees?: "°"
    case .lux?: " lx"
    case .seconds?: " s"
    }
  }

  /// The writable values as text: "0 to 100 in steps of 1", "open, closed".
  var takenValues: String {
    let words = namedValues.map(\.word)
    if let valid = validValues { return valid.map { text(of: .integer(Int128($0))) }.joined(separator: ", ") }
    if !words.isEmpty { return words.joined(separator: ", ") }
    switch format {
    case .bool: return "true or false"
    case .string: return "text of at most \(constraints.maxLen ?? Constraints.defaultMaxLen) bytes"
    case .tlv8, .data:
      return "at most \(constraints.maxDataLen ?? Constraints.defaultMaxDataLen) bytes as hexadecimal digits"
    case .uint8, .uint16, .uint32, .uint64, .int, .float: return takenNumbers
    }
  }

  /// The named values of the catalogue that the accessory's limits allow.
  var namedValues: [NamedValue] {
    guard let definition = Catalogue.characteristic(type) else { return [] }
    let rules = ValueRules(format: definition.format, constraints: constraints)
    var checks: ValueChecks = [.limits, .validValuesRange]
    if validValues != nil { checks.insert(.validValues) }
    return definition.values.filter { rules.violation(of: .integer(Int128($0.value)), checking: checks) == nil }
  }

  /// The valid values of the accessory. An empty list allows no value, so it is treated as absent.
  private var validValues: [Int]? { constraints.validValues.flatMap { $0.isEmpty ? nil : $0 } }

  private var takenNumbers: String {
    let kind = format == .float ? "a number" : "a whole number"
    let least = constraints.minValue.map { text(of: $0) } ?? format.integerRange.map { "\($0.lowerBound)" }
    let most = constraints.maxValue.map { text(of: $0) } ?? format.integerRange.map { "\($0.upperBound)" }
    let step = constraints.minStep.map { " in steps of \(text(of: $0))" } ?? ""
    switch (least, most) {
    case (let least?, let most?): return "\(least) to \(most)\(step)"
    case (let least?, nil): return "\(kind) from \(least)\(step)"
    case (nil, let most?): return "\(kind) up to \(most)\(step)"
    case (nil, nil): return kind + step
    }
  }

  /// Parses a value from the command line: a name from the catalogue, or text in the characteristic's format. Returns
  /// nil for other text.
  func value(fromText text: String) -> Value? {
    if let value = Catalogue.characteristic(type)?.value(forWord: text) { return value }
    switch format {
    case .bool:
      switch text.lowercased() {
      case "true", "on", "yes", "1": return .bool(true)
      case "false", "off", "no", "0": return .bool(false)
      default: return nil
      }
    case .uint8, .uint16, .uint32, .uint64, .int: return Int128(text).map { .integer($0) }
    case .float: return Double(text).flatMap { $0.isFinite ? .float($0) : nil }
    case .string: return .string(text)
    case .tlv8, .data: return Hexadecimal.bytes(text).map { .data($0) }
    }
  }
}
