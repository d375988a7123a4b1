import HAPHome
import HAPHubLink
import HAPModel
import HAPWire
import Testing

@testable import HapctlHome

@Suite("hapctl home: adding, removing and moving accessories")
struct AddTests {
  private static let lamp = DeviceDescription.device(8, [.with(1, "Hall Lamp", [.light])], category: 5)
  private static let bridge = DeviceDescription.device(
    9, [.with(1, "Demo Bridge", []), .with(2, "One", [.light]), .with(3, "Two", [.light])], category: 2)

  private func joinable(_ description: DeviceDescription, _ name: String) -> MemoryHub.Joinable {
    MemoryHub.Joinable(
      record: NewAccessory(
        device: description.device, name: name, model: "T-1", category: description.category, setupHash: nil),
      code: "031-45-154", description: description)
  }

  /// A bench with one accessory, or two, on the network.
  private func bench(two: Bool = false) throws -> HomeBench {
    let bench = try HomeBench.filled()
    bench.hub.state.withLock {
      $0.joinable = [joinable(Self.lamp, "Hall Lamp")] + (two ? [joinable(Self.bridge, "Demo Bridge")] : [])
    }
    return bench
  }

  // MARK: Without a terminal

  @Test("With a code, the only accessory on the network is added, with a name and a room")
  func noQuestions() throws {
    let bench = try bench()
    let said = bench("add", "--code", "03145154", "--name", "Entrance Lamp", "--room", "Porch")
    #expect(said.out == "Added \"Entrance Lamp\" in the room \"Porch\".\n" && said.exit == .well, "\(said)")
    #expect(bench.home.accessories.last?.name.text == "Entrance Lamp" && bench.home.rooms.last?.name.text == "Porch")
    #expect(bench.hub.state.withLock { $0.joinable.isEmpty })
  }

