import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPWire

/// Counts the evaluations of a rehearsal, by trigger and outcome.
struct RehearsalSummary: Sendable {
  /// The evaluations of a trigger.
  struct Counts: Sendable {
    var executed = 0
    var ended = 0
    /// By the outcome, in the order of the first ones; with the reason of the first one.
    var refused: [(outcome: String, why: String, count: Int)] = []
  }

  private(set) var counts: [HomeObjectID: Counts] = [:]
  private let text: EvaluationText

  init(_ inputs: RehearsalInputs) { text = EvaluationText(inputs.home, zone: inputs.zone) }

  mutating func count(_ row: RehearsalRow) {
    let (id, outcome) = (row.evaluation.trigger, row.evaluation.outcome)
    switch outcome {
    case .executing, .executed: counts[id, default: Counts()].executed += 1
    case .ending, .ended, .endNotRecorded: counts[id, default: Counts()].ended += 1
    default:
      if let index = counts[id]?.refused.firstIndex(where: { $0.outcome == outcome.name }) {
        counts[id]?.refused[index].count += 1
      } else {
        let why = if case .otherWeekday = outcome { "it was another weekday" } else { text.reason(outcome) }
        counts[id, default: Counts()].refused.append((outcome.name, why, 1))
      }
    }
  }
}

/// Prints a rehearsal as text and as JSON.
struct RehearsalReport: Sendable {
  private let inputs: RehearsalInputs
  private let text: EvaluationText
  private let results: ResultText

  init(_ inputs: RehearsalInputs) {
    self.inputs = inputs
    (text, results) = (EvaluationText(inputs.home, zone: inputs.zone), ResultText(inputs.home))
  }

  private var home: Home { inputs.home }

  // MARK: Text

  /// The first line: the home and the time.
  var title: String {
    "Rehearsal of \(home.name.text.quoted) from \(inputs.zone.minute(inputs.start)) to \(inputs.zone.minute(inputs.end)) (\(home.zone)). Nothing is written to accessories."
  }

  /// The lines of an evaluation.
  /// - Parameter isWhole: with all comparisons, instead of one line.
  func lines(_ row: RehearsalRow, isWhole: Bool) -> [String] {
    let writes = results.lookup.lines(row.writes)
    guard isWhole else {
      return [text.summary(row.evaluation) + (writes.isEmpty ? "" : "; wrote \(writes.joined(separator: ", "))")]
    }
    return text.lines(row.evaluation) + writes.map { "  wrote: \($0)" }
  }

  /// The last lines: for each trigger, how often it was executed, why it was not, and its next time.
  func lines(_ summary: RehearsalSummary, _ rehearsal: HomeRehearsal) -> [String] {
    let triggers = shownTriggers(rehearsal)
    guard !triggers.isEmpty else { return ["The home \(home.name.text.quoted) has no triggers."] }
    return ["Triggers:"] + triggers.map { "  \($0.name): \(line($0, summary.counts[$0.id], rehearsal))" }
  }

  private func line(_ trigger: Trigger, _ counts: RehearsalSummary.Counts?, _ rehearsal: HomeRehearsal) -> String {
    var parts: [String] = []
    if let counts {
      if counts.executed > 0 { parts.append("executed \(counts.executed.times)") }
      if counts.ended > 0 { parts.append("its effect ended \(counts.ended.times)") }
      parts += counts.refused.map { "not executed \($0.count.times): \($0.why)" }
    } else if trigger.isEnabled {
      let isPlanned = rehearsal.nextTime(of: trigger.id) != nil
      parts.append("nothing activated it\(isPlanned ? " in this time" : "; --at gives an event")")
    }
    if !trigger.isEnabled {
      parts.append(
        counts == nil ? "disabled; 'hapctl home rehearse \(trigger.name.text.quoted)' rehearses it" : "disabled now")
    } else if let next = rehearsal.nextTime(of: trigger.id) {
      parts.append("next: \(inputs.zone.minute(next))")
    }
    return parts.joined(separator: "; ")
  }

  private func shownTriggers(_ rehearsal: HomeRehearsal) -> [Trigger] {
    (rehearsal.model.home(home.id)?.triggers ?? []).filter { inputs.printed.contains($0.id) }
  }

  // MARK: JSON

  func members(_ row: RehearsalRow) -> [JSONMember] {
    let evaluation = row.evaluation
    let report = EvaluationReport(
      trigger: evaluation.trigger, number: evaluation.number, time: evaluation.time, outcome: evaluation.outcome.name,
      text: text.lines(evaluation).joined(separator: "\n"), detail: evaluation.json.compactText)
    return [("event", .text("evaluated"))] + results.members(report) + [("writes", results.lookup.node(row.writes))]
  }

  /// - Parameter unknown: the paths of the values that could not be read.
  func members(
    _ summary: RehearsalSummary, _ rehearsal: HomeRehearsal, unknown: [String]
  ) -> [JSONMember] {
    [
      ("event", .text("ended")), ("from", .text(inputs.start.description)), ("until", .text(inputs.end.description)),
      ("unknown", .list(unknown.map { .text($0) })),
      (
        "triggers",
        .list(
          shownTriggers(rehearsal).map { trigger in
            let counts = summary.counts[trigger.id] ?? RehearsalSummary.Counts()
            return .object([
              ("trigger", .id(trigger.id)), ("name", .text(trigger.name.text)), ("enabled", .flag(trigger.isEnabled)),
              ("executed", .integer(counts.executed)),
              (
                "notExecuted",
                .list(
                  counts.refused.map {
                    .object([("outcome", .text($0.outcome)), ("why", .text($0.why)), ("count", .integer($0.count))])
                  })
              ), ("next", rehearsal.nextTime(of: trigger.id).map { .text($0.description) } ?? JSONNode(.null)),
            ])
          })
      ),
    ]
  }
}

extension Int {
  fileprivate var times: String { self == 1 ? "once" : "\(self) times" }
}
