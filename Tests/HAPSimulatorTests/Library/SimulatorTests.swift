@testable import HAPPreparation
import Foundation
import HAPLoop
import HAPModel
import HAPProfile
import Testing
@testable import HAPDevices
@testable import HAPHost
@testable import HAPSimulator
@testable import HAPSimulatorCore

@Suite("The library: a simulator") struct SimulatorTests {
  @Test("An accessory is created from a file, a text, bytes, a profile or a short description")
  func sources() async throws {
    let simulator = try await Simulator()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).hasaccessory")
    try Data(ProfileText.garage.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let bytes = Array(ProfileText.garage.utf8)
    var ports: Set<UInt16> = []
    for source: ProfileSource in [
      .file(file.path), .json(ProfileText.garage), .json(bytes),
      .profile(try AccessoryProfile(json: bytes, fileName: "garage")),
    ] {
      let door = try await simulator.start(source)
      #expect(door.name == "Garage" && door.category == "garage-door-opener" && door.address == "127.0.0.1")
      #expect(try await door.word(of: "CurrentDoorState") == "closed")
      ports.insert(door.port)
    }
    #expect(ports.count == 4 && !ports.contains(0))
    let lamp = try await simulator.start(.new("light-bulb:Brightness", "Outlet"), name: "Desk", setupCode: "031-45-154")
    #expect(lamp.name == "Desk" && lamp.category == "lightbulb" && lamp.setupCode == "031-45-154")
    #expect(lamp.setupPayload.hasPrefix("X-HM://") && lamp.deviceID.count == 17)
    #expect(try await lamp.value(of: "Brightness").intValue != nil)
    await simulator.stop()
  }

  @Test(
    "An invalid profile is refused with file, line and column, or with the nearest valid name",
    arguments: [
      (.file("/nowhere/door.hasaccessory"), "/nowhere/door.hasaccessory can't be read: No such file or directory"),
      (.file("/"), "/ is not a file"), (.file("a\0b"), "it is not a file name"),
      (.json("{"), "profile:1:2: error: "), (.json("[]", fileName: "door"), "door:1:1: error: "),
      (
        .json("{ \"format\": \"hasaccessory/1\", \"name\": \"A\",\n \"services\": [ { \"type\": \"LihtBulb\" } ] }"),
        "profile:2:26: error: services[0].type: "
      ),
      (
        .json(
          "{ \"format\": \"hasaccessory/1\", \"name\": \"A\", \"services\": [ { \"type\": \"Switch\" } ],\n \"faults\": [\"latenzy\"] }"
        ),
        "profile:2:13: error: faults[0]: there is no fault \"latenzy\": did you mean \"latency\"?"
      ),
      (.new("light-blub"), "there is no service \"light-blub\"; did you mean LightBulb?"),
      (.new("LightBulb:Brigtness"), "there is no characteristic \"Brigtness\"; did you mean Brightness?"),
      (.new(), "at least one service must be named"),
    ] as [(ProfileSource, String)])
  func wrongSources(_ source: ProfileSource, _ message: String) async throws {
    let simulator = try await Simulator()
    let error = await #expect(throws: SimulatorError.self) { try await simulator.start(source) }
    #expect(error?.code == .profile)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    await simulator.stop()
  }

