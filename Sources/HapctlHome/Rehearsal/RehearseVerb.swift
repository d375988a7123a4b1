import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPWire

/// The command that runs the triggers in virtual time.
extension HomeVerb {
  static let rehearsals = [
    HomeVerb(
      "rehearse", "show what the triggers would do in a week, without writing to an accessory",
      [.any(.trigger, "TRIGGER")], options: RehearsalOptions.all,
      discussion: [
        "The triggers run in virtual time, so a week takes a second. Nothing is written to an accessory, and nothing is stored: a value that a trigger writes counts as written. "
          + "A value of one characteristic does not change another one: a lock does not turn because of its target state.",
        "The values at the start are read from the accessories, and the users are where the hub knows them. --set gives a value instead.",
        "An event of --at is a time and \(RehearsalInputs.eventForms). The time is 2026-06-01T18:20 for once, 18:20 for each day, or mon,tue 18:20 for some weekdays. A value that stays the same is no event.",
        "TRIGGER prints only these triggers. A disabled one is rehearsed as if it were enabled.",
      ],
      examples: [
        ("hapctl home rehearse", "shows the next seven days"),
        (
          "hapctl home rehearse \"arrived home\" --set \"Motion Sensor/Motion Detected\" true --at \"mon,fri 17:30 Front Door Lock/Lock Current State unsecured\"",
          "shows what a trigger does when the door is unlocked on two days"
        ),
        (
          "hapctl home rehearse --from 2026-12-24 --for 2d --at \"18:20 anna arrives\" --why",
          "explains each evaluation"
        ),
      ],
      json:
        "lines: `{\"event\": \"evaluated\", …}` as of `why`, with `writes`, a list of `{\"characteristic\", \"path\", \"value\", \"text\"}`; the last one is `{\"event\": \"ended\", \"from\", \"until\", \"unknown\": [PATH…], \"triggers\": [{\"trigger\", \"name\", \"enabled\", \"executed\", \"notExecuted\": [{\"outcome\", \"why\", \"count\"}], \"next\"}]}`",
      need: .accessories, rewrite: { words in TriggerOptions.joining(words, after: ["--set"]) { _ in true } }
    ) { session, arguments in try await session.rehearse(arguments) }
  ]
}

/// The options of `hapctl home rehearse`.
enum RehearsalOptions {
  static let length = Option<String>("for", "PERIOD", "how long, up to 366 days, such as 1d or 4w (default: 7d)")
  static let from = Option<String>("from", "TIME", "the start, such as 2026-06-01T19:00 (default: now)")
  static let set = Option<String>("set", "PATH VALUE", repeated: true, "the value of a characteristic at the start")
  static let at = Option<String>("at", "\"TIME EVENT\"", repeated: true, "what happens at a time")
  static let why = Flag("why", "print the whole explanation of each evaluation, as 'hapctl home why' does")

  static let all: [HomeOption] = [.init(length), .init(from), .init(set, .path), .init(at), .init(why)]
}

extension HomeSession {
  fileprivate func rehearse(_ arguments: Arguments) async throws -> ExitCode {
    let inputs = try RehearsalInputs(arguments, self)
    var (values, unknown) = try await knownValues(for: inputs)
    values.merge(inputs.values) { $1 }
    var run = RehearsalRun(
      HomeRehearsal(
        inputs.model, values: values, persons: try snapshot.persons, at: inputs.start, zoneRules: surroundings.zoneRules
      ),
      inputs.events[...])
    let report = RehearsalReport(inputs)
    var summary = RehearsalSummary(inputs)
    if !isJSON { print(report.title) }
    // A day at a time, so that the memory for the evaluations has a bound and the loop is not blocked.
    while run.now < inputs.end {
      let next = min(run.now.advanced(by: .seconds(86_400)), inputs.end)
      let before = run
      var rows: [RehearsalRow]
      (run, rows) = await loop.offload {
        var run = before
        let rows = run.pass(until: next)
        return (run, rows)
      }
      for row in rows where inputs.home.triggers.contains(where: { $0.id == row.evaluation.trigger }) {
        summary.count(row)
        guard inputs.printed.contains(row.evaluation.trigger) else { continue }
        if isJSON {
          print(.object(report.members(row)))
        } else {
          for line in report.lines(row, isWhole: arguments[RehearsalOptions.why]) { print(line) }
        }
      }
    }
    if isJSON {
      print(.object(report.members(summary, run.rehearsal, unknown: unknown)))
    } else {
      for line in report.lines(summary, run.rehearsal) { print(line) }
    }
    return .well
  }

  /// Reads the values that matter from the accessories.
  /// - Returns: the values, and the paths of those that can't be read.
  private func knownValues(
    for inputs: RehearsalInputs
  ) async throws -> (values: [HomeObjectID: Value], unknown: [String]) {
    let triggers = inputs.home.triggers.filter(\.isEnabled)
    let ids = HomeRehearsal.characteristics(of: triggers, in: inputs.home).sorted().filter { id in
      guard inputs.values[id] == nil, let found = inputs.home.characteristic(id)?.characteristic else { return false }
      return found.permissions.contains(.pairedRead)
        && found.type != CharacteristicDefinition.programmableSwitchEvent.type
    }
    guard !ids.isEmpty else { return ([:], []) }
    var values: [HomeObjectID: Value] = [:]
    var unknown: [String] = []
    for reading in try await read(ids) {
      values[reading.characteristic] = reading.value
      guard reading.value == nil else { continue }
      let path = try lookup.path(ofCharacteristic: reading.characteristic)
      unknown.append(path)
      complain("\(path) is unknown: \(reading.error.map { "\($0)" } ?? "it has no value"); --set gives a value")
    }
    return (values, unknown)
  }
}
