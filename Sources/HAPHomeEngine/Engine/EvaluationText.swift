import HAPAlmanac
import HAPHome
import HAPModel

/// Prints evaluations for people, with the names of a home. `hapctl home why` shows it.
public struct EvaluationText: Sendable {
  private let home: Home
  private let zone: ZoneRules
  private let names: HomeNames

  /// Creates a printer.
  /// - Parameters:
  ///   - home: the home of the trigger. Objects that it does not have any more are shown by their identifiers.
  ///   - zone: the zone of the times.
  public init(_ home: Home, zone: ZoneRules) {
    (self.home, self.zone) = (home, zone)
    names = HomeNames(home)
  }

  /// Returns the lines of an evaluation: the time, the trigger and the outcome; then the event and the comparisons, each
  /// indented by two spaces or more.
  public func lines(_ evaluation: Evaluation) -> [String] {
    var lines = [head(evaluation)]
    lines.append("  event: \(cause(evaluation.cause))")
    if let condition = evaluation.condition {
      lines.append("  condition:")
      add(condition, depth: 2, to: &lines)
    }
    switch evaluation.outcome {
    case .executed(let report): add(report, to: &lines)
    case .ending(let values): add(values, to: &lines)
    case .ended(let values, let report):
      add(values, to: &lines)
      add(report, to: &lines)
    default: break
    }
    return lines
  }

  /// Returns an evaluation in one line: the time, the trigger and the outcome. If the condition is not true, the
  /// comparisons follow because of which it is not.
  package func summary(_ evaluation: Evaluation) -> String {
    let line = head(evaluation)
    switch evaluation.outcome {
    case .conditionFalse, .conditionUnknown:
      return "\(line): \((evaluation.condition.map(reasons) ?? []).joined(separator: "; "))"
    default: return line
    }
  }

  private func head(_ evaluation: Evaluation) -> String {
    let name = home.triggers.find(evaluation.trigger)?.name.text ?? evaluation.trigger.description
    return "\(time(evaluation.time)) \"\(name)\": \(outcome(evaluation))"
  }

  // MARK: Outcomes

  private func outcome(_ evaluation: Evaluation) -> String {
    let end = evaluation.isLast ? "; the trigger executes once and is disabled now" : ""
    switch evaluation.outcome {
    case .executing: return "is being executed\(end)"
    case .executed(let report):
      return (report.failures.isEmpty ? "executed" : "executed, but not all writes succeeded") + end
    case .ending: return "its effect is ending"
    case .ended(_, let report):
      return report.failures.isEmpty ? "its effect ended" : "its effect ended, but not all writes succeeded"
    case .endNotRecorded(let why):
      return "its effect did not end, because the end could not be stored: \(why); the hub tries again"
    default: return "not executed: \(reason(evaluation.outcome))"
    }
  }

  /// Returns why nothing was executed.
  /// - Parameter outcome: one without an execution.
  package func reason(_ outcome: Evaluation.Outcome) -> String {
    switch outcome {
    case .executing, .executed, .ending, .ended, .endNotRecorded: preconditionFailure("the trigger was executed")
    case .conditionFalse: "the condition is false"
    case .conditionUnknown: "it is unknown whether the condition is true"
    case .otherWeekday(let weekday): "the trigger does not apply on a \(weekday.name)"
    case .noHub: "the home has no hub"
    case .noLocation: "the home has no location, which an event or the condition needs"
    case .noZone(let zone): "this machine has no data of the time zone \"\(zone)\""
    case .missed: "it was missed, because it was more than a minute ago; later times until now were missed, too"
    case .settledBefore(let last): "the clock was set back, and times until \(time(last)) were handled before"
    case .unknownBefore: "the value before is unknown, so it is unknown whether this is a change"
    case .nothingToExecute: "the trigger has no action"
    case .disabled: "the trigger is disabled"
    case .sameTime: "another event of the trigger was planned for the same time, which counts once"
    case .busy: "too many earlier events of the trigger are still being evaluated"
    case .tooManyExecutions: "too many earlier executions have not ended"
    case .loopStopped: "it was executed too often within a second, so it is disabled now"
    case .changedMeanwhile: "the trigger was changed or disabled during the evaluation"
    case .notRecorded(let why): "the execution could not be stored: \(why)"
    case .notConfirmed(let started):
      started.isEnd
        ? "the end of its effect of \(time(started.time)) is not confirmed after a crash, and is not repeated"
        : "the execution of \(time(started.time)) is not confirmed after a crash, and is not repeated"
    }
  }

  private func add(_ report: ExecutionReport, to lines: inout [String]) {
    lines.append("  writes: \(report.done) done, \(report.failures.count) failed")
    for failure in report.failures {
      let name = home.actionSets.find(failure.object)?.name.text ?? names.characteristic(failure.object)
      lines.append("    \(name): \(failure.why)")
    }
  }

  private func add(_ values: [Evaluation.RestoredValue], to lines: inout [String]) {
    for restored in values {
      let id = restored.value.characteristic
      lines.append("  \(names.characteristic(id)): \(fate(restored, id))")
    }
  }

  private func fate(_ restored: Evaluation.RestoredValue, _ id: HomeObjectID) -> String {
    guard let before = restored.value.before else { return "stays, because the value before is unknown" }
    guard let actual = restored.actual else { return "stays, because the value is unknown" }
    if restored.isRestored { return "gets back \(names.value(before, of: id))" }
    // Either a person changed the value, or the sets wrote the value that it had before.
    return "stays \(names.value(actual, of: id))"
  }

