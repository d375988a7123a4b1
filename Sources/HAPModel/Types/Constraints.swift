/// The metadata that limits a characteristic's value. HAP R2 §6.6.3 "Characteristic Objects".
///
/// Most characteristics have no limits; the value is then a single nil pointer. A bridge of 149 accessories has a
/// thousand characteristics.
public struct Constraints: Hashable, Sendable {
  private struct Limits: Hashable {
    var minValue: Value?
    var maxValue: Value?
    var minStep: Value?
    var maxLen: Int?
    var maxDataLen: Int?
    var validValues: [Int]?
    var validValuesRange: ClosedRange<Int>?
  }

  private final class Box: Hashable, Sendable {
    let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    static func == (one: Box, other: Box) -> Bool { one === other || one.limits == other.limits }
    func hash(into hasher: inout Hasher) { limits.hash(into: &hasher) }
  }

  /// nil: there are no limits.
  private var box: Box?

  /// The lowest value, inclusive: `.integer` or `.float`. For numeric formats.
  public var minValue: Value? {
    get { box?.limits.minValue }
    set { change { $0.minValue = newValue } }
  }
  /// The highest value, inclusive.
  public var maxValue: Value? {
    get { box?.limits.maxValue }
    set { change { $0.maxValue = newValue } }
  }
  /// The distance between values, counted from `minValue` (or from 0 without a minimum).
  public var minStep: Value? {
    get { box?.limits.minStep }
    set { change { $0.minStep = newValue } }
  }
  /// The maximum length of a string in UTF-8 bytes ("maxLen", at most 256); nil: 64.
  public var maxLen: Int? {
    get { box?.limits.maxLen }
    set { change { $0.maxLen = newValue } }
  }
  /// The maximum number of bytes after base64 decoding ("maxDataLen"); nil: 2097152.
  public var maxDataLen: Int? {
    get { box?.limits.maxDataLen }
    set { change { $0.maxDataLen = newValue } }
  }
  /// The only allowed values ("valid-values"), for integer formats.
  public var validValues: [Int]? {
    get { box?.limits.validValues }
    set { change { $0.validValues = newValue } }
  }
  /// The only allowed range ("valid-values-range"), for integer formats.
  public var validValuesRange: ClosedRange<Int>? {
    get { box?.limits.validValuesRange }
    set { change { $0.validValuesRange = newValue } }
  }

  /// The default of `maxLen`.
  public static let defaultMaxLen: Int = 64
  /// The maximum of `maxLen`.
  public static let greatestMaxLen: Int = 256
  /// The default of `maxDataLen`.
  public static let defaultMaxDataLen: Int = 2_097_152

  /// Creates limits; nil means no limit.
  public init(
    minValue: Value? = nil, maxValue: Value? = nil, minStep: Value? = nil, maxLen: Int? = nil, maxDataLen: Int? = nil,
    validValues: [Int]? = nil, validValuesRange: ClosedRange<Int>? = nil
  ) {
    change { limits in
      limits.minValue = minValue
      limits.maxValue = maxValue
      limits.minStep = minStep
      limits.maxLen = maxLen
      limits.maxDataLen = maxDataLen
      limits.validValues = validValues
      limits.validValuesRange = validValuesRange
    }
  }

  private mutating func change(_ body: (inout Limits) -> Void) {
    var limits = box?.limits ?? Limits()
    body(&limits)
    box = limits == Limits() ? nil : Box(limits)
  }
}
