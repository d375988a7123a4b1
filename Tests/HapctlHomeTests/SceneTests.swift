import HAPHome
import HAPHubLink
import HAPModel
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: scenes, values and executions")
struct SceneTests {
  @Test("A scene gets values, changes them and loses them")
  func scene() throws {
    let bench = try HomeBench.filled()
    #expect(
      bench("scene", "add", "Movie", "Stereo Light/On", "on", "Stereo Light/Hue", "120").out
        == "Added the scene \"Movie\".\nThe scene \"Movie\" sets Stereo Light/On to on.\nThe scene \"Movie\" sets Stereo Light/Hue to 120°.\n"
    )
    #expect(
      bench("scene", "set", "movie", "Stereo Light/Hue", "240", "Front Door Lock/Lock Target State", "secured").exit
        == .well)
    #expect(
      bench("scene", "list", "Movie").out
        == "Movie:\n  Stereo Light/On: on\n  Stereo Light/Hue: 240°\n  Front Door Lock/Lock Target State: secured\n")
    let json = try bench("scene", "list", "Movie", "--json").json["scenes"]?.elements?.first
    let actions = json?["actions"]?.elements ?? []
    #expect(
      actions.map { $0["path"]?.stringValue } == [
        "Stereo Light/On", "Stereo Light/Hue", "Front Door Lock/Lock Target State",
      ])
    #expect(actions[0]["value"]?.boolValue == true && actions[2]["text"]?.stringValue == "secured")
    #expect(
      bench("scene", "unset", "Movie", "Stereo Light/Hue").out
        == "The scene \"Movie\" no longer sets Stereo Light/Hue.\n")
    #expect(bench("scene", "unset", "Movie", "Stereo Light/Hue").error.contains("does not set \"Stereo Light/Hue\""))
    #expect(
      bench("scene", "rename", "Movie", "Cinema").exit == .well && bench("scene", "remove", "Cinema").exit == .well)
    #expect(bench("scene", "remove", "Good Night").error.contains("(rule S1)"))
    #expect(bench("scene", "list").out.contains("Good Night: no actions\n"))
  }

  @Test("A place in a path sets each characteristic there")
  func places() throws {
    let bench = try HomeBench.filled()
    #expect(bench("zone", "add", "Downstairs", "Kitchen", "Living Room").exit == .well)
    #expect(bench("scene", "add", "Dark", "zone:Downstairs/On", "off", "Strip/Left/On", "off").exit == .well)
    let set = try #require(bench.home.actionSets.last)
    #expect(set.actions.count == 3)
    #expect(bench("scene", "unset", "Dark", "Downstairs/On").exit == .well)
    #expect(bench.home.actionSets.last?.actions.count == 1)
  }

  @Test(
    "A wrong value or path adds no scene, and the message says what is possible",
    arguments: [
      (["Stereo Light/Hue", "361"], "(rule S2)"), (["Stereo Light/Hue", "blue"], "has no value \"blue\""),
      (["Stereo Light/Brightness", "0.5"], "(rule S2)"), (["Stereo Light/On", "onn"], "did you mean \"on\"?"),
      (["Stereo Light/Onn", "on"], "did you mean \"On\"?"),
      (["Stereo Lght/On", "on"], "did you mean \"Stereo Light\"?"),
      (["Lock/On", "on"], "did you mean \"Front Door Lock\"?"),
      (["light/On", "on"], "did you mean \"Stereo Light\" or \"Kitchen Light\"?"),
      (["Strip/On", "on"], "is ambiguous"), (["Stereo Light/On"], "has no value"),
      (["Stereo Light", "on"], "is not the path"),
      (["Motion Sensor/Motion Detected", "true"], "(rule S2)"),
      (["zone:Hall/On", "on"], "\"Hall\" is a room, not a zone"),
      (["Hall/Brightness", "1"], "no service in the room \"Hall\" has a characteristic \"Brightness\""),
      (["Kitchen/Fan/On", "on"], "no accessory and no type of services \"Fan\" is in the room \"Kitchen\""),
      (["Stereo Light/On", "on", "Stereo Light/Light Bulb/On", "off"], "again: set it once"),
      (["Stereo Light//On", "on"], "missing before or after a slash"),
      (["Kitchen/@11", "on"], "instance IDs need an accessory"),
    ] as [([String], String)])
  func wrong(words: [String], says: String) throws {
    let bench = try HomeBench.filled()
    let before = bench.hub.model
    let said = bench.run(["scene", "add", "S"] + words)
    #expect(said.exit != .well && said.error.contains(says), "\(said)")
    #expect(bench.hub.model == before)
  }

  // MARK: Values

  @Test("Values are written at once, and read, by name, place and identifier")
  func values() throws {
    let bench = try HomeBench.filled()
    #expect(
      bench("set", "Stereo Light/On", "on", "Stereo Light/Hue", "120", "Thermostat/Target Temperature", "20.5")
        == Transcript(out: "Stereo Light/On: on\nStereo Light/Hue: 120°\nThermostat/Target Temperature: 20.5 °C\n"))
    guard case .write(_, let actions)? = bench.hub.requests.last else { throw Wrong() }
    #expect(actions.count == 3)
    #expect(bench("get", "Stereo Light/Hue").out == "Stereo Light/Hue: 120°\n")
    let id = try bench.characteristic("Stereo Light/Hue")
    #expect(bench("get", id.description).out == "Stereo Light/Hue: 120°\n")
    #expect(bench("get", "Living Room/Stereo Light/Hue").out == "Stereo Light/Hue: 120°\n")
    #expect(bench("set", "Kitchen/Lights/On", "on").out == "Kitchen Light/On: on\n")
    #expect(
      bench("set", "home:My Home/Light Bulb/Brightness", "40").out
        == "Stereo Light/Brightness: 40 %\nKitchen Light/Brightness: 40 %\n")
    #expect(bench("group", "add", "Night Lights", "Strip/Left").exit == .well)
    #expect(bench("set", "Night Lights/On", "true").out == "Strip/Left/On: on\n")
    #expect(bench("set", "Night Lights/On", "--", "0").out == "Strip/Left/On: off\n")
  }

  @Test(
    "A number can have its unit, as it is printed; another unit is refused with the right one",
    arguments: [
      (["Stereo Light/Brightness", "20"], "Stereo Light/Brightness: 20 %\n"),
      (["Stereo Light/Brightness", "20 %"], "Stereo Light/Brightness: 20 %\n"),
      (["Stereo Light/Brightness", "20%"], "Stereo Light/Brightness: 20 %\n"),
      (["Stereo Light/Brightness", "20", "%"], "Stereo Light/Brightness: 20 %\n"),
      (
        ["Stereo Light/Brightness", "20", "%", "Stereo Light/Hue", "120", "°"],
        "Stereo Light/Brightness: 20 %\nStereo Light/Hue: 120°\n"
      ),
      (["Stereo Light/Hue", "120°"], "Stereo Light/Hue: 120°\n"),
      (["Thermostat/Target Temperature", "21 °C"], "Thermostat/Target Temperature: 21 °C\n"),
      (["Thermostat/Target Temperature", "21°C"], "Thermostat/Target Temperature: 21 °C\n"),
      (["Thermostat/Target Temperature", "21.5c"], "Thermostat/Target Temperature: 21.5 °C\n"),
      (
        ["Thermostat/Target Temperature", "70 °F"],
        "\"70 °F\": Target Temperature is in °C: give the number in this unit"
      ),
      (["Thermostat/Target Temperature", "21 %"], "is in °C: give the number in this unit"),
      (["Front Door Lock/Lock Target State", "1 %"], "Lock Target State has no unit: write 1"),
      (["Stereo Light/Brightness", "20 bananas"], "has no value \"20 bananas\""),
      (["Stereo Light/On", "1 %"], "has no value \"1 %\""),
    ] as [([String], String)])
  func units(words: [String], says: String) throws {
    let bench = try HomeBench.filled()
    let said = bench.run(["set"] + words)
    #expect(said.exit == .well ? said.out == says : said.error.contains(says), "\(said)")
    let scene = bench.run(["scene", "add", "S"] + words)
    #expect(scene.exit == said.exit)
  }

  struct Wrong: Error {}

  @Test("A value that can't be read is reported, and the others are printed")
  func unreadable() throws {
    let bench = try HomeBench.filled()
    #expect(bench("set", "Kitchen Light/On", "on").exit == .well)
    let said = bench("get", "Kitchen Light/On", "Stereo Light/On")
    #expect(said.out == "Kitchen Light/On: on\n" && said.exit == .problem)
    #expect(said.error == "hapctl home get: Stereo Light/On: the accessory can't be reached\n")
    let json = try bench("get", "Kitchen Light/On", "Stereo Light/On", "--json").json["values"]?.elements ?? []
    #expect(json[0]["value"]?.boolValue == true && json[0]["text"]?.stringValue == "on")
    #expect(json[1]["value"] == nil && json[1]["error"]?["code"]?.integerValue == 4)
    #expect(bench("get", "Front Door Lock").exit == .usage)
  }

  // MARK: Executions

  @Test("A scene runs; an accessory that can't be reached is named, and the exit status is 1")
  func run() throws {
    let bench = try HomeBench.filled()
    #expect(bench("scene", "set", "Arrive Home", "Stereo Light/On", "on", "Strip/Left/On", "on").exit == .well)
    #expect(bench("run", "Arrive Home") == Transcript(out: "Stereo Light/On: on\nStrip/Left/On: on\n"))
    let strip = try bench.id("Strip")
    bench.hub.state.withLock { $0.unreachable[strip] = "radio off" }
    let partly = bench("run", "Arrive Home")
    #expect(partly.out == "Stereo Light/On: on\nStrip/Left/On: on: not sent: the accessory can't be reached\n")
    #expect(partly.error == "hapctl home run: 1 of 2 actions failed\n" && partly.exit == .problem)
    let json = try bench("run", "Arrive Home", "--json").json
    #expect(json["actions"]?.elements?.map { $0["outcome"]?.stringValue } == ["done", "not-sent"])
    #expect(json["error"]?["code"]?.integerValue == 64 && json["skipped"]?.elements?.isEmpty == true)
    #expect(try bench("set", "Stereo Light/On", "off", "--json").json["error"]?.isNull == true)
    #expect(
      bench("run", "Arive Home").error.contains(
        "there is no scene \"Arive Home\" in the home \"My Home\": did you mean \"Arrive Home\"?"))
  }

  @Test("A refused request is printed with its reason")
  func refused() throws {
    let bench = try HomeBench.filled()
    bench.hub.state.withLock {
      $0.refusals = [("execute", HomeError(.noActionsInActionSet, .t4, "the scene has no action"))]
    }
    #expect(
      bench("run", "Good Night")
        == Transcript(error: "hapctl home run: the scene has no action (rule T4)\n", exit: .problem))
    bench.hub.state.withLock { $0.refusals = [("execute", HomeError(.noHomeHub, nil, "the hub has ended"))] }
    #expect(bench("run", "Good Night").exit == .cannotRun)
  }

  @Test("An answer of another request is reported as an error of the hub")
  func wrongAnswer() throws {
    let bench = try HomeBench.filled()
    #expect(bench("status").exit == .cannotRun)
  }
}