  @Test(
    "Impossible options are refused when the simulator is created",
    arguments: [
      (.scaled(by: 0), .ephemeral, .loopback, .invalidValue, "0.001 to 100000, not 0.0"),
      (.scaled(by: .nan), .ephemeral, .loopback, .invalidValue, "not nan"),
      (.virtual, .folder("/dev/null/state"), .loopback, .state, "/dev/null/state"),
      (.virtual, .ephemeral, .address("localhost"), .network, "\"localhost\" is not an IP address"),
      (.virtual, .ephemeral, .interfaces("nowhere9"), .network, "no interface named nowhere9"),
    ] as [(Simulator.Time, Simulator.State, Simulator.Network, SimulatorError.Code, String)])
  func wrongOptions(
    _ time: Simulator.Time, _ state: Simulator.State, _ network: Simulator.Network, _ code: SimulatorError.Code,
    _ message: String
  ) async {
    let error = await #expect(throws: SimulatorError.self) {
      _ = try await Simulator(time: time, state: state, network: network)
    }
    #expect(error?.code == code)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test("Names, codes, ports and addresses are validated") func wrongStarts() async throws {
    let simulator = try await Simulator()
    let first = try await simulator.start(.new("switch"))
    for (name, code, port, expected, message) in [
      ("", nil, 0, .malformed, "name"), (nil, "123-45-678", 0, .malformed, "\"123-45-678\": HomeKit forbids"),
      (nil, "12345678", 0, .malformed, "eight digits written XXX-XX-XXX"),
      (nil, nil, first.port, .network, "\(first.port)"),
    ] as [(String?, String?, UInt16, SimulatorError.Code, String)] {
      let error = await #expect(throws: SimulatorError.self) {
        try await simulator.start(.new("switch"), name: name, setupCode: code, port: port)
      }
      #expect(error?.code == expected)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
    await simulator.stop()
    // TEST-NET-1 belongs to no machine.
    let elsewhere = try await Simulator(network: .address("192.0.2.1"))
    let error = await #expect(throws: SimulatorError.self) { try await elsewhere.start(.new("switch")) }
    #expect(error?.code == .network)
    await elsewhere.stop()
  }

  @Test("Virtual time is frozen until it is advanced, also by several tasks") func virtualTime() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    try await door.set("TargetDoorState", to: "open")
    #expect(try await simulator.now == .zero)
    try await withThrowingTaskGroup(of: Duration.self) { group in
      for _ in 0..<10 { group.addTask { try await simulator.advance(by: .seconds(6)) } }
      let times = try await group.reduce(into: Set<Duration>()) { $0.insert($1) }
      #expect(times == Set((1...10).map { .seconds(6 * $0) }))
    }
    #expect(try await door.word(of: "CurrentDoorState") == "open")
    for beyond in [Duration.seconds(-1), .seconds(11 * 8766 * 3600)] {
      let error = await #expect(throws: SimulatorError.self) { try await simulator.advance(by: beyond) }
      #expect(error?.code == .invalidValue)
    }
    await simulator.stop()
  }

  @Test("Real time can't be advanced") func realTime() async throws {
    for time in [Simulator.Time.real, .scaled(by: 1000)] {
      let simulator = try await Simulator(time: time)
      let error = await #expect(throws: SimulatorError.self) { try await simulator.advance(by: .seconds(1)) }
      #expect(error?.code == .notPossible)
      #expect(error?.message.contains("Simulator(time: .virtual)") == true)
      let door = try await simulator.start(.json(ProfileText.garage))
      let same = await #expect(throws: SimulatorError.self) {
        try await door.perform("{\"command\": \"advance\", \"duration\": \"1s\"}")
      }
      #expect(same?.message == error?.message)
      if time != .real {
        try await door.set("TargetDoorState", to: "open")
        try await door.becomes("CurrentDoorState", "open", within: .seconds(20))
        #expect(try await simulator.now > .seconds(1))
      }
      await simulator.stop()
    }
  }

  @Test("Two simulators are independent in their accessories, their time and their end") func two() async throws {
    let (one, other) = (try await Simulator(), try await Simulator())
    let (door, twin) = (
      try await one.start(.json(ProfileText.garage)), try await other.start(.json(ProfileText.garage))
    )
    #expect(door.port != twin.port && door.deviceID != twin.deviceID)
    for door in [door, twin] { try await door.set("TargetDoorState", to: "open") }
    try await one.advance(by: .seconds(60))
    #expect(try await door.word(of: "CurrentDoorState") == "open")
    #expect(try await twin.word(of: "CurrentDoorState") == "opening")
    #expect(try await (one.now, other.now) == (.seconds(60), .zero))
    await one.stop()
    try await other.advance(by: .seconds(60))
    #expect(try await twin.word(of: "CurrentDoorState") == "open")
    await other.stop()
  }

  @Test("Equal seeds give equal simulations") func seed() async throws {
    func series(_ seed: UInt64) async throws -> [String] {
      let simulator = try await Simulator(seed: seed)
      let profile = ProfileText.sensor.replacing(
        "\"name\": \"Temperature\"", with: "\"name\": \"Temperature\", \"behaviour\": { \"walk\": 5 }")
      let sensor = try await simulator.start(.json(profile))
      try await simulator.advance(by: .seconds(3600))
      let texts = sensor.history.map { "\($0.time) \($0.text)" }
      await simulator.stop()
      return texts
    }
    let (first, again, other) = (try await series(1), try await series(1), try await series(2))
    #expect(!first.isEmpty && first == again && first != other)
  }

  @Test("An accessory's randomness is independent of other accessories and their order")
  func ownChance() async throws {
    func chances(_ profiles: [String], seed: UInt64 = 3) async throws -> [String: [SimulationRandom]] {
      try await withSimulator(seed: seed) { simulator in
        var chances: [String: [SimulationRandom]] = [:]
        for profile in profiles {
          let served = try await simulator.start(.json(profile)).served
          let chance = try await served.chance
          chances[profile, default: []] += [chance.device, chance.network]
        }
        return chances
      }
    }
    let (garage, sensor) = (ProfileText.garage, ProfileText.sensor)
    let some = try await chances([garage, sensor])
    #expect(try await chances([sensor, garage]) == some)
    #expect(try await chances([garage])[garage] == some[garage])
    #expect(Set(some.values.joined().map { "\($0)" }).count == 4)
    // Two accessories of one profile differ.
    let twins = try #require(try await chances([garage, garage])[garage])
    #expect(Array(twins.prefix(2)) == some[garage] && Set(twins.map { "\($0)" }).count == 4)
    #expect(try await chances([garage], seed: 4)[garage] != some[garage])
  }

  @Test("The randomness of the network continues after a restart") func networkChance() async throws {
    try await withSimulator { simulator in
      let door = try await simulator.start(.json(ProfileText.garage))
      let new = try await door.served.chance.network
      try await door.switchOn(fault: "latency:by=0ms:jitter=1ms")
      let controller = try await PairedController(pairingWith: door)
      await controller.close()
      let drawn = try await door.served.chance.network
      try await door.restart(.reboot)
      #expect(try await door.served.chance.network == drawn)
      #expect(drawn != new)
    }
  }

  @Test("A scoped simulator stops at the end of its scope, also after an error") func scoped() async throws {
    let door = try await withSimulator { try await $0.start(.new("switch")) }
    var error = await #expect(throws: SimulatorError.self) { _ = try await door.value(of: "On") }
    #expect(error?.code == .stopped)
    var served: RunningAccessory?
    error = await #expect(throws: SimulatorError.self) {
      try await withSimulator { simulator in
        served = try await simulator.start(.new("switch"))
        _ = try await served?.value(of: "Om")
      }
    }
    #expect(error?.code == .noSuchCharacteristic)
    let left = try #require(served)
    error = await #expect(throws: SimulatorError.self) { _ = try await left.value(of: "On") }
    #expect(error?.code == .stopped)
  }

  @Test("A cancelled task doesn't wait for an advance, restart or command; a started action continues")
  func cancellation() async throws {
    try await withSimulator { simulator in
      let door = try await simulator.start(.json(ProfileText.garage))
      let actions: [@Sendable () async throws -> Void] = [
        { try await simulator.advance(by: .seconds(10 * 8766 * 3600)) }, { try await door.restart(.reboot) },
        { try await door.perform("{\"command\": \"advance\", \"duration\": \"1000h\"}") },
      ]
      for action in actions {
        // Cancelled before it starts: the action is not performed.
        let idle = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          try await action()
        }
        let error = await #expect(throws: SimulatorError.self) { try await idle.value }
        #expect(error?.code == .cancelled)
      }
      #expect(try await simulator.now == .zero && door.history.isEmpty)
      // Cancelled while the loop is blocked.
      let gate = DispatchSemaphore(value: 0)
      simulator.core.loop.schedule { gate.wait() }
      let task = Task { try await door.restart(.reboot) }
      task.cancel()
      let error = await #expect(throws: SimulatorError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      gate.signal()
      #expect(try await door.word(of: "CurrentDoorState") == "closed")
    }
  }

  // MARK: The end

  @Test("After its end, each operation of a simulator is refused") func afterTheEnd() async throws {
    let simulator = try await Simulator()
    let door = try await simulator.start(.json(ProfileText.garage))
    await simulator.stop()
    await simulator.stop()
    let actions: [@Sendable () async throws -> Void] = [
      { _ = try await simulator.start(.new("switch")) }, { try await simulator.advance(by: .seconds(1)) },
      { _ = try await simulator.now }, { try await door.set("TargetDoorState", to: "open") },
      { _ = try await door.value(of: "CurrentDoorState") }, { try await door.restart(.reboot) },
      { try await door.replace(by: .json(ProfileText.garage)) }, { _ = try await door.pairings },
      { _ = try await door.faults }, { try await door.perform("{\"command\": \"status\"}") },
      { try await door.written("TargetDoorState") }, { try await door.becomes("CurrentDoorState", "open") },
      { try await door.expect("anything") { _ in true } },
    ]
    for action in actions {
      let error = await #expect(throws: SimulatorError.self) { try await action() }
      #expect(error?.code == .stopped)
    }
    await door.stop()
    for await _ in door.events() { Issue.record("an event after the end") }
    // Its identity is still available.
    #expect(door.name == "Garage" && door.port != 0)
  }

  @Test("A stopped accessory releases its port; the others continue") func stoppedAccessory() async throws {
    let simulator = try await Simulator()
    let (door, lamp) = (
      try await simulator.start(.json(ProfileText.garage)), try await simulator.start(.new("light-bulb"))
    )
    await door.stop()
    await door.stop()
    let error = await #expect(throws: SimulatorError.self) { try await door.value(of: "CurrentDoorState") }
    #expect(error?.code == .stopped)
    let next = try await simulator.start(.new("switch"), port: door.port)
    #expect(next.port == door.port)
    try await next.perform("{\"command\": \"stop\"}")
    #expect(try await simulator.start(.new("switch"), port: door.port).port == door.port)
    try await lamp.set("On", to: true)
    await simulator.stop()
  }

  /// The simulator stops when all references to it are released.
  @Test("A released simulator ends its thread and closes its ports, once its accessories are released, too")
  func letGo() async throws {
    func make() async throws -> RunningAccessory {
      try await Simulator().start(.new("light-bulb"))
    }
    var lamp: RunningAccessory? = try await make()
    // The accessory retains it.
    try await lamp?.set("On", to: true)
    let loop = try #require(lamp?.simulator.core.loop)
    let port = try #require(lamp?.port)
    lamp = nil
    await withCheckedContinuation { continuation in loop.whenEnded { continuation.resume() } }
    let again = try await Simulator()
    #expect(try await again.start(.new("light-bulb"), port: port).port == port)
    await again.stop()
  }

  @Test("Simulators that are released immediately leave no threads") func many() async throws {
    var loops: [EventLoop] = []
    for number in 0..<20 {
      let simulator = try await Simulator()
      if number % 2 == 0 { _ = try await simulator.start(.new("switch")) }
      loops.append(simulator.core.loop)
    }
    for loop in loops { await withCheckedContinuation { continuation in loop.whenEnded { continuation.resume() } } }
  }

  // MARK: State

  @Test("With a state folder, an accessory keeps its identity in later simulators, and is served only once at a time")
  func folder() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("library-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try await Simulator(state: .folder(folder.path))
    let door = try await first.start(.json(ProfileText.garage))
    let controller = try await PairedController(pairingWith: door)
    let second = try await Simulator(state: .folder(folder.path))
    let error = await #expect(throws: SimulatorError.self) { try await second.start(.json(ProfileText.garage)) }
    #expect(error?.code == .state)
    #expect(error?.message.contains("already running") == true)
    await controller.close()
    await first.stop()
    let again = try await second.start(.json(ProfileText.garage))
    #expect(again.deviceID == door.deviceID && again.setupCode == door.setupCode)
    #expect(try await again.pairings.map(\.name) == [controller.identifier])
    await second.stop()
  }
}

extension ServedAccessory {
  /// The present state of its random numbers.
  fileprivate var chance: AccessoryChance {
    get async throws {
      try await loop.answer { [self] done in
        guard let chance = accessory.assumeIsolated({ $0.run?.chance }) else { return done(.failure(.stopped)) }
        done(.success(chance))
      }
    }
  }
}
