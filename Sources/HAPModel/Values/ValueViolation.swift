/// The rule that a value breaks, with the limit. HAP R2 §6.6.3 "Characteristic Objects".
///
/// There is one case for each rule. `ValueRules` finds them, in the order of the cases.
public enum ValueViolation: Hashable, Sendable {
  /// The format does not accept this kind of value, for example text for a bool.
  case kind(Format)
  /// The integer format does not accept a number with a fraction or exponent, not even `1.0`.
  case fraction(Format)
  /// The number is outside the range of the integer format.
  case formatRange(ClosedRange<Int128>)
  /// The number is below `minValue`.
  case minValue(Value)
  /// The number is above `maxValue`.
  case maxValue(Value)
  /// The number is NaN or infinite.
  case notFinite
  /// The integer is outside `valid-values-range`.
  case validValuesRange(ClosedRange<Int>)
  /// The integer is not one of `valid-values`.
  case validValues([Int])
  /// The number is between two steps of `minStep`. The steps are counted from the second number, or from 0 if it is nil.
  case minStep(Value, from: Value?)
  /// The text has more UTF-8 bytes than `maxLen`, or than 64 without `maxLen`.
  case maxLen(bytes: Int, limit: Int)
  /// The text of a tlv8 or data value is not base64.
  case base64
  /// The decoded value has more bytes than `maxDataLen`, or than 2097152 without `maxDataLen`.
  case maxDataLen(bytes: Int, limit: Int)
}

/// The rules for numbers that `ValueRules` checks. Other rules are always checked.
public struct ValueChecks: OptionSet, Hashable, Sendable {
  /// One bit for each rule.
  public let rawValue: UInt8

  /// Creates a set of checks from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The range of an integer format.
  public static var formatRange: ValueChecks { ValueChecks(rawValue: 1) }
  /// `minValue` and `maxValue`.
  public static var limits: ValueChecks { ValueChecks(rawValue: 2) }
  /// `valid-values-range`.
  public static var validValuesRange: ValueChecks { ValueChecks(rawValue: 4) }
  /// `valid-values`.
  public static var validValues: ValueChecks { ValueChecks(rawValue: 8) }
  /// `minStep`.
  public static var step: ValueChecks { ValueChecks(rawValue: 16) }
  /// All rules.
  public static var all: ValueChecks { ValueChecks(rawValue: 31) }
}
