import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPModel
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: rehearsals")
struct RehearsalTests {
  /// A home with a locked door, no motion, a scene, and three triggers: by the door, each evening, and at sunset.
  private func bench() throws -> HomeBench {
    let bench = try HomeBench.filled()
    for words in [
      ["scene", "add", "hi house", "Stereo Light/On", "on", "Stereo Light/Hue", "120"],
      [
        "trigger", "add", "arrived home", "--when", "Front Door Lock/Lock Current State is unsecured", "--if",
        "before 18:00",
        "--if", "Motion Sensor/Motion Detected is true", "--run", "hi house",
      ],
      ["trigger", "add", "evening", "--when", "at 19:00", "--weekdays", "mon,wed", "--run", "Kitchen Light/On is on"],
      [
        "trigger", "add", "dusk", "--when", "sunset -30min", "--end", "after 10min", "--run",
        "Kitchen Light/Brightness is 40",
        "--disabled",
      ],
    ] {
      let said = bench.run(words)
      try #require(said.exit == .well, "\(said)")
    }
    try bench.know("Front Door Lock/Lock Current State", 1)
    try bench.know("Motion Sensor/Motion Detected", false)
    return bench
  }

  private static let week = ["rehearse", "--from", "2026-06-01T12:00"]

  @Test("A week: a line for each evaluation with its writes, and a summary of each trigger; nothing is written")
  func week() throws {
    let bench = try bench()
    let before = (bench.hub.model, bench.hub.state.withLock { $0.values })
    let said = bench.run(
      Self.week + [
        "--at", "tue,wed 17:30 Front Door Lock/Lock Current State unsecured", "--at",
        "17:45 Front Door Lock/Lock Current State=secured",
        "--at", "2026-06-03T08:00 Motion Sensor/Motion Detected is true",
      ])
    #expect(
      said
        == Transcript(
          out: """
            Rehearsal of "My Home" from 2026-06-01 12:00 to 2026-06-08 12:00 (Test/City). Nothing is written to accessories.
            2026-06-01 19:00:00 "evening": executed; wrote Kitchen Light/On: on
            2026-06-02 17:30:00 "arrived home": not executed: the condition is false: Motion Sensor/Motion Detected is true (it is false)
            2026-06-02 19:00:00 "evening": not executed: the trigger does not apply on a Tuesday
            2026-06-03 17:30:00 "arrived home": executed; wrote Stereo Light/On: on, Stereo Light/Hue: 120°
            2026-06-03 19:00:00 "evening": executed; wrote Kitchen Light/On: on
            2026-06-04 19:00:00 "evening": not executed: the trigger does not apply on a Thursday
            2026-06-05 19:00:00 "evening": not executed: the trigger does not apply on a Friday
            2026-06-06 19:00:00 "evening": not executed: the trigger does not apply on a Saturday
            2026-06-07 19:00:00 "evening": not executed: the trigger does not apply on a Sunday
            Triggers:
              arrived home: executed once; not executed once: the condition is false
              evening: executed 2 times; not executed 5 times: it was another weekday; next: 2026-06-08 19:00
              dusk: disabled; 'hapctl home rehearse "dusk"' rehearses it

            """))
    #expect(bench.hub.model == before.0 && bench.hub.state.withLock { $0.values } == before.1)
    #expect(
      bench.hub.requests.suffix(2).allSatisfy {
        switch $0 {
        case .attach, .read: true
        default: false
        }
      })
  }

  @Test("A disabled trigger that is named is rehearsed alone, with the values that its effect gives back")
  func named() throws {
    let bench = try bench()
    try bench.know("Kitchen Light/Brightness", 80)
    let said = bench.run(Self.week + ["dusk", "--for", "1d"])
    let lines = said.out.split(separator: "\n").map(String.init)
    try #require(lines.count == 5, "\(said)")
    #expect(lines[1].hasSuffix("\"dusk\": executed; wrote Kitchen Light/Brightness: 40 %"))
    #expect(lines[2].hasSuffix("\"dusk\": its effect ended; wrote Kitchen Light/Brightness: 80 %"))
    #expect(lines[4].hasPrefix("  dusk: executed once; its effect ended once; next: 2026-06-0"))
    #expect(bench.home.triggers.map(\.isEnabled) == [true, true, false] && said.error.isEmpty)
  }

  @Test("With --why, each evaluation is explained as by 'why', with its writes")
  func explained() throws {
    let bench = try bench()
    let said = bench.run(
      Self.week + [
        "arrived home", "--why", "--for", "6h", "--set", "Motion Sensor/Motion Detected", "true", "--at",
        "17:59 Front Door Lock/Lock Current State unsecured",
      ])
    #expect(
      said.out == """
        Rehearsal of "My Home" from 2026-06-01 12:00 to 2026-06-01 18:00 (Test/City). Nothing is written to accessories.
        2026-06-01 17:59:00 "arrived home": executed
          event: Front Door Lock/Lock Current State became unsecured; it was secured
          condition:
            true: all of
              true: before 18:00 (17:59:00)
              true: Motion Sensor/Motion Detected is true (it is true)
          writes: 2 done, 0 failed
          wrote: Stereo Light/On: on
          wrote: Stereo Light/Hue: 120°
        Triggers:
          arrived home: executed once

        """)
  }

  @Test("People arrive, leave and are at a place; a trigger is fired; a trigger can activate another one")
  func people() throws {
    let bench = try bench()
    try #require(bench("user", "add", "Ben").exit == .well)
    try #require(
      bench("trigger", "add", "welcome", "--when", "Ben arrives", "--run", "Stereo Light/On is on").exit == .well)
    try #require(
      bench("trigger", "add", "bye", "--when", "last leaves", "--run", "Stereo Light/On is off").exit == .well)
    try #require(
      bench("trigger", "add", "both", "--when", "Stereo Light/On is on", "--run", "Kitchen Light/On is on").exit
        == .well)
    try bench.know("Stereo Light/On", false)
    try bench.know("Kitchen Light/On", false)
    let said = bench.run(
      ["rehearse", "welcome", "bye", "both", "--from", "2026-06-01", "--for", "1d"]
        + [
          "12:00 person Ben arrive", "13:00 Ben leaves", "14:00 person Ben at 37.33,-122.03", "15:00 fire bye",
          "16:00 person ben leave",
        ]
        .flatMap { ["--at", $0] })
    #expect(
      said.out == """
        Rehearsal of "My Home" from 2026-06-01 00:00 to 2026-06-02 00:00 (Test/City). Nothing is written to accessories.
        2026-06-01 12:00:00 "welcome": executed; wrote Stereo Light/On: on
        2026-06-01 12:00:00 "both": executed; wrote Kitchen Light/On: on
        2026-06-01 13:00:00 "bye": executed; wrote Stereo Light/On: off
        2026-06-01 14:00:00 "welcome": executed; wrote Stereo Light/On: on
        2026-06-01 14:00:00 "both": executed; wrote Kitchen Light/On: on
        2026-06-01 15:00:00 "bye": executed; wrote Stereo Light/On: off
        2026-06-01 16:00:00 "bye": executed; wrote Stereo Light/On: off
        Triggers:
          welcome: executed 2 times
          bye: executed 3 times
          both: executed 2 times

        """)
  }

  @Test("A value that can't be read is unknown: it is reported, and the condition is not true")
  func unknown() throws {
    let bench = try bench()
    bench.hub.state.withLock { $0.values = [:] }
    let said = bench.run(
      Self.week + ["arrived home", "--for", "1d", "--at", "17:00 Front Door Lock/Lock Current State is unsecured"])
    #expect(
      said.error.contains(
        "Motion Sensor/Motion Detected is unknown: the accessory can't be reached; --set gives a value\n"), "\(said)")
    #expect(said.exit == .well)
    let json = bench.run(Self.week + ["arrived home", "--for", "1d", "--json"])
    let last = try JSONNode.parse(Array((json.out.split(separator: "\n").last ?? "").utf8), depthLimit: 64)
    #expect(
      last["unknown"]?.elements?.map(\.stringValue) == [
        "Front Door Lock/Lock Current State", "Motion Sensor/Motion Detected",
      ])
  }

  @Test("With --json, each evaluation is an object, and the last one has the numbers of each trigger")
  func json() throws {
    let bench = try bench()
    let said = bench.run(Self.week + ["evening", "--for", "2d", "--json"])
    let objects = try said.out.split(separator: "\n").map { try JSONNode.parse(Array($0.utf8), depthLimit: 64) }
    #expect(objects.map { $0["event"]?.stringValue } == ["evaluated", "evaluated", "ended"])
    #expect(objects.map { $0["outcome"]?.stringValue } == ["executed", "other-weekday", nil])
    #expect(objects[0]["writes"]?.elements?.first?["path"]?.stringValue == "Kitchen Light/On")
    #expect(objects[0]["writes"]?.elements?.first?["value"]?.boolValue == true)
    #expect(objects[0]["detail"]?["cause"] != nil && objects[1]["writes"]?.elements?.isEmpty == true)
    let trigger = objects[2]["triggers"]?.elements?.first
    #expect(objects[2]["triggers"]?.elements?.count == 1 && trigger?["name"]?.stringValue == "evening")
    #expect(trigger?["executed"]?.integerValue == 1 && trigger?["next"]?.stringValue == "2026-06-03T17:00:00Z")
    let refused = trigger?["notExecuted"]?.elements?.first
    #expect(refused?["outcome"]?.stringValue == "other-weekday" && refused?["count"]?.integerValue == 1)
  }

  @Test(
    "Wrong options name what is expected",
    arguments: [
      (["--for", "1y"], "expected a period from 1min to 366d"),
      (["--for", "367d"], "expected a period from 1min to 366d"),
      (["--for", "90s"], "expected a period from 1min to 366d"), (["--from", "noon"], "expected a time, such as"),
      (["--from", "2500-01-01"], "from 1970 to 2200"),
      (["--at", "noon Motion Sensor/Motion Detected true"], "noon is not a time"),
      (["--at", " "], "write 2026-06-01T18:20 for once"), (["--at", "mon Ben arrives"], "a time of day is missing"),
      (
        ["--at", "2026-07-01T12:00 Anna arrives"],
        "is not in the rehearsal, which is from 2026-06-01 12:00 to 2026-06-08 12:00"
      ),
      (["--at", "18:00"], "after the time, write 'PATH VALUE'"),
      (["--at", "18:00 Motion Sensor/Motion Detected"], "after the time, write"),
      (["--at", "18:00 Motion Sensor/Motion Detected > 1"], "compares a value"),
      (["--at", "18:00 Motion Sensor/Motion Detected maybe"], "maybe"),
      (["--at", "18:00 Cleo arrives"], "there is no user \"Cleo\""),
      (["--at", "18:00 person Anna dance"], "write 'person USER arrive'"),
      (["--at", "18:00 person Anna at home"], "the latitude"),
      (["--at", "18:00 fire nothing"], "there is no trigger \"nothing\""),
      (["nothing"], "there is no trigger \"nothing\""),
      (["--set", "Motion Sensor/Motion Detected"], "write PATH VALUE"),
      (["--set", "Motion Sensor/Motion", "true"], "Motion"),
      (["--set", "Stereo Light/Hue", "400"], "(rule S2)"),
      (["--set", "Stereo Light/Hue", "1", "--set", "Stereo Light/Hue is 2"], "gives \"Stereo Light/Hue\" two values"),
    ])
  func wrong(words: [String], message: String) throws {
    let bench = try bench()
    let said = bench.run(words.contains("--from") ? ["rehearse"] + words : Self.week + words)
    #expect(said.exit != .well && said.error.contains(message) && said.out.isEmpty, "\(said)")
  }

  @Test("A trigger without a scene can't be rehearsed: the error names the rule. Without triggers, the home has none")
  func empty() throws {
    let bench = try HomeBench.filled()
    #expect(bench("rehearse").out.hasSuffix("The home \"My Home\" has no triggers.\n"))
    #expect(
      bench("trigger", "add", "idle", "--when", "Stereo Light/On", "--run", "Kitchen Light/On is on").exit == .well)
    #expect(bench("rehearse").out.hasSuffix("  idle: nothing activated it; --at gives an event\n"))
    #expect(bench("trigger", "edit", "idle", "--when", "sunset").exit == .well)
    #expect(
      bench("rehearse", "--for", "1min", "--from", "2026-06-01").out.contains(
        "  idle: nothing activated it in this time; next: 2026-06-01 "))
    #expect(bench("trigger", "remove", "idle").exit == .well)
    #expect(bench("trigger", "add", "idle", "--when", "sunset").exit == .well)
    #expect(bench("rehearse", "idle").error.contains("(rule T4)"))
    #expect(HomeBench()("rehearse").error.contains("there is no home"))
  }
}

extension HomeBench {
  /// Sets a value of an accessory.
  func know(_ path: String, _ value: Value) throws {
    let id = try characteristic(path)
    hub.state.withLock { $0.values[id] = value }
  }
}
