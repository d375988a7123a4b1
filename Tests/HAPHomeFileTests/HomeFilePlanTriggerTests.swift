import HAPAlmanac
import HAPHome
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPHomeFile

@Suite("Triggers of .hashome documents")
struct HomeFilePlanTriggerTests {
  private func bench(_ trigger: String) throws -> HomeFileBench {
    var bench = try HomeFileBench.filled()
    try bench.apply("home: My Home\nscenes: { S: { set: { Strip/Left/On: on } }, R: { set: { Strip/Left/On: off } } }")
    try bench.apply("home: My Home\ntriggers: { T: \(trigger) }")
    return bench
  }

  @Test("A trigger that becomes another kind is replaced, and stays enabled")
  func otherKind() throws {
    var bench = try bench("{ at: \"2026-06-01T19:00\", run: [S], enabled: true }")
    let id = bench.home.triggers[0].id
    #expect(
      try bench.apply("home: My Home\ntriggers: { T: { when: [{ sun: sunset }], run: [S] } }") == [
        "replace the trigger \"T\", a timer, by a trigger with events of this name",
        "the trigger \"T\" runs the scene \"S\"",
      ])
    #expect(bench.home.triggers.count == 1 && bench.home.triggers[0].id != id && bench.home.triggers[0].isEnabled)
    #expect(
      try bench.apply("home: My Home\ntriggers: { T: { at: \"2026-06-01T19:00\", run: [S], enabled: false } }").count
        == 2)
    #expect(!bench.home.triggers[0].isEnabled)
  }

  @Test("An enabled trigger stays enabled while all of its sets are replaced")
  func replacedSets() throws {
    var bench = try bench("{ when: [{ sun: sunset }], run: [S], enabled: true }")
    #expect(
      try bench.apply("home: My Home\ntriggers: { T: { run: [R] } }") == [
        "the trigger \"T\" runs the scene \"R\"", "the trigger \"T\" no longer runs the scene \"S\"",
      ])
    #expect(bench.home.triggers[0].isEnabled)
    // Without a set, it can't be enabled (rule T4).
    #expect(
      bench.problems("home: My Home\ntriggers: { T: { run: [] } }")[0].hasPrefix(
        "2:13: the trigger \"T\" executes nothing"))
    #expect(
      try bench.apply("home: My Home\ntriggers: { T: { run: [], enabled: false } }") == [
        "disable the trigger \"T\"", "the trigger \"T\" no longer runs the scene \"R\"",
      ])
  }

  @Test("If the rules of an enabled trigger refuse a step in between, it is disabled for the changes only")
  func disabledMeanwhile() throws {
    var bench = try bench("{ at: \"2026-05-29T19:00\", run: [S], enabled: true }")
    // Three days later the time is over, so a set can only be added together with a new time.
    var context = HomeFileBench.context
    context.now = context.now.advanced(by: .seconds(3 * 86_400))
    let text = "home: My Home\ntriggers: { T: { at: \"2026-06-09T19:00\", run: [S, R] } }"
    var random = SeededGenerator(seed: 1)
    let plan = try HomeFile.read(Array(text.utf8)).plan(for: bench.model, in: context, using: &random)
    let trigger = plan.model.homes[0].triggers[0]
    #expect(
      plan.steps.map(\.command) == [
        .disableTrigger(trigger.id), .addActionSetToTrigger(actionSet: trigger.actionSets[1], trigger: trigger.id),
        .updateTrigger(trigger.id, trigger.kind), .enableTrigger(trigger.id),
      ])
    #expect(
      plan.differences.map(\.text) == [
        "the trigger \"T\" runs the scene \"R\"",
        "change the trigger \"T\": time from \"2026-05-29 19:00\" to \"2026-06-09 19:00\"",
      ])
    #expect(trigger.isEnabled)
    bench.model = plan.model
  }

  @Test("A trigger is enabled and disabled as the document says, and its rules are reported at their places")
  func enabled() throws {
    var bench = try bench("{ when: [{ sun: sunset }], run: [S] }")
    #expect(!bench.home.triggers[0].isEnabled)
    #expect(try bench.apply("home: My Home\ntriggers: { T: { enabled: true } }") == ["enable the trigger \"T\""])
    #expect(try bench.apply("home: My Home\ntriggers: { T: { enabled: false } }") == ["disable the trigger \"T\""])
    #expect(
      bench.problems(
        """
        home: My Home
        triggers:
          T: { run: [Good Night], enabled: true }
          Late: { at: "2026-08-01T19:00", run: [S], enabled: true }
          Past: { at: "2020-08-01T19:00" }
          Seconds: { at: "2026-08-01T19:00:01" }
          Short: { at: "2026-08-01T19:00", every: 4min }
          Press: { when: [{ after: 5min }] }
          Bad: { when: [{ characteristic: Strip/Left/Name }], end: [{ sun: sunset }] }
        """
      ).map { $0.split(separator: ":").prefix(2).joined(separator: ":") + " " + $0.suffix(9) } == [
        "3:36 (rule T4)", "4:54 (rule T4)", "5:3 (rule T3)", "6:3 (rule T1)", "7:3 (rule T2)", "8:3 (rule T8)",
        "9:3 (rule T7)",
      ])
  }

  @Test("Sets of the trigger itself are changed in their order, added and removed")
  func owned() throws {
    var bench = try bench(
      "{ when: [{ sun: sunset }], run: [{ set: { Strip/Left/On: on } }, S, { set: { Strip/Right/On: on } }], enabled: true }"
    )
    let sets = bench.home.triggers[0].actionSets
    #expect(
      try bench.apply(
        "home: My Home\ntriggers: { T: { run: [{ set: { Strip/Right/On: off } }, { set: {} }, S] } }") == [
          "set Strip/Right/On in the trigger \"T\" to off", "remove Strip/Left/On from the trigger \"T\"",
          "remove 1 value from the trigger \"T\"",
        ])
    #expect(bench.home.triggers[0].actionSets == Array(sets.prefix(2)) && bench.home.triggers[0].isEnabled)
    let more =
      "home: My Home\ntriggers: { T: { run: [{ set: { Strip/Right/On: off } }, { set: { Strip/Left/On: on } }] } }"
    #expect(try bench.apply(more).count == 2)
    #expect(bench.home.actionSets.filter { $0.kind == .triggerOwned }.count == 2)
  }

  @Test("An own set that lost its actions stays, and a new home does not get it")
  func emptyOwned() throws {
    var bench = try bench(
      "{ when: [{ sun: sunset }], run: [S, { set: { Strip/Left/On: on } }, { set: { Strip/Right/On: on } }] }")
    let set = bench.home.triggers[0].actionSets[1]
    let characteristic = bench.home.accessories[6].characteristic(21)
    try bench.perform(.removeAction(actionSet: set, characteristic: characteristic))
    #expect(try bench.plan(bench.file, prune: true).steps.isEmpty)
    var other = try HomeFileBench.filled(seed: 4)
    try other.apply(bench.file.yaml)
    #expect(other.home.triggers[0].actionSets.count == 2)
  }

  @Test("A timer's time is in its zone, or in the zone of the home, also if the document changes that zone")
  func zones() throws {
    var bench = try bench("{ at: \"2026-06-01T19:00\", every: 1d, run: [S] }")
    func time() throws -> Instant {
      guard case .timer(let timer) = bench.home.triggers[0].kind else { throw Wrong("no timer") }
      return timer.fireDate
    }
    #expect(try time().description == "2026-06-01T19:00:00Z")
    try bench.apply("home: My Home\ntimeZone: Test/City\ntriggers: { T: { at: \"2026-06-01T19:00\", every: 1d } }")
    #expect(try time().description == "2026-06-01T17:00:00Z")
    #expect(bench.file.yaml.contains("at: \"2026-06-01T19:00\""))
    try bench.apply("home: My Home\ntriggers: { T: { at: \"2026-06-01T19:00\", timeZone: UTC } }")
    #expect(try time().description == "2026-06-01T19:00:00Z")
    try bench.apply("home: My Home\ntriggers: { T: { at: \"2026-06-01T03:00Z\", every: 1d } }")
    #expect(try time().description == "2026-06-01T03:00:00Z")
  }

  @Test("A time that the clock shows twice is written in UTC if it is the second one")
  func overlap() throws {
    var bench = try HomeFileBench.filled(zone: HomeFileBench.city)
    for time in ["2026-10-25T00:30Z", "2026-10-25T01:30Z"] {
      try bench.apply("home: My Home\ntriggers: { T: { at: \"\(time)\", every: 1d } }")
      #expect(try bench.plan(bench.file).steps.isEmpty)
      #expect(
        bench.file.yaml.contains(
          time.hasPrefix("2026-10-25T00") ? "at: \"2026-10-25T02:30\"" : "at: \"2026-10-25T01:30Z\""))
    }
    // Without rules of the zone, each time is in UTC.
    #expect(HomeFile(of: bench.home, zoneRules: { _ in nil }).yaml.contains("at: \"2026-10-25T01:30Z\""))
  }

  @Test("A condition of 32 levels is written and read back", arguments: [1, 32])
  func deep(_ depth: Int) throws {
    var bench = try bench("{ when: [{ sun: sunset }], run: [S] }")
    var condition = Condition.time(.before(try DateParts(hour: 1, minute: 0)))
    for level in 1..<depth { condition = level % 2 == 0 ? .all([condition]) : .any([condition, .unknown]) }
    let events = EventTrigger(events: [.calendar(try DateParts(hour: 1))], condition: condition)
    try bench.perform(.updateTrigger(bench.home.triggers[0].id, .event(events)))
    let file = bench.file
    #expect(try HomeFile.read(Array(file.yaml.utf8)) == file)
    #expect(try HomeFile.read(Array(file.json.utf8)) == file)
    #expect(try bench.plan(file).steps.isEmpty)
  }

  @Test("HOME.L1 a condition of 32 levels is planned; one of 33 levels is refused at its trigger")
  func depth() throws {
    var bench = try HomeFileBench.filled()
    func document(_ levels: Int) -> String {
      let parts = (1..<levels).map { $0 % 2 == 0 ? "{ all: [" : "{ any: [" }
      let ends = parts.map { _ in "] }" }
      let condition = parts.joined() + "{ before: { sun: sunset, offset: 1min } }" + ends.joined()
      return "home: My Home\ntriggers: { T: { when: [{ at: \"07:00\" }], if: \(condition) } }"
    }
    let problems = bench.problems(document(33))
    #expect(problems.count == 1 && problems[0].hasPrefix("2:13: ") && problems[0].hasSuffix("(rule L1)"), "\(problems)")
    try bench.apply(document(32))
  }

  @Test(
    "A time outside of the years 1677 to 2262 is refused as such", arguments: ["1600-01-01T00:00", "2300-01-01T00:00Z"])
  func years(_ time: String) throws {
    let bench = try HomeFileBench.filled()
    let problems = bench.problems("home: My Home\ntriggers: { T: { at: \"\(time)\", every: 1d } }")
    #expect(problems == ["2:22: triggers.T.at: \(time) is outside of the years 1677 to 2262"], "\(problems)")
  }

  @Test("A document with thousands of references to scenes is planned in seconds")
  func many() throws {
    var bench = try HomeFileBench.filled()
    let scenes = (0..<500).map { "S\($0): {}" }.joined(separator: ", ")
    let names = (0..<500).map { "S\($0)" }.joined(separator: ", ")
    let triggers = (0..<20).map { "T\($0): { when: [{ at: \"07:00\" }], run: [\(names)] }" }.joined(separator: ", ")
    // If each reference builds the list of all scenes, this takes minutes.
    try bench.apply("home: My Home\nscenes: { \(scenes) }\ntriggers: { \(triggers) }")
    #expect(bench.home.triggers.allSatisfy { $0.actionSets.count == 500 } && bench.home.triggers.count == 20)
  }

  @Test(
    "The search for errors ends after 1000",
    arguments: [
      "scenes: { S: { set: { %X#/On: 1% } } }", "groups: { G: [%X#/Light Bulb%] }", "zones: { Z: [%X#%] }",
      "accessories: { %X#: {}% }", "accessories: { Strip: { services: { %X#: Y#% } } }",
      "triggers: { T: { when: [%{ characteristic: X#/On }%] } }",
      "triggers: { T: { when: [{ at: \"07:00\" }], run: [%X#%] } }",
      "rooms: [%Room #%]", "scenes: { %X#: { type: y }% }", "scenes: { S: { %x#: 1% } }", "groups: { G: [%X#%] }",
    ])
  func problemLimit(_ pattern: String) throws {
    let bench = try HomeFileBench.filled()
    let parts = pattern.split(separator: "%", omittingEmptySubsequences: false)
    let many = (0..<3000).map { parts[1].replacing("#", with: "\($0)") }.joined(separator: ", ")
    let problems = bench.problems("home: My Home\n\(parts[0])\(many)\(parts[2])")
    #expect(
      problems.count == 1001
        && problems.last?.hasSuffix(": there may be more errors: correct the first 1000 errors") == true)
  }
}
