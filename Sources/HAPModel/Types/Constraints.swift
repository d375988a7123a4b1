/// The metadata that limits a characteristic's value. HAP R2 §6.6.3 "Characteristic Objects".
public struct Constraints: Hashable, Sendable {
  /// Lowest value, inclusive: `.integer` or `.float`. For numeric formats.
  public var minValue: Value?
  /// Highest value, inclusive.
  public var maxValue: Value?
  /// Distance between values, counted from `minValue` (or from 0 without one).
  public var minStep: Value?
  /// Longest string in UTF-8 bytes; without it 64 ("maxLen", 256 at most).
  public var maxLen: Int?
  /// Longest bytes after base64 decoding; without it 2097152 ("maxDataLen").
  public var maxDataLen: Int?
  /// The only values allowed ("valid-values"), for integer formats.
  public var validValues: [Int]?
  /// The only range allowed ("valid-values-range"), for integer formats.
  public var validValuesRange: ClosedRange<Int>?

  /// `maxLen` where none is stated.
  public static let defaultMaxLen: Int = 64
  /// The most that `maxLen` can be.
  public static let greatestMaxLen: Int = 256
  /// `maxDataLen` where none is stated.
  public static let defaultMaxDataLen: Int = 2_097_152

  /// No limits but those given.
  public init(
    minValue: Value? = nil, maxValue: Value? = nil, minStep: Value? = nil, maxLen: Int? = nil, maxDataLen: Int? = nil,
    validValues: [Int]? = nil, validValuesRange: ClosedRange<Int>? = nil
  ) {
    self.minValue = minValue
    self.maxValue = maxValue
    self.minStep = minStep
    self.maxLen = maxLen
    self.maxDataLen = maxDataLen
    self.validValues = validValues
    self.validValuesRange = validValuesRange
  }
}
