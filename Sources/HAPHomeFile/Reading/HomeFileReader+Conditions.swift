import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

extension HomeFileReader {
  private static let conditions: [(name: String, with: [String])] = [
    ("characteristic", HomeFileText.comparisons.map(\.word)), ("all", []), ("any", []), ("not", []), ("before", []),
    ("after", []), ("on", []), ("between", []), ("presence", ["users"]), ("unknown", []),
  ]

  /// Reads a condition, and reports the errors in all of its parts. A list is the short form of a condition that is
  /// nested deeply: `[all, …]`, `[any, …]`.
  mutating func condition(_ node: JSONNode) -> HomeFile.ConditionEntry? {
    if let elements = node.elements { return condition(elements, of: node) }
    guard let (name, members) = form(node, of: Self.conditions, "condition") else { return nil }
    refuseUnknown(node, except: [name] + members)
    guard let value = node[name] else { preconditionFailure("the form has the member") }
    switch name {
    case "all": return conditions(value).map { .all($0) }
    case "any": return conditions(value).map { .any($0) }
    case "not": return condition(value).map { .not($0) }
    case "characteristic":
      return attempt { _ throws(JSONProblem) in try node.comparison() }
    case "presence":
      return attempt { _ throws(JSONProblem) in .presence(try node.presence()) }
    case "on":
      return attempt { _ throws(JSONProblem) in .other(.time(.on(try value.dateParts()))) }
    case "unknown":
      return attempt { _ throws(JSONProblem) in
        guard try value.asBool() else { throw value.problem("only true is possible: this condition is always unknown") }
        return .other(.unknown)
      }
    default:
      return attempt { _ throws(JSONProblem) in .other(try value.timeCondition(name)) }
    }
  }

  private mutating func conditions(_ node: JSONNode) -> [HomeFile.ConditionEntry]? {
    guard let elements = attempt({ _ throws(JSONProblem) in try node.asList() }) else { return nil }
    return elements.compactMap { condition($0) }
  }

  private mutating func condition(_ elements: [JSONNode], of node: JSONNode) -> HomeFile.ConditionEntry? {
    let parts = elements.dropFirst().compactMap { condition($0) }
    switch elements.first?.stringValue {
    case "all": return .all(parts)
    case "any": return .any(parts)
    default:
      let place = elements.first?.place ?? node.place
      complain(place, "\(node.path): a list of conditions begins with all or any")
      return nil
    }
  }
}

extension JSONNode {
  /// Reads an event of a characteristic.
  func characteristicEvent() throws(JSONProblem) -> HomeFile.EventEntry {
    let path = try required("characteristic").placedPath()
    guard self["at-least"] != nil || self["at-most"] != nil else {
      return .characteristic(path, equals: try self["is"].map { node throws(JSONProblem) in try node.placedValue() })
    }
    if let useless = self["is"] { throw useless.problem("an event has either is, or at-least and at-most") }
    let least = try self["at-least"].map { node throws(JSONProblem) in try node.asDouble() }
    let most = try self["at-most"].map { node throws(JSONProblem) in try node.asDouble() }
    guard let range = ThresholdRange(min: least, max: most) else {
      throw problem("at-least is greater than at-most")
    }
    return .threshold(path, range)
  }

  /// Reads a comparison with a characteristic.
  func comparison() throws(JSONProblem) -> HomeFile.ConditionEntry {
    let path = try required("characteristic").placedPath()
    let found = HomeFileText.comparisons.filter { self[$0.word] != nil }
    guard let first = found.first, found.count == 1 else {
      let words = HomeFileText.comparisons.map(\.word).joined(separator: ", ")
      throw problem("a condition of a characteristic has exactly one of \(words); all combines conditions")
    }
    return .characteristic(path, first.comparison, try required(first.word).placedValue())
  }

  /// Reads the value of `before`, `after` or `between`.
  func timeCondition(_ name: String) throws(JSONProblem) -> Condition {
    if name != "between" {
      switch try moment() {
      case .time(let parts): return .time(name == "before" ? .before(parts) : .after(parts))
      case .sun(let moment): return .sun(name == "before" ? .before(moment) : .after(moment))
      }
    }
    guard let elements, elements.count == 2 else { throw problem("between needs a list of two times") }
    switch (try elements[0].moment(), try elements[1].moment()) {
    case (.time(let first), .time(let second)): return .time(.between(first, second))
    case (.sun(let first), .sun(let second)): return .sun(.between(first, second))
    case (.time, .sun), (.sun, .time):
      throw problem("between has two times of the day, or two times of the sun: combine after and before with all")
    }
  }

