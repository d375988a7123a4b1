import Foundation
import HAPAlmanac
import HAPHome
import HAPModel

extension Condition {
  /// The condition of a predicate; nil for none.
  /// - Throws: 3 for a predicate that the class methods of HMEventTrigger do not make, and for more than 32 levels; 11 and
  ///   12 for a characteristic that is not in the home; 49 for more than 1000 parts.
  init?(_ predicate: NSPredicate?, in home: Home) throws(HMError) {
    guard let predicate else { return nil }
    var reader = PredicateReader(home: home)
    self = try reader.condition(predicate, 1)
  }
}

/// Reads a predicate of an app. Each level is counted before it is entered, and each part, because an app may use one
/// object in many places.
private struct PredicateReader {
  static let greatestDepth = 32
  static let greatestCount = 1000

  let home: Home
  private var count = 0

  init(home: Home) { self.home = home }

  mutating func condition(_ predicate: NSPredicate, _ depth: Int) throws(HMError) -> Condition {
    try enter(depth)
    if let range = predicate as? BetweenPredicate { return try between(range) }
    if let compound = predicate as? NSCompoundPredicate { return try self.compound(compound, depth) }
    guard let comparison = predicate as? NSComparisonPredicate else {
      throw .invalid(
        "a predicate that is not a comparison, AND, OR or NOT is not understood, such as a block or a constant: use the"
          + " class methods of HMEventTrigger")
    }
    return try self.comparison(comparison)
  }

  /// Counts a part at a level.
  private mutating func enter(_ depth: Int) throws(HMError) {
    guard depth <= Self.greatestDepth else {
      throw .invalid("the predicate has more than \(Self.greatestDepth) levels: use fewer levels")
    }
    count += 1
    guard count <= Self.greatestCount else {
      throw HMError(
        .maximumObjectLimitReached, "the predicate has more than \(Self.greatestCount) parts: use several triggers")
    }
  }

  // MARK: Compounds

  private mutating func compound(_ predicate: NSCompoundPredicate, _ depth: Int) throws(HMError) -> Condition {
    var parts: [NSPredicate] = []
    for case let part as NSPredicate in predicate.subpredicates as [Any] { parts.append(part) }
    switch predicate.compoundPredicateType {
    case .and: return try all(parts, depth)
    case .or:
      var conditions: [Condition] = []
      for part in parts { conditions.append(try condition(part, depth + 1)) }
      return .any(conditions)
    case .not:
      guard parts.count == 1 else { throw .invalid("a NOT has \(parts.count) parts: give one") }
      return .not(try condition(parts[0], depth + 1))
    @unknown default: throw .invalid("an unknown kind of compound is not understood: use AND, OR and NOT")
    }
  }

  /// Reads an AND. Two neighbours that compare a characteristic and its value are one condition: an app may have taken
  /// them from one predicate and put them into another.
  private mutating func all(_ parts: [NSPredicate], _ depth: Int) throws(HMError) -> Condition {
    var conditions: [Condition] = []
    var rest = parts[...]
    while let part = rest.popFirst() {
      guard let half = CharacteristicHalf(part) else {
        conditions.append(try condition(part, depth + 1))
        continue
      }
      guard let other = rest.popFirst().flatMap({ CharacteristicHalf($0) }), other.isValue != half.isValue else {
        throw lonely(part)
      }
      let pair = half.isValue ? (other, half) : (half, other)
      let condition = try characteristic(pair.0.comparison, pair.1.comparison)
      // An AND of these two alone is the condition itself.
      if parts.count == 2 { return condition }
      try enter(depth + 1)
      conditions.append(condition)
    }
    return .all(conditions)
  }

  private func between(_ range: BetweenPredicate) throws(HMError) -> Condition {
    var ends: [Condition] = []
    for case let end as NSComparisonPredicate in range.subpredicates as [Any] { ends.append(try comparison(end)) }
    switch (ends.first, ends.last) {
    case (.time(.after(let first)), .time(.before(let second))): return .time(.between(first, second))
    case (.sun(.after(let first)), .sun(.before(let second))): return .sun(.between(first, second))
    default: preconditionFailure("the class methods of HMEventTrigger make each range")
    }
  }

  // MARK: Comparisons

  private func comparison(_ predicate: NSComparisonPredicate) throws(HMError) -> Condition {
    try requirePlain(predicate)
    let (left, right, type) = (predicate.leftExpression, predicate.rightExpression, predicate.predicateOperatorType)
    if left.isNow {
      guard let components = right.constant as? DateComponents else { throw unknown(predicate) }
      return .time(try time(type, DateParts(components, in: home.zone), predicate))
    }
    guard left.expressionType == .keyPath else { throw unknown(predicate) }
    switch left.keyPath {
    case HMPresenceKeyPath:
      guard type == .equalTo, let event = right.constant as? HMPresenceEvent else { throw unknown(predicate) }
      return .presence(try event.presence())
    case HMCharacteristicKeyPath where type == .equalTo && right.isNull: return .unknown
    case HMCharacteristicKeyPath, HMCharacteristicValueKeyPath: throw lonely(predicate)
    default: return .sun(try sun(predicate))
    }
  }

