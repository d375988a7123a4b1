import HAPAlmanac
import HAPHome
import HAPModel

/// The end of the effect of a trigger (rule E14).
extension HomeEngine {
  /// An end event of a trigger, whose effect may be running.
  mutating func end(_ id: HomeObjectID, _ cause: Evaluation.Cause) {
    guard let run = runs[id], let effect = run.state.running, run.ending == nil else { return }
    // The execution that is decided prolongs the effect.
    if run.activation?.isDecided ?? false { return }
    let missing = effect.values.filter { $0.before != nil && watches[$0.characteristic]?.currentValue == nil }
    guard missing.isEmpty else {
      let limit = now.advanced(by: policy.readLimit)
      let ticket = read(missing.map(\.characteristic), for: .endValues(id, until: limit))
      runs[id]?.ending = Ending(cause: cause, phase: .values, ticket: ticket)
      return
    }
    finish(id, effect, cause, [:])
  }

  /// Ends an effect by its duration, if that could not be done at its time.
  mutating func endIfOverdue(_ id: HomeObjectID) {
    if let due = runs[id]?.state.running?.end, due <= now { end(id, .duration(due: due)) }
  }

  mutating func endValuesRead(_ id: HomeObjectID, _ read: [HomeObjectID: Value]) {
    guard let ending = runs[id]?.ending else { return }
    runs[id]?.ending = nil
    guard let effect = runs[id]?.state.running else { return }
    finish(id, effect, ending.cause, read)
  }

  private mutating func finish(
    _ id: HomeObjectID, _ effect: TriggerState.Running, _ cause: Evaluation.Cause, _ read: [HomeObjectID: Value]
  ) {
    guard let run = runs[id] else { return }
    let restored = effect.values.map { value in
      let actual = watches[value.characteristic]?.currentValue ?? read[value.characteristic]
      return Evaluation.RestoredValue(
        value: value, actual: actual, isRestored: mustRestore(value, actual, homes[run.home]))
    }
    let writes = restored.filter(\.isRestored).compactMap { restored in
      restored.value.before.map { HomeAction(restored.value.characteristic, $0) }
    }
    runs[id]?.state.running = nil
    if !run.trigger.isEnabled { updateWatches() }
    guard !writes.isEmpty else {
      record(id)
      explain(id, cause, .ended(restored, ExecutionReport(done: 0)))
      return
    }
    let started = TriggerState.Started(time: now, isEnd: true)
    runs[id]?.state.started.append(started)
    runs[id]?.restoring = Dictionary(writes.map { ($0.characteristic, $0.value) }) { $1 }
    guard let ticket = record(id, for: .endRecord(id)) else { return }
    let evaluation = explain(id, cause, .ending(restored))
    runs[id]?.ending = Ending(cause: cause, phase: .record(evaluation, started, writes), ticket: ticket)
  }

  /// Whether the old value is written: the characteristic still has the value of the sets, and the old one differs.
  private func mustRestore(_ value: RestorableValue, _ actual: Value?, _ home: HomePlan?) -> Bool {
    guard let before = value.before, let actual, let rules = home?.characteristics[value.characteristic]?.rules else {
      return false
    }
    return ValueOrder(actual, value.written, rules) == .equal && ValueOrder(before, actual, rules) != .equal
  }

  /// The end was recorded, or could not be.
  mutating func endRecorded(_ id: HomeObjectID, failure: String?) {
    guard let ending = runs[id]?.ending, case .record(var evaluation, let started, let writes) = ending.phase,
      case .ending(let restored) = evaluation.outcome
    else { return }
    runs[id]?.ending = nil
    if let failure {
      runs[id]?.finish(started)
      runs[id]?.restoring = [:]
      if runs[id]?.state.running == nil { continueEffect(id, restored.map(\.value)) }
      evaluation.outcome = .endNotRecorded(failure)
      explain(evaluation)
      return endIfOverdue(id)
    }
    let ticket = newTicket(.restoration(evaluation, started, restored))
    actions.append(.restore(writes, trigger: id, ticket: ticket))
    endIfOverdue(id)
  }

  /// Continues an effect whose end could not be recorded, and ends it later.
  private mutating func continueEffect(_ id: HomeObjectID, _ values: [RestorableValue]) {
    let end = now.advanced(by: policy.endRetry)
    runs[id]?.state.running = TriggerState.Running(values: values, end: end)
    deadlines.add(.end(id), at: end)
    updateWatches()
  }

  mutating func restorationEnded(
    _ evaluation: Evaluation, _ started: TriggerState.Started, _ restored: [Evaluation.RestoredValue],
    _ report: ExecutionReport
  ) {
    guard runs[evaluation.trigger] != nil else { return }
    runs[evaluation.trigger]?.finish(started)
    runs[evaluation.trigger]?.restoring = [:]
    record(evaluation.trigger)
    var evaluation = evaluation
    evaluation.outcome = .ended(restored, report)
    explain(evaluation)
  }
}
