import HAPAlmanac
import HAPHome
import HAPModel

/// A trigger in a running engine.
struct TriggerRun: Sendable {
  /// The trigger as in the model.
  var trigger: Trigger
  /// The characteristics of the condition that the home has.
  var compared: [HomeObjectID] = []
  let home: HomeObjectID
  var state: TriggerState
  /// The planned events, with the time of the next occurrence of each.
  var sources: [(source: TimeSource, due: Instant?)] = []
  /// Counts the plans: deadlines of earlier ones are void.
  var plan = 0
  /// The event that is being evaluated or recorded. There is at most one.
  var activation: Activation?
  /// The events after it, in their order. Without an activation, there are none.
  var waiting: [(cause: Evaluation.Cause, moment: Instant)] = []
  /// The end of the effect that is being prepared or recorded.
  var ending: Ending?
  /// Values that `restore` is writing.
  var restoring: [HomeObjectID: Value] = [:]
  /// The times of the last executions, for rule E15.
  var executions: [Instant] = []

  init(_ trigger: Trigger, home: HomeObjectID, state: TriggerState) {
    (self.trigger, self.home, self.state) = (trigger, home, state)
  }

  /// The time of the next occurrence of a planned event.
  var nextDue: Instant? { sources.compactMap(\.due).min() }

  /// The duration after which the effect of an execution ends; nil: no end event is a duration.
  var duration: Duration? {
    let seconds = trigger.kind.endEvents.compactMap { if case .duration(let seconds) = $0 { seconds } else { nil } }
    return seconds.min().map { .seconds($0) }
  }

  /// The events that the engine has to recognize now.
  var watchedEvents: (events: [HomeEvent], endEvents: [HomeEvent]) {
    let (isEnabled, kind) = (trigger.isEnabled, trigger.kind)
    return (isEnabled ? kind.events : [], isEnabled || state.running != nil ? kind.endEvents : [])
  }

  /// The planned times that are not decided yet.
  var undecided: [Instant] {
    let current = activation.flatMap { $0.isRecorded ? nil : $0.cause.due }
    return (current.map { [$0] } ?? []) + waiting.compactMap(\.cause.due)
  }

  /// The state to store. Planned times that are not decided yet are not settled in it: after a crash, they are evaluated
  /// again.
  var durableState: TriggerState {
    guard let settled = state.settled, let first = undecided.min(), first <= settled else { return state }
    var state = state
    state.settled = first.advanced(by: .nanoseconds(-1))
    return state
  }

  /// Moves the end of the effect, because the clock was set.
  mutating func moveEnd(by step: Duration) {
    if let end = state.running?.end { state.running?.end = end.advanced(by: step) }
    guard let activation, case .record(let record) = activation.phase, let end = record.effectBefore?.end else {
      return
    }
    var moved = record
    moved.effectBefore?.end = end.advanced(by: step)
    self.activation?.phase = .record(moved)
  }

  /// Removes an execution from those without a recorded end.
  mutating func finish(_ started: TriggerState.Started) {
    if let index = state.started.firstIndex(of: started) { state.started.remove(at: index) }
  }
}

/// The evaluation of an event, until its execution is recorded.
struct Activation: Sendable {
  enum Phase: Sendable {
    /// Values of the condition are being read.
    case condition
    /// The condition is true. The values to restore are being read.
    case snapshot(ConditionTrace?)
    /// The execution is being recorded.
    case record(Record)
  }

  /// The record of an execution, and what it replaces: if it fails, that is valid again.
  struct Record: Sendable {
    var evaluation: Evaluation
    let started: TriggerState.Started
    var effectBefore: TriggerState.Running?
    let lastFireBefore: Instant?
    let changes: [HomeChange]
  }

  let cause: Evaluation.Cause
  /// The time for which the condition is evaluated: that of the event.
  let moment: Instant
  var phase: Phase
  var ticket: EngineTicket

  /// Whether the execution is decided: its effect replaces the one before.
  var isDecided: Bool { if case .condition = phase { false } else { true } }

  /// Whether the execution is recorded, or is being recorded.
  var isRecorded: Bool { if case .record = phase { true } else { false } }
}

/// The end of an effect, until it is recorded.
struct Ending: Sendable {
  enum Phase: Sendable {
    /// The values at the end are being read.
    case values
    case record(Evaluation, TriggerState.Started, [HomeAction])
  }

  let cause: Evaluation.Cause
  var phase: Phase
  var ticket: EngineTicket
}

/// A characteristic of which the engine needs the value.
struct Watch: Sendable {
  /// An event that a value of the characteristic can be.
  struct Use: Sendable {
    let trigger: HomeObjectID
    let event: HomeEvent
    let isEnd: Bool
  }

  let plan: CharacteristicPlan
  var uses: [Use] = []
  /// The last known value.
  var value: Value?
  /// Whether the value is still that of the accessory, as far as the engine knows.
  var isCurrent = false
  /// The time at which it stopped to be so.
  var lostAt: Instant?

  var currentValue: Value? { isCurrent ? value : nil }
}

/// What the answer to a request belongs to.
enum Pending: Sendable {
  case conditionValues(HomeObjectID, until: Instant)
  case snapshotValues(HomeObjectID, until: Instant)
  case endValues(HomeObjectID, until: Instant)
  case executionRecord(HomeObjectID)
  case endRecord(HomeObjectID)
  case execution(Evaluation, TriggerState.Started)
  case restoration(Evaluation, TriggerState.Started, [Evaluation.RestoredValue])
  /// The place of a user, and the events that it is.
  case personRecord([(trigger: HomeObjectID, cause: Evaluation.Cause)], at: Instant)
  /// A record after which only changes are reported.
  case changes([HomeChange])

  /// The end of the wait for a read.
  var limit: Instant? {
    switch self {
    case .conditionValues(_, let limit), .snapshotValues(_, let limit), .endValues(_, let limit): limit
    case .executionRecord, .endRecord, .execution, .restoration, .personRecord, .changes: nil
    }
  }

  func waiting(until limit: Instant) -> Pending {
    switch self {
    case .conditionValues(let id, _): .conditionValues(id, until: limit)
    case .snapshotValues(let id, _): .snapshotValues(id, until: limit)
    case .endValues(let id, _): .endValues(id, until: limit)
    case .executionRecord, .endRecord, .execution, .restoration, .personRecord, .changes: self
    }
  }
}
