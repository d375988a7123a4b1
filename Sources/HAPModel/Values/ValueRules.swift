/// The rules that a characteristic's metadata sets for its value. HAP R2 §6.6.3 "Characteristic Objects".
///
/// No other module implements them; docs/internals/architecture.md lists the exceptions. A lenient caller checks fewer rules,
/// or allows a wider tolerance of the step. An accessory calls these functions for each written value, so they
/// allocate nothing except the bytes of base64 text.
public struct ValueRules: Hashable, Sendable {
  /// The format of the value.
  public var format: Format
  /// The limits of the value.
  public var constraints: Constraints

  /// Creates the rules of a format and its limits.
  public init(format: Format, constraints: Constraints = Constraints()) {
    self.format = format
    self.constraints = constraints
  }

  /// The distance from the next step within which a float counts as on the step, as a fraction of the step. The value
  /// is HomeKitADK's.
  public static let defaultStepTolerance: Double = 0.1

  /// Returns the first rule that a value breaks, or nil if the value is legal.
  ///
  /// - bool accepts true, false, 0 and 1.
  /// - Integer formats accept only integers: the caller must convert `1.0` and true.
  /// - Floats also accept integers. `valid-values` and `valid-values-range` do not apply to them.
  /// - A step of 0 or less is ignored. For an integer format, a step with a fraction is also ignored.
  /// - tlv8 and data accept bytes, or base64 text. It is not checked whether the bytes are TLV8, because the model
  ///   does not know TLV8.
  /// - Null is not legal for any format.
  /// - Parameters:
  ///   - value: the written or stored value.
  ///   - checks: the rules for numbers to check.
  ///   - stepTolerance: the distance from the next step within which a float counts as on the step, as a fraction of
  ///     the step.
  public func violation(
    of value: Value, checking checks: ValueChecks = .all, stepTolerance: Double = ValueRules.defaultStepTolerance
  ) -> ValueViolation? {
    switch (format, value) {
    case (.bool, _): return value.truth == nil ? .kind(format) : nil
    case (.uint8, .integer(let number)), (.uint16, .integer(let number)), (.uint32, .integer(let number)),
      (.uint64, .integer(let number)), (.int, .integer(let number)):
      return violation(ofInteger: number, checking: checks)
    case (.uint8, .float), (.uint16, .float), (.uint32, .float), (.uint64, .float), (.int, .float):
      return .fraction(format)
    case (.float, .float(let number)): return violation(ofFloat: number, checking: checks, tolerance: stepTolerance)
    case (.float, .integer(let number)):
      return violation(ofFloat: Double(fast: number), checking: checks, tolerance: stepTolerance)
    case (.string, .string(let text)): return violation(ofText: text)
    case (.tlv8, .data(let bytes)), (.data, .data(let bytes)): return violation(ofByteCount: bytes.count)
    case (.tlv8, .string(let text)), (.data, .string(let text)):
      guard let bytes: [UInt8] = bytesOfBase64(text) else { return .base64 }
      return violation(ofByteCount: bytes.count)
    case (_, .null), (_, .bool), (_, .integer), (_, .float), (_, .string), (_, .data): return .kind(format)
    }
  }

  /// The maximum number of bytes of text or data; nil for other formats.
  public var byteLimit: Int? {
    switch format {
    case .string: constraints.maxLen ?? Constraints.defaultMaxLen
    case .tlv8, .data: constraints.maxDataLen ?? Constraints.defaultMaxDataLen
    case .bool, .uint8, .uint16, .uint32, .uint64, .int, .float: nil
    }
  }

  /// Returns the rule that a text breaks. The format must be string.
  @inline(__always)
  func violation(ofText text: String) -> ValueViolation? {
    let limit: Int = constraints.maxLen ?? Constraints.defaultMaxLen
    let count: Int = text.utf8.count
    return count > limit ? .maxLen(bytes: count, limit: limit) : nil
  }

  /// Returns the rule that decoded bytes break. The format must be tlv8 or data.
  @inline(__always)
  func violation(ofByteCount count: Int) -> ValueViolation? {
    let limit: Int = constraints.maxDataLen ?? Constraints.defaultMaxDataLen
    return count > limit ? .maxDataLen(bytes: count, limit: limit) : nil
  }
}

extension Characteristic {
  /// The rules for the value.
  public var valueRules: ValueRules { ValueRules(format: format, constraints: constraints) }

  /// Returns the first rule that a value breaks, or nil if the value is legal. See `ValueRules`.
  public func violation(of value: Value) -> ValueViolation? { valueRules.violation(of: value) }
}

extension CharacteristicDefinition {
  /// The rules that Apple's metadata sets for the value.
  public var valueRules: ValueRules { ValueRules(format: format, constraints: constraints) }

  /// Returns the first rule that a value breaks, or nil if the value is legal. See `ValueRules`.
  public func violation(of value: Value) -> ValueViolation? { valueRules.violation(of: value) }
}

extension Value {
  /// The Boolean, also of 0 and 1; nil for any other value. A bool accepts only these values.
  var truth: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(0): false
    case .integer(1): true
    case .null, .integer, .float, .string, .data: nil
    }
  }
}
