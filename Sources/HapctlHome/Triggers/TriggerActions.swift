import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHomeFile
import HAPWire

extension HomeSession {
  private func plan(_ lookup: HomeLookup, _ trigger: Trigger?) -> TriggerPlan {
    TriggerPlan(lookup, trigger, now: now, rules: surroundings.zoneRules)
  }

  /// The scenes of `--run`, and the actions that the trigger gets itself.
  private func runs(_ arguments: Arguments, _ lookup: HomeLookup) throws -> (sets: [HomeObjectID], own: [HomeAction]) {
    var sets: [HomeObjectID] = []
    var words: [String] = []
    for text in try arguments.all(TriggerOptions.run) {
      if let (path, comparison, value) = TriggerPhrase.split(text), comparison == .equal,
        (try? lookup.scene(text)) == nil
      {
        words += [path, value]
      } else {
        let set = try lookup.scene(text).id
        if !sets.contains(set) { sets.append(set) }
      }
    }
    return (sets, try actions(words[...]))
  }

  func addTrigger(_ arguments: Arguments) async throws -> ExitCode {
    let lookup = try lookup
    var plan = plan(lookup, nil)
    try plan.take(arguments)
    let kind = try plan.kind()
    let (sets, own) = try runs(arguments, lookup)
    let home = lookup.home.id
    return try await addTogether(.addTrigger(home: home, name: arguments.operands[0], kind)) { trigger in
      var commands: [HomeCommand] = sets.map { .addActionSetToTrigger(actionSet: $0, trigger: trigger) }
      if !own.isEmpty { commands.append(.addOwnedActionSet(trigger: trigger, own)) }
      if !commands.isEmpty, !arguments[TriggerOptions.disabled] { commands.append(.enableTrigger(trigger)) }
      return commands
    } undo: {
      .removeTrigger($0)
    }
  }

  func editTrigger(_ arguments: Arguments) async throws -> ExitCode {
    let lookup = try lookup
    let trigger = try lookup.trigger(arguments.operands[0])
    var plan = plan(lookup, trigger)
    try plan.take(arguments)
    try plan.remove(arguments)
    var commands: [HomeCommand] = []
    let kind = try plan.kind()
    if kind != trigger.kind { commands.append(.updateTrigger(trigger.id, kind)) }
    let (sets, own) = try runs(arguments, lookup)
    if !sets.isEmpty || !own.isEmpty {
      // New sets come first, so that an enabled trigger always has one.
      commands += sets.filter { !trigger.actionSets.contains($0) }.map {
        .addActionSetToTrigger(actionSet: $0, trigger: trigger.id)
      }
      if !own.isEmpty { commands.append(.addOwnedActionSet(trigger: trigger.id, own)) }
      commands += trigger.actionSets.filter { !sets.contains($0) }.map {
        .removeActionSetFromTrigger(actionSet: $0, trigger: trigger.id)
      }
    }
    return try await change(commands)
  }

  // MARK: Lists

  func listTriggers(_ names: [String]) throws -> ExitCode {
    let lookup = try lookup
    let triggers = names.isEmpty ? lookup.home.triggers : try names.map { try lookup.trigger($0) }
    if isJSON {
      print(.object([("triggers", .list(triggers.map { node($0, lookup) }))]))
      return .well
    }
    if triggers.isEmpty { print("The home \(lookup.home.name.text.quoted) has no triggers.") }
    for trigger in triggers { for line in lines(trigger, lookup) { print(line) } }
    return .well
  }

  /// A trigger as text: its state, its definition in the notation of documents, and its scenes.
  func lines(_ trigger: Trigger, _ lookup: HomeLookup) -> [String] {
    let rules = zoneRules(of: lookup.home)
    var lines = ["\(trigger.name): \(trigger.isEnabled ? "enabled" : "disabled")"]
    for (name, value) in lookup.notation(of: trigger.kind, surroundings.zoneRules).members(trigger.kind) {
      if let elements = value.elements {
        lines += elements.map { "  \(name): \($0.phrase)" }
      } else {
        lines.append("  \(name): \(value.phrase)")
      }
    }
    for id in trigger.actionSets {
      guard let set = lookup.home.actionSets.find(id) else { continue }
      lines += set.kind == .triggerOwned ? lookup.lines(set.actions).map { "  run: \($0)" } : ["  run: \(set.name)"]
    }
    if let next = next(trigger, lookup.home) { lines.append("  next: \(rules.civilTime(at: next).toMinute)") }
    if let last = trigger.lastFire { lines.append("  last: \(rules.civilTime(at: last).toMinute)") }
    return lines
  }

  /// The next time of an enabled timer; nil for other triggers.
  private func next(_ trigger: Trigger, _ home: Home) -> Instant? {
    guard trigger.isEnabled, case .timer(let timer) = trigger.kind else { return nil }
    if timer.fireDate > now { return timer.fireDate }
    guard let rules = surroundings.zoneRules(timer.zone ?? home.zone) else { return nil }
    return timer.recurrence?.next(after: now, from: timer.fireDate, in: rules)?.instant
  }

  func node(_ trigger: Trigger, _ lookup: HomeLookup) -> JSONNode {
    let runs = trigger.actionSets.compactMap { lookup.home.actionSets.find($0) }.map { set in
      set.kind == .triggerOwned ? JSONNode.object([("set", lookup.node(set.actions))]) : .text(set.name.text)
    }
    return .object([
      ("id", .id(trigger.id)), ("name", .text(trigger.name.text)), ("enabled", .flag(trigger.isEnabled)),
      ("next", next(trigger, lookup.home).map { .text($0.description) } ?? JSONNode(.null)),
      ("lastFire", trigger.lastFire.map { .text($0.description) } ?? JSONNode(.null)), ("run", .list(runs)),
      ("definition", .object(lookup.notation(of: trigger.kind, surroundings.zoneRules).members(trigger.kind))),
    ])
  }
}

extension CivilTime {
  /// "2026-06-01 19:00".
  fileprivate var toMinute: String { String(description.prefix(16)).replacing("T", with: " ") }
}

extension JSONNode {
  /// An event or a condition as a phrase: "characteristic Lamp/On is on".
  fileprivate var phrase: String {
    switch kind {
    case .null: "none"
    case .bool(let bool): bool ? "true" : "false"
    case .number(let number): number.text
    case .string(let text): text.oneLine
    case .array(let elements): "(" + elements.map(\.phrase).joined(separator: ", ") + ")"
    case .object(let members):
      members.map { $0.name == "characteristic" ? $0.value.phrase : "\($0.name) \($0.value.phrase)" }
        .joined(separator: " ")
    }
  }
}
