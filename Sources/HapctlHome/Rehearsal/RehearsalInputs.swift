import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPLoop

/// What the options of `hapctl home rehearse` give: the homes, the time, the values at the start and the events.
struct RehearsalInputs: Sendable {
  /// The homes; the triggers that are named are enabled.
  let model: HomeModel
  /// The home of the command.
  let home: Home
  /// The rules of the home's zone.
  let zone: ZoneRules
  let start: Instant
  let end: Instant
  /// The triggers whose evaluations are printed.
  let printed: Set<HomeObjectID>
  let values: [HomeObjectID: Value]
  /// Ascending by time; those of one time are in the order of the options.
  let events: [TimedEvent]

  /// An event at a time.
  struct TimedEvent: Sendable {
    var time: Instant
    var event: HomeRehearsal.Event
  }

  static let eventForms =
    "'PATH VALUE', 'PATH is VALUE', 'USER arrives', 'USER leaves', 'person USER arrive|leave|at LAT,LON' or 'fire TRIGGER'"
  private static let timeForms = "write 2026-06-01T18:20 for once, 18:20 for each day, or mon,tue 18:20 for weekdays"
  private static let longest = Duration.seconds(366 * 86_400)

  init(_ arguments: Arguments, _ session: HomeSession) throws {
    let lookup = try session.lookup
    guard let zone = session.surroundings.zoneRules(lookup.home.zone) else {
      throw HomeFailure(.cannotRun, "this machine has no time zone \(lookup.home.zone): install the package tzdata")
    }
    let start = try Self.start(try arguments.value(RehearsalOptions.from), session.now, zone)
    let end = try Self.end(try arguments.value(RehearsalOptions.length) ?? "7d", start, zone)
    let named = try arguments.operands.map { try lookup.trigger($0) }
    var model = try session.snapshot.model
    // Enabling a trigger adds nothing, so it draws no identifier.
    var generator = LoopRandom(session.loop)
    for trigger in named where !trigger.isEnabled {
      let context = HomeContext(now: start, zoneRules: session.surroundings.zoneRules)
      _ = try model.perform(.enableTrigger(trigger.id), in: context, using: &generator)
    }
    guard let home = model.home(lookup.home.id) else { preconditionFailure("no home was removed") }
    var values: [HomeObjectID: Value] = [:]
    for text in try arguments.all(RehearsalOptions.set) {
      guard let written = try lookup.assignment(text) else {
        throw UsageError("--set \(shown(text)): write PATH VALUE, such as --set \"Motion Sensor/Motion Detected\" true")
      }
      for (id, value) in written where values.updateValue(value, forKey: id) != nil {
        throw UsageError("--set gives \(lookup.path(ofCharacteristic: id).quoted) two values")
      }
    }
    var events: [TimedEvent] = []
    for text in try arguments.all(RehearsalOptions.at) {
      let (times, rest) = try Self.times(text, start, end, zone)
      let found = try lookup.events(rest, in: text)
      events += times.flatMap { time in found.map { TimedEvent(time: time, event: $0) } }
    }
    (self.model, self.home, self.zone, self.start, self.end) = (model, home, zone, start, end)
    (self.values, printed) = (values, Set((named.isEmpty ? home.triggers : named).map(\.id)))
    self.events = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
      \.element)
  }

  // MARK: Times

  /// The moment of `--from`; a time of day is its next occurrence.
  private static func start(_ text: String?, _ now: Instant, _ zone: ZoneRules) throws -> Instant {
    guard let text else { return now }
    guard let parts = HomeText.parts(text.paddedTime) else {
      throw UsageError("--from \(shown(text)): expected a time, such as 2026-06-01T19:00 or 19:00")
    }
    guard let start = parts.year == nil ? parts.next(after: now, in: zone) : moment(parts, zone) else {
      throw UsageError("--from \(shown(text)): expected a time from 1970 to 2200")
    }
    return start
  }

  private static func end(_ text: String, _ start: Instant, _ zone: ZoneRules) throws -> Instant {
    guard let end = HomeText.period(text)?.occurrence(1, from: start, in: zone), start.duration(to: end) <= longest
    else {
      throw UsageError("--for \(shown(text)): expected a period from 1min to 366d, such as 7d")
    }
    return end
  }

  /// The moment of a date with or without a time; nil before 1970 and after 2200.
  private static func moment(_ parts: DateParts, _ zone: ZoneRules) -> Instant? {
    guard let year = parts.year, let month = parts.month, let day = parts.day, (1970...2200).contains(year),
      let date = try? CivilDate(year: year, month: month, day: day),
      let time = try? CivilTime(date, hour: parts.hour ?? 0, minute: parts.minute ?? 0, second: parts.second ?? 0)
    else { return nil }
    return zone.instant(of: time)
  }

  /// Parses the time at the beginning of a value of `--at`, and returns its moments in the rehearsed time, and the event.
  private static func times(
    _ text: String, _ start: Instant, _ end: Instant, _ zone: ZoneRules
  ) throws -> (times: [Instant], event: String) {
    var words = text.split(separator: " ")[...]
    guard let first = words.popFirst() else { throw UsageError("--at \(shown(text)): \(timeForms)") }
    var moments: [Instant] = []
    if let days = weekdays(first) {
      guard let word = words.popFirst(), let parts = HomeText.parts(String(word).paddedTime), parts.year == nil else {
        throw UsageError("--at \(shown(text)): a time of day is missing: \(timeForms)")
      }
      moments = days.flatMap { day in
        occurrences(
          try? DateParts(weekday: day, hour: parts.hour, minute: parts.minute, second: parts.second), start, end, zone)
      }
    } else if let parts = HomeText.parts(String(first).paddedTime), parts.hour != nil {
      moments = parts.year == nil ? occurrences(parts, start, end, zone) : [moment(parts, zone)].compactMap { $0 }
    } else {
      throw UsageError("--at \(shown(text)): \(shown(String(first))) is not a time: \(timeForms)")
    }
    moments = moments.filter { $0 >= start && $0 <= end }
    guard !moments.isEmpty else {
      throw UsageError(
        "--at \(shown(text)): the time is not in the rehearsal, which is from \(zone.minute(start)) to \(zone.minute(end))"
      )
    }
    return (moments, words.joined(separator: " "))
  }

  /// Parses "mon" or "mon,tue"; nil for anything else.
  private static func weekdays(_ text: Substring) -> [Weekday]? {
    let words = text.lowercased().split(separator: ",", omittingEmptySubsequences: false)
    let days = words.compactMap { word in Weekday.allCases.first { $0.word == word } }
    return days.count == words.count ? days : nil
  }

  private static func occurrences(_ parts: DateParts?, _ start: Instant, _ end: Instant, _ zone: ZoneRules) -> [Instant]
  {
    var found: [Instant] = []
    var time = parts?.next(after: start.advanced(by: .nanoseconds(-1)), in: zone)
    while let next = time, next <= end {
      found.append(next)
      time = parts?.next(after: next, in: zone)
    }
    return found
  }
}

