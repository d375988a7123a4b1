import Foundation
import HAPHome
import HAPModel

/// The format, the limits and the unit of a characteristic. HMCharacteristicMetadata
public final class HMCharacteristicMetadata: NSObject, Sendable {
  private let record: HomeCharacteristic?

  /// Creates metadata without content.
  public override init() { record = nil }
  init(_ record: HomeCharacteristic) { self.record = record }

  private var constraints: Constraints? { record?.rules.constraints }

  /// The lowest value; nil: the format's.
  public var minimumValue: NSNumber? { constraints?.minValue?.foundationNumber }
  /// The highest value; nil: the format's.
  public var maximumValue: NSNumber? { constraints?.maxValue?.foundationNumber }
  /// The difference between neighbouring values; nil: any.
  public var stepValue: NSNumber? { constraints?.minStep?.foundationNumber }
  /// The greatest number of bytes of a text; nil: 64 (HAP R2 §6.3.3).
  public var maxLength: NSNumber? { constraints?.maxLen.map { NSNumber(value: $0) } }
  /// The permitted values; nil: all in the range.
  public var validValues: [NSNumber]? { constraints?.validValues.map { $0.map { NSNumber(value: $0) } } }
  /// The format, such as `HMCharacteristicMetadataFormatUInt8`.
  public var format: String? { record?.rules.format.rawValue }
  /// The unit, such as `HMCharacteristicMetadataUnitsPercentage`; nil without one.
  public var units: String? { record?.unit?.rawValue }
  /// The manufacturer's description; nil without one.
  public var manufacturerDescription: String? { record?.description }
}
