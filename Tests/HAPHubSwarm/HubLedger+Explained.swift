import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel

// Explanations, and the ends of effects.
extension HubLedger {
  /// Seen to fail: the plan of a trigger is void after a missed occurrence.
  func checkExplained(
    _ index: Int, _ trigger: HubPopulation.PlannedTrigger, _ own: [Occurrence], _ done: [Execution]
  ) {
    let executed = Set(done.map(\.origin.occurrence))
    let explained = evaluations.filter { $0.evaluation.trigger == trigger.id }
    var reasons: Set<Instant> = []
    var missed: [(first: Instant, last: Instant)] = []
    for (_, evaluation) in explained {
      coverage.count(evaluation.outcome)
      switch evaluation.outcome {
      case .notConfirmed(let started) where !started.isEnd: reasons.insert(started.time)
      case .missed:
        guard let due = evaluation.cause.due else { continue }
        missed.append((due, evaluation.time.advanced(by: .zero - Self.latest)))
      case .executing: break
      default: if let due = evaluation.cause.due { reasons.insert(due) }
      }
    }
    for occurrence in own {
      guard let due = occurrence.due, !executed.contains(due), !reasons.contains(due),
        occurrence.time + Self.slack < agendaEnd, !missed.contains(where: { $0.first <= due && due < $0.last })
      else { continue }
      report(.explained, "trigger \(index): the occurrence of \(due) is neither executed nor explained")
    }
  }

  /// Each execution that was recorded has a result, or is not confirmed after a crash.
  ///
  /// Seen to fail: `HomeEngine.resume` does not explain the executions that it finds without an end.
  func checkRecords() {
    for record in records where record.isDurable && !record.isResolved {
      report(
        .explained,
        "trigger \(indices[record.trigger] ?? -1): the \(record.started.isEnd ? "end" : "execution") of \(record.started.time) was recorded, and has no result"
      )
    }
  }

  // MARK: Effects

  /// Seen to fail: `HomeEngine.rebuildDeadlines` leaves out the ends of effects.
  func checkEffects(_ index: Int, _ trigger: HubPopulation.PlannedTrigger, _ done: [Execution]) {
    guard let events = trigger.kind.eventTrigger?.endEvents,
      let seconds = events.compactMap({ if case .duration(let seconds) = $0 { seconds } else { nil } }).min()
    else { return }
    let duration = UInt64(seconds) * 1_000_000_000
    for (place, execution) in done.enumerated() {
      let start = execution.start
      guard let due = end(start + duration), due < agendaEnd - min(agendaEnd, 2 * Self.slack), start > Self.slack else {
        continue
      }
      let end = due + Self.slack
      let isAlone =
        (place == 0 || hasEnded(done[place - 1].start, duration, before: start))
        && (place + 1 == done.count || done[place + 1].start > end + Self.slack)
      guard isAlone, isUndisturbed(trigger, start, due, end), execution.applied.count == trigger.writes.count else {
        continue
      }
      coverage.add(.certainEnds)
      if clockChanges.contains(where: { $0.time >= start && $0.time <= due }) { coverage.add(.endsAfterClockChange) }
      if !isClear(downs, start, due) || downs.contains(where: { $0.end == due }) { coverage.add(.endsAfterCrash) }
      for write in trigger.writes {
        let history = changes[write.characteristic]!
        let (before, after) = (history.last { $0.time < start }!.value, history.last { $0.time <= end }!.value)
        if before != after {
          report(
            .effectsEnd,
            "trigger \(index): the effect of \(execution.origin.occurrence) ended at \(wall(due)), and the value is \(after) instead of \(before)"
          )
        }
      }
    }
  }

  /// Returns when an effect ends: after the duration, or at the next start of the hub. A crash at the end itself can
  /// interrupt it: then this is not certain, and nil.
  private func end(_ due: UInt64) -> UInt64? {
    let first = due - min(due, Self.slack)
    let near = downs.filter { $0.start < due + Self.slack && $0.end > first }
    guard let down = near.first else { return due }
    return near.count == 1 && down.start < first ? max(due, down.end) : nil
  }

  /// Whether an effect has ended some time before the next one: an end that could not be recorded is late, and so is one
  /// after a start with a wrong clock.
  private func hasEnded(_ start: UInt64, _ duration: UInt64, before next: UInt64) -> Bool {
    start + duration + 2 * Self.slack < next && isClear(diskFaults, start, next) && !hasStepNearCrash(start, next)
  }

  /// Whether the clock was set and the hub crashed in a span.
  private func hasStepNearCrash(_ start: UInt64, _ end: UInt64) -> Bool {
    !isClear(downs, start, end) && clockChanges.contains { $0.time >= start && $0.time <= end }
  }

  private func isUndisturbed(
    _ trigger: HubPopulation.PlannedTrigger, _ start: UInt64, _ due: UInt64, _ end: UInt64
  ) -> Bool {
    let first = start - Self.slack
    // A characteristic can end the effect earlier, and the hub can crash then.
    let hasOtherEnd = trigger.kind.eventTrigger.map { $0.endEvents.count > 1 } ?? false
    return isClear(downs, first, start + Self.slack) && isClear(downs, due, end)
      && isClear(diskFaults, first, start + Self.slack) && isClear(diskFaults, due, end)
      && (!hasOtherEnd || isClear(downs, first, end) && isClear(diskFaults, first, end))
      // After a crash, the hub does not know by how much the clock was set just before.
      && !hasStepNearCrash(first, end)
      && isClear(deviceDowns[trigger.device], first, end)
  }
}

extension HubCoverage {
  fileprivate mutating func count(_ outcome: Evaluation.Outcome) {
    switch outcome {
    case .missed: add(.missed)
    case .notConfirmed: add(.notConfirmed)
    case .notRecorded: add(.notRecorded)
    case .conditionFalse, .conditionUnknown: add(.rejectedEvents)
    default: break
    }
  }
}
