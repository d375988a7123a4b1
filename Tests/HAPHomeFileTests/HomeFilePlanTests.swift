import HAPAlmanac
import HAPHome
import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPHomeFile

@Suite("Plans of .hashome documents")
struct HomeFilePlanTests {
  @Test(
    "A document creates the missing objects; they and their commands are in its order; a second time changes nothing"
  )
  func creates() throws {
    var bench = try HomeFileBench.filled()
    let differences = try bench.apply(
      """
      home: My Home
      rooms: [Hall, Kitchen]
      zones: { Downstairs: [Kitchen, Hall] }
      accessories:
        Front Door Lock: { device: "AA:BB:CC:00:00:01", room: Hall }
        Ceiling: { device: "AA:BB:CC:00:00:03", aid: 3, room: Kitchen, services: { Light Bulb: Ceiling } }
        Strip: { room: Kitchen, services: { Left: { associated: Fan } } }
      groups: { Night Lights: [Stereo Light/Stereo Light, Ceiling/Ceiling] }
      scenes:
        hi house: { type: home-arrival, set: { Stereo Light/On: on, Ceiling/Hue: 120 } }
        Movie: { set: { Strip/Left/On: off, Front Door Lock/Lock Target State: secured } }
      triggers:
        arrived home:
          when: [{ characteristic: Front Door Lock/Lock Current State, is: unsecured }]
          if: { all: [{ before: "18:00" }, { characteristic: Motion Sensor/Motion Detected, is: true }] }
          run: [hi house, { set: { Thermostat/Target Temperature: 21.5 } }]
          enabled: true
        evening: { at: "2026-06-01T19:00", every: 1d, run: [Movie] }
      """)
    #expect(
      differences == [
        "rename the accessory \"Kitchen Light\" to \"Ceiling\"", "rename the service \"Kitchen Light\" to \"Ceiling\"",
        "rename the scene \"Arrive Home\" to \"hi house\"", "add the room \"Hall\"", "add the room \"Kitchen\"",
        "add the zone \"Downstairs\"", "add the room \"Kitchen\" to the zone \"Downstairs\"",
        "add the room \"Hall\" to the zone \"Downstairs\"",
        "move the accessory \"Front Door Lock\" from the room \"Default Room\" to the room \"Hall\"",
        "move the accessory \"Ceiling\" from the room \"Default Room\" to the room \"Kitchen\"",
        "move the accessory \"Strip\" from the room \"Default Room\" to the room \"Kitchen\"",
        "change the device that the service \"Left\" of the accessory \"Strip\" controls from none to Fan (original)",
        "add the group \"Night Lights\"",
        "add the service \"Stereo Light/Stereo Light\" to the group \"Night Lights\"",
        "add the service \"Ceiling/Ceiling\" to the group \"Night Lights\"",
        "set Stereo Light/On in the scene \"hi house\" to on", "set Ceiling/Hue in the scene \"hi house\" to 120°",
        "add the scene \"Movie\"", "set Strip/Left/On in the scene \"Movie\" to off",
        "set Front Door Lock/Lock Target State in the scene \"Movie\" to secured", "add the trigger \"arrived home\"",
        "the trigger \"arrived home\" runs the scene \"hi house\"",
        "the trigger \"arrived home\" sets Thermostat/Target Temperature to 21.5 °C", "add the trigger \"evening\"",
        "the trigger \"evening\" runs the scene \"Movie\"",
      ])
    let home = bench.home
    #expect(home.triggers.map(\.isEnabled) == [true, false])
    let lock = home.accessories[0]
    guard case .event(let events) = home.triggers[0].kind else { throw Wrong("no events") }
    #expect(events.events == [.characteristic(lock.characteristic(11), equals: 0)])
    guard case .timer(let timer) = home.triggers[1].kind else { throw Wrong("no timer") }
    #expect(timer.recurrence == CivilPeriod(days: 1))
    #expect(timer.fireDate == ZoneRules.utc.instant(of: try CivilTime("2026-06-01T19:00")))
    #expect(home.actionSets.last?.kind == .triggerOwned || home.actionSets.contains { $0.kind == .triggerOwned })
  }

  @Test("Only what differs is changed, and an object that exists by name keeps its identifier")
  func changes() throws {
    var bench = try HomeFileBench.filled()
    try bench.apply(
      """
      home: My Home
      rooms: [Hall, Kitchen, Attic]
      zones: { Up: [Hall, Attic] }
      groups: { G: [Strip/Left, Strip/Right] }
      scenes: { S: { set: { Stereo Light/On: on, Stereo Light/Hue: 10, Strip/Left/On: on } } }
      triggers:
        T: { when: [{ sun: sunset }], run: [S, Good Night, { set: { Strip/Left/On: on } }] }
      """)
    let before = bench.home
    let differences = try bench.apply(
      """
      home: my home
      timeZone: Test/City
      location: [1, 2]
      rooms: [hall]
      zones: { Up: [Kitchen, hall] }
      groups: { G: [Strip/Right, Thermostat/Thermostat] }
      scenes: { S: { set: { Stereo Light/Hue: 20, Stereo Light/On: true, Kitchen Light/On: on } } }
      triggers:
        T: { when: [{ sun: sunrise }], run: [{ set: { Strip/Left/On: off } }, Good Morning, S] }
      """)
    #expect(
      differences == [
        "change the time zone of the home \"My Home\" from UTC to Test/City",
        "change the location of the home \"My Home\" from 37.33, -122.03 to 1.0, 2.0",
        "rename the home \"My Home\" to \"my home\"", "rename the room \"Hall\" to \"hall\"",
        "add the room \"Kitchen\" to the zone \"Up\"", "remove the room \"Attic\" from the zone \"Up\"",
        "add the service \"Thermostat/Thermostat\" to the group \"G\"",
        "remove the service \"Strip/Left\" from the group \"G\"",
        "change Stereo Light/Hue in the scene \"S\" from 10° to 20°", "set Kitchen Light/On in the scene \"S\" to on",
        "remove Strip/Left/On from the scene \"S\"", "change Strip/Left/On in the trigger \"T\" from on to off",
        "the trigger \"T\" runs the scene \"Good Morning\"",
        "change the trigger \"T\": event from \"sunset\" to \"sunrise\"",
        "the trigger \"T\" no longer runs the scene \"Good Night\"",
      ])
    let home = bench.home
    #expect(home.id == before.id && home.rooms.map(\.id) == before.rooms.map(\.id))
    #expect(home.zones.map(\.id) == before.zones.map(\.id) && home.groups.map(\.id) == before.groups.map(\.id))
    #expect(home.actionSets.map(\.id) == before.actionSets.map(\.id))
    #expect(home.triggers.map(\.id) == before.triggers.map(\.id))
    #expect(home.rooms.map(\.name.text) == ["hall", "Kitchen", "Attic"], "nothing is removed")
  }

  @Test("A part that is missing in the document stays as it is")
  func missing() throws {
    var bench = try HomeFileBench.filled()
    try bench.apply(HomeFileReadingTestsExample.small)
    let before = bench.model
    for text in [
      "home: My Home", "home: My Home\nscenes: { S: {} }", "home: My Home\ntriggers: { T: {} }",
      "home: My Home\naccessories: { Strip: {} }", "home: My Home\naccessories: { Strip: { services: { Left: {} } } }",
      "home: My Home\ntriggers: { T: { run: [S, { set: { Strip/Left/On: on } }] } }",
      "home: My Home\ntriggers: { T: { enabled: true } }",
    ] {
      for prune in [false, true] where !(prune && text.contains("triggers")) {
        #expect(try bench.apply(text, prune: prune) == [], "\(text)")
        #expect(bench.model == before)
      }
    }
    #expect(
      try bench.apply("home: My Home\nlocation: null\ntriggers: { T: { enabled: false, when: [{ at: \"01:00\" }] } }")
        .count == 3)
    #expect(bench.home.location == nil)
  }

  @Test("Objects that the document does not have are removed only on request, and only of its sections")
  func prune() throws {
    var bench = try HomeFileBench.filled()
    try bench.apply(HomeFileReadingTestsExample.small)
    #expect(try bench.apply("home: My Home\nrooms: []\nzones: {}\ngroups: {}\nscenes: {}\ntriggers: {}") == [])
    #expect(try bench.apply("home: My Home\nzones: {}\naccessories: {}", prune: true) == ["remove the zone \"Up\""])
    #expect(
      try bench.apply("home: My Home\nrooms: []\ngroups: {}\nscenes: {}\ntriggers: {}", prune: true) == [
        "remove the trigger \"T\"", "remove the scene \"S\"", "remove the group \"G\"", "remove the room \"Hall\"",
      ])
    #expect(bench.home.accessories.count == 8 && bench.home.actionSets.count == 4)
  }

  @Test("A room and a scene that are removed can't be used")
  func pruned() throws {
    var bench = try HomeFileBench.filled()
    try bench.apply(HomeFileReadingTestsExample.small)
    let text = """
      home: My Home
      rooms: []
      zones: { Up: [Hall] }
      scenes: {}
      triggers: { T: { run: [S, Good Night], enabled: false } }
      """
    #expect(bench.problems(text) == [])
    #expect(
      bench.problems(text, prune: true) == [
        "3:15: there is no room \"Hall\": add it to rooms", "5:24: there is no scene \"S\": add it to scenes",
      ])
  }

  // MARK: Names

  @Test("Names are exchanged between accessories, services, rooms and scenes")
  func exchanges() throws {
    var bench = try HomeFileBench.filled()
    let ids = bench.home.accessories.map(\.id)
    let differences = try bench.apply(
      """
      home: My Home
      accessories:
        Kitchen Light: { device: "AA:BB:CC:00:00:03", aid: 2, services: { Light Bulb: Stereo Light } }
        Motion Sensor: { device: "AA:BB:CC:00:00:03", aid: 3, services: { Light Bulb: Kitchen Light 2 } }
        Stereo Light 2: { device: "AA:BB:CC:00:00:04", services: { Motion Sensor: Left } }
        Strip: { services: { "@20": Right, "@40": Left 2 } }
      scenes:
        Arrive Home: { type: home-departure }
        Leave Home: { type: home-arrival }
      """)
    #expect(differences.count == 9 && differences.allSatisfy { $0.hasPrefix("rename ") }, "\(differences)")
    #expect(differences.contains("rename the accessory \"Motion Sensor\" to \"Stereo Light 2\""))
    #expect(bench.home.accessories.map(\.id) == ids)
    #expect(bench.home.accessories.map(\.name.text)[2...4] == ["Kitchen Light", "Motion Sensor", "Stereo Light 2"])
    #expect(bench.home.accessories[6].services.dropFirst().map(\.name.text) == ["Right", "Left 2"])
    #expect(bench.home.actionSets[2].name.text == "Arrive Home")
  }

  @Test("A cycle of names is resolved by another name in between, which is not reported")
  func cycle() throws {
    var bench = try HomeFileBench.filled()
    let text = """
      home: My Home
      accessories:
        Strip: { device: "AA:BB:CC:00:00:01", services: { Lock Mechanism: Lock } }
        Front Door Lock: { device: "AA:BB:CC:00:00:05", services: { Thermostat: Front Door Lock } }
        Thermostat: { device: "AA:BB:CC:00:00:06", services: { "@20": Renamed 1 } }
      """
    let plan = try bench.plan(text)
    #expect(plan.steps.count == plan.differences.count + 1)
    #expect(try bench.apply(text).count == 6)
    #expect(
      bench.home.accessories.map(\.name.text) == [
        "Strip", "Bridge", "Stereo Light", "Kitchen Light", "Motion Sensor", "Front Door Lock", "Thermostat", "A/B@1\\",
      ])
  }

  @Test("A name that another object keeps is refused at its place; so is a name that breaks a rule")
  func takenNames() throws {
    var bench = try HomeFileBench.filled()
    try bench.perform(.addHome(name: "Cabin", zone: .utc, location: nil, owner: "Anna"))
    #expect(
      bench.problems(
        """
        home: My Home
        rooms: [Strip, "hi, house", Ok]
        accessories:
          Thermostat: { device: "AA:BB:CC:00:00:01" }
          Good Night: { device: "AA:BB:CC:00:00:04" }
          "": {}
        scenes: { "-": {}, Bridge: { type: sleep } }
        """) == [
          "6:3: the home \"My Home\" has no accessory \"\": add it to the home first"
        ])
    #expect(
      bench.problems(
        """
        home: My Home
        rooms: [Strip, "hi, house", Ok]
        accessories:
          Thermostat: { device: "AA:BB:CC:00:00:01" }
          Good Morning: { device: "AA:BB:CC:00:00:04" }
        scenes: { "-": {}, Bridge: { type: sleep } }
        """) == [
          "2:9: the name \"Strip\" counts as the same as \"Strip\" in the home \"My Home\": choose another name (rule N2)",
          "2:16: the name \"hi, house\" has the character \",\" (U+2C): use letters, digits, spaces and apostrophes (rule N4)",
          "4:3: the name \"Thermostat\" counts as the same as \"Thermostat\" in the home \"My Home\": choose another name (rule N2)",
          "5:3: the name \"Good Morning\" counts as the same as \"Good Morning\" in the home \"My Home\": choose another name (rule N2)",
          "6:11: the name \"-\" must begin with a letter or a digit (rule N4)",
          "6:20: the name \"Bridge\" counts as the same as \"Bridge\" in the home \"My Home\": choose another name (rule N2)",
        ])
    var options = HomeFile.PlanOptions()
    options.home = bench.home.id
    #expect(throws: HomeFileProblems.self) { try bench.plan("home: Cabin", home: bench.home.id) }
    #expect(
      try bench.plan("home: Lodge", home: bench.home.id).differences.map(\.text) == [
        "rename the home \"My Home\" to \"Lodge\""
      ])
  }

  // MARK: Homes

  @Test("A home that does not exist is added; it needs a zone, and has no accessories yet")
  func newHome() throws {
    var bench = HomeFileBench()
    #expect(
      bench.problems("home: Cabin")[0].hasPrefix("1:7: there is no home \"Cabin\", and a new home needs a time zone"))
    #expect(bench.problems("home: Cabin\ntimeZone: No/Where")[0].hasPrefix("1:7: this machine has no time zone"))
    let text = "home: Cabin\ntimeZone: UTC\nlocation: [1, 2]\nrooms: [Hall]"
    #expect(try bench.apply(text) == ["add the home \"Cabin\"", "add the room \"Hall\""])
    #expect(bench.home.users.map(\.name) == ["Anna"] && bench.home.location != nil)
    #expect(
      bench.problems("home: Other\ntimeZone: UTC\naccessories: { A: {} }") == [
        "3:16: the home \"Other\" has no accessory \"A\": add it to the home first"
      ])
    var random = SeededGenerator(seed: 3)
    #expect(throws: HomeFileProblems.self) { try bench.plan("home: X", home: .random(using: &random)) }
  }

  @Test("A user who is not an administrator changes nothing")
  func guest() throws {
    let bench = try HomeFileBench.filled()
    let file = try HomeFile.read(Array("home: My Home\naccessories: { Strap: { device: \"AA:BB:CC:00:00:06\" } }".utf8))
    var context = HomeFileBench.context
    context.user = bench.home.users[1].id
    var random = SeededGenerator(seed: 1)
    #expect {
      _ = try file.plan(for: bench.model, in: context, using: &random)
    } throws: {
      ($0 as? HomeFileProblems)?.problems.count == 1
        && "\(($0 as? HomeFileProblems)?.problems[0].message ?? "")".hasSuffix("(rule U1)")
    }
  }

  @Test("The differences as JSON have the change, the object, a sentence and the place")
  func json() throws {
    let plan = try HomeFileBench.filled().plan("home: My Home\nrooms: [Hall]")
    let node = try JSONNode.parse(Array(plan.node.compactText.utf8))
    #expect(
      node.compactText
        == #"[{"change":"add","kind":"room","name":"Hall","text":"add the room \"Hall\"","line":2,"column":9}]"#)
  }
}

enum HomeFileReadingTestsExample {
  static let small = """
    home: My Home
    rooms: [Hall]
    zones: { Up: [Hall] }
    accessories: { Strip: { room: Hall, services: { Left: { associated: Fan } } } }
    groups: { G: [Strip/Left] }
    scenes: { S: { set: { Stereo Light/On: on } } }
    triggers:
      T: { when: [{ sun: sunset }], run: [S, { set: { Strip/Left/On: on } }], enabled: true }
    """
}