  // MARK: Events

  private func cause(_ cause: Evaluation.Cause) -> String {
    switch cause {
    case .start: "the hub started, or the trigger was enabled"
    case .value(let id, let before, let after, let isCatchUp):
      "\(names.characteristic(id)) became \(names.value(after, of: id))"
        + (before.map { "; it was \(names.value($0, of: id))" } ?? "")
        + (isCatchUp ? " (while there was no session)" : "")
    case .timer(let due, let change): "the timer of \(time(due))\(note(change))"
    case .calendar(let parts, let due, let change): "the time \(text(parts)), on \(time(due))\(note(change))"
    case .sun(let moment, let due): "\(text(moment)), on \(time(due))"
    case .presence(let user, let isEntry): "\(names.user(user)) \(isEntry ? "came home" : "left")"
    case .location(let user, let isEntry): "\(names.user(user)) \(isEntry ? "entered" : "left") the region"
    case .hand(let user): "\(user.map(names.user) ?? "a person") fired the trigger by hand"
    case .duration(let due): "the duration ended on \(time(due))"
    }
  }

  private func note(_ change: Evaluation.ClockChange?) -> String {
    switch change {
    case nil: ""
    case .skipped: " (the clock skips the planned time on this day)"
    case .repeated: " (the clock shows this time twice on this day; the first one counts)"
    }
  }

  // MARK: Conditions

  private func add(_ trace: ConditionTrace, depth: Int, to lines: inout [String]) {
    let start = String(repeating: "  ", count: depth) + "\(trace.result): "
    switch trace.detail {
    case .all(let parts), .any(let parts):
      let isAll = if case .all = trace.detail { true } else { false }
      lines.append(start + (isAll ? "all of" : "any of"))
      for part in parts { add(part, depth: depth + 1, to: &lines) }
    case .not(let part):
      lines.append(start + "not")
      add(part, depth: depth + 1, to: &lines)
    default: lines.append(start + text(trace.detail))
    }
  }

  /// A comparison with its actual values, in one line. Parts of a condition are in parentheses.
  private func text(_ detail: ConditionTrace.Detail) -> String {
    switch detail {
    case .all(let parts): return "(\(parts.map { text($0.detail) }.joined(separator: " and ")))"
    case .any(let parts): return "(\(parts.map { text($0.detail) }.joined(separator: " or ")))"
    case .not(let part): return "not \(text(part.detail))"
    case .characteristic(let id, let comparison, let expected, let actual, let why):
      let comparison = "\(names.characteristic(id)) \(comparison.words) \(names.value(expected, of: id))"
      let found = actual.map { "it is \(names.value($0, of: id))" } ?? "unknown: \(why ?? "it was not read")"
      return "\(comparison) (\(found))"
    case .time(let condition, let actual):
      return "\(text(condition)) (\(actual.map(clock) ?? "no data of the time zone"))"
    case .sun(let condition, let actual, let moments):
      let found = zip(condition.moments, moments).map { moment, time in
        "\(moment.event) \(time.map { "gives \(clock($0))" } ?? "does not exist on this day, or has no place")"
      }
      return "\(text(condition)) (\(actual.map(clock) ?? "no time"); \(found.joined(separator: ", ")))"
    case .presence(let event, let users, let atHome):
      let found = atHome.isEmpty ? "nobody" : atHome.map(names.user).joined(separator: ", ")
      let of = users.map(names.user).joined(separator: ", ")
      return "\(event.kind == .lastExit ? "none" : "one") of \(of) is at home (at home: \(found))"
    case .removed: return "a comparison with an object that was removed"
    }
  }

  /// The comparisons because of which a condition has its result.
  private func reasons(_ trace: ConditionTrace) -> [String] {
    switch trace.detail {
    case .all(let parts), .any(let parts): parts.filter { $0.result == trace.result }.flatMap(reasons)
    default: [text(trace.detail)]
    }
  }

  private func text(_ condition: TimeCondition) -> String {
    switch condition {
    case .before(let parts): "before \(text(parts))"
    case .on(let parts): "on \(text(parts))"
    case .after(let parts): "\(text(parts)) or later"
    case .between(let start, let end): "from \(text(start)) to \(text(end))"
    }
  }

  private func text(_ condition: SunCondition) -> String {
    switch condition {
    case .before(let moment): "before \(text(moment))"
    case .after(let moment): "\(text(moment)) or later"
    case .between(let start, let end): "from \(text(start)) to \(text(end))"
    }
  }

  private func text(_ moment: SunMoment) -> String {
    guard moment.offset != 0 else { return moment.event.rawValue }
    let distance = HomeText.secondsText(abs(moment.offset)) ?? "\(abs(moment.offset)) s"
    return "\(distance) \(moment.offset < 0 ? "before" : "after") \(moment.event.rawValue)"
  }

  private func text(_ parts: DateParts) -> String { HomeText.partsText(parts) ?? parts.node.compactText }

  // MARK: Times

  /// The civil time to the second, in the zone.
  private func time(_ instant: Instant) -> String {
    let time = zone.civilTime(at: instant)
    return "\(time.date) \(clock(time))"
  }

  private func clock(_ time: CivilTime) -> String {
    [time.hour, time.minute, time.second].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension Comparison {
  /// The comparison within a sentence.
  fileprivate var words: String {
    switch self {
    case .equal: "is"
    case .notEqual: "is not"
    case .less: "is less than"
    case .lessOrEqual: "is at most"
    case .greater: "is greater than"
    case .greaterOrEqual: "is at least"
    }
  }
}
