import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

extension HomeFile {
  /// What activates a trigger.
  package enum TriggerKind: Equatable, Sendable {
    case timer(TimerEntry)
    case event(EventsEntry)
  }

  /// A time, and the period after which it repeats.
  package struct TimerEntry: Equatable, Sendable {
    package var start: Placed<Start>
    package var period: CivilPeriod?
    package var zone: Placed<ZoneName>?

    package enum Start: Equatable, Sendable {
      /// In the zone of the timer, or else of the home.
      case civil(CivilTime)
      case instant(Instant)
    }
  }

  /// Events, the condition, and the end.
  package struct EventsEntry: Equatable, Sendable {
    /// The place of `when`.
    package var events: Placed<[EventEntry]>
    package var endEvents: [EventEntry] = []
    package var weekdays: Set<Weekday> = []
    package var condition: ConditionEntry?
    package var executesOnce = false
  }

  /// An event, with names instead of identifiers.
  package enum EventEntry: Equatable, Sendable {
    case characteristic(Placed<HomeFilePath>, equals: Placed<Value>?)
    case threshold(Placed<HomeFilePath>, ThresholdRange)
    case presence(PresenceEntry)
    /// An event that refers to no object.
    case other(HomeEvent)
  }

  /// A condition, with names instead of identifiers.
  package indirect enum ConditionEntry: Equatable, Sendable {
    case all([ConditionEntry])
    case any([ConditionEntry])
    case not(ConditionEntry)
    case characteristic(Placed<HomeFilePath>, Comparison, Placed<Value>)
    case presence(PresenceEntry)
    /// A condition that refers to no object.
    case other(Condition)
  }

  /// Persons who come, leave, or are at home.
  package struct PresenceEntry: Equatable, Sendable {
    package var kind: PresenceEvent.Kind
    package var users: Users

    package enum Users: Equatable, Sendable {
      case all, current
      case named([Placed<String>])
    }
  }
}
