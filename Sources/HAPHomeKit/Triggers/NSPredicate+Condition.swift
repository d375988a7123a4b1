import Foundation
import HAPHome
import HAPModel

/// A range of times, which may include midnight: an AND of "from this time" and "before that time". The class is the
/// difference to an AND of two conditions, which compare the times of one day.
final class BetweenPredicate: NSCompoundPredicate {
  init(from first: NSPredicate, to second: NSPredicate) { super.init(type: .and, subpredicates: [first, second]) }

  required init?(coder: NSCoder) { nil }

  /// Returns the predicate itself: Foundation on Linux loses the parts of a copy.
  override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The functions in predicates.
enum PredicateFunction {
  /// The present time, without arguments.
  static let now = "now"
  /// The sum of a time and a number of seconds. Foundation on Apple's systems knows this name, too.
  static let add = "add:to:"
}

// The shapes of the parts of conditions.
extension NSPredicate {
  private static func comparison(
    _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression
  ) -> NSPredicate {
    NSComparisonPredicate(leftExpression: left, rightExpression: right, modifier: .direct, type: type, options: [])
  }

  private static var now: NSExpression { NSExpression(forFunction: PredicateFunction.now, arguments: []) }

  /// A comparison of the time of the day, on the left, with a time.
  static func time(_ type: NSComparisonPredicate.Operator, _ components: DateComponents) -> NSPredicate {
    // As an object: apps cast it to `DateComponents` or to `NSDateComponents`.
    comparison(now, type, NSExpression(forConstantValue: components as NSDateComponents))
  }

  /// A comparison of an event of the sun, on the left, with the time. An offset moves the time to the other side.
  static func sun(
    _ event: String, _ type: NSComparisonPredicate.Operator, _ offset: DateComponents?
  ) -> NSPredicate {
    let left = NSExpression(forKeyPath: event)
    guard let offset else { return comparison(left, type, now) }
    let amount: Any
    do throws(HMError) {
      let seconds = try offset.offsetSeconds()
      guard seconds != 0 else { return comparison(left, type, now) }
      amount = NSNumber(value: -seconds)
    } catch { amount = offset as NSDateComponents }
    return comparison(
      left, type,
      NSExpression(
        forFunction: PredicateFunction.add, arguments: [now, NSExpression(forConstantValue: amount)]))
  }

  /// The characteristic and its value.
  static func characteristic(
    _ characteristic: HMCharacteristic, _ type: NSComparisonPredicate.Operator, _ value: Any?
  ) -> NSPredicate {
    NSCompoundPredicate(
      type: .and,
      subpredicates: [
        comparison(
          NSExpression(forKeyPath: HMCharacteristicKeyPath), .equalTo,
          NSExpression(forConstantValue: characteristic)),
        comparison(
          NSExpression(forKeyPath: HMCharacteristicValueKeyPath), type, NSExpression(forConstantValue: value)),
      ])
  }

  /// The presence of persons.
  static func presence(_ event: HMPresenceEvent) -> NSPredicate {
    comparison(
      NSExpression(forKeyPath: HMPresenceKeyPath), .equalTo, NSExpression(forConstantValue: event.copy()))
  }

  /// A comparison whose characteristic or users do not exist any more.
  static var removed: NSPredicate {
    comparison(NSExpression(forKeyPath: HMCharacteristicKeyPath), .equalTo, NSExpression(forConstantValue: nil))
  }

  /// The predicate of a condition.
  /// - Parameter find: returns the object of a characteristic.
  static func make(from condition: Condition, _ find: (HomeObjectID) -> HMCharacteristic?) -> NSPredicate {
    switch condition {
    case .all(let parts): NSCompoundPredicate(type: .and, subpredicates: parts.map { make(from: $0, find) })
    case .any(let parts): NSCompoundPredicate(type: .or, subpredicates: parts.map { make(from: $0, find) })
    case .not(let part): NSCompoundPredicate(type: .not, subpredicates: [make(from: part, find)])
    case .characteristic(let id, let comparison, let value):
      find(id).map { .characteristic($0, comparison.operatorType, value.foundationValue) } ?? removed
    case .time(.before(let parts)): .time(.lessThan, DateComponents(parts))
    case .time(.on(let parts)): .time(.equalTo, DateComponents(parts))
    case .time(.after(let parts)): .time(.greaterThanOrEqualTo, DateComponents(parts))
    case .time(.between(let first, let second)):
      BetweenPredicate(from: make(from: .time(.after(first)), find), to: make(from: .time(.before(second)), find))
    case .sun(.before(let moment)): .sun(moment.event.rawValue, .greaterThan, moment.components)
    case .sun(.after(let moment)): .sun(moment.event.rawValue, .lessThanOrEqualTo, moment.components)
    case .sun(.between(let first, let second)):
      BetweenPredicate(from: make(from: .sun(.after(first)), find), to: make(from: .sun(.before(second)), find))
    case .presence(let presence): .presence(HMPresenceEvent(presence))
    case .unknown: removed
    }
  }
}

extension Comparison {
  /// nil for an operator that does not compare two values.
  init?(_ operatorType: NSComparisonPredicate.Operator) {
    switch operatorType {
    case .lessThan: self = .less
    case .lessThanOrEqualTo: self = .lessOrEqual
    case .greaterThan: self = .greater
    case .greaterThanOrEqualTo: self = .greaterOrEqual
    case .equalTo: self = .equal
    case .notEqualTo: self = .notEqual
    default: return nil
    }
  }

  var operatorType: NSComparisonPredicate.Operator {
    switch self {
    case .less: .lessThan
    case .lessOrEqual: .lessThanOrEqualTo
    case .greater: .greaterThan
    case .greaterOrEqual: .greaterThanOrEqualTo
    case .equal: .equalTo
    case .notEqual: .notEqualTo
    }
  }
}