  private enum Moment {
    case time(DateParts)
    case sun(SunMoment)
  }

  /// Reads "18:00", "sunset", or an object with the parts of either.
  private func moment() throws(JSONProblem) -> Moment {
    if let text = stringValue {
      if let event = SunEvent(rawValue: text), let moment = SunMoment(event) { return .sun(moment) }
      guard let parts = HomeFileText.timeOfDay(text) else {
        throw problem("\"\(text)\" is neither a time of the day, such as \"18:00\", nor sunrise or sunset")
      }
      return .time(parts)
    }
    guard self["sun"] != nil else { return .time(try dateParts()) }
    try refuseUnknownMembers(except: ["sun", "offset"])
    return .sun(try sunMoment())
  }

  func sunMoment() throws(JSONProblem) -> SunMoment {
    let node = try required("sun")
    let word = try node.asString()
    guard let event = SunEvent(rawValue: word) else {
      throw node.problem("sunrise or sunset is expected, not \"\(word)\"")
    }
    guard let offset = self["offset"] else { return try SunMoment(event).orProblem(node, "") }
    let form = "an offset of at most 12h in whole seconds is expected, such as -30min or 1h"
    guard let seconds = HomeFileText.seconds(try offset.asString(), mayBeNegative: true) else {
      throw offset.problem(form)
    }
    return try SunMoment(event, offset: seconds).orProblem(offset, form)
  }

  /// Reads "07:30", or an object with parts of a date and a time.
  func dateParts() throws(JSONProblem) -> DateParts {
    if let text = stringValue {
      return try HomeFileText.timeOfDay(text).orProblem(self, "a time of the day is expected, such as \"18:00\"")
    }
    try refuseUnknownMembers(except: ["year", "month", "day", "weekday", "hour", "minute", "second"])
    func number(_ name: String) throws(JSONProblem) -> Int? {
      try self[name].map { node throws(JSONProblem) in Int(try node.asInteger(in: 0...9999)) }
    }
    let weekday = try self["weekday"].map { node throws(JSONProblem) in
      try HomeFileText.weekday(try node.asString()).orProblem(node, "a day of the week is expected, such as mon")
    }
    let numbers = (
      try number("year"), try number("month"), try number("day"), try number("hour"), try number("minute"),
      try number("second")
    )
    do throws(CivilError) {
      return try DateParts(
        year: numbers.0, month: numbers.1, day: numbers.2, weekday: weekday, hour: numbers.3, minute: numbers.4,
        second: numbers.5)
    } catch { throw problem("\(error)") }
  }

  func presence() throws(JSONProblem) -> HomeFile.PresenceEntry {
    let node = try required("presence")
    let word = try node.asString()
    let words = PresenceEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    let kind = try PresenceEvent.Kind(rawValue: word).orProblem(node, "one of \(words) is expected, not \"\(word)\"")
    guard let users = self["users"] else { return HomeFile.PresenceEntry(kind: kind, users: .all) }
    if let word = users.stringValue {
      guard ["all", "current"].contains(word) else {
        throw users.problem("all, current, or a list of names is expected, not \"\(word)\"")
      }
      return HomeFile.PresenceEntry(kind: kind, users: word == "all" ? .all : .current)
    }
    var names: [Placed<String>] = []
    for element in try users.asList() { names.append(try element.placedText()) }
    return HomeFile.PresenceEntry(kind: kind, users: .named(names))
  }

  func locationEvent() throws(JSONProblem) -> HomeEvent {
    let (centre, radius) = (try required("location").coordinate(), try required("radius"))
    let region = try Region(centre: centre, radius: try radius.asDouble())
      .orProblem(radius, "the radius is more than 0 and at most 1000000 metres")
    return .location(region, onEntry: try bool("entry", default: true), onExit: try bool("exit", default: true))
  }

  /// Reads a time such as "2026-06-01T19:00", or with "Z" at the end in UTC.
  func start() throws(JSONProblem) -> Placed<HomeFile.TimerEntry.Start> {
    let text = try asString()
    do throws(CivilError) {
      guard text.hasSuffix("Z") else { return Placed(.civil(try CivilTime(text)), at: place) }
      return Placed(.instant(ZoneRules.utc.instant(of: try CivilTime(String(text.dropLast())))), at: place)
    } catch { throw problem("\(error), such as \"2026-06-01T19:00\"") }
  }
}

extension Optional {
  fileprivate func orProblem(_ node: JSONNode, _ message: @autoclosure () -> String) throws(JSONProblem) -> Wrapped {
    guard let self else { throw node.problem(message()) }
    return self
  }
}
