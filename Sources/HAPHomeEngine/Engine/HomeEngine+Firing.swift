import HAPAlmanac
import HAPHome
import HAPModel

/// From an event to the execution of the sets.
extension HomeEngine {
  // MARK: The event

  /// An event activates a trigger (rule E1). If an earlier one is being evaluated or recorded, it waits.
  /// - Parameter moment: the time of the event. Weekdays and civil times are compared with it.
  mutating func activate(_ id: HomeObjectID, _ cause: Evaluation.Cause, at moment: Instant) {
    guard let run = runs[id], run.trigger.isEnabled else { return }
    guard let activation = run.activation else { return begin(id, cause, at: moment) }
    if let due = cause.due, due == activation.cause.due || run.waiting.contains(where: { $0.cause.due == due }) {
      return refuse(id, cause, .sameTime)
    }
    guard run.waiting.count < policy.waitingEvents else { return refuse(id, cause, .busy) }
    runs[id]?.waiting.append((cause, moment))
  }

  /// Begins the evaluation of the events that waited, until one of them needs an answer.
  mutating func activateNext(_ id: HomeObjectID) {
    while let run = runs[id], run.activation == nil, let (cause, moment) = run.waiting.first {
      runs[id]?.waiting.removeFirst()
      if !run.trigger.isEnabled {
        refuse(id, cause, .changedMeanwhile)
      } else if moment.duration(to: now) > policy.greatestLateness {
        refuse(id, cause, .missed)
      } else {
        begin(id, cause, at: moment)
      }
    }
  }

  private mutating func begin(_ id: HomeObjectID, _ cause: Evaluation.Cause, at moment: Instant) {
    guard let run = runs[id], let home = homes[run.home] else { return }
    if let reason = refusal(of: run.trigger, in: home, at: moment) { return refuse(id, cause, reason) }
    let missing = run.compared.filter { watches[$0]?.currentValue == nil }
    guard missing.isEmpty else {
      let limit = now.advanced(by: policy.readLimit)
      let ticket = read(missing, for: .conditionValues(id, until: limit))
      runs[id]?.activation = Activation(cause: cause, moment: moment, phase: .condition, ticket: ticket)
      return
    }
    decide(id, cause, at: moment, [:], whyMissing: nil)
  }

  /// Returns why an event does not count, before the condition is evaluated (rules E9 and E17). A timer always counts.
  private func refusal(of trigger: Trigger, in home: HomePlan, at moment: Instant) -> Evaluation.Outcome? {
    switch activation(of: trigger.id) {
    case .disabledNoHomeHub: return .noHub
    case .disabledNoLocationServicesAuthorization: return .noLocation
    case .enabled, .disabled, nil: break
    }
    guard case .event(let event) = trigger.kind, !event.weekdays.isEmpty else { return nil }
    guard let weekday = home.zone?.civilTime(at: moment).date.weekday else { return .noZone(home.zoneName) }
    return event.weekdays.contains(weekday) ? nil : .otherWeekday(weekday)
  }

  /// Explains why nothing is executed.
  mutating func refuse(
    _ id: HomeObjectID, _ cause: Evaluation.Cause, _ outcome: Evaluation.Outcome, _ condition: ConditionTrace? = nil
  ) {
    // The occurrence is settled now, also after a restart.
    if cause.due != nil { record(id) }
    explain(id, cause, outcome, condition)
  }

  // MARK: The condition

  /// Evaluates the condition with the current values and those that were read (rule E5).
  mutating func decide(
    _ id: HomeObjectID, _ cause: Evaluation.Cause, at moment: Instant, _ read: [HomeObjectID: Value],
    whyMissing why: String?
  ) {
    guard let run = runs[id], let home = homes[run.home] else { return }
    var trace: ConditionTrace?
    if let condition = run.trigger.kind.condition {
      var values = read
      for characteristic in run.compared {
        if let current = watches[characteristic]?.currentValue { values[characteristic] = current }
      }
      let evaluator = ConditionEvaluator(
        home, at: moment, values: values, why: why, atHome: home.users.filter { isHome($0, in: home) })
      trace = evaluator.trace(condition)
    }
    runs[id]?.activation = nil
    switch trace?.result {
    case .false?: refuse(id, cause, .conditionFalse, trace)
    case .unknown?: refuse(id, cause, .conditionUnknown, trace)
    case .true?, nil: fire(id, cause, trace, at: moment)
    }
  }

