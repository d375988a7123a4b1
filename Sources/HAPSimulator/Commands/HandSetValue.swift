import HAPModel

extension Characteristic {
  /// Takes a value that a person sets: what controllers may not write can be set, but the constraints hold for all.
  ///
  /// - Throws: `invalidValue`, naming the rule that it breaks.
  func admitByHand(_ value: Value) throws(CommandError) -> Value {
    do throws(HAPStatus) {
      return try admit(value)
    } catch {
      let name = Catalogue.characteristic(type)?.name ?? description ?? "characteristic \(type)"
      throw CommandError(.invalidValue, "\(name) can't be \(value.text): \(rule(brokenBy: value))")
    }
  }

  /// Looks for the reason in the order in which `admit` judges.
  private func rule(brokenBy value: Value) -> String {
    let kind = "its format is \(format.rawValue), which takes "
    switch (format, value) {
    case (.bool, _): return kind + "true or false"
    case (.string, .string(let text)):
      let most = constraints.maxLen ?? Constraints.defaultMaxLen
      return "it has \(text.utf8.count) bytes, and maxLen is \(most)"
    case (.string, _): return kind + "text"
    case (.data, .data(let bytes)), (.tlv8, .data(let bytes)):
      return "it has \(bytes.count) bytes, and maxDataLen is \(constraints.maxDataLen ?? Constraints.defaultMaxDataLen)"
    case (.data, .string), (.tlv8, .string):
      return kind + "base64 text of at most \(constraints.maxDataLen ?? Constraints.defaultMaxDataLen) bytes"
    case (.data, _), (.tlv8, _): return kind + "base64 text"
    case (.float, .integer), (.float, .float): return brokenNumber(value) ?? kind + "numbers"
    case (.float, _): return kind + "a number"
    case (_, .integer): return brokenNumber(value) ?? "\(format.rawValue) does not hold it"
    default: return kind + "a whole number"
    }
  }

  private func brokenNumber(_ value: Value) -> String? {
    guard let number = value.doubleValue else { return nil }
    if let range = format.integerRange, case .integer(let integer) = value, !range.contains(integer) {
      return "\(format.rawValue) holds \(range.lowerBound)...\(range.upperBound)"
    }
    if let least = constraints.minValue, number < least.doubleValue ?? -.infinity { return "minValue is \(least.text)" }
    if let most = constraints.maxValue, number > most.doubleValue ?? .infinity { return "maxValue is \(most.text)" }
    if let valid = constraints.validValuesRange, case .integer(let integer) = value,
      integer < Int128(valid.lowerBound) || integer > Int128(valid.upperBound)
    {
      return "valid-values-range is \(valid.lowerBound)...\(valid.upperBound)"
    }
    if let valid = constraints.validValues, !valid.contains(where: { Double($0) == number }) {
      return "valid-values are " + valid.map(String.init).joined(separator: ", ")
    }
    if let step = constraints.minStep {
      return "minStep is \(step.text)" + (constraints.minValue.map { ", counted from \($0.text)" } ?? "")
    }
    return nil
  }
}

extension Value {
  /// For messages: as JSON writes it, long ones cut.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let integer): String(integer)
    case .float(let float): float.description
    case .string(let string): "\"" + string.prefix(40) + (string.count > 40 ? "…\"" : "\"")
    case .data(let data): "\(data.count) bytes"
    }
  }
}
