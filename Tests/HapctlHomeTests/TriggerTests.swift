import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPModel
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: triggers")
struct TriggerTests {
  private func bench() throws -> HomeBench {
    let bench = try HomeBench.filled()
    try #require(bench("rename", "Arrive Home", "hi house").exit == .well)
    try #require(bench("scene", "set", "hi house", "Stereo Light/On", "on").exit == .well)
    try #require(bench("user", "add", "Ben").exit == .well)
    return bench
  }

  private func events(_ bench: HomeBench) throws -> EventTrigger {
    guard case .event(let events)? = bench.home.triggers.last?.kind else { throw Wrong() }
    return events
  }

  struct Wrong: Error {}

  @Test("The trigger of the 2015 demonstration, with phrases and with two words")
  func demonstration() throws {
    let forms = [
      [
        "--when", "Front Door Lock/Lock Current State is unsecured", "--if", "before 18:00", "--if",
        "Motion Sensor/Motion Detected is true",
      ],
      [
        "--when", "Front Door Lock/Lock Current State", "unsecured", "--if", "before 18:00", "--if",
        "Motion Sensor/Motion Detected", "true",
      ],
      [
        "--when", "Hall/Front Door Lock/Lock Current State=0", "--if",
        #"{"all": [{"before": "18:00"}, {"characteristic": "Motion Sensor/Motion Detected", "is": true}]}"#,
      ],
    ]
    for form in forms {
      let bench = try bench()
      let said = bench.run(["trigger", "add", "arrived home"] + form + ["--run", "hi house"])
      #expect(
        said
          == Transcript(
            out:
              "Added the trigger \"arrived home\".\nThe trigger \"arrived home\" runs \"hi house\".\nEnabled the trigger \"arrived home\".\n"
          ))
      let events = try events(bench)
      #expect(
        events.events == [.characteristic(try bench.characteristic("Front Door Lock/Lock Current State"), equals: 0)])
      let motion = Condition.characteristic(try bench.characteristic("Motion Sensor/Motion Detected"), .equal, true)
      #expect(events.condition == .all([.time(.before(try DateParts(hour: 18, minute: 0))), motion]))
      let scene = try bench.id("hi house")
      #expect(bench.home.triggers[0].isEnabled && bench.home.triggers[0].actionSets == [scene])
      #expect(
        bench("trigger", "list").out
          == """
          arrived home: enabled
            when: Front Door Lock/Lock Current State becomes unsecured
            if: before 18:00 and Motion Sensor/Motion Detected is true
            run: hi house

          """)
    }
  }

  @Test(
    "Each form of an event",
    arguments: [
      ("sunset -30min", "{\"sun\":\"sunset\",\"offset\":\"-30min\"}"), ("sunrise", "{\"sun\":\"sunrise\"}"),
      ("sunset-1h", "{\"sun\":\"sunset\",\"offset\":\"-1h\"}"),
      ("30min before sunset", "{\"sun\":\"sunset\",\"offset\":\"-30min\"}"),
      ("10min after sunrise", "{\"sun\":\"sunrise\",\"offset\":\"10min\"}"), ("at 18:00", "{\"at\":\"18:00\"}"),
      ("07:30", "{\"at\":\"07:30\"}"), ("at 7:30", "{\"at\":\"07:30\"}"), ("7:30", "{\"at\":\"07:30\"}"),
      ("at 2026-06-01T7:30", "{\"at\":\"2026-06-01T07:30\"}"),
      ("ben arrives", "{\"presence\":\"every-entry\",\"users\":[\"Ben\"]}"),
      ("first arrives", "{\"presence\":\"first-entry\",\"users\":\"home-users\"}"),
      ("last leaves", "{\"presence\":\"last-exit\",\"users\":\"home-users\"}"),
      ("anyone leaves", "{\"presence\":\"every-exit\",\"users\":\"home-users\"}"),
      (
        "enter 37.33,-122.03,100",
        "{\"region\":{\"centre\":[37.33,-122.03],\"radius\":100},\"entry\":true,\"exit\":false}"
      ),
      (
        "Thermostat/Current Temperature at-least 25",
        "{\"characteristic\":\"Thermostat/Current Temperature\",\"at-least\":25}"
      ),
      (
        "Thermostat/Current Temperature<=18.5",
        "{\"characteristic\":\"Thermostat/Current Temperature\",\"at-most\":18.5}"
      ),
      ("Motion Sensor/Motion Detected", "{\"characteristic\":\"Motion Sensor/Motion Detected\"}"),
    ])
  func eventForms(text: String, json: String) throws {
    let bench = try bench()
    let said = bench("trigger", "add", "T", "--when", text)
    #expect(said.exit == .well, "\(said)")
    let definition = try bench("trigger", "list", "T", "--json").json["triggers"]?.elements?.first?["definition"]
    #expect(definition?["when"]?.elements?.first?.compactText == json)
    #expect(bench.home.triggers[0].isEnabled == false, "it runs nothing")
  }

  @Test(
    "Each form of a condition",
    arguments: [
      ("before sunset", "{\"before\":\"sunset\"}"),
      ("after sunset -30min", "{\"after\":{\"sun\":\"sunset\",\"offset\":\"-30min\"}}"),
      ("between 22:00 and 06:00", "{\"between\":[\"22:00\",\"06:00\"]}"), ("before 7:30", "{\"before\":\"07:30\"}"),
      ("between 22:00 and 6:00", "{\"between\":[\"22:00\",\"06:00\"]}"),
      ("between sunset and sunrise -1h", "{\"between\":[\"sunset\",{\"sun\":\"sunrise\",\"offset\":\"-1h\"}]}"),
      ("on Mon", "{\"on\":{\"weekday\":\"mon\"}}"), ("on 2026-06-01", "{\"on\":\"2026-06-01\"}"),
      ("someone is home", "{\"presence\":\"first-entry\",\"users\":\"home-users\"}"),
      ("no-one is home", "{\"presence\":\"last-exit\",\"users\":\"home-users\"}"),
      ("Ben is home", "{\"presence\":\"first-entry\",\"users\":[\"Ben\"]}"),
      ("Ben is away", "{\"presence\":\"last-exit\",\"users\":[\"Ben\"]}"),
      ("not before 18:00", "{\"not\":{\"before\":\"18:00\"}}"),
      (
        "Thermostat/Current Temperature above 20",
        "{\"characteristic\":\"Thermostat/Current Temperature\",\"above\":20}"
      ),
      (
        "Thermostat/Current Temperature above 20 °C",
        "{\"characteristic\":\"Thermostat/Current Temperature\",\"above\":20}"
      ),
      (
        "Front Door Lock/Lock Current State != secured",
        "{\"characteristic\":\"Front Door Lock/Lock Current State\",\"is-not\":\"secured\"}"
      ),
    ])
  func conditionForms(text: String, json: String) throws {
    let bench = try bench()
    let said = bench("trigger", "add", "T", "--when", "sunset", "--if", text)
    #expect(said.exit == .well, "\(said)")
    let definition = try bench("trigger", "list", "T", "--json").json["triggers"]?.elements?.first?["definition"]
    #expect(definition?["if"]?.compactText == json)
  }

  @Test(
    "A wrong part adds no trigger, and the message says what is possible",
    arguments: [
      ([], "--when or --at is missing"), (["--when", "nonsense"], "is not an event: write PATH"),
      (["--when", "Front Door Lok/Lock Current State"], "did you mean \"Front Door Lock\"?"),
      (["--when", "Front Door Lock/Lock Current State is openn"], "has no value \"openn\""),
      (["--when", "Dora arrives"], "there is no user \"Dora\""), (["--when", "enter 1,2"], "is not a region"),
      (["--when", "sunset -13h"], "at most 12 h"), (["--when", "{"], "is not JSON"),
      (["--when", "sunset", "--if", "whenever"], "is not a condition"),
      (["--when", "sunset", "--if", "before noon"], "a time such as"),
      (["--when", "sunset", "--if", "between 22:00"], "write 'between 22:00 and 06:00'"),
      (["--when", "sunset", "--any"], "--any needs --if"),
      (["--when", "sunset", "--run", "Nope"], "there is no scene \"Nope\""),
      (["--when", "sunset", "--weekdays", "moon"], "day of the week"),
      (["--when", "sunset", "--at", "19:00"], "does not take the option"),
      (["--at", "19:00", "--every", "1y"], "a period such as"), (["--at", "19:00", "--every", "1min"], "(rule T2)"),
      (["--at", "2001-01-01T10:00"], "(rule T3)"), (["--at", "noon"], "such as 2026-06-01T19:00"),
      (["--when", "sunset", "--end", "sunrise"], "(rule T8)"), (["--when", "after 10min"], "(rule T8)"),
      (["--when", "sunset", "--run", "Good Night"], "(rule T4)"),
      (["--when", "sunset", "--run", "Stereo Light/Hue is 361"], "(rule S2)"),
    ] as [([String], String)])
  func wrong(words: [String], says: String) throws {
    let bench = try bench()
    let before = bench.hub.model
    let said = bench.run(["trigger", "add", "T"] + words)
    #expect(said.exit != .well && said.error.contains(says), "\(said)")
    #expect(bench.hub.model.homes[0].triggers == before.homes[0].triggers)
    #expect(bench.hub.model.homes[0].actionSets == before.homes[0].actionSets)
  }

  @Test("A timer: a time of day is its next occurrence in the home's zone")
  func timer() throws {
    let bench = try bench()
    #expect(bench("trigger", "add", "evening", "--at", "19:00", "--every", "1d", "--run", "hi house").exit == .well)
    guard case .timer(let timer)? = bench.home.triggers.last?.kind else { throw Wrong() }
    let zone = try #require(MemoryHub.zoneRules(bench.home.zone))
    #expect(zone.civilTime(at: timer.fireDate).hour == 19 && timer.recurrence == CivilPeriod(days: 1))
    let list = bench("trigger", "list").out
    #expect(list.contains("every: 1d") && list.contains("next: ") && list.contains("19:00"))
    #expect(bench("trigger", "edit", "evening", "--at", "19:30", "--no-every").exit == .well)
    guard case .timer(let later)? = bench.home.triggers.last?.kind else { throw Wrong() }
    #expect(timer.fireDate.duration(to: later.fireDate) == .seconds(1800) && later.recurrence == nil)
    #expect(bench("trigger", "edit", "evening", "--when", "sunset").exit == .usage)
  }

  @Test(
    "A timer takes a time of day with one digit, and a date with a blank; another text is refused with the right form",
    arguments: [
      ("7:30", "07:30"), ("07:30", "07:30"), ("2096-06-01T7:30", "2096-06-01 07:30"),
      ("2096-06-01 7:30", "2096-06-01 07:30"), ("2096-06-01 07:30", "2096-06-01 07:30"), ("7", nil), ("7pm", nil),
      ("25:00", nil), ("7:60", nil), ("7.30", nil), ("tomorrow", nil), ("2096-02-30T10:00", nil), ("2096-06-01", nil),
    ] as [(String, String?)])
  func times(text: String, shown: String?) throws {
    let bench = try bench()
    let said = bench("trigger", "add", "T", "--at", text, "--run", "hi house", "--disabled")
    if let shown {
      #expect(said.exit == .well && bench("trigger", "list").out.contains("\(shown)\n"), "\(said)")
    } else {
      #expect(
        said.exit == .usage
          && said.error.contains(
            "--at \"\(text)\" is not a time: write 19:00 for the next 19:00, or a date and a time such as 2026-06-01T19:00"
          ), "\(said)")
    }
  }

  @Test("A time that is over is shown in the zone of the home")
  func overTime() throws {
    let said = try bench()("trigger", "add", "T", "--at", "2001-01-01T10:00")
    #expect(said.error.contains("the time 2001-01-01T10:00:00 is over"), "\(said)")
  }

  @Test(
    "An edit that does not fit the kind of the trigger names the option that was given",
    arguments: [
      ("timer", ["--when", "sunset"], "\"timer\" is a timer, which can't become a trigger with events: remove it"),
      ("timer", ["--if", "before 18:00"], "\"timer\" is a timer, and --if is for triggers with events"),
      ("timer", ["--weekdays", "mon"], "and --weekdays is for triggers with events"),
      ("timer", ["--end", "after 1min"], "and --end is for triggers with events"),
      ("timer", ["--once"], "and --once is for triggers with events"),
      ("timer", ["--no-if"], "and --no-if is for triggers with events"),
      ("timer", ["--every", "1min"], "(rule T2)"), ("timer", ["--at", "2001-01-01T10:00", "--no-every"], "(rule T3)"),
      ("event", ["--at", "19:00"], "\"event\" has events, and can't become a timer: use --when 'at 18:00'"),
      ("event", ["--every", "1d"], "\"event\" has events, and a period is for timers"),
      ("event", ["--no-every"], "a period is for timers"),
    ] as [(String, [String], String)])
  func wrongEdit(name: String, words: [String], says: String) throws {
    let bench = try bench()
    #expect(bench("trigger", "add", "timer", "--at", "19:00", "--every", "1d", "--run", "hi house").exit == .well)
    #expect(bench("trigger", "add", "event", "--when", "sunset", "--run", "hi house").exit == .well)
    let before = bench.hub.model
    let said = bench.run(["trigger", "edit", name] + words)
    #expect(said.exit != .well && said.error.contains(says), "\(said)")
    #expect(bench.hub.model == before)
  }

  @Test("A trigger is listed in a person's words")
  func words() throws {
    let bench = try bench()
    #expect(
      bench(
        "trigger", "add", "all", "--when", "sunset -30min", "--when", "at 7:30", "--when", "Ben arrives", "--when",
        "first arrives", "--when", "last leaves", "--when", "anyone leaves", "--when",
        "Thermostat/Current Temperature at-least 25", "--when", "Motion Sensor/Motion Detected", "--when",
        #"{"at": {"weekday": "mon", "hour": 7, "minute": 5}}"#, "--when", "enter 37.33,-122.03,100", "--end",
        "after 10min", "--weekdays", "tue,mon", "--once", "--any", "--if", "Ben is away", "--if", "no-one is home",
        "--if", "not between sunset and 30min before sunrise", "--if",
        #"{"all": [{"after": "22:00"}, {"on": {"weekday": "sun"}}]}"#, "--if",
        "Front Door Lock/Lock Current State is-not secured"
      ).exit == .well)
    #expect(
      bench("trigger", "list").out == """
        all: disabled; it has no scene that sets a value
          when: 30min before sunset
          when: at 07:30
          when: Ben arrives
          when: the first person arrives
          when: the last person leaves
          when: anyone leaves
          when: Thermostat/Current Temperature becomes at least 25 °C
          when: Motion Sensor/Motion Detected changes
          when: Monday 07:05
          when: the owner enters the region of 100 m around 37.33, -122.03
          if: Ben is away or no-one is home or not between sunset and 30min before sunrise or (22:00 or later and on Sunday) or Front Door Lock/Lock Current State is not secured
          end: after 10min
          weekdays: Monday, Tuesday
          once: yes

        """)
  }

  @Test("An enabled trigger whose scenes set nothing any more says so, in lists and in lint")
  func idle() throws {
    let bench = try bench()
    #expect(bench("scene", "add", "Only Strip", "Strip/Left/On", "on").exit == .well)
    #expect(bench("trigger", "add", "dusk", "--when", "sunset", "--run", "Only Strip").exit == .well)
    #expect(bench("trigger", "add", "fine", "--when", "sunset", "--run", "hi house").exit == .well)
    #expect(!bench("lint").out.contains("trigger"))
    #expect(bench("remove", "Strip").exit == .well)
    let state = "dusk: enabled, but it does nothing: it has no scene that sets a value\n"
    #expect(bench("trigger", "list").out.hasPrefix(state) && bench("show", "dusk").out.hasPrefix(state))
    #expect(bench("trigger", "list").out.contains("  run: Only Strip (sets no value)\n"))
    #expect(bench("show").out.contains("  trigger \(state)  trigger fine: enabled\n"))
    let lint = bench("lint")
    #expect(lint.exit == .problem && lint.out.contains("the trigger \"dusk\" is enabled, but does nothing"), "\(lint)")
    let json = try bench("lint", "--json").json["findings"]?.elements?.last
    #expect(json?["rule"]?.stringValue == "nothing-to-run" && json?["kind"]?.stringValue == "trigger")
    #expect(bench("disable", "dusk").exit == .well && !bench("lint").out.contains("dusk"))
    #expect(bench("trigger", "list").out.hasPrefix("dusk: disabled; it has no scene that sets a value\n"))
  }

  @Test("After a trigger was added or enabled, a note says that triggers need a hub, if none runs")
  func noHub() throws {
    let bench = try bench()
    let note = "No hub runs: triggers fire only while 'hapctl hub run' runs.\n"
    bench.hub.state.withLock {
      $0.status = HubStatus(
        version: "0", processID: 0, started: Instant(seconds: 0), devices: [], apps: [], problems: [])
    }
    #expect(!bench("trigger", "add", "A", "--when", "sunset", "--run", "hi house").out.contains(note))
    bench.hub.state.withLock { $0.isEmbedded = true }
    #expect(bench("trigger", "add", "B", "--when", "sunset", "--run", "hi house").out.hasSuffix(note))
    #expect(bench("trigger", "add", "C", "--when", "sunset", "--disabled").out.hasSuffix(note))
    #expect(!bench("disable", "B").out.contains(note) && bench("enable", "B").out.hasSuffix(note))
    #expect(!bench("enable", "B").out.contains(note), "nothing changed")
    #expect(!bench("trigger", "rename", "B", "D").out.contains(note))
    let json = bench("trigger", "add", "E", "--when", "sunset", "--json")
    #expect(json.exit == .well && !json.out.contains("No hub"))
  }

  @Test("Own actions of a trigger, end events, weekdays and once")
  func parts() throws {
    let bench = try bench()
    let said = bench(
      "trigger", "add", "dusk", "--when", "sunset -30min", "--weekdays", "mon, tue", "--end", "after 10min", "--once",
      "--run",
      "Stereo Light/On is on", "--run", "Stereo Light/Hue=120", "--run", "hi house", "--disabled")
    #expect(said.exit == .well, "\(said)")
    let trigger = try #require(bench.home.triggers.last)
    let events = try events(bench)
    #expect(
      events.weekdays == [.monday, .tuesday] && events.endEvents == [.duration(seconds: 600)] && events.executesOnce)
    #expect(trigger.actionSets.count == 2 && !trigger.isEnabled)
    #expect(bench.home.actionSets.last?.actions.count == 2 && bench.home.actionSets.last?.kind == .triggerOwned)
    #expect(bench("scene", "list").out.contains("dusk") == false)
    #expect(bench("trigger", "list", "dusk").out.contains("  run: Stereo Light/Hue: 120°\n"))
    #expect(
      bench("trigger", "edit", "dusk", "--no-end", "--no-weekdays", "--no-once", "--run", "Strip/Left/On is on").exit
        == .well)
    #expect(bench.home.actionSets.filter { $0.kind == .triggerOwned }.map(\.actions.count) == [1])
    #expect(bench.home.triggers[0].actionSets.count == 1)
    let plain = try self.events(bench)
    #expect(plain.weekdays.isEmpty && plain.endEvents.isEmpty && !plain.executesOnce && plain.events.count == 1)
    #expect(bench("trigger", "edit", "dusk").out == "Nothing changed.\n")
  }

  @Test("Triggers are enabled, disabled, fired, explained, renamed and removed")
  func life() throws {
    let bench = try bench()
    #expect(bench("trigger", "add", "T", "--when", "sunset", "--run", "hi house", "--disabled").exit == .well)
    bench.hub.state.withLock {
      $0.status = HubStatus(
        version: "0", processID: 0, started: Instant(seconds: 0), devices: [], apps: [], problems: [])
    }
    #expect(bench("why", "T").out == "The trigger \"T\" was not evaluated since the hub started. It is disabled.\n")
    bench.hub.state.withLock { $0.isEmbedded = true }
    #expect(bench("why", "T").out.hasPrefix("No hub runs, so no trigger is evaluated: start 'hapctl hub run'."))
    bench.hub.state.withLock { $0.isEmbedded = false }
    #expect(
      bench("enable", "t").out == "Enabled the trigger \"T\".\n" && bench("enable", "T").out == "Nothing changed.\n")
    #expect(bench("disable", "T").exit == .well)
    #expect(bench("fire", "T") == Transcript(out: "fired\n  event: by hand\n"))
    #expect(bench("why", "T").out == "fired\n  event: by hand\n")
    let why = try bench("why", "T", "--json", "--last", "1").json["evaluations"]?.elements
    #expect(why?.count == 1 && why?[0]["outcome"]?.stringValue == "executed" && why?[0]["name"]?.stringValue == "T")
    #expect(try bench("fire", "T", "--json").json["evaluation"]?["number"]?.integerValue == 1)
    #expect(bench("trigger", "rename", "T", "U").exit == .well && bench("trigger", "remove", "U").exit == .well)
    for command in ["why", "fire", "enable", "disable"] {
      #expect(bench(command, "U").error.contains("there is no trigger \"U\" in the home \"My Home\": it has none"))
    }
  }
}
