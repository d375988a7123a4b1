import HAPAlmanac
import HAPHome
import HAPHomeEngine

/// An evaluation that has ended, with the values that were written because of it.
struct RehearsalRow: Hashable, Sendable {
  var evaluation: Evaluation
  var writes: [HomeAction]
}

/// A rehearsal with its events to come.
struct RehearsalRun: Sendable {
  private(set) var rehearsal: HomeRehearsal
  private var events: ArraySlice<RehearsalInputs.TimedEvent>
  private var rows = OpenRows()

  /// - Parameter events: ascending by time.
  init(_ rehearsal: HomeRehearsal, _ events: ArraySlice<RehearsalInputs.TimedEvent>) {
    (self.rehearsal, self.events) = (rehearsal, events)
  }

  var now: Instant { rehearsal.now }

  /// Passes the time until a moment, with the events until then.
  /// - Returns: the evaluations that ended, in the order in which they began.
  mutating func pass(until end: Instant) -> [RehearsalRow] {
    var rows = self.rows
    while let next = events.first, next.time <= end {
      events.removeFirst()
      rehearsal.run(until: next.time) { rows.receive($1) }
      rehearsal.pass(next.event) { rows.receive($1) }
    }
    rehearsal.run(until: end) { rows.receive($1) }
    let ended = rows.takeEnded()
    self.rows = rows
    return ended
  }

  /// Evaluations in the order in which they began. Later reports of an evaluation replace earlier ones.
  private struct OpenRows: Sendable {
    private var rows: [RehearsalRow] = []
    /// The places of the evaluations that have not ended.
    private var open: [Key: Int] = [:]
    /// The values that were written since the last evaluation of each trigger ended.
    private var writes: [HomeObjectID: [HomeAction]] = [:]

    private struct Key: Hashable {
      var trigger: HomeObjectID
      var number: Int
    }

    mutating func receive(_ report: HomeRehearsal.Report) {
      switch report {
      case .wrote(let id, let value, trigger: let trigger): writes[trigger, default: []].append(HomeAction(id, value))
      case .evaluated(let evaluation):
        let key = Key(trigger: evaluation.trigger, number: evaluation.number)
        let place = open[key] ?? rows.count
        if place == rows.count { rows.append(RehearsalRow(evaluation: evaluation, writes: [])) }
        switch evaluation.outcome {
        case .executing, .ending: open[key] = place
        case .executed, .ended:
          rows[place].writes = writes.removeValue(forKey: evaluation.trigger) ?? []
          open[key] = nil
        default: open[key] = nil
        }
        rows[place].evaluation = evaluation
      }
    }

    /// The accessories of a rehearsal answer at once, so all evaluations have ended.
    mutating func takeEnded() -> [RehearsalRow] {
      defer { (rows, open) = ([], [:]) }
      return rows
    }
  }
}
