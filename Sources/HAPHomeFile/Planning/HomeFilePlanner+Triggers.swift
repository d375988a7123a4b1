import HAPAlmanac
import HAPHome
import HAPWire

extension HomeFilePlanner {
  // MARK: Resolving

  mutating func trigger(
    _ entry: HomeFile.TriggerEntry, _ scenes: SceneNames, _ directory: HomeDirectory
  ) -> HomeFileTarget.TriggerTarget {
    var trigger = HomeFileTarget.TriggerTarget(entry: entry)
    if let kind = entry.kind {
      trigger.kind = resolve(kind, directory)
    } else if existing(entry) == nil {
      complain(entry.name.place, "the trigger \"\(entry.name.value)\" is new: add a time (at) or events (when)")
    }
    trigger.run = entry.run.map { run in
      run.map { run in
        switch run {
        case .actions(let entries): return .actions(actions(entries, directory))
        case .scene(let name):
          if !isFull, let problem = scenes.problem(with: name.value) { complain(name.place, problem) }
          return .scene(name)
        }
      }
    }
    return trigger
  }

  /// Returns the time or the events with the objects of the home.
  private mutating func resolve(_ kind: HomeFile.TriggerKind, _ directory: HomeDirectory) -> Trigger.Kind? {
    let own = kind.node[TimerMember.timeZone.rawValue]?.stringValue.flatMap { ZoneName($0) }
    let zone = own ?? file.timeZone?.value ?? home.zone
    let notation = NameNotation(home, directory, zone: zone, context.zoneRules)
    defer { for problem in notation.problems { complain(problem) } }
    do throws(JSONProblem) { return try notation.triggerKind(kind.node, and: []) } catch {
      complain(error)
      return nil
    }
  }

  private func existing(_ entry: HomeFile.TriggerEntry) -> Trigger? {
    let key = HomeName(entry.name.value).key
    return home.triggers.first { $0.name.key == key }
  }

  /// Returns the names of the scenes that the home will have.
  func sceneNames(_ target: HomeFileTarget) -> SceneNames {
    let matched = Set(target.scenes.compactMap(\.id))
    let removes = options.removesOthers && file.scenes != nil
    let others = home.listedActionSets.filter { !matched.contains($0.id) && !(removes && !$0.kind.isBuiltIn) }
    return SceneNames(target.scenes.map(\.entry.name.value) + others.map(\.name.text))
  }

  // MARK: Changing

  mutating func change(_ target: HomeFileTarget.TriggerTarget) {
    let (name, place) = (target.entry.name.value, target.entry.name.place)
    if let kind = target.kind, let old = existing(target.entry) {
      switch (old.kind, kind) {
      case (.timer, .timer), (.event, .event): return change(old, target, isEnabled: old.isEnabled)
      case (.timer, .event), (.event, .timer):
        // A trigger can't change its kind.
        perform(.removeTrigger(old.id), at: place, nil)
        add(
          target, kind,
          .update(
            "trigger", target.entry.name,
            "replace the trigger \"\(name)\", \(old.kind.noun), by \(kind.noun) of this name"))
        return enable(target, from: false, to: target.entry.isEnabled?.value ?? old.isEnabled, isNew: true)
      }
    }
    if let kind = target.kind {
      let text = "add the trigger \"\(name)\""
      add(target, kind, HomeDifference(change: .add, kind: "trigger", name: name, text: text, place: place))
      return enable(target, from: false, to: target.entry.isEnabled?.value ?? false, isNew: true)
    }
    if let old = existing(target.entry) { change(old, target, isEnabled: old.isEnabled) }
  }

  private mutating func add(
    _ target: HomeFileTarget.TriggerTarget, _ kind: Trigger.Kind, _ difference: HomeDifference
  ) {
    let name = target.entry.name
    guard perform(.addTrigger(home: home.id, name: name.value, kind), at: name.place, difference) else { return }
    changeSets(target)
  }

  /// - Parameter isNew: whether the difference is already reported.
  private mutating func enable(
    _ target: HomeFileTarget.TriggerTarget, from wasEnabled: Bool, to isEnabled: Bool, isNew: Bool = false
  ) {
    guard let trigger = existing(target.entry) else { return }
    let word = isEnabled ? "enable" : "disable"
    let isShown = wasEnabled != isEnabled && !isNew
    perform(
      isEnabled ? .enableTrigger(trigger.id) : .disableTrigger(trigger.id),
      at: target.entry.isEnabled?.place ?? target.entry.name.place,
      isShown ? .update("trigger", target.entry.name, "\(word) the trigger \"\(target.entry.name.value)\"") : nil)
  }

  /// Changes an existing trigger. The rules of an enabled trigger apply after each command. If they refuse one, the
  /// trigger is disabled during the changes.
  private mutating func change(_ old: Trigger, _ target: HomeFileTarget.TriggerTarget, isEnabled: Bool) {
    let wanted = target.entry.isEnabled?.value ?? isEnabled
    if isEnabled, wanted {
      let before = self
      changeParts(old, target)
      if problems.count == before.problems.count, existing(target.entry)?.isEnabled == true { return }
      restore(before)
    }
    if isEnabled { enable(target, from: true, to: false, isNew: wanted) }
    changeParts(old, target)
    if wanted { enable(target, from: isEnabled, to: true) }
  }