  @Test("--device chooses by name or device ID; the code can come from the environment or a payload")
  func device() throws {
    for device in ["hall lamp", Self.lamp.device.text.lowercased()] {
      let bench = try bench(two: true)
      let said = bench.run(
        ["add", "--device", device, "--json"], environment: ["HOME": "/nowhere", "HAPHOME_SETUP_CODE": "031-45-154"])
      let accessory = try said.json["accessories"]?.elements?.first
      #expect(
        accessory?["name"]?.stringValue == "Hall Lamp" && accessory?["device"]?.stringValue == Self.lamp.device.text)
    }
    let bench = try bench(two: true)
    let payload = SetupPayload(category: 5, code: try SetupCode("031-45-154"), setupID: SetupID("7OSX")).uri
    #expect(bench("add", "My Home", "--payload", payload).out == "Added \"Hall Lamp\" in the room \"Default Room\".\n")
  }

  @Test("A missing or wrong answer is an error that names the option")
  func wrong() throws {
    let bench = try bench(two: true)
    let count = bench.home.accessories.count
    #expect(bench("add").error.contains("the setup code is missing: give --code, --payload or --code-file"))
    #expect(bench("add", "--code", "1").error.contains("this is not a setup code"))
    #expect(bench("add", "--code", "031-45-154").error.contains("2 accessories can be added: \"Demo Bridge\""))
    #expect(
      bench("add", "--code", "031-45-154", "--device", "Lump").error.contains(
        "no accessory \"Lump\" was found within 5 s; there are \"Demo Bridge\""))
    #expect(bench("add", "--code", "111-22-333", "--device", "Hall Lamp").error.contains("the code is wrong"))
    #expect(bench("add", "--code", "031-45-154", "--payload", "X").exit == .usage)
    #expect(bench("add", "Nowhere", "--code", "031-45-154").error.contains("there is no home \"Nowhere\""))
    #expect(bench("add", "--code-file", "/nowhere/x").exit == .cannotRun)
    bench.hub.state.withLock { $0.joinable = [] }
    let none = bench("add", "--code", "031-45-154", "--timeout", "2")
    #expect(none.error.contains("no accessory that can be added was found within 2 s") && none.exit == .cannotRun)
    #expect(bench.home.accessories.count == count)
  }

  @Test("A name that is taken is refused before the accessory is paired")
  func nameRefused() throws {
    let bench = try bench()
    let said = bench("add", "--code", "031-45-154", "--name", "Kitchen")
    #expect(said.error.contains("(rule N2)") && said.exit == .problem)
    #expect(said.out.isEmpty && bench.home.accessories.allSatisfy { $0.name.text != "Hall Lamp" })
    #expect(bench.hub.state.withLock { $0.joinable.count == 1 })
  }

  @Test("--name is the name of the accessory; its only service has it, too, if both have one name")
  func accessoryName() throws {
    let bench = try bench(two: true)
    #expect(
      bench("add", "--code", "031-45-154", "--device", "Demo Bridge", "--name", "Upstairs").out
        == "Added \"Upstairs\" in the room \"Default Room\".\nAdded \"One\" in the room \"Default Room\".\nAdded \"Two\" in the room \"Default Room\".\n"
    )
    #expect(bench("add", "--code", "031-45-154", "--name", "Entrance Lamp").exit == .well)
    let lamp = try #require(bench.home.accessories.last)
    #expect(
      lamp.name.text == "Entrance Lamp"
        && lamp.services.filter(\.isUserInteractive).map(\.name.text) == ["Entrance Lamp"])

    let strip = DeviceDescription.device(10, [.with(1, "New Strip", [.outlet(20, "Inner")])], category: 7)
    bench.hub.state.withLock { $0.joinable = [joinable(strip, "New Strip")] }
    #expect(bench("add", "--code", "031-45-154", "--name", "Desk Strip").out.hasPrefix("Added \"Desk Strip\" in"))
    #expect(bench.home.accessories.last?.services.filter(\.isUserInteractive).map(\.name.text) == ["Inner"])
  }

  @Test("If the hub refuses the name, the accessory stays, and the error says so")
  func nameRefusedLater() throws {
    let bench = try bench()
    bench.hub.state.withLock { $0.refusals = [("rename", HomeError(.accessoryIsBusy, nil, "busy"))] }
    let said = bench("add", "--code", "031-45-154", "--name", "Entrance Lamp")
    #expect(said.error.contains("busy") && said.exit == .problem, "\(said)")
    #expect(bench.home.accessories.last?.name.text == "Hall Lamp")
  }

  // MARK: On a terminal

  @Test("On a terminal, it asks for the code, the accessory, and a name and a room for each service")
  func questions() throws {
    let bench = try bench(two: true)
    let said = bench.run(["add"], answers: ["031-45-154", "1", "Desk", "Study", "back", "", "", "Shelf", ""])
    #expect(said.exit == .well, "\(said)")
    #expect(
      said.out
        == "Added \"Demo Bridge\" in the room \"Default Room\".\nAdded \"Desk\" in the room \"Study\".\nAdded \"Shelf\" in the room \"Study\".\n"
    )
    #expect(said.error.contains("1  Demo Bridge  Bridge  \(Self.bridge.device)\n2  Hall Lamp  Lightbulb"))
    #expect(said.error.contains("Name of the Light Bulb of One [One]: "))
    #expect(said.error.contains("Room (Hall, Kitchen, Living Room, Default Room, or a new one) [Default Room]: "))
  }

  @Test("After the pairing, a line says that the accessory is in the home and what ends the questions do")
  func paired() throws {
    let line = "\"Hall Lamp\" is in the home \"My Home\" now. Ctrl-C keeps it; 'cancel' removes it.\n"
    let said = try bench().run(["add"], answers: ["031-45-154", "1", "cancel"])
    #expect(said.error.contains("Pairing…\n\(line)Name of the Light Bulb of Hall Lamp [Hall Lamp]: "), "\(said)")
    #expect(said.error.hasSuffix("cancelled: nothing was added\n"))
    let named = try bench().run(["add", "--name", "Desk"], answers: ["031-45-154", "1", "", ""])
    #expect(
      named.error.contains("\"Desk\" is in the home") && named.out == "Added \"Desk\" in the room \"Default Room\".\n")
    #expect(try !bench()("add", "--code", "031-45-154").error.contains("Ctrl-C"))
  }

  @Test(
    "An error is printed once, and not again after 'back' or Enter; 'back' at the first question says that it is the first"
  )
  func backAfterErrors() throws {
    let bench = try bench(two: true)
    let said = bench.run(["add"], answers: ["12", "", "back", "031-45-154", "2", "Kitchen", "", "back", "Desk", ""])
    #expect(said.exit == .well && said.out == "Added \"Desk\" in the room \"Default Room\".\n", "\(said)")
    #expect(said.error.ranges(of: "this is not a setup code").count == 1, "\(said.error)")
    #expect(said.error.ranges(of: "(rule N2)").count == 1)
    #expect(said.error.ranges(of: "there is no question before this one; 'cancel' ends the command").count == 2)
  }

  @Test("'back' after a wrong code leads to the accessories, because the code can be that of another one")
  func backAfterWrongCode() throws {
    let bench = try bench(two: true)
    bench.hub.state.withLock { $0.joinable[1].code = "111-22-333" }
    let said = bench.run(["add"], answers: ["111-22-333", "2", "back", "1", "", "", "", ""])
    #expect(said.exit == .well && said.out.hasPrefix("Added \"Demo Bridge\""), "\(said)")
    #expect(said.error.ranges(of: "the code is wrong").count == 1)
    let again = bench.run(["add"], answers: ["111-22-333", "back", "031-45-154", "1", "", ""])
    #expect(again.exit == .well && again.out.hasPrefix("Added \"Hall Lamp\""), "\(again)")
  }

  @Test("'back' at the room leads to the name of the same service")
  func backAtRoom() throws {
    let said = try bench().run(["add"], answers: ["031-45-154", "1", "Desk", "back", "Shelf", "hall"])
    #expect(said.out == "Added \"Shelf\" in the room \"Hall\".\n", "\(said)")
  }

  @Test("With several homes, it asks which one")
  func severalHomes() throws {
    let bench = try bench()
    #expect(bench("new", "Cottage", "--zone", "UTC").exit == .well)
    let said = bench.run(["add"], answers: ["Nope", "cottage", "031-45-154", "1", "", ""])
    #expect(said.exit == .well && said.error.contains("1  Cottage\n2  My Home\nWhich home?"), "\(said)")
    #expect(bench.hub.model.homes[1].accessories.map(\.name.text) == ["Hall Lamp"])
    #expect(bench.run(["add"], answers: ["back"]).error.contains("cancelled"))
  }

  @Test("A wrong code and a wrong name are asked again; Enter searches again")
  func again() throws {
    let bench = try bench()
    let said = bench.run(
      ["add"], answers: ["12", "111-22-333", "", "9", "1", "031-45-154", "Kitchen", "", "Lamp", "hall"])
    #expect(said.exit == .well, "\(said)")
    #expect(said.error.contains("this is not a setup code") && said.error.contains("the code is wrong"))
    #expect(said.error.contains("\"9\" is not a number from 1 to 1") && said.error.contains("(rule N2)"))
    #expect(said.out == "Added \"Lamp\" in the room \"Hall\".\n")
  }

  @Test("Cancelled, or at the end of the input, nothing is added, and a pairing is removed", arguments: [0, 1, 2, 3])
  func cancel(after count: Int) throws {
    let bench = try bench()
    let before = bench.home.accessories.count
    for end in [["cancel"], []] {
      bench.hub.state.withLock { $0.joinable = [joinable(Self.lamp, "Hall Lamp")] }
      let said = bench.run(["add"], answers: Array(["031-45-154", "1", "Lamp"].prefix(count)) + end)
      #expect(
        said.error.hasSuffix("hapctl home add: cancelled: nothing was added\n") && said.exit == .problem, "\(said)")
      #expect(bench.home.accessories.count == before)
    }
  }

  @Test("If the hub ends during the search, the command fails")
  func hubEnds() throws {
    let bench = try bench()
    bench.hub.state.withLock { $0.refusals = [("search", HomeError(.noHomeHub, nil, "the hub has ended"))] }
    #expect(bench("discover").exit == .cannotRun)
  }

  // MARK: Discovery

  @Test("New accessories are listed after the search; --watch prints what appears and disappears")
  func discover() throws {
    let bench = try bench()
    let new = joinable(Self.bridge, "Demo Bridge").record
    bench.hub.state.withLock { $0.events = [.found(new), .gone(Self.lamp.device)] }
    #expect(bench("discover").out == "Demo Bridge  Bridge, T-1  AA:BB:CC:00:00:09\n")
    let json = try bench("discover", "--json").json["accessories"]?.elements
    #expect(
      json?.count == 1 && json?[0]["category"]?.stringValue == "bridge" && json?[0]["categoryNumber"]?.integerValue == 2
    )
    bench.hub.state.withLock { $0.events.append(.stopping) }
    let watched = bench("discover", "--watch")
    #expect(
      watched.out
        == "Hall Lamp  Lightbulb, T-1  AA:BB:CC:00:00:08\nDemo Bridge  Bridge, T-1  AA:BB:CC:00:00:09\nAA:BB:CC:00:00:08 is gone\n"
    )
    #expect(watched.exit == .cannotRun && watched.error.contains("the hub has ended"))
    let lines = bench("discover", "--watch", "--json").out.split(separator: "\n")
    #expect(lines.count == 3 && lines[2] == #"{"event":"gone","device":"AA:BB:CC:00:00:08"}"#)
    bench.hub.state.withLock { ($0.events, $0.joinable) = ([], []) }
    #expect(bench("discover", "--timeout", "3").out == "No accessory that can be added was found within 3 s.\n")
  }

  // MARK: Accessories of the home

  @Test("An accessory is moved, identified, blocked, unblocked and removed")
  func accessory() throws {
    let bench = try HomeBench.filled()
    #expect(
      bench("move", "Strip", "Thermostat", "kitchen").out
        == "Moved \"Strip\" to the room \"Kitchen\".\nMoved \"Thermostat\" to the room \"Kitchen\".\n")
    #expect(bench("move", "Strip", "Attic").error.contains("there is no room \"Attic\""))
    #expect(bench("move", "Strip").exit == .usage)
    #expect(bench("identify", "Strip").exit == .well && bench("identify", "aa:bb:cc:00:00:08").exit == .well)
    #expect(bench.hub.state.withLock { $0.identified } == [try bench.id("Strip").description, "AA:BB:CC:00:00:08"])
    #expect(bench("block", "Strip").out == "Blocked \"Strip\".\n")
    #expect(bench("show", "Strip").out.hasPrefix("Strip; blocked\n"))
    #expect(bench("unblock", "Strip").exit == .well && bench("block", "Stereo Light").error.contains("(rule A3)"))
    #expect(bench("associate", "Strip/Left", "Fan").out == "The service \"Strip/Left\" controls a Fan (original).\n")
    #expect(bench("associate", "Strip/Left", "none").exit == .well)
    #expect(bench("associate", "Strip/Left", "Fann").error.contains("did you mean \"Fan\"?"))
    #expect(bench("remove", "Strip").out == "Removed the accessory \"Strip\".\n")
    #expect(bench("remove", "Stereo Light").error.contains("(rule A2)"))
    #expect(
      bench("remove", "My Home").error.contains("is a home, not an accessory: 'hapctl home delete' removes homes"))
    #expect(bench("remove", "Strip").error.contains("there is no accessory \"Strip\""))
    #expect(bench("drop", "aa:bb:cc:00:00:09", "--json").out == "{\"dropped\":\"AA:BB:CC:00:00:09\"}\n")
    #expect(bench.hub.state.withLock { $0.identified.last } == "drop AA:BB:CC:00:00:09")
    #expect(bench("drop", "Strip").error.contains("\"Strip\" is no device ID, such as 11:22:33:44:55:66"))
  }

  @Test("An accessory that can't be reached is removed only with --forget")
  func forget() throws {
    let bench = try HomeBench.filled()
    let lock = try bench.id("Front Door Lock")
    bench.hub.state.withLock { $0.unreachable[lock] = "no route" }
    #expect(bench("remove", "Front Door Lock").error.contains("--forget removes it"))
    #expect(bench("show").out.contains("Front Door Lock: Lock Mechanism; not reachable: no route\n"))
    let strip = try bench.id("Strip")
    bench.hub.state.withLock { $0.unreachable[strip] = HubSnapshot.newConnection }
    #expect(bench("show").out.contains("Right (Outlet); connecting\n"))
    #expect(bench("show", "Strip").out.hasPrefix("Strip; connecting\n"))
    let why = try bench("show", "Strip", "--json").json["unreachable"]?.elements?.first?["why"]
    #expect(why?.stringValue == "the connection is new")
    #expect(bench("remove", "Front Door Lock", "--forget").exit == .well)
    #expect(bench("remove", "Bridge", "--json").out.contains("accessory-removed"))
    #expect(bench.home.accessories.map(\.name.text) == ["Motion Sensor", "Strip", "Thermostat"])
  }
}
