import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHomeFile
import HAPWire

/// The members of a trigger in the notation of `.hashome` files, as options change them.
struct TriggerPlan: Sendable {
  private var members: [JSONMember]
  private let lookup: HomeLookup
  private let rules: @Sendable (ZoneName) -> ZoneRules?
  private let now: Instant
  /// Nil for a new one.
  private let trigger: Trigger?

  /// - Parameter trigger: the trigger to change; nil: a new one.
  init(_ lookup: HomeLookup, _ trigger: Trigger?, now: Instant, rules: @escaping @Sendable (ZoneName) -> ZoneRules?) {
    (self.lookup, self.now, self.rules, self.trigger) = (lookup, now, rules, trigger)
    members = trigger.map { lookup.notation(of: $0.kind, rules).members($0.kind) } ?? []
  }

  private mutating func set(_ name: String, _ value: JSONNode?) {
    members.removeAll { $0.name == name }
    if let value { members.append((name, value)) }
  }

  /// Refuses parts that an existing trigger can't get. A message about members would name parts that were not given.
  private func refuseOtherKind(_ arguments: Arguments) throws {
    guard let trigger else { return }
    let name = trigger.name.text.quoted
    func texts(_ option: Option<String>) throws -> Bool { try !arguments.all(option).isEmpty }
    func flags(_ flags: [(name: String, flag: Flag)]) -> [String] { flags.filter { arguments[$0.flag] }.map(\.name) }
    switch trigger.kind {
    case .timer:
      if try texts(TriggerOptions.when) {
        throw UsageError(
          "\(name) is a timer, which can't become a trigger with events: remove it, and add one with --when")
      }
      var wrong: [String] = []
      if try texts(TriggerOptions.conditions) { wrong.append("--if") }
      if try arguments.value(TriggerOptions.weekdays) != nil { wrong.append("--weekdays") }
      if try texts(TriggerOptions.end) { wrong.append("--end") }
      wrong += flags([
        ("--any", TriggerOptions.any), ("--once", TriggerOptions.once), ("--no-if", TriggerOptions.noCondition),
        ("--no-weekdays", TriggerOptions.noWeekdays), ("--no-end", TriggerOptions.noEnd),
        ("--no-once", TriggerOptions.notOnce),
      ])
      if let option = wrong.first {
        throw UsageError("\(name) is a timer, and \(option) is for triggers with events: use --at, --every or --run")
      }
    case .event:
      if try arguments.value(TriggerOptions.at) != nil {
        throw UsageError(
          "\(name) has events, and can't become a timer: use --when 'at 18:00', or remove it and add one with --at")
      }
      if try arguments.value(TriggerOptions.every) != nil || arguments[TriggerOptions.noPeriod] {
        throw UsageError("\(name) has events, and a period is for timers: it runs at each of its events")
      }
    }
  }

  /// Takes the parts that the options give.
  mutating func take(_ arguments: Arguments) throws {
    try refuseOtherKind(arguments)
    let phrase = TriggerPhrase(lookup: lookup)
    let events = try arguments.all(TriggerOptions.when)
    if !events.isEmpty { set("when", .list(try events.map { try phrase.event($0) })) }
    let conditions = try arguments.all(TriggerOptions.conditions).map { try phrase.condition($0) }
    if conditions.isEmpty, arguments[TriggerOptions.any] { throw UsageError("--any needs --if") }
    if conditions.count == 1 {
      set("if", conditions[0])
    } else if !conditions.isEmpty {
      set("if", .object([(arguments[TriggerOptions.any] ? "any" : "all", .list(conditions))]))
    }
    let ends = try arguments.all(TriggerOptions.end)
    if !ends.isEmpty { set("end", .list(try ends.map { try phrase.event($0) })) }
    if let days = try arguments.value(TriggerOptions.weekdays) {
      set("weekdays", .list(days.lowercased().split(separator: ",").map { .text($0.trimmed) }))
    }
    if arguments[TriggerOptions.once] { set("once", .flag(true)) }
    if let time = try arguments.value(TriggerOptions.at) { set("at", .text(try start(time))) }
    if let period = try arguments.value(TriggerOptions.every) { set("every", .text(period)) }
  }

  /// Removes the parts that the flags name.
  mutating func remove(_ arguments: Arguments) throws {
    let flags: [(flag: Flag, member: String)] = [
      (TriggerOptions.noCondition, "if"), (TriggerOptions.noPeriod, "every"), (TriggerOptions.noWeekdays, "weekdays"),
      (TriggerOptions.noEnd, "end"), (TriggerOptions.notOnce, "once"),
    ]
    for (flag, member) in flags where arguments[flag] { set(member, nil) }
  }

  /// The civil time of `--at`. A time of day is its next occurrence in the home's zone.
  private func start(_ text: String) throws -> String {
    let time = text.paddedTime
    guard let parts = HomeText.parts(time.hasSuffix("Z") ? String(time.dropLast()) : time), parts.hour != nil else {
      throw UsageError(
        "--at \(text.quoted) is not a time: write 19:00 for the next 19:00, or a date and a time such as 2026-06-01T19:00"
      )
    }
    guard parts.year == nil, !time.hasSuffix("Z") else { return time }
    guard let zone = rules(lookup.home.zone), let next = parts.next(after: now, in: zone) else {
      throw HomeFailure("this machine has no time zone \(lookup.home.zone): install the package tzdata")
    }
    return String(zone.civilTime(at: next).description.prefix(16))
  }

  /// The time or the events.
  /// - Throws: for members that do not belong together, and for references that lead nowhere.
  func kind() throws -> Trigger.Kind {
    guard members.contains(where: { $0.name == "when" || $0.name == "at" }) else {
      throw UsageError("--when or --at is missing: a trigger has an event, or is a timer")
    }
    let zone = lookup.home.zone
    let notation = NameNotation(lookup.home, lookup.directory, zone: zone, rules)
    let kind: Trigger.Kind
    do throws(JSONProblem) { kind = try notation.triggerKind(.object(members), and: []) } catch {
      throw HomeFailure(.usage, error.message.forOptions)
    }
    guard notation.problems.isEmpty else { throw HomeFailure(lines: notation.problems.map(\.message)) }
    return kind
  }
}

extension String {
  /// A message about members as one about options: "a timer has no member "if"" names `--if`.
  fileprivate var forOptions: String { replacing(" has no member \"", with: " does not take the option \"--") }
}

extension HomeLookup {
  /// The notation of documents for this home; times of a timer are in its own zone.
  func notation(of kind: Trigger.Kind, _ rules: (ZoneName) -> ZoneRules?) -> NameNotation {
    let zone = if case .timer(let timer) = kind { timer.zone ?? home.zone } else { home.zone }
    return NameNotation(home, directory, zone: zone, rules)
  }
}
