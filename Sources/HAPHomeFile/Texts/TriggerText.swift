import HAPAlmanac
import HAPHome
import HAPModel

/// Writes triggers for people: "Front Door/Lock Current State becomes unsecured", "30min before sunset", "Ben is away".
/// Where `hapctl home trigger add` takes the same words, these are used.
package struct TriggerText {
  private let home: Home
  private let directory: HomeDirectory
  private let rules: (ZoneName) -> ZoneRules?

  /// - Parameter rules: the rules of a zone; nil: the machine does not have them, and times are shown in UTC.
  package init(_ home: Home, _ directory: HomeDirectory, _ rules: @escaping (ZoneName) -> ZoneRules?) {
    (self.home, self.directory, self.rules) = (home, directory, rules)
  }

  /// One part of a trigger, which has the name of the option of `hapctl home trigger add`.
  package struct Part: Hashable, Sendable {
    package var name: String
    /// The events, or one text.
    package var texts: [String]
    /// The name in a sentence.
    fileprivate var noun: String
  }

  /// Returns the parts of a time or of events; those without a text are missing.
  package func parts(_ kind: Trigger.Kind) -> [Part] {
    let parts: [Part]
    switch kind {
    case .timer(let timer):
      parts = [
        Part(name: "at", texts: [time(timer)], noun: "time"),
        Part(name: "every", texts: timer.recurrence.map { [HomeText.periodText($0)] } ?? [], noun: "period"),
        Part(name: "time zone", texts: timer.zone.map { [$0.text] } ?? [], noun: "time zone"),
      ]
    case .event(let events):
      let days = Weekday.allCases.filter(events.weekdays.contains).map(\.name)
      parts = [
        Part(name: "when", texts: events.events.map(text), noun: events.events.count == 1 ? "event" : "events"),
        Part(name: "if", texts: events.condition.map { [text($0)] } ?? [], noun: "condition"),
        Part(name: "end", texts: events.endEvents.map(text), noun: "end"),
        Part(name: "weekdays", texts: days.isEmpty ? [] : [days.joined(separator: ", ")], noun: "weekdays"),
        Part(name: "once", texts: events.executesOnce ? ["yes"] : [], noun: "once"),
      ]
    }
    return parts.filter { !$0.texts.isEmpty }
  }

  /// Returns what differs: `event from "sunset" to "sunrise"; condition from none to "before 18:00"`. Empty if the texts are
  /// equal.
  package func change(from old: Trigger.Kind, to new: Trigger.Kind) -> String {
    let (old, new) = (parts(old), parts(new))
    var names: [String] = []
    for part in old + new where !names.contains(part.name) { names.append(part.name) }
    let changes: [String] = names.compactMap { name in
      let (before, after) = (old.first { $0.name == name }, new.first { $0.name == name })
      guard before?.texts != after?.texts else { return nil }
      func text(_ part: Part?) -> String { part.map { "\"\($0.texts.joined(separator: "\" or \""))\"" } ?? "none" }
      return "\((after ?? before)?.noun ?? name) from \(text(before)) to \(text(after))"
    }
    return changes.joined(separator: "; ")
  }

  // MARK: Events

  /// "2026-06-01 19:00", in the zone of the timer.
  private func time(_ timer: TimerTrigger) -> String {
    let zone = rules(timer.zone ?? home.zone)
    let time = (zone ?? .utc).civilTime(at: timer.fireDate)
    return String("\(time)".prefix(16)).replacing("T", with: " ") + (zone == nil ? " UTC" : "")
  }

  private func text(_ event: HomeEvent) -> String {
    switch event {
    case .characteristic(let id, equals: let value):
      value.map { "\(path(id)) becomes \(text($0, id))" } ?? "\(path(id)) changes"
    case .threshold(let id, let range):
      switch (range.min, range.max) {
      case (let min?, let max?): "\(path(id)) becomes \(text(.float(min), id)) to \(text(.float(max), id))"
      case (let min?, nil): "\(path(id)) becomes at least \(text(.float(min), id))"
      case (nil, let max?): "\(path(id)) becomes at most \(text(.float(max), id))"
      case (nil, nil): "\(path(id)) changes"
      }
    case .calendar(let parts):
      parts.hour == nil || HomeText.partsText(parts) == nil ? text(parts) : "at \(text(parts))"
    case .sun(let moment): text(moment)
    case .presence(let presence): coming(presence)
    case .location(let region, let onEntry, let onExit):
      "the owner \(onEntry && onExit ? "enters or leaves" : onEntry ? "enters" : "leaves") the region of \(whole(region.radius)) m around \(region.centre.latitude), \(region.centre.longitude)"
    case .duration(let seconds): "after \(HomeText.secondsText(seconds) ?? "\(seconds) s")"
    }
  }

  private func coming(_ presence: PresenceEvent) -> String {
    let verb = presence.kind == .everyEntry || presence.kind == .firstEntry ? "arrives" : "leaves"
    let isEach = presence.kind == .everyEntry || presence.kind == .everyExit
    let order = presence.kind == .firstEntry ? "first" : "last"
    switch presence.users {
    case .currentUser: return "the owner \(verb)"
    case .homeUsers: return isEach ? "anyone \(verb)" : "the \(order) person \(verb)"
    case .users(let ids):
      let names = names(ids)
      if names.count == 1 { return "\(names[0]) \(verb)" }
      return isEach
        ? "\(names.joined(separator: " or ")) \(verb)" : "the \(order) of \(names.joined(separator: ", ")) \(verb)"
    }
  }

  // MARK: Conditions

  private func text(_ condition: Condition) -> String {
    switch condition {
    case .all(let parts): parts.isEmpty ? "always" : parts.map(part).joined(separator: " and ")
    case .any(let parts): parts.isEmpty ? "never" : parts.map(part).joined(separator: " or ")
    case .not(let negated): "not \(part(negated))"
    case .characteristic(let id, let comparison, let value): "\(path(id)) \(comparison.phrase) \(text(value, id))"
    case .time(.before(let time)): "before \(text(time))"
    case .time(.on(let parts)): "on \(text(parts))"
    case .time(.after(let time)): "\(text(time)) or later"
    case .time(.between(let first, let last)): "between \(text(first)) and \(text(last))"
    case .sun(.before(let moment)): "before \(text(moment))"
    case .sun(.after(let moment)): "after \(text(moment))"
    case .sun(.between(let first, let last)): "between \(text(first)) and \(text(last))"
    case .presence(let presence): self.condition(presence)
    case .unknown: "a comparison with an object that was removed"
    }
  }

  /// A part of a condition, in parentheses if it has several parts itself.
  private func part(_ condition: Condition) -> String {
    switch condition {
    case .all(let parts) where parts.count > 1, .any(let parts) where parts.count > 1: "(\(text(condition)))"
    default: text(condition)
    }
  }

  private func condition(_ presence: PresenceEvent) -> String {
    let isAway = presence.kind == .lastExit || presence.kind == .everyExit
    switch presence.users {
    case .currentUser: return "the owner is \(isAway ? "away" : "home")"
    case .homeUsers: return isAway ? "no-one is home" : "someone is home"
    case .users(let ids):
      let names = names(ids)
      if names.count == 1 { return "\(names[0]) is \(isAway ? "away" : "home")" }
      return "\(isAway ? "none" : "one") of \(names.joined(separator: ", ")) is home"
    }
  }

  // MARK: Names and values

  private func path(_ id: HomeObjectID) -> String {
    directory.path(ofCharacteristic: id)?.description ?? "a characteristic that was removed"
  }

  private func text(_ value: Value, _ id: HomeObjectID) -> String {
    let value =
      if case .float(let number) = value, let whole = Int64(exactly: number) { Value.integer(Int128(whole)) } else {
        value
      }
    return home.characteristic(id)?.characteristic.text(of: value) ?? value.shown
  }

  private func names(_ users: Set<HomeObjectID>) -> [String] {
    home.users.filter { users.contains($0.id) }.map(\.name).sorted()
  }

  private func text(_ moment: SunMoment) -> String {
    guard moment.offset != 0 else { return moment.event.rawValue }
    let distance = HomeText.secondsText(abs(moment.offset)) ?? "\(abs(moment.offset)) s"
    return "\(distance) \(moment.offset < 0 ? "before" : "after") \(moment.event.rawValue)"
  }

  /// "18:00", "2026-06-01", "Monday", "Monday 18:00"; parts that people rarely use are named.
  private func text(_ parts: DateParts) -> String {
    if let text = HomeText.partsText(parts) { return text.replacing("T", with: " ") }
    let named: [(String, Int?)] = [("year", parts.year), ("month", parts.month), ("day", parts.day)]
    let dates = named.compactMap { name, number in number.map { "\(name) \($0)" } }
    let clock = try? DateParts(hour: parts.hour, minute: parts.minute, second: parts.second)
    let times: [(String, Int?)] = [("hour", parts.hour), ("minute", parts.minute), ("second", parts.second)]
    let time =
      clock.flatMap { HomeText.partsText($0) }.map { [$0] }
      ?? times.compactMap { name, number in number.map { "\(name) \($0)" } }
    return ((parts.weekday.map { [$0.name] } ?? []) + dates + time).joined(separator: " ")
  }

  private func whole(_ number: Double) -> String { Int64(exactly: number).map { "\($0)" } ?? "\(number)" }
}

extension Home {
  /// Whether a trigger writes nothing, because its scenes were removed or have no values.
  package func runsNothing(_ trigger: Trigger) -> Bool {
    trigger.actionSets.allSatisfy { actionSets.find($0)?.actions.isEmpty ?? true }
  }

  /// "enabled" or "disabled", and whether the trigger does nothing.
  package func state(of trigger: Trigger) -> String {
    let state = trigger.isEnabled ? "enabled" : "disabled"
    guard runsNothing(trigger) else { return state }
    return trigger.isEnabled
      ? "enabled, but it does nothing: it has no scene that sets a value"
      : "disabled; it has no scene that sets a value"
  }
}

extension Comparison {
  /// The comparison within a sentence.
  fileprivate var phrase: String {
    switch self {
    case .equal: "is"
    case .notEqual: "is not"
    case .less: "is below"
    case .lessOrEqual: "is at most"
    case .greater: "is above"
    case .greaterOrEqual: "is at least"
    }
  }
}
