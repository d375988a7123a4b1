import HAPModel

extension Characteristic {
  /// Returns the canonical form of a value that a person sets. A person can also set what controllers may not write, but the
  /// constraints always apply.
  ///
  /// - Throws: `invalidValue`, naming the violated rule.
  package func admitByHand(_ value: Value) throws(CommandError) -> Value {
    do throws(HAPStatus) {
      return try admit(value)
    } catch {
      let name = Catalogue.characteristic(type)?.name ?? description ?? "characteristic \(type)"
      let rule = violation(of: value).map { text(of: $0, by: value) } ?? "the characteristic does not accept it"
      throw CommandError(.invalidValue, "\(name) can't be \(value.text): \(rule)")
    }
  }

  private func text(of violation: ValueViolation, by value: Value) -> String {
    let kind = "its format is \(format.rawValue), which takes "
    switch violation {
    case .kind(.bool): return kind + "true or false"
    case .kind(.string): return kind + "text"
    case .kind(.tlv8), .kind(.data), .base64: return kind + "base64 text"
    case .kind(.float): return kind + "a number"
    case .kind, .fraction: return kind + "a whole number"
    case .notFinite: return kind + "finite numbers"
    case .formatRange(let range): return "\(format.rawValue) holds \(range.lowerBound)...\(range.upperBound)"
    case .minValue(let least): return "minValue is \(least.text)"
    case .maxValue(let most): return "maxValue is \(most.text)"
    case .validValuesRange(let valid): return "valid-values-range is \(valid.lowerBound)...\(valid.upperBound)"
    case .validValues(let valid): return "valid-values are " + valid.map(String.init).joined(separator: ", ")
    case .minStep(let step, let start):
      return "minStep is \(step.text)" + (start.map { ", counted from \($0.text)" } ?? "")
    case .maxLen(let count, let limit): return "it has \(count) bytes, and maxLen is \(limit)"
    case .maxDataLen(let count, let limit):
      return "it \(value.dataValue == nil ? "decodes to" : "has") \(count) bytes, and maxDataLen is \(limit)"
    }
  }
}

extension Value {
  /// The value as JSON, for messages. Long strings are truncated.
  package var text: String {
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
