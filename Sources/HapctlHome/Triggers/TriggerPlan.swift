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

  /// - Parameter trigger: the trigger to change; nil: a new one.
  init(_ lookup: HomeLookup, _ trigger: Trigger?, now: Instant, rules: @escaping @Sendable (ZoneName) -> ZoneRules?) {
    (self.lookup, self.now, self.rules) = (lookup, now, rules)
    members = trigger.map { lookup.notation(of: $0.kind, rules).members($0.kind) } ?? []
  }

  private mutating func set(_ name: String, _ value: JSONNode?) {
    members.removeAll { $0.name == name }
    if let value { members.append((name, value)) }
  }

  /// Takes the parts that the options give.
  mutating func take(_ arguments: Arguments) throws {
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
    guard text.utf8.count == 5, let parts = HomeText.parts(text), parts.hour != nil else { return text }
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
