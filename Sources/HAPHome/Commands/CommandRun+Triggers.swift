import HAPAlmanac

extension CommandRun {
  mutating func performTrigger(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addTrigger(let id, let text, let kind):
      let home = try editableHome(id)
      try checkLimit(home.triggers.count, context.policy.objects, of: "triggers", in: "the home")
      let name = try newName(text, in: home)
      try check(kind, in: home)
      emit(id, .triggerAdded(Trigger(id: newID(), name: name, kind: kind)))
    case .updateTrigger(let id, let kind): try updateTrigger(id, kind)
    case .removeTrigger(let id): try removeTrigger(id)
    case .enableTrigger(let id):
      var (home, trigger) = try trigger(id)
      guard !trigger.isEnabled else { return }
      try checkEnabled(trigger, in: home)
      trigger.isEnabled = true
      emit(home.id, .triggerUpdated(trigger))
    case .disableTrigger(let id):
      var (home, trigger) = try trigger(id)
      guard trigger.isEnabled else { return }
      trigger.isEnabled = false
      emit(home.id, .triggerUpdated(trigger))
    case .addActionSetToTrigger(let set, let id): try addActionSet(set, to: id)
    case .removeActionSetFromTrigger(let set, let id):
      let (home, trigger) = try trigger(id)
      try check(.actionSet, set, in: home)
      guard trigger.actionSets.contains(set) else {
        throw HomeError(
          .notFound, .s4,
          "the trigger \"\(trigger.name)\" does not execute this action set: list the sets of the trigger")
      }
      detach(set, from: id, in: home.id)
      if home.actionSets.find(set)!.kind == .triggerOwned { emit(home.id, .actionSetRemoved(set)) }
    case .addOwnedActionSet(let id, let actions): try addOwnedActionSet(actions, to: id)
    default: preconditionFailure("\(command) is not a command of triggers")
    }
  }

  private func trigger(_ id: HomeObjectID) throws(HomeError) -> (Home, Trigger) {
    let home = try home(of: .trigger, id)
    return (home, home.triggers.find(id)!)
  }

  private mutating func updateTrigger(_ id: HomeObjectID, _ kind: Trigger.Kind) throws(HomeError) {
    var (home, trigger) = try trigger(id)
    switch (trigger.kind, kind) {
    case (.timer, .timer), (.event, .event): break
    case (.timer, .event), (.event, .timer):
      throw HomeError(
        .invalidParameter, nil,
        "the trigger \"\(trigger.name)\" can't change between a timer and events: remove it and add another one")
    }
    try check(kind, in: home)
    trigger.kind = kind
    if trigger.isEnabled { try checkEnabled(trigger, in: home) }
    if trigger != home.triggers.find(id) { emit(home.id, .triggerUpdated(trigger)) }
  }

  /// Disables the trigger before it is removed (rule T5), together with the sets that it owns.
  private mutating func removeTrigger(_ id: HomeObjectID) throws(HomeError) {
    var (home, trigger) = try trigger(id)
    let owned = trigger.actionSets.filter { home.actionSets.find($0)?.kind == .triggerOwned }
    if trigger.isEnabled || !owned.isEmpty {
      trigger.isEnabled = false
      trigger.actionSets.removeAll { owned.contains($0) }
      emit(home.id, .triggerUpdated(trigger))
    }
    for set in owned { emit(home.id, .actionSetRemoved(set)) }
    emit(home.id, .triggerRemoved(id))
  }

  private mutating func addActionSet(_ set: HomeObjectID, to id: HomeObjectID) throws(HomeError) {
    var (home, trigger) = try trigger(id)
    try check(.actionSet, set, in: home)
    try refuseOwned(home.actionSets.find(set)!)
    guard !trigger.actionSets.contains(set) else {
      throw HomeError(.alreadyExists, .z1, "the trigger \"\(trigger.name)\" already executes this action set")
    }
    trigger.actionSets.append(set)
    if trigger.isEnabled { try checkEnabled(trigger, in: home) }
    emit(home.id, .triggerUpdated(trigger))
  }

  private mutating func addOwnedActionSet(_ actions: [HomeAction], to id: HomeObjectID) throws(HomeError) {
    var (home, trigger) = try trigger(id)
    try checkLimit(home.actionSets.count, context.policy.objects, of: "action sets", in: "the home")
    guard !actions.isEmpty else {
      throw HomeError(.noActionsInActionSet, .t4, "an action set of a trigger needs an action: give at least one")
    }
    try refuseTwice(actions)
    guard actions.count <= context.policy.actions else {
      throw HomeError(
        .maximumObjectLimitReached, .l1,
        "\(actions.count) actions were given, and the limit is \(context.policy.actions): use several sets")
    }
    var set = ActionSet(id: newID(), name: trigger.name, kind: .triggerOwned)
    for action in actions { set.actions.append(try checked(action, in: home)) }
    emit(home.id, .actionSetAdded(set))
    trigger.actionSets.append(set.id)
    emit(home.id, .triggerUpdated(trigger))
  }

  /// The longest time from enabling a timer to its first fire: 5 weeks (rule T4).
  private static var longestWait: Duration { .seconds(35 * 86_400) }

  /// - Throws: rules T3 and T4.
  private func checkEnabled(_ trigger: Trigger, in home: Home) throws(HomeError) {
    guard !trigger.actionSets.isEmpty else {
      throw HomeError(
        .noRegisteredActionSets, .t4, "the trigger \"\(trigger.name)\" executes nothing: add an action set")
    }
    for id in trigger.actionSets {
      guard let set = home.actionSets.find(id), !set.actions.isEmpty else {
        throw HomeError(
          .noActionsInActionSet, .t4,
          "the action set \"\(home.actionSets.find(id)?.name.text ?? "")\" of the trigger \"\(trigger.name)\" has no action"
        )
      }
    }
    switch trigger.kind {
    case .event(let events):
      guard !events.events.isEmpty else {
        throw HomeError(.invalidParameter, .t4, "the trigger \"\(trigger.name)\" has no event: add one")
      }
      try checkLocation(events, in: home)
    case .timer(let timer):
      guard let next = try nextFire(of: timer, in: home) else {
        throw HomeError(
          .fireDateInPast, .t3,
          "the trigger \"\(trigger.name)\" does not repeat, and its time is over: set another time")
      }
      guard context.now.duration(to: next) < Self.longestWait else {
        throw HomeError(
          .cannotActivateTriggerTooFarInFuture, .t4,
          "the trigger \"\(trigger.name)\" fires next in 5 weeks or later: enable it at a later time")
      }
    }
  }

  /// Returns the next time at which a timer fires; nil if there is none.
  private func nextFire(of timer: TimerTrigger, in home: Home) throws(HomeError) -> Instant? {
    if timer.fireDate > context.now { return timer.fireDate }
    guard let recurrence = timer.recurrence else { return nil }
    let rules = try rules(of: timer.zone ?? home.zone)
    return recurrence.next(after: context.now, from: timer.fireDate, in: rules)?.instant
  }
}
