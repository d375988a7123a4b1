import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

// The JSON form for programs, which is only written. Times are texts in UTC; civil times are those of the home's zone.
// Conditions and events have the members that they have in commands.

extension Evaluation {
  /// The JSON form.
  package var json: JSONNode {
    let head: [JSONMember] = [
      ("trigger", .id(trigger)), ("number", .integer(number)), ("time", written(time)), ("cause", cause.json),
    ]
    let middle: [JSONMember] =
      (condition.map { [("condition", $0.json)] } ?? []) + (isLast ? [("last", .flag(true))] : [])
    return .object(head + middle + [("outcome", .text(outcome.name))] + outcome.members)
  }
}

private func written(_ instant: Instant) -> JSONNode { .text(HomeText.instantText(instant)) }

private func written(_ time: CivilTime) -> JSONNode { .text("\(time)") }

/// The members of a node that is an object.
private func objectMembers(of node: JSONNode) -> [JSONMember] { (node.members ?? []).map { ($0.name, $0.value) } }

// MARK: Causes

extension Evaluation.Cause {
  fileprivate var json: JSONNode {
    switch self {
    case .start: cause("start")
    case .hand(let user): cause("hand", ("user", user.map { .id($0) }))
    case .value(let id, let before, let after, let isCatchUp):
      cause(
        "value", ("characteristic", .id(id)), ("before", before?.exactNode), ("after", after.exactNode),
        ("catchUp", isCatchUp ? .flag(true) : nil))
    case .timer(let due, let change): cause("timer", ("due", written(due)), ("clock", change?.json))
    case .calendar(let parts, let due, let change):
      cause("calendar", ("at", parts.node), ("due", written(due)), ("clock", change?.json))
    case .sun(let moment, let due):
      .object(
        [("kind", .text("sun"))] + objectMembers(of: IdentifierNotation().written(.sun(moment))) + [
          ("due", written(due))
        ])
    case .presence(let user, let isEntry): cause("presence", ("user", .id(user)), ("entry", .flag(isEntry)))
    case .location(let user, let isEntry): cause("location", ("user", .id(user)), ("entry", .flag(isEntry)))
    case .duration(let due): cause("duration", ("due", written(due)))
    }
  }

  private func cause(_ kind: String, _ members: (name: String, value: JSONNode?)...) -> JSONNode {
    .object([("kind", .text(kind))] + members.compactMap { name, value in value.map { (name, $0) } })
  }
}

extension Evaluation.ClockChange {
  fileprivate var json: JSONNode {
    switch self {
    case .skipped: .text("skipped")
    case .repeated: .text("repeated")
    }
  }
}

// MARK: Outcomes

extension Evaluation.Outcome {
  /// The outcome as one word, such as "condition-false".
  package var name: String {
    switch self {
    case .executing: "executing"
    case .executed: "executed"
    case .ending: "ending"
    case .ended: "ended"
    case .conditionFalse: "condition-false"
    case .conditionUnknown: "condition-unknown"
    case .disabled: "disabled"
    case .otherWeekday: "other-weekday"
    case .sameTime: "same-time"
    case .noHub: "no-hub"
    case .noLocation: "no-location"
    case .noZone: "no-zone"
    case .missed: "missed"
    case .settledBefore: "settled-before"
    case .unknownBefore: "unknown-before"
    case .nothingToExecute: "nothing-to-execute"
    case .busy: "busy"
    case .tooManyExecutions: "too-many-executions"
    case .loopStopped: "loop-stopped"
    case .changedMeanwhile: "changed-meanwhile"
    case .notRecorded: "not-recorded"
    case .endNotRecorded: "end-not-recorded"
    case .notConfirmed: "not-confirmed"
    }
  }

  /// The members besides `outcome`.
  fileprivate var members: [JSONMember] {
    switch self {
    case .executed(let report): [("writes", report.json)]
    case .ending(let values): [("values", .list(values.map(\.json)))]
    case .ended(let values, let report): [("values", .list(values.map(\.json))), ("writes", report.json)]
    case .otherWeekday(let weekday): [("weekday", .text(weekday.word))]
    case .noZone(let zone): [("timeZone", .text(zone.text))]
    case .settledBefore(let last): [("until", written(last))]
    case .notRecorded(let why), .endNotRecorded(let why): [("why", .text(why))]
    case .notConfirmed(let started): [("started", written(started.time)), ("end", .flag(started.isEnd))]
    case .executing, .disabled, .sameTime, .conditionFalse, .conditionUnknown, .noHub, .noLocation, .missed,
      .unknownBefore,
      .nothingToExecute, .busy, .tooManyExecutions, .loopStopped, .changedMeanwhile:
      []
    }
  }
}

extension ExecutionReport {
  fileprivate var json: JSONNode {
    .object([
      ("done", .integer(done)),
      ("failed", .list(failures.map { .object([("object", .id($0.object)), ("why", .text($0.why))]) })),
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

// MARK: Conditions

extension ConditionTrace {
  /// The condition with its result and the actual values.
  fileprivate var json: JSONNode { .object([("result", .text("\(result)"))] + detail.members) }
}

extension ConditionTrace.Detail {
  fileprivate var members: [JSONMember] {
    switch self {
    case .all(let parts): [("all", .list(parts.map(\.json)))]
    case .any(let parts): [("any", .list(parts.map(\.json)))]
    case .not(let part): [("not", part.json)]
    case .characteristic(let id, let comparison, let value, let actual, let why):
      leaf(
        .characteristic(id, comparison, value), ("actual", actual?.exactNode), ("why", why.map { .text($0) }))
    case .time(let condition, let actual): leaf(.time(condition), ("actual", actual.map(written)))
    case .sun(let condition, let actual, let moments):
      leaf(
        .sun(condition), ("actual", actual.map(written)),
        ("moments", .list(moments.map { $0.map(written) ?? JSONNode(.null) })))
    case .presence(let event, let users, let atHome):
      leaf(.presence(event), ("counted", .ids(users)), ("atHome", .ids(atHome)))
    case .removed: leaf(.unknown)
    }
  }

  private func leaf(_ condition: Condition, _ others: (name: String, value: JSONNode?)...) -> [JSONMember] {
    objectMembers(of: IdentifierNotation().written(condition))
      + others.compactMap { name, value in value.map { (name, $0) } }
  }
}
