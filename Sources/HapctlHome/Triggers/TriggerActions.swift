import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHomeEngine
import HAPHomeFile
import HAPWire

extension HomeSession {
  private func definition(_ lookup: HomeLookup, _ trigger: Trigger?) -> TriggerPlan {
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
    var plan = definition(lookup, nil)
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
    var plan = definition(lookup, trigger)
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
    let plan = try plan
    if isJSON {
      print(.object([("triggers", .list(triggers.map { node($0, lookup, next: plan.nextTime(of: $0.id)) }))]))
      return .well
    }
    if triggers.isEmpty { print("The home \(lookup.home.name.text.quoted) has no triggers.") }
    for trigger in names.isEmpty ? triggers.inNameOrder(\.name.text) : triggers {
      for line in lines(trigger, lookup, next: plan.nextTime(of: trigger.id)) { print(line) }
    }
    return .well
  }

  /// The triggers as they are planned now.
  var plan: HomeRehearsal {
    get throws(HomeFailure) { HomeRehearsal(try snapshot.model, at: now, zoneRules: surroundings.zoneRules) }
  }

  /// A trigger as text: its state, what activates it, its condition, and its scenes.
  /// - Parameter next: the next planned time.
  func lines(_ trigger: Trigger, _ lookup: HomeLookup, next: Instant?) -> [String] {
    let rules = zoneRules(of: lookup.home)
    var lines = ["\(trigger.name): \(lookup.home.state(of: trigger))"]
    for part in TriggerText(lookup.home, lookup.directory, surroundings.zoneRules).parts(trigger.kind) {
      lines += part.texts.map { "  \(part.name): \($0)" }
    }
    for id in trigger.actionSets {
      guard let set = lookup.home.actionSets.find(id) else { continue }
      if set.kind == .triggerOwned {
        lines += lookup.lines(set.actions).map { "  run: \($0)" }
      } else {
        lines.append("  run: \(set.name)\(set.actions.isEmpty ? " (sets no value)" : "")")
      }
    }
    if let next { lines.append("  next: \(rules.minute(next))") }
    if let last = trigger.lastFire { lines.append("  last: \(rules.minute(last))") }
    return lines
  }

  private func node(_ trigger: Trigger, _ lookup: HomeLookup, next: Instant?) -> JSONNode {
    let runs = trigger.actionSets.compactMap { lookup.home.actionSets.find($0) }.map { set in
      set.kind == .triggerOwned ? JSONNode.object([("set", lookup.node(set.actions))]) : .text(set.name.text)
    }
    return .object([
      ("id", .id(trigger.id)), ("name", .text(trigger.name.text)), ("enabled", .flag(trigger.isEnabled)),
      ("next", next.map { .text($0.description) } ?? JSONNode(.null)),
      ("lastFire", trigger.lastFire.map { .text($0.description) } ?? JSONNode(.null)), ("run", .list(runs)),
      ("definition", .object(lookup.notation(of: trigger.kind, surroundings.zoneRules).members(trigger.kind))),
    ])
  }
}
