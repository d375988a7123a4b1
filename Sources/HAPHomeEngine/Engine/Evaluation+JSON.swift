import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

// The JSON form of evaluations, for programs. It is only written. Times are texts in UTC, and conditions and events have
// the words of commands.

extension Evaluation {
  /// The JSON form.
  package var json: JSONNode {
    .members(
      ("trigger", .id(trigger)), ("number", .integer(number)), ("time", .time(time)), ("cause", cause.json),
      ("condition", condition?.json), ("last", isLast ? .flag(true) : nil), ("outcome", .text(outcome.name)),
      ("detail", outcome.detail))
  }
}

extension Evaluation.Cause {
  fileprivate var json: JSONNode {
    let notation = IdentifierNotation()
    func planned(_ due: Instant, _ event: (String, JSONNode)? = nil, _ change: Evaluation.ClockChange?) -> JSONNode {
      .object(
        [("due", .time(due))] + (event.map { [$0] } ?? []) + (change.map { [("clock", .text($0.name))] } ?? []))
    }
    switch self {
    case .start: return .text("start")
    case .value(let id, let before, let after, let isCatchUp):
      return .members(
        ("characteristic", .id(id)), ("before", before?.exactNode), ("after", after.exactNode),
        ("catchUp", isCatchUp ? .flag(true) : nil))
    case .timer(let due, let change): return planned(due, nil, change)
    case .calendar(let parts, let due, let change):
      return planned(due, ("event", notation.written(.calendar(parts))), change)
    case .sun(let moment, let due): return planned(due, ("event", notation.written(.sun(moment))), nil)
    case .presence(let user, let isEntry): return .object([("user", .id(user)), ("entry", .flag(isEntry))])
    case .location(let user, let isEntry):
      return .object([("user", .id(user)), ("region", .flag(true)), ("entry", .flag(isEntry))])
    case .duration(let due): return .object([("duration", .flag(true)), ("due", .time(due))])
    case .hand(let user): return .members(("hand", .flag(true)), ("user", user.map { .id($0) }))
    }
  }
}

extension Evaluation.ClockChange {
  fileprivate var name: String {
    switch self {
    case .skipped: "skipped"
    case .repeated: "repeated"
    }
  }
}

extension Evaluation.Outcome {
  /// The name of the outcome, such as "executed" or "condition-false".
  package var name: String {
    switch self {
    case .executing: "executing"
    case .executed: "executed"
    case .ending: "ending"
    case .ended: "ended"
    case .conditionFalse: "condition-false"
    case .conditionUnknown: "condition-unknown"
    case .otherWeekday: "other-weekday"
    case .noHub: "no-hub"
    case .noLocation: "no-location"
    case .noZone: "no-zone"
    case .missed: "missed"
    case .settledBefore: "settled-before"
    case .unknownBefore: "unknown-before"
    case .nothingToExecute: "nothing-to-execute"
    case .disabled: "disabled"
    case .sameTime: "same-time"
    case .busy: "busy"
    case .tooManyExecutions: "too-many-executions"
    case .loopStopped: "loop-stopped"
    case .changedMeanwhile: "changed-meanwhile"
    case .notRecorded: "not-recorded"
    case .endNotRecorded: "end-not-recorded"
    case .notConfirmed: "not-confirmed"
    }
  }

  fileprivate var detail: JSONNode? {
    switch self {
    case .executed(let report): report.json
    case .ending(let values): .list(values.map(\.json))
    case .ended(let values, let report): .object([("values", .list(values.map(\.json))), ("writes", report.json)])
    case .otherWeekday(let weekday): .text("\(weekday)")
    case .noZone(let zone): .text("\(zone)")
    case .settledBefore(let time): .time(time)
    case .notRecorded(let why), .endNotRecorded(let why): .text(why)
    case .notConfirmed(let started): .object([("time", .time(started.time)), ("end", .flag(started.isEnd))])
    case .executing, .conditionFalse, .conditionUnknown, .noHub, .noLocation, .missed, .unknownBefore,
      .nothingToExecute, .disabled, .sameTime, .busy, .tooManyExecutions, .loopStopped, .changedMeanwhile:
      nil
    }
  }
}

extension ExecutionReport {
  fileprivate var json: JSONNode {
    .object([
      ("done", .integer(done)),
      ("failures", .list(failures.map { .object([("object", .id($0.object)), ("why", .text($0.why))]) })),
    ])
  }
}

extension Evaluation.RestoredValue {
  fileprivate var json: JSONNode {
    .members(
      ("characteristic", .id(value.characteristic)), ("before", value.before?.exactNode),
      ("written", value.written.exactNode), ("actual", actual?.exactNode), ("restored", .flag(isRestored)))
  }
}

extension ConditionTrace {
  /// The comparison with its result and the actual value.
  fileprivate var json: JSONNode {
    let notation = IdentifierNotation()
    let result = ("result", JSONNode.text("\(self.result)"))
    func compared(_ condition: Condition, _ others: [(name: String, value: JSONNode?)]) -> JSONNode {
      .object(
        [result, ("condition", notation.written(condition))]
          + others.compactMap { other in
            other.value.map { (other.name, $0) }
          })
    }
    switch detail {
    case .all(let parts): return .object([result, ("all", .list(parts.map(\.json)))])
    case .any(let parts): return .object([result, ("any", .list(parts.map(\.json)))])
    case .not(let part): return .object([result, ("not", part.json)])
    case .characteristic(let id, let comparison, let value, let actual, let why):
      return compared(
        .characteristic(id, comparison, value), [("actual", actual?.exactNode), ("why", why.map { .text($0) })])
    case .time(let condition, let actual): return compared(.time(condition), [("actual", actual?.json)])
    case .sun(let condition, let actual, let moments):
      return compared(
        .sun(condition), [("actual", actual?.json), ("moments", .list(moments.map { $0?.json ?? JSONNode(.null) }))])
    case .presence(let event, let users, let atHome):
      return compared(
        .presence(event), [("users", .list(users.map { .id($0) })), ("atHome", .list(atHome.map { .id($0) }))])
    case .removed: return compared(.unknown, [])
    }
  }
}

extension CivilTime {
  fileprivate var json: JSONNode { .text("\(self)") }
}

extension JSONNode {
  fileprivate static func time(_ instant: Instant) -> JSONNode { .text(HomeText.instantText(instant)) }
}
