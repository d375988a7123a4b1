import HAPAlmanac
import HAPHome
import HAPModel

/// The start, and changes of the model.
extension HomeEngine {
  /// Starts the engine with a model and the states that were recorded. Call it once, before any other input.
  ///
  /// Executions that were recorded before and have no recorded end are explained, and are not repeated.
  public mutating func start(
    _ model: HomeModel, states: [TriggerState] = [], persons: [PersonState] = [], at time: Instant
  ) -> [EngineAction] {
    precondition(now == .distantPast && order.isEmpty, "an engine is started once")
    now = time
    let states = Dictionary(states.map { ($0.trigger, $0) }) { $1 }
    self.persons = Dictionary(persons.map { ($0.user, $0.place) }) { $1 }
    homes = plans(of: model, states.values)
    order = model.homes.flatMap { $0.triggers.map(\.id) }
    for home in model.homes {
      for trigger in home.triggers {
        runs[trigger.id] = TriggerRun(
          trigger, home: home.id, state: states[trigger.id] ?? TriggerState(trigger.id))
      }
    }
    updateWatches()
    for id in order { resume(id) }
    rebuildDeadlines()
    meetDeadlines()
    return takeActions()
  }

  /// Continues with the state of a trigger before the restart.
  private mutating func resume(_ id: HomeObjectID) {
    guard var run = runs[id] else { return }
    let stateBefore = run.state
    let unconfirmed = run.state.started
    run.state.started = []
    adjustEffect(of: &run)
    runs[id] = run
    if run.trigger.isEnabled && run.state.settled == nil { _ = settle(id) }
    makePlan(id)
    if runs[id]?.state != stateBefore { record(id) }
    for started in unconfirmed { explain(id, .start, .notConfirmed(started)) }
    explainSettled(id)
    explainMissingZone(id)
  }

  private mutating func explainMissingZone(_ id: HomeObjectID) {
    guard let run = runs[id], run.trigger.isEnabled, let home = homes[run.home],
      let zone = missingZone(run.trigger, in: home)
    else { return }
    explain(id, .start, .noZone(zone))
  }

  /// Adjusts the end of a running effect to the end events: they may have changed, and the clock may have been set.
  private func adjustEffect(of run: inout TriggerRun) {
    guard var effect = run.state.running else { return }
    let latest = run.duration.map { now.advanced(by: $0) }
    effect.end = latest.map { min(effect.end ?? $0, $0) }
    run.state.running = run.trigger.kind.endEvents.isEmpty ? nil : effect
  }

  // MARK: Changes

  /// Receives changes that commands made, with the model after them. The changes that the engine itself recorded are not
  /// passed.
  public mutating func changed(_ changes: [HomeChange], _ model: HomeModel) -> [EngineAction] {
    guard changes.contains(where: { $0.detail.concernsTriggers }) else { return [] }
    let homesBefore = homes
    homes = plans(of: model, runs.values.lazy.map(\.state))
    order = model.homes.flatMap { $0.triggers.map(\.id) }
    let kept = Set(order)
    for id in runs.keys where !kept.contains(id) { (runs[id], explanations[id]) = (nil, nil) }
    let users = Set(homes.values.flatMap(\.users))
    persons = persons.filter { users.contains($0.key) }
    for home in model.homes {
      for trigger in home.triggers { update(trigger, in: home.id, homesBefore[home.id]) }
    }
    updateWatches()
    meetDeadlines()
    return takeActions()
  }

  private mutating func update(_ trigger: Trigger, in home: HomeObjectID, _ homeBefore: HomePlan?) {
    let id = trigger.id
    let before = runs[id]?.trigger
    var run = runs[id] ?? TriggerRun(trigger, home: home, state: TriggerState(id))
    run.trigger = trigger
    guard let before else {
      runs[id] = run
      if trigger.isEnabled { enabled(id) }
      return
    }
    let hasNewEvents = before.kind != trigger.kind
    let dropped = hasNewEvents || !trigger.isEnabled ? run.activation : nil
    if hasNewEvents { adjustEffect(of: &run) }
    let hasNewEffect = run.state.running != runs[id]?.state.running
    runs[id] = run
    if hasNewEvents || !trigger.isEnabled { refuseWaiting(id) }
    if let dropped { abandon(id, dropped) }
    if hasNewEffect {
      record(id)
      if let end = run.state.running?.end { deadlines.add(.end(id), at: end) }
    }
    if trigger.isEnabled, hasNewEvents || !before.isEnabled {
      runs[id]?.executions = []
      enabled(id)
    } else if trigger.isEnabled, homeBefore.map(isPlannedOtherwise) ?? true {
      // Times of the new zone or place that are over were never planned, so they are not missed.
      enabled(id)
    } else if before.isEnabled != trigger.isEnabled {
      makePlan(id)
    }
  }

