/// The metadata that limits a characteristic's value. HAP R2 §6.6.3 "Characteristic Objects".
///
/// Most characteristics have none, and then it is one empty word: a bridge of 149 accessories has a thousand characteristics.
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

  /// nil: there are none.
  private var box: Box?

  /// Lowest value, inclusive: `.integer` or `.float`. For numeric formats.
  public var minValue: Value? {
    get { box?.limits.minValue }
    set { change { $0.minValue = newValue } }
  }
  /// Highest value, inclusive.
  public var maxValue: Value? {
    get { box?.limits.maxValue }
    set { change { $0.maxValue = newValue } }
  }
  /// Distance between values, counted from `minValue` (or from 0 without one).
  public var minStep: Value? {
    get { box?.limits.minStep }
    set { change { $0.minStep = newValue } }
  }
  /// Longest string in UTF-8 bytes; without it 64 ("maxLen", 256 at most).
  public var maxLen: Int? {
    get { box?.limits.maxLen }
    set { change { $0.maxLen = newValue } }
  }
  /// Longest bytes after base64 decoding; without it 2097152 ("maxDataLen").
  public var maxDataLen: Int? {
    get { box?.limits.maxDataLen }
    set { change { $0.maxDataLen = newValue } }
  }
  /// The only values allowed ("valid-values"), for integer formats.
  public var validValues: [Int]? {
    get { box?.limits.validValues }
    set { change { $0.validValues = newValue } }
  }
  /// The only range allowed ("valid-values-range"), for integer formats.
  public var validValuesRange: ClosedRange<Int>? {
    get { box?.limits.validValuesRange }
    set { change { $0.validValuesRange = newValue } }
  }

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
