import HAPAlmanac
import HAPModel

/// The condition of a trigger. Its depth is at most 32 (rule L1); rule E5 has its three values.
public indirect enum Condition: Hashable, Sendable {
  /// True if all of them are true; with none: true.
  case all([Condition])
  /// True if one of them is true; with none: false.
  case any([Condition])
  /// True if the condition is false.
  case not(Condition)
  /// Compares the value of a characteristic (rule E4).
  case characteristic(HomeObjectID, Comparison, Value)
  /// Compares the civil time in the home's zone (rule E6).
  case time(TimeCondition)
  /// Compares the time with sunrise or sunset of the home's civil day (rule E7).
  case sun(SunCondition)
  /// Whether persons are at home (rule E8): `firstEntry` or `lastExit` (rule T8).
  case presence(PresenceEvent)
  /// A comparison with a characteristic or with users that were removed. Its value is always unknown, so that a
  /// trigger does not lose a part of its condition.
  case unknown

  /// The number of levels: 1 for a condition without parts.
  public var depth: Int {
    switch self {
    case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
    case .not(let part): 1 + part.depth
    case .characteristic, .time, .sun, .presence, .unknown: 1
    }
  }

  /// The number of conditions: this one and its parts, on all levels.
  public var size: Int {
    switch self {
    case .all(let parts), .any(let parts): 1 + parts.reduce(0) { $0 + $1.size }
    case .not(let part): 1 + part.size
    case .characteristic, .time, .sun, .presence, .unknown: 1
    }
  }

  /// Calls the function for each condition without parts, in order.
  public func forEachLeaf(_ body: (Condition) -> Void) {
    switch self {
    case .all(let parts), .any(let parts): for part in parts { part.forEachLeaf(body) }
    case .not(let part): part.forEachLeaf(body)
    case .characteristic, .time, .sun, .presence, .unknown: body(self)
    }
  }

  /// Returns the condition with its parts replaced; parts that are conditions themselves are visited.
  func mapLeaves(_ body: (Condition) -> Condition) -> Condition {
    switch self {
    case .all(let parts): .all(parts.map { $0.mapLeaves(body) })
    case .any(let parts): .any(parts.map { $0.mapLeaves(body) })
    case .not(let part): .not(part.mapLeaves(body))
    case .characteristic, .time, .sun, .presence, .unknown: body(self)
    }
  }

  /// The characteristics that the condition compares.
  public var characteristics: Set<HomeObjectID> {
    var found: Set<HomeObjectID> = []
    forEachLeaf { if case .characteristic(let id, _, _) = $0 { found.insert(id) } }
    return found
  }
}

/// A comparison of two values.
public enum Comparison: String, CaseIterable, Hashable, Sendable {
  /// =
  case equal
  /// ≠
  case notEqual = "not-equal"
  /// <
  case less
  /// ≤
  case lessOrEqual = "less-or-equal"
  /// >
  case greater
  /// ≥
  case greaterOrEqual = "greater-or-equal"
}

/// A comparison of the civil time. home.md E6.
public enum TimeCondition: Hashable, Sendable {
  /// Earlier on the day than this time; the moment itself is excluded.
  case before(DateParts)
  /// All fields that are set are equal.
  case on(DateParts)
  /// The time of the day or later.
  case after(DateParts)
  /// From the first time to the second, which is excluded. It may include midnight.
  case between(DateParts, DateParts)
}

/// A comparison of the time with the sun. home.md E7.
public enum SunCondition: Hashable, Sendable {
  /// Earlier on the civil day than this moment.
  case before(SunMoment)
  /// At this moment of the civil day or later.
  case after(SunMoment)
  /// From the first moment of the civil day to the second, which is excluded. It may include midnight.
  case between(SunMoment, SunMoment)
}