  private func isPlannedOtherwise(_ before: HomePlan) -> Bool {
    guard let home = homes[before.id] else { return true }
    return before.zoneName != home.zoneName || before.location != home.location
  }

  /// Plans a trigger that is enabled now, has new events, or is in another zone or place.
  private mutating func enabled(_ id: HomeObjectID) {
    if settle(id) { record(id) }
    makePlan(id)
    explainMissingZone(id)
  }

  /// Ends the evaluation of an event, unless it is decided and being recorded.
  private mutating func abandon(_ id: HomeObjectID, _ activation: Activation) {
    let trace: ConditionTrace?
    switch activation.phase {
    case .condition: trace = nil
    case .snapshot(let condition): trace = condition
    case .record: return
    }
    runs[id]?.activation = nil
    pending[activation.ticket] = nil
    refuse(id, activation.cause, .changedMeanwhile, trace)
    endIfOverdue(id)
  }

  /// Ends the events that wait.
  private mutating func refuseWaiting(_ id: HomeObjectID) {
    while let (cause, _) = runs[id]?.waiting.first {
      runs[id]?.waiting.removeFirst()
      refuse(id, cause, .changedMeanwhile)
    }
  }

  /// Sets whether the homes have a hub. Without one, no event trigger executes (rule E17 of docs/internals/home.md).
  public mutating func hubIs(on: Bool) { hubIsOn = on }

  // MARK: Values

  /// Computes which characteristics the triggers need, and subscribes to those that notify.
  mutating func updateWatches() {
    var needed: [HomeObjectID: Watch] = [:]
    for id in order {
      guard let run = runs[id], let plans = homes[run.home]?.characteristics else { continue }
      func need(_ characteristic: HomeObjectID, _ use: Watch.Use?) {
        guard let plan = plans[characteristic], plan.canNotify else { return }
        var watch = needed[characteristic] ?? Watch(plan: plan)
        if let use { watch.uses.append(use) }
        needed[characteristic] = watch
      }
      let (events, endEvents) = run.watchedEvents
      for event in events {
        if let used = event.characteristic { need(used, Watch.Use(trigger: id, event: event, isEnd: false)) }
      }
      for event in endEvents {
        if let used = event.characteristic { need(used, Watch.Use(trigger: id, event: event, isEnd: true)) }
      }
      let compared = run.trigger.kind.condition?.characteristics.filter { plans[$0] != nil } ?? []
      runs[id]?.compared = compared.sorted()
      if run.trigger.isEnabled { for used in compared { need(used, nil) } }
    }
    for (id, old) in watches {
      guard var watch = needed[id] else { continue }
      (watch.value, watch.isCurrent, watch.lostAt) = (old.value, old.isCurrent, old.lostAt)
      needed[id] = watch
    }
    watches = needed
    let ids = needed.keys.sorted()
    guard ids != subscribed else { return }
    subscribed = ids
    actions.append(.subscribe(ids))
  }
}

extension HomeChange.Detail {
  /// Whether the change can concern a trigger: names, rooms, zones and groups do not.
  fileprivate var concernsTriggers: Bool {
    switch self {
    case .homeAdded, .homeRemoved, .timeZoneChanged, .locationChanged, .accessoryAdded, .accessoryRemoved,
      .servicesUpdated, .actionSetAdded, .actionSetRemoved, .actionsChanged, .triggerAdded, .triggerRenamed,
      .triggerUpdated, .triggerRemoved, .userAdded, .userRoleChanged, .userRemoved:
      true
    case .homeMadePrimary, .homeRenamed, .roomAdded, .roomRenamed, .roomRemoved, .zoneAdded, .zoneRenamed,
      .zoneRemoved, .roomAddedToZone, .roomRemovedFromZone, .groupAdded, .groupRenamed, .groupRemoved,
      .serviceAddedToGroup, .serviceRemovedFromGroup, .accessoryRenamed, .accessoryMoved, .accessoryBlocked,
      .accessoryUnblocked, .firmwareUpdated, .accessoryDetailsUpdated, .serviceRenamed, .associatedTypeChanged,
      .actionSetRenamed, .actionSetExecuted, .triggerFired, .copyRenewed:
      false
    }
  }
}