  // MARK: The execution

  private mutating func fire(
    _ id: HomeObjectID, _ cause: Evaluation.Cause, _ trace: ConditionTrace?, at moment: Instant
  ) {
    guard let run = runs[id], let home = homes[run.home] else { return }
    if executions(of: run).count >= policy.executionsInWindow { return stopLoop(id, cause, trace) }
    let writes = home.writes(of: run.trigger.actionSets)
    if writes.isEmpty { return refuse(id, cause, .nothingToExecute, trace) }
    guard run.state.started.count < policy.unfinishedExecutions else {
      return refuse(id, cause, .tooManyExecutions, trace)
    }
    guard !run.trigger.kind.endEvents.isEmpty else { return start(id, cause, trace, at: moment, effect: nil) }
    // The effect is prolonged, so an end that only reads values is abandoned.
    if let ending = run.ending, case .values = ending.phase {
      pending[ending.ticket] = nil
      runs[id]?.ending = nil
    }
    let missing = writes.keys.filter { valueBefore($0, run) == nil }
    guard missing.isEmpty else {
      let limit = now.advanced(by: policy.readLimit)
      let ticket = read(missing, for: .snapshotValues(id, until: limit))
      runs[id]?.activation = Activation(cause: cause, moment: moment, phase: .snapshot(trace), ticket: ticket)
      return
    }
    start(id, cause, trace, at: moment, effect: effect(of: run, writes, [:]))
  }

  /// The executions within the last second, with their times.
  private func executions(of run: TriggerRun) -> [Instant] {
    run.executions.filter { $0.duration(to: now) < policy.loopWindow }
  }

  /// The value that is to be restored (rule E14): the first one of a running effect, otherwise the current one.
  private func valueBefore(_ characteristic: HomeObjectID, _ run: TriggerRun) -> Value? {
    if let first = run.state.running?.values.first(where: { $0.characteristic == characteristic }) {
      return first.before ?? run.restoring[characteristic]
    }
    return run.restoring[characteristic] ?? watches[characteristic]?.currentValue
  }

  private func effect(
    of run: TriggerRun, _ writes: [HomeObjectID: Value], _ read: [HomeObjectID: Value]
  ) -> TriggerState.Running {
    var values = run.state.running?.values.filter { writes[$0.characteristic] == nil } ?? []
    for (characteristic, written) in writes {
      let before = valueBefore(characteristic, run) ?? read[characteristic]
      values.append(RestorableValue(characteristic, before: before, written: written))
    }
    values.sort { $0.characteristic < $1.characteristic }
    return TriggerState.Running(values: values, end: run.duration.map { now.advanced(by: $0) })
  }

  mutating func snapshotRead(_ id: HomeObjectID, _ read: [HomeObjectID: Value]) {
    guard let run = runs[id], let home = homes[run.home], let activation = run.activation,
      case .snapshot(let trace) = activation.phase
    else { return }
    let writes = home.writes(of: run.trigger.actionSets)
    runs[id]?.activation = nil
    guard !writes.isEmpty else {
      refuse(id, activation.cause, .nothingToExecute, trace)
      return endIfOverdue(id)
    }
    start(id, activation.cause, trace, at: activation.moment, effect: effect(of: run, writes, read))
  }

