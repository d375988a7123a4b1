import HAPAlmanac
import HAPModel

/// An event that activates or ends a trigger.
public enum HomeEvent: Hashable, Sendable {
  /// The characteristic gets this value; nil: any other value than before (rule E2). HMCharacteristicEvent.
  case characteristic(HomeObjectID, equals: Value?)
  /// The value of the characteristic enters a range (rule E3). HMCharacteristicThresholdRangeEvent.
  case threshold(HomeObjectID, ThresholdRange)
  /// A civil time in the home's zone. HMCalendarEvent.
  case calendar(DateParts)
  /// Sunrise or sunset at the home. HMSignificantTimeEvent.
  case sun(SunMoment)
  /// A person comes or leaves (rule E8). HMPresenceEvent.
  case presence(PresenceEvent)
  /// The current user enters or leaves a region. HMLocationEvent.
  case location(Region, onEntry: Bool, onExit: Bool)
  /// A number of seconds after the trigger fired, > 0; only as an end event (rule T8). HMDurationEvent.
  case duration(seconds: Int)

  /// The characteristic of the event; nil if it has none.
  public var characteristic: HomeObjectID? {
    switch self {
    case .characteristic(let id, equals: _), .threshold(let id, _): id
    case .calendar, .sun, .presence, .location, .duration: nil
    }
  }
}

/// A range of values: from `min` to `max`, both included; at least one of them is set.
public struct ThresholdRange: Hashable, Sendable {
  /// The lowest value; nil: none.
  public let min: Double?
  /// The highest value; nil: none.
  public let max: Double?

  /// Creates a range; nil if both ends are nil, if one is not finite, or if `min` > `max`.
  public init?(min: Double?, max: Double?) {
    guard min != nil || max != nil, min?.isFinite ?? true, max?.isFinite ?? true else { return nil }
    if let min, let max, min > max { return nil }
    (self.min, self.max) = (min, max)
  }

  /// Returns whether the value is in the range.
  public func contains(_ value: Double) -> Bool { value >= min ?? -.infinity && value <= max ?? .infinity }
}

/// A sunrise or sunset, moved by an offset.
public struct SunMoment: Hashable, Sendable {
  /// Sunrise or sunset.
  public let event: SunEvent
  /// Seconds after the event; negative: before it. At most 12 hours.
  public let offset: Int

  /// The greatest distance from the event, in seconds.
  public static let greatestOffset = 12 * 3600

  /// Creates a moment; nil if the offset is more than 12 hours.
  public init?(_ event: SunEvent, offset: Int = 0) {
    guard (-Self.greatestOffset...Self.greatestOffset).contains(offset) else { return nil }
    (self.event, self.offset) = (event, offset)
  }
}

/// Persons who come or leave.
public struct PresenceEvent: Hashable, Sendable {
  /// Which arrivals and departures count.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Each arrival of one of the users.
    case everyEntry = "every-entry"
    /// Each departure of one of the users.
    case everyExit = "every-exit"
    /// The arrival of the first user; as a condition: at least one user is at home.
    case firstEntry = "first-entry"
    /// The departure of the last user; as a condition: no user is at home.
    case lastExit = "last-exit"
  }

  /// The users whose presence counts.
  public enum Users: Hashable, Sendable {
    /// The user who owns the hub.
    case currentUser
    /// All users of the home.
    case homeUsers
    /// These users.
    case users(Set<HomeObjectID>)
  }

  /// Which arrivals and departures count.
  public let kind: Kind
  /// The users whose presence counts.
  public let users: Users

  /// Creates an event.
  public init(_ kind: Kind, of users: Users) { (self.kind, self.users) = (kind, users) }
}

/// A circle on the earth. CLCircularRegion.
public struct Region: Hashable, Sendable {
  /// The centre.
  public let centre: Coordinate
  /// The radius in metres, > 0 and at most 1,000,000.
  public let radius: Double

  /// Creates a region; nil for a radius outside of the range.
  public init?(centre: Coordinate, radius: Double) {
    guard radius > 0, radius <= 1_000_000 else { return nil }
    (self.centre, self.radius) = (centre, radius)
  }
}
