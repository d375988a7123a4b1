import HAPAlmanac
import HAPHome
import HAPWire

extension HomeFileReader {
  private static let timerMembers = ["at", "every", "zone"]
  private static let eventMembers = ["when", "if", "end", "weekdays", "once"]

  mutating func trigger(_ name: Placed<String>, _ node: JSONNode) -> HomeFile.TriggerEntry? {
    guard attempt({ _ throws(JSONProblem) in try node.asObject() }) != nil else { return nil }
    refuseUnknown(node, except: Self.timerMembers + Self.eventMembers + ["run", "enabled"])
    var entry = HomeFile.TriggerEntry(name: name)
    entry.isEnabled = node["enabled"].flatMap { node in
      attempt { _ throws(JSONProblem) in Placed(try node.asBool(), at: node.place) }
    }
    entry.run = node["run"].flatMap { run($0) }
    switch (node["at"], node["when"]) {
    case (let at?, nil): entry.kind = timer(at, node).map { .timer($0) }
    case (nil, let when?): entry.kind = events(when, node).map { .event($0) }
    case (_?, let when?): complain(when.place, "a trigger has either a time (at) or events (when): remove one of them")
    case (nil, nil): break
    }
    for (member, others) in [("at", Self.timerMembers), ("when", Self.eventMembers)] where node[member] == nil {
      for other in others {
        if let useless = node[other] { complain(useless.place, "\(other) needs \(member): add it, or remove \(other)") }
      }
    }
    return entry
  }

  // MARK: Timers

  private mutating func timer(_ at: JSONNode, _ node: JSONNode) -> HomeFile.TimerEntry? {
    let zone = node["zone"].flatMap { self.zone($0) }
    let period = node["every"].flatMap { node in
      attempt { _ throws(JSONProblem) in
        let text = try node.asString()
        guard let period = HomeFileText.period(text) else {
          throw node.problem("\"\(text)\" is not a period, such as 1d, 2w, \"1mo 2d\", 12h or 30min")
        }
        return period
      }
    }
    return attempt { _ throws(JSONProblem) in
      HomeFile.TimerEntry(start: try at.start(), period: period, zone: zone)
    }
  }

  // MARK: Events

  private mutating func events(_ when: JSONNode, _ node: JSONNode) -> HomeFile.EventsEntry? {
    guard let events = events(when, isEnd: false) else { return nil }
    var entry = HomeFile.EventsEntry(events: Placed(events, at: when.place))
    if let end = node["end"] { entry.endEvents = self.events(end, isEnd: true) ?? [] }
    entry.condition = node["if"].flatMap { condition($0) }
    if let days = node["weekdays"] {
      attempt { _ throws(JSONProblem) in
        for element in try days.asList() {
          let word = try element.asString()
          guard let day = HomeFileText.weekday(word) else {
            let words = HomeFileText.weekdays.map(\.word).joined(separator: ", ")
            throw element.problem("\"\(word)\" is not a day of the week: use \(words)")
          }
          entry.weekdays.insert(day)
        }
      }
    }
    if let once = node["once"] {
      entry.executesOnce = attempt { _ throws(JSONProblem) in try once.asBool() } ?? false
    }
    return entry
  }

  private mutating func events(_ node: JSONNode, isEnd: Bool) -> [HomeFile.EventEntry]? {
    guard let elements = attempt({ _ throws(JSONProblem) in try node.asList() }) else { return nil }
    return elements.compactMap { event($0, isEnd: isEnd) }
  }

  /// The members that make an event, with the members that may be next to each.
  private static let events: [(name: String, with: [String])] = [
    ("characteristic", ["is", "at-least", "at-most"]), ("time", []), ("sun", ["offset"]), ("presence", ["users"]),
    ("location", ["radius", "entry", "exit"]), ("after", []),
  ]

  private mutating func event(_ node: JSONNode, isEnd: Bool) -> HomeFile.EventEntry? {
    guard let (name, members) = form(node, of: Self.events, "event") else { return nil }
    refuseUnknown(node, except: [name] + members)
    return attempt { _ throws(JSONProblem) in
      switch name {
      case "characteristic": return try node.characteristicEvent()
      case "time": return .other(.calendar(try node.required("time").dateParts()))
      case "sun": return .other(.sun(try node.sunMoment()))
      case "presence": return .presence(try node.presence())
      case "location": return .other(try node.locationEvent())
      default:
        let after = try node.required("after")
        guard let seconds = HomeFileText.seconds(try after.asString(), mayBeNegative: false) else {
          throw after.problem("a duration in whole seconds is expected, such as 10min, 90s or 2h")
        }
        return .other(.duration(seconds: seconds))
      }
    }
  }

  /// Returns the form of an object by its first member that is the name of a form.
  mutating func form(
    _ node: JSONNode, of forms: [(name: String, with: [String])], _ kind: String
  ) -> (String, [String])? {
    attempt { _ throws(JSONProblem) in
      _ = try node.asObject()
      if let form = forms.first(where: { node[$0.name] != nil }) { return form }
      let names = forms.map(\.name).joined(separator: ", ")
      throw node.problem("this is not \(kind == "event" ? "an" : "a") \(kind): it has none of the members \(names)")
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
