import HAPHome
import HAPWire

extension HomeFileReader {
  mutating func trigger(_ name: Placed<String>, _ node: JSONNode) -> HomeFile.TriggerEntry? {
    guard let members = attempt({ _ throws(JSONProblem) in try node.asObject() }) else { return nil }
    refuseUnknown(node, except: FormNotation.triggerMembers + ["run", "enabled"])
    var entry = HomeFile.TriggerEntry(name: name)
    let own = members.filter { FormNotation.triggerMembers.contains($0.name) }
    if !own.isEmpty { entry.kind = kind(JSONNode(.object(own), place: node.place, path: node.path)) }
    entry.run = node["run"].flatMap { run($0) }
    entry.isEnabled = node["enabled"].flatMap { node in
      attempt { _ throws(JSONProblem) in Placed(try node.asBool(), at: node.place) }
    }
    return entry
  }

  /// Checks the time or the events of a trigger. The errors in each event and in each part of the condition are
  /// reported.
  private mutating func kind(_ node: JSONNode) -> HomeFile.TriggerKind {
    let count = problems.count
    for list in [EventTriggerMember.when, .end] {
      for element in node[list.rawValue]?.elements ?? [] {
        attempt { _ throws(JSONProblem) in _ = try FormNotation().event(element) }
      }
    }
    if let condition = node[EventTriggerMember.condition.rawValue] { check(condition) }
    if problems.count == count {
      attempt { _ throws(JSONProblem) in _ = try FormNotation().triggerKind(node, and: []) }
    }
    return HomeFile.TriggerKind(node)
  }

  private mutating func check(_ condition: JSONNode) {
    let parts = [ConditionWord.all, .any].compactMap { condition[$0.rawValue]?.elements }.first
    if let parts = parts ?? condition[ConditionWord.not.rawValue].map({ [$0] }), condition.members?.count == 1 {
      for part in parts { check(part) }
    } else {
      attempt { _ throws(JSONProblem) in _ = try FormNotation().condition(condition) }
    }
  }

  // MARK: Sets

  private mutating func run(_ node: JSONNode) -> [HomeFile.RunEntry]? {
    guard let elements = attempt({ _ throws(JSONProblem) in try node.asList() }) else { return nil }
    let entries: [HomeFile.RunEntry] = elements.compactMap { element in
      if element.members == nil {
        return attempt { _ throws(JSONProblem) in .scene(try element.placedText()) }
      }
      refuseUnknown(element, except: ["set"])
      guard let set = attempt({ _ throws(JSONProblem) in try element.required("set") }) else { return nil }
      return actions(set).map { .actions($0) }
    }
    let scenes: [Placed<String>] = entries.compactMap { if case .scene(let name) = $0 { name } else { nil } }
    refuseTwice(scenes) { HomeName($0).key }
    return entries
  }
}