extension HomeLookup {
  /// Parses "PATH is VALUE" or "PATH VALUE"; nil if the text does not have a path and a value.
  fileprivate func assignment(_ text: String) throws -> [(HomeObjectID, Value)]? {
    if let (path, comparison, value) = TriggerPhrase.split(text) {
      guard comparison == .equal else { throw UsageError("\(text.quoted) compares a value: write PATH VALUE") }
      return try values(path, value)
    }
    if (try? targets(text, for: [])) != nil { return nil }
    // Names and values can have spaces: the longest beginning that is a path counts.
    let spaces = text.indices.filter { text[$0] == " " }
    for space in spaces.reversed() {
      let path = text[..<space].trimmed
      let value = text[space...].trimmed
      if !value.isEmpty, (try? targets(path, for: [])) != nil { return try values(path, value) }
    }
    guard let space = spaces.last, text.contains("/") else { return nil }
    return try values(text[..<space].trimmed, text[space...].trimmed)
  }

  private func values(_ path: String, _ value: String) throws -> [(HomeObjectID, Value)] {
    try targets(path, for: []).map { ($0.characteristic.id, try $0.characteristic.value(fromText: value)) }
  }

  /// Parses an event of `--at`.
  /// - Parameter option: the whole value, for messages.
  fileprivate func events(_ text: String, in option: String) throws -> [HomeRehearsal.Event] {
    if text.hasPrefix("fire ") { return [.fire(try trigger(text.dropFirst(5).trimmed).id)] }
    if text.hasPrefix("person ") { return [try person(text.dropFirst(7).trimmed, in: option)] }
    for (ending, place) in [(" arrives", PersonState.Place.home), (" leaves", .away)] where text.hasSuffix(ending) {
      return [.person(try user(text.dropLast(ending.count).trimmed).id, place)]
    }
    guard let written = try assignment(text) else {
      throw UsageError("--at \(shown(option)): after the time, write \(RehearsalInputs.eventForms)")
    }
    return written.map { .value($0.0, $0.1) }
  }

  private func person(_ text: String, in option: String) throws -> HomeRehearsal.Event {
    for (ending, place) in [(" arrive", PersonState.Place.home), (" leave", .away)] where text.hasSuffix(ending) {
      return .person(try user(text.dropLast(ending.count).trimmed).id, place)
    }
    guard let range = text.ranges(of: " at ").last else {
      throw UsageError("--at \(shown(option)): write 'person USER arrive', 'leave' or 'at LAT,LON'")
    }
    return .person(
      try user(text[..<range.lowerBound].trimmed).id, .position(try coordinate(text[range.upperBound...].trimmed)))
  }
}

extension ZoneRules {
  /// The civil time to the minute: "2026-06-01 19:00".
  func minute(_ instant: Instant) -> String {
    String(civilTime(at: instant).description.prefix(16)).replacing("T", with: " ")
  }
}