  /// Records an execution. It begins when the record is durable.
  private mutating func start(
    _ id: HomeObjectID, _ cause: Evaluation.Cause, _ trace: ConditionTrace?, at moment: Instant,
    effect: TriggerState.Running?
  ) {
    guard var run = runs[id] else { return }
    let started = TriggerState.Started(time: moment, isEnd: false)
    let (effectBefore, lastFireBefore) = (run.state.running, run.trigger.lastFire)
    run.state.started.append(started)
    if let effect { run.state.running = effect }
    run.executions = executions(of: run) + [now]
    run.trigger.lastFire = now
    runs[id] = run
    if let end = effect?.end { deadlines.add(.end(id), at: end) }
    var changes: [HomeChange] = []
    let isLast = if case .event(let event) = run.trigger.kind { event.executesOnce } else { false }
    if isLast { changes.append(disable(id, run)) }
    changes.append(HomeChange(run.home, .triggerFired(id, at: now)))
    guard let ticket = record(id, with: changes, for: .executionRecord(id)) else { return }
    let evaluation = explain(id, cause, .executing, trace, isLast: isLast)
    let phase = Activation.Record(
      evaluation: evaluation, started: started, effectBefore: effectBefore, lastFireBefore: lastFireBefore,
      changes: changes)
    runs[id]?.activation = Activation(cause: cause, moment: moment, phase: .record(phase), ticket: ticket)
  }

  /// The execution was recorded, or could not be.
  mutating func executionRecorded(_ id: HomeObjectID, failure: String?) {
    guard let run = runs[id], case .record(let record)? = run.activation?.phase else { return }
    runs[id]?.activation = nil
    if let failure { return takeBack(id, record, failure) }
    for change in record.changes { actions.append(.tell(change)) }
    let sets = run.trigger.actionSets.filter { homes[run.home]?.actions[$0]?.isEmpty == false }
    guard !sets.isEmpty else { return end(record.evaluation, record.started, .nothingToExecute) }
    let ticket = newTicket(.execution(record.evaluation, record.started))
    actions.append(.execute(sets, trigger: id, ticket: ticket))
  }

  /// An execution could not be recorded: everything is as before it. The record of this repairs the store, too, if the
  /// failed one is on the disk nevertheless.
  private mutating func takeBack(_ id: HomeObjectID, _ record: Activation.Record, _ failure: String) {
    guard var run = runs[id] else { return }
    run.finish(record.started)
    run.state.running = record.effectBefore
    run.trigger.lastFire = record.lastFireBefore
    var changes = [HomeChange(run.home, .triggerFired(id, at: record.lastFireBefore))]
    // A trigger that executes once was disabled for the execution (rule E13).
    let isEnabledAgain = record.evaluation.isLast && !run.trigger.isEnabled
    if isEnabledAgain {
      run.trigger.isEnabled = true
      changes.append(HomeChange(run.home, .triggerUpdated(run.trigger)))
    }
    runs[id] = run
    if let end = record.effectBefore?.end { deadlines.add(.end(id), at: end) }
    var evaluation = record.evaluation
    evaluation.outcome = .notRecorded(failure)
    explain(evaluation)
    if isEnabledAgain {
      makePlan(id)
      updateWatches()
    }
    self.record(id, with: changes)
  }

  mutating func executionEnded(_ evaluation: Evaluation, _ started: TriggerState.Started, _ report: ExecutionReport) {
    end(evaluation, started, .executed(report))
  }

  private mutating func end(
    _ evaluation: Evaluation, _ started: TriggerState.Started, _ outcome: Evaluation.Outcome
  ) {
    guard runs[evaluation.trigger] != nil else { return }
    runs[evaluation.trigger]?.finish(started)
    record(evaluation.trigger)
    var evaluation = evaluation
    evaluation.outcome = outcome
    explain(evaluation)
  }

  // MARK: Disabling

  /// Disables a trigger that fires too often (rule E15).
  private mutating func stopLoop(_ id: HomeObjectID, _ cause: Evaluation.Cause, _ trace: ConditionTrace?) {
    guard let run = runs[id] else { return }
    record(id, with: [disable(id, run)])
    explain(id, cause, .loopStopped, trace)
  }

  /// Disables a trigger in the engine.
  /// - Returns: the change for the model.
  private mutating func disable(_ id: HomeObjectID, _ run: TriggerRun) -> HomeChange {
    runs[id]?.trigger.isEnabled = false
    makePlan(id)
    updateWatches()
    return HomeChange(run.home, .triggerUpdated(runs[id]?.trigger ?? run.trigger))
  }
}
