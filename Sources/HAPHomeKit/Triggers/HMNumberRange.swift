import Foundation
import HAPHome

/// A range of numbers, both ends included; at least one end is set. HMNumberRange
public final class HMNumberRange: NSObject, Sendable {
  /// The lowest number; nil: none.
  public let minValue: NSNumber?
  /// The highest number; nil: none.
  public let maxValue: NSNumber?

  /// Creates a range from one number to another. A lowest number above the highest one is refused when an event with the
  /// range is added to a home.
  public init(minValue: NSNumber, maxValue: NSNumber) { (self.minValue, self.maxValue) = (minValue, maxValue) }

  /// Creates a range without a highest number.
  public init(minValue: NSNumber) { (self.minValue, maxValue) = (minValue, nil) }

  /// Creates a range without a lowest number.
  public init(maxValue: NSNumber) { (minValue, self.maxValue) = (nil, maxValue) }

  init(_ range: ThresholdRange) {
    (minValue, maxValue) = (range.min.map { NSNumber(value: $0) }, range.max.map { NSNumber(value: $0) })
  }
}

extension ThresholdRange {
  /// - Throws: 3 for a lowest number above the highest one, and for an infinite number.
  init(_ range: HMNumberRange) throws(HMError) {
    let (min, max) = (range.minValue?.doubleValue, range.maxValue?.doubleValue)
    guard let range = ThresholdRange(min: min, max: max) else {
      let text = "\(min.map { "\($0)" } ?? "-")...\(max.map { "\($0)" } ?? "-")"
      throw .invalid("the range \(text) contains no number: the lowest one must not be above the highest one")
    }
    self = range
  }
}
