import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: show, watch and status")
struct WatchTests {
  // MARK: Show

  @Test("A home is shown as a tree")
  func tree() throws {
    let bench = try HomeBench.filled()
    #expect(bench("scene", "set", "Good Night", "Stereo Light/On", "off").exit == .well)
    #expect(bench("zone", "add", "Up", "Hall").exit == .well && bench("group", "add", "G", "Strip/Left").exit == .well)
    #expect(bench("trigger", "add", "T", "--when", "sunset", "--run", "Good Night").exit == .well)
    #expect(
      bench("show").out
        == """
        My Home (Test/City, 37.33, -122.03)
          room Hall
            Front Door Lock: Lock Mechanism
          room Kitchen
            Kitchen Light: Light Bulb
          room Living Room
            Stereo Light: Light Bulb
          room Default Room
            Bridge: no services
            Motion Sensor: Motion Sensor
            Strip: Left (Outlet), Right (Outlet)
            Thermostat: Thermostat
          zone Up: Hall
          group G: Strip/Left
          scene Good Night: 1 action
          trigger T: enabled

        """)
  }

  @Test("Each kind of object is shown, by name, path and identifier")
  func objects() throws {
    let bench = try HomeBench.filled()
    #expect(bench("zone", "add", "Up", "Hall").exit == .well && bench("group", "add", "G", "Strip/Left").exit == .well)
    #expect(bench("show", "Hall").out == "Hall\n  Front Door Lock: Lock Mechanism\n")
    #expect(bench("show", "Up").out == "Up: Hall\n" && bench("show", "G").out == "G: Strip/Left\n")
    #expect(bench("show", "Anna").out == "Anna: owner, away\n")
    #expect(bench("show", "Strip/Left").out == "Left (Outlet)\n  On\n  Outlet In Use\n  Name\n")
    let light = bench("show", try bench.id("Stereo Light").description).out
    #expect(
      light.hasPrefix("Stereo Light\n  room: Living Room\n  device: AA:BB:CC:00:00:03, aid 2\n  bridge: Bridge\n"))
    #expect(light.hasSuffix("  Stereo Light (Light Bulb)\n    On\n    Brightness\n    Hue\n"))
    #expect(bench("show", "Lamp").exit == .problem)
  }

  @Test("--values reads the values of the shown accessories; JSON has the objects as changes have them")
  func shownValues() throws {
    let bench = try HomeBench.filled()
    #expect(bench("set", "Stereo Light/On", "on", "Stereo Light/Hue", "7").exit == .well)
    let said = bench("show", "Stereo Light/Stereo Light", "--values").out
    #expect(said == "Stereo Light (Light Bulb)\n  On: on\n  Brightness: the accessory can't be reached\n  Hue: 7°\n")
    let lock = try bench.id("Front Door Lock")
    bench.hub.state.withLock { $0.unreachable[lock] = "off" }
    let json = try bench("show", "--json").json
    #expect(json["home"]?["accessories"]?.elements?.count == 7)
    #expect(json["unreachable"]?.elements?.map { $0["why"]?.stringValue } == ["off"])
    let one = try bench("show", "Stereo Light", "--json", "--values").json
    #expect(one["accessory"]?["name"]?.stringValue == "Stereo Light" && one["values"]?.elements?.count == 3)
    for name in ["Hall", "Good Night", "Anna", "Strip/Left"] {
      #expect(try bench("show", name, "--json").json.members?[0].value.isNull == false)
    }
  }

  // MARK: Watch

  private func events(_ bench: HomeBench) throws -> [HubEvent] {
    let (light, lock) = (try bench.characteristic("Stereo Light/On"), try bench.id("Front Door Lock"))
    let room = try bench.id("Hall")
    let set = try bench.id("Good Night")
    let result = ExecutionResult(
      actions: [.init(actionSet: set, action: HomeAction(light, true), outcome: .refused, status: -70402)], skipped: [],
      error: HomeError(.actionSetExecutionFailed, nil, "nothing was done"))
    let home = bench.home.id
    return [
      .values([CharacteristicReading(light, value: true)], isCatchUp: false),
      .changed([HomeChange(home, .roomRenamed(room, HomeName("Entrance")))], app: "phone"),
      .changed([HomeChange(home, .roomRemoved(room))], app: nil),
      .reachability(lock, isReachable: false, why: "no route"), .reachability(lock, isReachable: true, why: nil),
      .executed(result, sets: [set], trigger: nil, app: "phone"),
      .person(PersonState(try bench.id("Anna"), .home)),
      .values([CharacteristicReading(light, value: false)], isCatchUp: true),
      .missed, .found(NewAccessory(device: .test(9), name: "New", model: nil, category: nil, setupHash: nil)),
      .stopping,
    ]
  }

  @Test("Each event is a line, with the names at its time")
  func watch() throws {
    let bench = try HomeBench.filled()
    let events = try events(bench)
    bench.hub.state.withLock { $0.events = events }
    let said = bench("watch")
    #expect(
      said.out
        == """
        Stereo Light/On: on
        phone: renamed the room "Hall" to "Entrance"
        hub: removed the room "Entrance"
        Front Door Lock can't be reached: no route
        Front Door Lock can be reached
        phone ran Good Night: nothing was done
          Stereo Light/On: on: the accessory refused the value (status -70402)
        Anna is at home
        Stereo Light/On: off  (present value)
        some events were lost, because they were read too slowly

        """ + "the hub ends\n", "\(said)")
    #expect(said.exit == .cannotRun && said.error.hasSuffix("the hub has ended\n"))
    #expect(said.error.hasPrefix("hapctl home watch: watching 15 characteristics of \"My Home\"\n"))
  }

  @Test("With --json, each event is an object; --count ends it")
  func watchJSON() throws {
    let bench = try HomeBench.filled()
    let events = try events(bench)
    bench.hub.state.withLock { $0.events = events }
    let lines = try bench("watch", "--json").out.split(separator: "\n").map { try JSONNode.parse(Array($0.utf8)) }
    #expect(
      lines.map { $0["event"]?.stringValue } == [
        "value", "changed", "changed", "reachability", "reachability", "executed", "person", "value", "missed",
        "stopping",
      ])
    #expect(lines[0]["path"]?.stringValue == "Stereo Light/On" && lines[0]["catchUp"]?.boolValue == false)
    #expect(lines[1]["app"]?.stringValue == "phone" && lines[2]["app"]?.isNull == true)
    #expect(lines[5]["actions"]?.elements?.first?["status"]?.integerValue == -70402)
    let counted = bench("watch", "--count", "2", "--json")
    #expect(counted.exit == .well && counted.out.split(separator: "\n").count == 2)
  }

  @Test("Paths limit the subscriptions; otherwise new accessories are watched, too")
  func subscriptions() throws {
    let bench = try HomeBench.filled()
    bench.hub.state.withLock { $0.events = [.stopping] }
    #expect(bench("watch", "Kitchen/On").exit == .cannotRun)
    #expect(bench.hub.requests.last == .subscribe([try bench.characteristic("Kitchen Light/On")]))
    #expect(bench("watch", "Kitchen/Onn").exit == .problem)
    let added = try bench.hub.state.withLock { state in
      var copy = state.model
      let new = DeviceDescription.device(8, [.with(1, "Lamp", [.light])], category: 5)
      return try copy.perform(
        .addDevice(home: state.model.homes[0].id, new),
        in: HomeContext(now: .distantPast, zoneRules: MemoryHub.zoneRules),
        using: &state.random)
    }
    bench.hub.state.withLock { $0.events = [.changed(added, app: nil), .stopping] }
    #expect(bench("watch").out == "hub: added the accessory \"Lamp\"\nthe hub ends\n")
    guard case .subscribe(let ids)? = bench.hub.requests.last else { throw Wrong() }
    #expect(ids.count == 3)
  }

  struct Wrong: Error {}

  @Test("Events of other homes are not printed")
  func otherHomes() throws {
    let bench = try HomeBench.filled()
    let events = try events(bench)
    #expect(bench("new", "Cottage", "--zone", "UTC").exit == .well)
    bench.hub.state.withLock { $0.events = events }
    #expect(
      bench("watch", "--home", "Cottage").out
        == "some events were lost, because they were read too slowly\nthe hub ends\n")
  }

  @Test("A trigger's evaluation is printed with its lines")
  func evaluation() throws {
    let bench = try HomeBench.filled()
    #expect(bench("trigger", "add", "T", "--when", "sunset").exit == .well)
    let report = EvaluationReport(
      trigger: try bench.id("T"), number: 3, time: Instant(seconds: 0), outcome: "condition-false", text: "a\n  b",
      detail: "{\"x\":1}")
    bench.hub.state.withLock { $0.events = [.evaluated(report), .stopping] }
    #expect(bench("watch").out == "a\n  b\nthe hub ends\n")
    let line = try JSONNode.parse(Array(bench("watch", "--json", "--count", "1").out.utf8))
    #expect(line["detail"]?["x"]?.integerValue == 1 && line["outcome"]?.stringValue == "condition-false")
  }

  @Test("Names of accessories can't move the cursor")
  func visible() throws {
    let bench = HomeBench()
    #expect(bench("new", "My Home", "--zone", "UTC").exit == .well)
    try bench.hub.prepare(
      .addDevice(home: bench.home.id, .device(1, [.with(1, "A\u{1B}[2J\nB", [.light])], category: 5)))
    let said = bench("show").out
    #expect(!said.contains("\u{1B}") && said.split(separator: "\n").count == 3, "\(said)")
  }

  // MARK: Status

  @Test("The state of the hub is printed with the names of the accessories")
  func status() throws {
    let bench = try HomeBench.filled()
    bench.hub.state.withLock {
      $0.status = HubStatus(
        version: "0.1.0", processID: 7, started: Instant(seconds: 0),
        devices: [
          .init(device: .test(1), isReachable: true, why: nil, address: "192.0.2.7:1", subscriptions: 1),
          .init(device: .test(4), isReachable: false, why: "no route", address: nil, subscriptions: 0),
        ], apps: [.init(name: "phone", processID: 9, subscriptions: 2, gaps: 1)], problems: ["row 3 is malformed"])
    }
    #expect(
      bench("status").out
        == """
        hub 0.1.0, process 7, since 1970-01-01T00:00:00Z
        device AA:BB:CC:00:00:01 (Front Door Lock): reachable at 192.0.2.7:1
        device AA:BB:CC:00:00:04 (Strip): not reachable: no route
        app phone (process 9): 2 subscriptions, lost events 1 times
        problem: row 3 is malformed

        """)
    let json = try bench("status", "--json").json
    #expect(
      json["devices"]?.elements?[1]["why"]?.stringValue == "no route"
        && json["apps"]?.elements?[0]["gaps"]?.integerValue == 1)
  }
}