  private func time(
    _ type: NSComparisonPredicate.Operator, _ parts: DateParts, _ predicate: NSPredicate
  ) throws(HMError) -> TimeCondition {
    switch type {
    case .lessThan, .lessThanOrEqualTo: return .before(parts)
    case .greaterThan, .greaterThanOrEqualTo: return .after(parts)
    case .equalTo: return .on(parts)
    default: throw unknown(predicate)
    }
  }

  private func sun(_ predicate: NSComparisonPredicate) throws(HMError) -> SunCondition {
    let event = HMSignificantEvent(rawValue: predicate.leftExpression.keyPath)
    let moment: SunMoment
    if predicate.rightExpression.isNow {
      moment = try SunMoment(event, nil)
    } else if let seconds = predicate.rightExpression.addedToNow as? NSNumber {
      guard let seconds = Int(exactly: seconds.doubleValue) else { throw unknown(predicate) }
      moment = try SunMoment(event, DateComponents(offset: -max(-1_000_000, min(1_000_000, seconds))))
    } else if let offset = predicate.rightExpression.addedToNow as? DateComponents {
      moment = try SunMoment(event, offset)
    } else {
      throw unknown(predicate)
    }
    switch predicate.predicateOperatorType {
    case .greaterThan, .greaterThanOrEqualTo: return .before(moment)
    case .lessThan, .lessThanOrEqualTo: return .after(moment)
    default: throw unknown(predicate)
    }
  }

  private func characteristic(
    _ first: NSComparisonPredicate, _ second: NSComparisonPredicate
  ) throws(HMError) -> Condition {
    try requirePlain(first)
    try requirePlain(second)
    guard first.predicateOperatorType == .equalTo,
      let characteristic = first.rightExpression.constant as? HMCharacteristic
    else { throw unknown(first) }
    try characteristic.require(in: home)
    guard let comparison = Comparison(second.predicateOperatorType) else { throw unknown(second) }
    let value = Value(written: second.rightExpression.constant, format: characteristic.record.rules.format)
    guard !value.isNull else {
      throw HMError(
        .invalidValueType,
        "\(characteristic.localizedDescription) can't be compared as in \"\(second)\": give a number, a text or data")
    }
    return .characteristic(characteristic.id, comparison, value)
  }

  private func requirePlain(_ predicate: NSComparisonPredicate) throws(HMError) {
    guard predicate.comparisonPredicateModifier == .direct, predicate.options == [] else {
      throw .invalid("the comparison \"\(predicate)\" has a modifier or options: leave them out")
    }
  }

  private func lonely(_ predicate: NSPredicate) -> HMError {
    .invalid(
      "the comparison \"\(predicate)\" is not understood: a characteristic and its value are next to each other in an AND"
    )
  }

  private func unknown(_ predicate: NSPredicate) -> HMError {
    .invalid("the comparison \"\(predicate)\" is not understood: use the class methods of HMEventTrigger")
  }
}

/// A comparison of a characteristic, or of its value.
private struct CharacteristicHalf {
  let comparison: NSComparisonPredicate
  let isValue: Bool

  init?(_ predicate: NSPredicate) {
    guard let comparison = predicate as? NSComparisonPredicate, comparison.leftExpression.expressionType == .keyPath
    else { return nil }
    switch comparison.leftExpression.keyPath {
    case HMCharacteristicKeyPath where !comparison.rightExpression.isNull: isValue = false
    case HMCharacteristicValueKeyPath: isValue = true
    default: return nil
    }
    self.comparison = comparison
  }
}

// On Apple's systems, a property of another kind of expression raises an exception.
extension NSExpression {
  /// The value of a constant; nil for null, and for other expressions.
  fileprivate var constant: Any? { expressionType == .constantValue ? constantValue : nil }

  fileprivate var isNull: Bool {
    expressionType == .constantValue && (constantValue == nil || constantValue is NSNull)
  }

  /// Whether it is the present time.
  fileprivate var isNow: Bool {
    expressionType == .function && function == PredicateFunction.now && (arguments ?? []).isEmpty
  }

  /// The constant that is added to the present time; nil for other expressions.
  fileprivate var addedToNow: Any? {
    guard expressionType == .function, function == PredicateFunction.add, let arguments, arguments.count == 2,
      arguments[0].isNow
    else { return nil }
    return arguments[1].constant
  }
}
