import Foundation
import HAPHome
import HAPModel

// A predicate of the sun has the event on its left side, as Apple's framework makes it and as apps parse it: "sunset is
// earlier than now" is a condition after sunset.
extension HMEventTrigger {
  // MARK: Sun

  /// Returns a condition: the time of the day is before sunrise or sunset.
  /// - Parameters:
  ///   - significantEvent: `HMSignificantEvent.sunrise.rawValue` or that of sunset.
  ///   - offset: hours, minutes and seconds after it; negative numbers: before it. At most 12 hours. nil: none.
  @available(*, deprecated, message: "Use predicateForEvaluatingTriggerOccurring(beforeSignificantEvent:).")
  public static func predicateForEvaluatingTrigger(
    occurringBefore significantEvent: String, applyingOffset offset: DateComponents?
  ) -> NSPredicate {
    .sun(significantEvent, .greaterThan, offset)
  }

  /// Returns a condition: the time of the day is before sunrise or sunset.
  public static func predicateForEvaluatingTriggerOccurring(
    beforeSignificantEvent significantEvent: HMSignificantTimeEvent
  ) -> NSPredicate {
    .sun(significantEvent.significantEvent.rawValue, .greaterThan, significantEvent.offset)
  }

  /// Returns a condition: the time of the day is sunrise or sunset, or later.
  /// - Parameters:
  ///   - significantEvent: `HMSignificantEvent.sunrise.rawValue` or that of sunset.
  ///   - offset: hours, minutes and seconds after it; negative numbers: before it. At most 12 hours. nil: none.
  @available(*, deprecated, message: "Use predicateForEvaluatingTriggerOccurring(afterSignificantEvent:).")
  public static func predicateForEvaluatingTrigger(
    occurringAfter significantEvent: String, applyingOffset offset: DateComponents?
  ) -> NSPredicate {
    .sun(significantEvent, .lessThanOrEqualTo, offset)
  }

  /// Returns a condition: the time of the day is sunrise or sunset, or later.
  public static func predicateForEvaluatingTriggerOccurring(
    afterSignificantEvent significantEvent: HMSignificantTimeEvent
  ) -> NSPredicate {
    .sun(significantEvent.significantEvent.rawValue, .lessThanOrEqualTo, significantEvent.offset)
  }

  /// Returns a condition: the time is from the first event of the sun to the second one, which may be on the next day.
  public static func predicate(
    forEvaluatingTriggerOccurringBetweenSignificantEvent firstSignificantEvent: HMSignificantTimeEvent,
    secondSignificantEvent: HMSignificantTimeEvent
  ) -> NSPredicate {
    BetweenPredicate(
      from: predicateForEvaluatingTriggerOccurring(afterSignificantEvent: firstSignificantEvent),
      to: predicateForEvaluatingTriggerOccurring(beforeSignificantEvent: secondSignificantEvent))
  }

  // MARK: Times

  /// Returns a condition: the time of the day in the zone of the home is before this one.
  /// - Parameter dateComponents: the hour, and perhaps the minute and the second.
  public static func predicateForEvaluatingTrigger(occurringBefore dateComponents: DateComponents) -> NSPredicate {
    .time(.lessThan, dateComponents)
  }

  /// Returns a condition: the time in the zone of the home is equal to the components.
  /// - Parameter dateComponents: some of second, minute, hour, day, weekday, month, year.
  public static func predicateForEvaluatingTrigger(occurringOn dateComponents: DateComponents) -> NSPredicate {
    .time(.equalTo, dateComponents)
  }

  /// Returns a condition: the time of the day in the zone of the home is this one, or later.
  /// - Parameter dateComponents: the hour, and perhaps the minute and the second.
  public static func predicateForEvaluatingTrigger(occurringAfter dateComponents: DateComponents) -> NSPredicate {
    .time(.greaterThanOrEqualTo, dateComponents)
  }

  /// Returns a condition: the time is from the first time of the day to the second one, which may be on the next day.
  public static func predicateForEvaluatingTriggerOccurringBetweenDate(
    with firstDateComponents: DateComponents, secondDateWith secondDateComponents: DateComponents
  ) -> NSPredicate {
    BetweenPredicate(
      from: predicateForEvaluatingTrigger(occurringAfter: firstDateComponents),
      to: predicateForEvaluatingTrigger(occurringBefore: secondDateComponents))
  }

  // MARK: Characteristics and persons

  /// Returns a condition: the value of a characteristic compares with a value. Another operator than <, ≤, =, ≠, ≥ and > is
  /// a mistake of the app, as on Apple's systems. The value is a number, a text or data, as the format demands; a home
  /// refuses others.
  public static func predicateForEvaluatingTrigger(
    _ characteristic: HMCharacteristic, relatedBy operatorType: HMComparisonPredicate.Operator, toValue value: Any
  ) -> NSPredicate {
    guard Comparison(operatorType) != nil else {
      preconditionFailure("a characteristic can't be compared by \(operatorType): use <, <=, ==, !=, >= or >")
    }
    return .characteristic(characteristic, operatorType, characteristic.comparable(value))
  }

  /// Returns a condition: a person is at home (`atHome`), or no person is (`notAtHome`).
  public static func predicateForEvaluatingTrigger(withPresence presenceEvent: HMPresenceEvent) -> NSPredicate {
    .presence(presenceEvent)
  }
}

extension HMCharacteristic {
  /// The value of a comparison as an object, which apps cast to `NSCopying`; a value of another type as it is.
  fileprivate func comparable(_ value: Any) -> Any {
    Value(written: value, format: record.rules.format).foundationValue ?? value
  }
}
