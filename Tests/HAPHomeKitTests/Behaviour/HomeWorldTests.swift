import Foundation
import HAPHome
import HAPHomeKit
import HAPHomeKitTesting
import HAPLoop
import Testing

/// Members that the other suites do not use, two managers, documents, and the world itself.
@Suite("Worlds for tests of apps") struct HomeWorldTests {
  @Test("A document makes the home") func document() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString).hashome").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = """
      home: Villa
      rooms: [Hall, Study]
      zones: {Downstairs: [Hall]}
      accessories:
        Desk Lamp: {device: "AA:BB:CC:00:00:09", room: Study}
      scenes:
        Work: {set: {Desk Lamp/On: on}}
      triggers:
        Morning: {at: "2026-06-01T07:00", every: 1d, run: [Work], enabled: true}
      """
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    var options = HomeWorld.Options()
    options.date = ISO8601DateFormatter().date(from: "2026-05-31T12:00:00Z")
    let world = try await HomeWorld.start(
      document: path, accessories: [.init("Desk Lamp", .new("LightBulb:Brightness"))], options: options)
    defer { world.end() }
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    #expect(home.name == "Villa" && home.rooms.map(\.name) == ["Hall", "Study"])
    #expect(home.accessories.first?.room?.name == "Study" && home.zones.first?.rooms.map(\.name) == ["Hall"])
    #expect(home.triggers.first?.name == "Morning" && home.triggers.first?.isEnabled == true)
    #expect(home.actionSets.contains { $0.name == "Work" && $0.actions.count == 1 })
  }

  @Test("Mistakes of a test name the object, the place and the seed") func mistakes() async throws {
    let missing = await #expect(throws: HomeWorldError.self) {
      _ = try await HomeWorld.start(accessories: [.init("Lamp", .file("no such file"))])
    }
    #expect(missing?.description.contains("no such file") == true)
    #expect(missing?.description.contains("HAPSIM_SEED=1") == true && missing?.place.contains("HomeWorldTests") == true)
    var options = HomeWorld.Options()
    (options.timeZone, options.seed) = ("Mars/Olympus", 7)
    let zone = await #expect(throws: HomeWorldError.self) { _ = try await HomeWorld.start(options: options) }
    #expect(zone?.message == "the machine has no time zone \"Mars/Olympus\"" && zone?.seed == 7)
    let world = try await HomeWorld.start(accessories: [.init("Lamp", .new("light-bulb"))])
    defer { world.end() }
    let name = #expect(throws: HomeWorldError.self) { try world.accessory("Lamb") }
    #expect(name?.message == "the world has no accessory \"Lamb\"; it has \"Lamp\"")
    let unmet = await #expect(throws: HomeWorldError.self) { try await world.accessory("Lamp").written("On", true) }
    #expect(unmet?.description.contains("On") == true && unmet?.description.contains("(HAPSIM_SEED=1") == true)
    #expect("\(world)" == "the simulated world of seed 1 (HAPSIM_SEED=1 runs it again)")
    let document = await #expect(throws: HomeWorldError.self) {
      _ = try await HomeWorld.start(document: "no.hashome")
    }
    #expect(document?.message == "no.hashome can't be read")
    let early = FileManager.default.temporaryDirectory.appending(path: "wrong-\(UUID().uuidString).hashome").path
    defer { try? FileManager.default.removeItem(atPath: early) }
    try "home: Villa\nrooms: 3\n".write(toFile: early, atomically: true, encoding: .utf8)
    let wrong = await #expect(throws: HomeWorldError.self) { _ = try await HomeWorld.start(document: early) }
    #expect(wrong?.message.hasPrefix("\(early):2:8: ") == true, "\(wrong?.message ?? "")")
  }

  @Test("The clock stands while the test computes, and moves in advance(by:)") func time() async throws {
    var options = HomeWorld.Options()
    options.date = ISO8601DateFormatter().date(from: "2026-03-01T12:00:00Z")
    let world = try await HomeWorld.start(options: options)
    defer { world.end() }
    let (begin, date) = (world.now, world.date)
    #expect(abs(date.timeIntervalSince(try #require(options.date))) < 60)
    for _ in 0..<100 { await Task.yield() }
    #expect(world.now == begin)
    await world.advance(by: .seconds(3600))
    #expect(world.now == begin + .seconds(3600))
    #expect(abs(world.date.timeIntervalSince(date) - 3600) < 0.001)
    try await world.setDate(date)
    #expect(abs(world.date.timeIntervalSince(date)) < 0.001)
    let evening = try #require(ISO8601DateFormatter().date(from: "2026-03-01T19:00:00Z"))
    try await world.advance(to: evening)
    #expect(world.date == evening)
    try await world.advance(to: evening)
    await world.advance(by: .nanoseconds(1_400_300))
    try await world.advance(to: world.date)
    let past = await #expect(throws: HomeWorldError.self) { try await world.advance(to: date) }
    #expect(past?.message.hasPrefix("the clock can't go back to 2026-03-01") == true, "\(past?.message ?? "")")
    #expect(past?.place.contains("HomeWorldTests") == true)
  }

  @Test("Two runs with one seed give the same calls at the same times") func repeatable() async throws {
    func run(_ seed: UInt64) async throws -> [String] {
      var options = HomeWorld.Options()
      options.seed = seed
      let world = try await HomeWorld.start(
        accessories: [.init("One", .new("light-bulb")), .init("Two", .new("motion-sensor"))], options: options)
      defer { world.end() }
      let (manager, recorder) = (try await world.makeManager(), Recorder())
      recorder.watch(manager)
      let motion = try #require(
        manager.homes.first?.accessories.flatMap(\.services).flatMap(\.characteristics).first {
          $0.characteristicType == HMCharacteristicTypeMotionDetected
        })
      try await motion.enableNotification(true)
      for isDetected in [true, false, true] {
        try await world.accessory("Two").set("MotionDetected", to: .bool(isDetected))
        await world.advance(by: .seconds(100))
      }
      return recorder.calls + ["\(world.now)"]
    }
    let first = try await run(5)
    #expect(try await run(5) == first)
    #expect(first.count { $0.hasPrefix("value Two Motion Detected") } >= 3, "\(first)")
  }

  @Test("Added accessories can be reached when the world has started") func reachable() async throws {
    let devices = (1...5).map { HomeWorld.Device("Button \($0)", .new("StatelessProgrammableSwitch")) }
    let world = try await HomeWorld.start(accessories: devices)
    defer { world.end() }
    let manager = await world.perform { HMHomeManager() }
    await world.advance(by: .milliseconds(20))
    let accessories = try #require(manager.homes.first).accessories
    #expect(accessories.count == 5 && accessories.allSatisfy(\.isReachable))
    let last = try #require(
      accessories.last?.services.flatMap(\.characteristics).first {
        $0.characteristicType == HMCharacteristicTypeInputEvent
      })
    try await last.enableNotification(true)
    try await world.accessory("Button 5").press(.double)
    await world.settle()
    #expect(last.value as? Int == HMCharacteristicValueInputEvent.doublePress.rawValue)
  }

  @Test("After its end, a world gives errors, and can be ended again") func end() async throws {
    let world = try await HomeWorld.start(accessories: [.init("Lamp", .new("light-bulb"))])
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    world.end()
    world.end()
    #expect(home.name == "My Home")
  }
}
