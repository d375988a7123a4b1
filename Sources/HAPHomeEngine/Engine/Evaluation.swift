import HAPAlmanac
import HAPHome
import HAPModel

/// What happened after an event of a trigger, and why: the event, the comparisons of the condition with the actual
/// values, and the outcome. `EvaluationText` prints it.
public struct Evaluation: Hashable, Sendable {
  /// The trigger.
  public let trigger: HomeObjectID
  /// Counts the evaluations of a trigger since the start of the engine, from 1.
  public let number: Int
  /// The time of the evaluation.
  public let time: Instant
  /// The event.
  public let cause: Cause
  /// The comparisons; nil: the trigger has no condition, or it was not evaluated.
  public let condition: ConditionTrace?
  /// Whether the trigger was disabled before the execution, because it executes once (rule E13).
  public let isLast: Bool
  /// What was done, or why nothing was done. A later evaluation with the same number has the outcome after the writes.
  public internal(set) var outcome: Outcome
}

extension Evaluation {
  /// An event that activates a trigger or ends its effect.
  public enum Cause: Hashable, Sendable {
    /// The engine started, or the trigger was enabled.
    case start
    /// A characteristic has a new value. Without a value before, none was known.
    case value(HomeObjectID, before: Value?, after: Value, isCatchUp: Bool)
    /// The time of a timer.
    case timer(due: Instant, ClockChange?)
    /// The time of a calendar event.
    case calendar(DateParts, due: Instant, ClockChange?)
    /// The time of a sun event.
    case sun(SunMoment, due: Instant)
    /// A person came home, or left.
    case presence(HomeObjectID, isEntry: Bool)
    /// A person entered a region, or left it.
    case location(HomeObjectID, isEntry: Bool)
    /// The time of an end event of the type duration.
    case duration(due: Instant)
    /// A person fired the trigger by hand; nil: it is not known who.
    case hand(HomeObjectID?)

    /// The time for which the event was planned, which the state of the trigger has; nil: it was not planned.
    public var due: Instant? {
      switch self {
      case .timer(let due, _), .calendar(_, let due, _), .sun(_, let due): due
      case .start, .value, .presence, .location, .duration, .hand: nil
      }
    }
  }

  /// The reason why a planned time is not simply the civil time that was meant.
  public enum ClockChange: Hashable, Sendable {
    /// The civil time does not exist on this day, because the clock was set ahead. The end of the gap counts.
    case skipped
    /// The civil time exists twice on this day, because the clock was set back. The first one counts.
    case repeated
  }

  /// What was done after an event.
  public enum Outcome: Hashable, Sendable {
    /// The execution was recorded, or is being recorded. The writes have not ended.
    case executing
    /// The writes of the sets have ended.
    case executed(ExecutionReport)
    /// The effect ends: the old values are being written.
    case ending([RestoredValue])
    /// The effect has ended.
    case ended([RestoredValue], ExecutionReport)
    /// The condition is false.
    case conditionFalse
    /// A value of the condition is unknown, and the other values do not decide (rule E5).
    case conditionUnknown
    /// It is another weekday than those of the trigger (rule E9).
    case otherWeekday(Weekday)
    /// The home has no hub (rule E17).
    case noHub
    /// The home has no location (rule E17).
    case noLocation
    /// The zone of the home, or of the timer, has no data on this machine.
    case noZone(ZoneName)
    /// The event was more than a minute ago (rule E11). Later occurrences until then were missed, too.
    case missed
    /// The clock was set back. Occurrences until this time were settled before (rule E12).
    case settledBefore(Instant)
    /// It is not known whether the value was in the range before (rule E3), or differs from the one that was written.
    case unknownBefore
    /// The sets of the trigger have no actions.
    case nothingToExecute
    /// A person fired a trigger that is disabled.
    case disabled
    /// Another event of the trigger was planned for the same time, which is one occurrence.
    case sameTime
    /// Too many earlier events of the trigger are still being evaluated.
    case busy
    /// Too many earlier executions have not ended.
    case tooManyExecutions
    /// The trigger executed its sets too often in a second, and was disabled (rule E15).
    case loopStopped
    /// The trigger was disabled or changed during the evaluation.
    case changedMeanwhile
    /// The occurrence could not be stored, so nothing was written.
    case notRecorded(String)
    /// The end of the effect could not be stored, so nothing was written. It is tried again (`EnginePolicy.endRetry`).
    case endNotRecorded(String)
    /// An execution that was recorded before a restart has no recorded end. It is not executed again.
    case notConfirmed(TriggerState.Started)
  }

  /// A value at the end of an effect.
  public struct RestoredValue: Hashable, Sendable {
    /// The value before the effect, and the value that the sets wrote.
    public let value: RestorableValue
    /// The value at the end; nil: unknown.
    public let actual: Value?
    /// Whether the old value is written: only if the characteristic still has the value of the sets.
    public let isRestored: Bool
  }
}

/// A condition with its result, and the actual values that were compared.
public struct ConditionTrace: Hashable, Sendable {
  /// The comparison.
  public indirect enum Detail: Hashable, Sendable {
    case all([ConditionTrace])
    case any([ConditionTrace])
    case not(ConditionTrace)
    /// Without an actual value: the reason.
    case characteristic(HomeObjectID, Comparison, Value, actual: Value?, why: String?)
    /// Without a civil time: the home's zone has no data.
    case time(TimeCondition, actual: CivilTime?)
    /// The civil time, and the moments of the condition on this day. Without a moment: the sun does not rise or set, or
    /// the home has no location.
    case sun(SunCondition, actual: CivilTime?, moments: [CivilTime?])
    /// The users that count, and those of them who are at home.
    case presence(PresenceEvent, users: [HomeObjectID], atHome: [HomeObjectID])
    /// A comparison with an object that was removed.
    case removed
  }

  /// The result.
  public let result: Truth
  /// The comparison.
  public let detail: Detail
}
