import HAPAlmanac

/// A trigger: executes action sets at a time or after an event. Apps call it an automation.
public struct Trigger: Hashable, Sendable {
  /// What activates a trigger.
  public enum Kind: Hashable, Sendable {
    /// A time, and a period after which it repeats.
    case timer(TimerTrigger)
    /// One of several events, with a condition.
    case event(EventTrigger)
  }

  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name. Voice control does not use it, but it is in the namespace of the home (rule N2).
  public package(set) var name: HomeName
  /// What activates the trigger.
  public package(set) var kind: Kind
  /// The action sets that are executed together (rule E16).
  public package(set) var actionSets: [HomeObjectID] = []
  /// Whether the trigger is active. A new trigger is not (rule T5).
  public package(set) var isEnabled = false
  /// The time at which the trigger last executed its sets; nil: never.
  public package(set) var lastFire: Instant?
}

/// A trigger's time. HMTimerTrigger.
public struct TimerTrigger: Hashable, Sendable {
  /// The first time. Its seconds are 0 (rule T1).
  public var fireDate: Instant
  /// The period, 5 minutes to 5 weeks (rule T2); nil: fires once.
  public var recurrence: CivilPeriod?
  /// The zone for the period; nil: the home's zone (rule E10).
  public var zone: ZoneName?

  /// Creates a timer.
  public init(fireDate: Instant, recurrence: CivilPeriod? = nil, zone: ZoneName? = nil) {
    (self.fireDate, self.recurrence, self.zone) = (fireDate, recurrence, zone)
  }
}

/// A trigger's events, and the condition that has to be true. HMEventTrigger.
public struct EventTrigger: Hashable, Sendable {
  /// Any one of them activates the trigger (rule E1).
  public var events: [HomeEvent]
  /// Each of them ends the effect of the sets (rule E14); rule T8 names those that are allowed.
  public var endEvents: [HomeEvent]
  /// The weekdays on which events count (rule E9); empty: all.
  public var weekdays: Set<Weekday>
  /// Evaluated at the event; nil: always true.
  public var condition: Condition?
  /// Whether the trigger is disabled before its first execution (rule E13).
  public var executesOnce: Bool

  /// Creates the events of a trigger.
  public init(
    events: [HomeEvent], endEvents: [HomeEvent] = [], weekdays: Set<Weekday> = [], condition: Condition? = nil,
    executesOnce: Bool = false
  ) {
    (self.events, self.endEvents, self.weekdays) = (events, endEvents, weekdays)
    (self.condition, self.executesOnce) = (condition, executesOnce)
  }
}