  private mutating func changeParts(_ old: Trigger, _ target: HomeFileTarget.TriggerTarget) {
    let place = target.entry.name.place
    changeSets(target, removesOthers: false)
    if let kind = target.kind, home.normal(kind) != home.normal(old.kind) {
      let what = TriggerText(home, HomeDirectory(home), context.zoneRules).change(from: old.kind, to: kind)
      let title = "change the trigger \"\(target.entry.name.value)\""
      perform(
        .updateTrigger(old.id, kind), at: place,
        .update("trigger", target.entry.name, what.isEmpty ? title : "\(title): \(what)"))
    }
    changeSets(target)
  }

  // MARK: Sets

  /// Adds the sets of a trigger that are missing, changes those that belong to it, and then removes others.
  private mutating func changeSets(_ target: HomeFileTarget.TriggerTarget, removesOthers: Bool = true) {
    guard let run = target.run, let trigger = existing(target.entry) else { return }
    let entry = target.entry.name
    var owned = trigger.actionSets.compactMap { id in
      home.actionSets.first { $0.id == id && $0.kind == .triggerOwned }
    }
    var wanted: Set<HomeObjectID> = []
    for element in run {
      let id =
        switch element {
        case .scene(let name): scene(name, entry, of: trigger)
        case .actions(let actions): changeOwned(&owned, to: actions, entry, of: trigger)
        }
      if let id { wanted.insert(id) }
    }
    guard removesOthers else { return }
    for id in existing(target.entry)?.actionSets ?? [] where !wanted.contains(id) {
      guard let set = home.actionSets.first(where: { $0.id == id }) else { continue }
      let text =
        set.kind == .triggerOwned
        ? "remove \(set.actions.count == 1 ? "1 value" : "\(set.actions.count) values") from the trigger \"\(trigger.name)\""
        : "the trigger \"\(trigger.name)\" no longer runs the scene \"\(set.name)\""
      perform(
        .removeActionSetFromTrigger(actionSet: id, trigger: trigger.id), at: entry.place,
        .update("trigger", entry, text))
    }
  }

  /// Adds a scene to a trigger, if it is missing. Nil for a scene that the home does not have because of an error.
  private mutating func scene(
    _ name: Placed<String>, _ entry: Placed<String>, of trigger: Trigger
  ) -> HomeObjectID? {
    let key = HomeName(name.value).key
    guard let set = home.listedActionSets.first(where: { $0.name.key == key }) else { return nil }
    if !trigger.actionSets.contains(set.id) {
      perform(
        .addActionSetToTrigger(actionSet: set.id, trigger: trigger.id), at: name.place,
        .update("trigger", entry, "the trigger \"\(trigger.name)\" runs the scene \"\(set.name)\""))
    }
    return set.id
  }

  /// Changes the first set that belongs to the trigger, or adds one. A set without actions, which a trigger cannot get,
  /// is only kept.
  private mutating func changeOwned(
    _ owned: inout [ActionSet], to actions: [HomeFileTarget.ActionTarget], _ entry: Placed<String>, of trigger: Trigger
  ) -> HomeObjectID? {
    if let index = owned.firstIndex(where: { $0.actions.isEmpty == actions.isEmpty }) {
      let set = owned.remove(at: index)
      change(set, to: actions, "trigger", entry, owner: "the trigger \"\(trigger.name)\"")
      return set.id
    }
    guard let first = actions.first else { return nil }
    let values = actions.map { "\($0.path) to \($0.text)" }.joined(separator: ", ")
    let text = "the trigger \"\(trigger.name)\" sets \(values)"
    let isAdded = perform(
      .addOwnedActionSet(trigger: trigger.id, actions.map(\.action)), at: first.place, .update("trigger", entry, text))
    return isAdded ? home.triggers.first { $0.id == trigger.id }?.actionSets.last : nil
  }
}

/// The names of scenes to which triggers refer.
struct SceneNames {
  private let names: [String]
  private let keys: Set<String>

  init(_ names: [String]) { (self.names, keys) = (names, Set(names.map { HomeName($0).key })) }

  /// Returns the error if there is no scene with this name.
  func problem(with name: String) -> String? {
    if keys.contains(HomeName(name).key) { return nil }
    let hint = nearestName(to: name, in: names).map { ": did you mean \"\($0)\"?" } ?? ": add it to scenes"
    return "there is no scene \"\(name)\"\(hint)"
  }
}

extension Trigger.Kind {
  fileprivate var noun: String { if case .timer = self { "a timer" } else { "a trigger with events" } }
}

extension Home {
  /// Returns a trigger with all values in the form in which they are compared.
  fileprivate func normal(_ kind: Trigger.Kind) -> Trigger.Kind {
    guard case .event(var trigger) = kind else { return kind }
    trigger.events = trigger.events.map(normal)
    trigger.endEvents = trigger.endEvents.map(normal)
    trigger.condition = trigger.condition.map(normal)
    return .event(trigger)
  }

  private func normal(_ event: HomeEvent) -> HomeEvent {
    guard case .characteristic(let id, equals: let value?) = event, let found = characteristic(id) else { return event }
    return .characteristic(id, equals: found.characteristic.normal(value))
  }

  private func normal(_ condition: Condition) -> Condition {
    switch condition {
    case .all(let parts): return .all(parts.map(normal))
    case .any(let parts): return .any(parts.map(normal))
    case .not(let part): return .not(normal(part))
    case .characteristic(let id, let comparison, let value):
      guard let found = characteristic(id) else { return condition }
      return .characteristic(id, comparison, found.characteristic.normal(value))
    case .time, .sun, .presence, .unknown: return condition
    }
  }
}
