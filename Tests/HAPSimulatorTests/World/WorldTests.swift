import Dispatch
import HAPLoop
import HAPModel
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import HAPSimulator
@testable import HAPSimulatorCore

@Suite("The library: a simulated world") struct WorldTests {
  @Test("A controller finds, pairs, writes and is notified, and a door that moves for an hour is open at once")
  func wholeWay() async throws {
    let end = try await withSimulatedWorld { world in
      let (_, phone, door) = try await world.garage(travelTime: "1h")
      let service = try await phone.find("Garage")
      #expect(service.address == "10.0.0.1" && service.port == door.port && service.txt["sf"] == "1")
      let controller = try await PairedController(pairingWith: door, on: phone.runningAppLoop())
      try await door.expect(.paired, by: controller.identifier)
      let begin = world.now
      try await controller.write(try await door.id(of: "TargetDoorState"), 0)
      try await door.written("TargetDoorState", "open", by: controller.identifier)
      try await door.becomes("CurrentDoorState", "opening")
      try await door.becomes("CurrentDoorState", "open", within: .seconds(3601))
      #expect(world.now - begin >= .seconds(3600) && world.now - begin < .seconds(3602))
      #expect(world.foreignJobCount == 0)
      return world.now
    }
    #expect(end > .seconds(3600))
  }

  @Test("Pairings survive a kill and a loss of power, and all running code has stopped", arguments: [false, true])
  func crashes(_ losesPower: Bool) async throws {
    try await withSimulatedWorld { world in
      let (home, phone, door) = try await world.garage()
      _ = try await PairedController(pairingWith: door, on: phone.runningAppLoop())
      let deviceID = door.deviceID
      let connection = try await phone.connect(to: door.address, port: door.port)
      let own = try await home.connect(to: door.address, port: door.port)
      try await world.sleep(for: .milliseconds(10))
      if losesPower { home.losePower() } else { home.kill() }
      #expect(home.isOn != losesPower)
      // The old process has left no open port.
      if !losesPower { #expect(try await home.start(.garage()).deviceID == deviceID) }
      #expect(await world.error { _ = try await door.value(of: "TargetDoorState") } == .stopped)
      #expect(await world.error { _ = try await own.read() } == .stopped)
      if losesPower {
        #expect(await world.error { _ = try await home.start(.garage()) } == .notPossible)
        #expect(await world.error { _ = try await home.connect(to: "10.0.0.2", port: 1) } == .notPossible)
        #expect(await world.error { _ = try await home.find("x") } == .notPossible)
        try await world.sleep(for: .seconds(60))
        home.restorePower()
      } else {
        #expect(try await connection.read() == [])
      }
      home.kill()
      let again = try await home.start(.garage())
      #expect(again.deviceID == deviceID)
      #expect(try await again.pairings.count == 1)
      #expect(try await phone.find("Garage").port == again.port)
    }
  }

  @Test("Two runs of a seed are equal, and another seed gives another run") func replay() async throws {
    @Sendable func run(_ seed: UInt64) async throws -> [String] {
      try await withSimulatedWorld(seed: seed) { world in
        world.network.conditions = .init(jitter: .milliseconds(20), datagramLoss: 0.2)
        let (_, phone, door) = try await world.garage()
        _ = try await PairedController(pairingWith: door, on: phone.runningAppLoop())
        var numbers = world.randomNumbers("a")
        var others = world.randomNumbers("b")
        #expect(numbers.next() != others.next())
        return ["\(world.traceHash)", "\(world.now)", door.deviceID, "\(numbers.next())"]
      }
    }
    let first = try await run(7)
    #expect(try await run(7) == first)
    #expect(Set(try await run(8)).isDisjoint(with: first))
  }

  @Test("A clock of the world works in generic code, and a past deadline returns at once") func clocks() async throws {
    try await withSimulatedWorld { world in
      let clock: any Clock<Duration> = world.clock
      try await clock.sleep(for: .seconds(5))
      try await Task.sleep(for: .seconds(5), clock: world.clock)
      #expect(world.now == .seconds(10))
      let now = world.clock.now
      try await world.clock.sleep(until: now.advanced(by: .seconds(-5)), tolerance: nil)
      #expect(now.duration(to: world.clock.now) == .zero && now < now.advanced(by: .nanoseconds(1)))
      #expect(try await world.startTask { 7 }.value == 7)
    }
  }

  @Test("The body inherits the caller's task-local values and its cancellation") func context() async throws {
    let task = Task {
      try await Local.$text.withValue("of the caller") {
        try await withSimulatedWorld(timeLimit: .seconds(1e15)) { world in
          #expect(Local.text == "of the caller")
          while true { try await world.sleep(for: .seconds(1)) }
        }
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private enum Local { @TaskLocal static var text = "" }

  @Test("Seeds run in order until one fails") func seeds() async throws {
    let seen = Guarded<[UInt64]>([])
    await #expect(throws: SimulatorError.self) {
      try await withSimulatedWorld(seeds: 3...9) { world in
        seen.withLock { $0.append(world.seed) }
        if world.seed == 5 { throw SimulatorError(.failed, "seed 5 fails on purpose") }
      }
    }
    #expect(seen.withLock { $0 } == [3, 4, 5])
  }

  @Test("The clock waits for the main actor if it is included") func mainActor() async throws {
    try await withSimulatedWorld(includesMainActor: true) { world in
      for second in 1...3 {
        try await world.sleep(for: .seconds(1))
        #expect(await Screen.shared.show(world) == "\(second)")
      }
      #expect(world.foreignJobCount == 0)
    }
  }

  @MainActor private final class Screen {
    static let shared = Screen()
    private var count = 0
    func show(_ world: World) -> String {
      count += 1
      return "\(count)"
    }
  }

  // MARK: Wrong uses

  @Test("A body that waits forever ends with an error that states this") func stuck() async throws {
    // The stream has no elements, and ends when the task is cancelled.
    let elements = AsyncStream(Void.self) { _ in }
    let error = await worldError { _ in for await _ in elements {} }
    #expect(error?.code == .stuck)
    #expect(error?.message.contains("no connection of the world waits") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("World.startTask") == true)
  }

  @Test("A body that exceeds its limit ends with an error that lists the waiting tasks") func limit() async throws {
    let error = await worldError(timeLimit: .seconds(3600)) { world in
      let (_, phone, door) = try await world.garage()
      let connection = try await phone.connect(to: door.address, port: door.port)
      async let bytes = connection.read()
      while true { try await world.sleep(for: .seconds(1)) }
      _ = try await bytes
    }
    #expect(error?.code == .timeLimit)
    #expect(
      error?.message.contains("  reading from the connection of \"phone\" to 10.0.0.1:") == true,
      "\(error?.message ?? "")")
  }

  @Test("Work that arrives from another thread is an error") func leaving() async throws {
    let error = await worldError(timeLimit: .seconds(1e9)) { world in
      async let nothing: Void = {
        // A thread that resumes a task before it waits is not detected, so the test repeats until it comes later.
        while !Task.isCancelled {
          await withUnsafeContinuation { continuation in
            DispatchQueue.global().async { continuation.resume() }
          }
        }
      }()
      while true { try await world.sleep(for: .seconds(1)) }
      await nothing
    }
    #expect(error?.code == .leftWorld)
    #expect(error?.message.contains("from another thread") == true, "\(error?.message ?? "")")
  }

  #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
    @Test("Task.sleep in a world is an error immediately, before it wakes up") func sleeping() async throws {
      let error = await worldError { _ in try await Task.sleep(for: .seconds(3600)) }
      #expect(error?.code == .leftWorld)
      #expect(
        error?.message.contains("Task.sleep was used in the simulated world, at 0") == true, "\(error?.message ?? "")")
    }
  #endif

  #if os(Linux)
    @Test("Tasks created by code of a world stay in it") func strayTasks() async throws {
      try await withSimulatedWorld { world in
        let counter = Counter()
        let tasks = [
          Task { try await counter.count(to: 100, in: world) },
          Task.detached { try await counter.count(to: 100, in: world) },
        ]
        for task in tasks { try await task.value }
        #expect(await counter.value == 200)
        #expect(world.now == .seconds(100) && world.foreignJobCount == 0)
      }
    }
  #endif

  private actor Counter {
    private(set) var value = 0
    private func add() { value += 1 }
    nonisolated func count(to limit: Int, in world: World) async throws {
      for _ in 0..<limit {
        try await world.sleep(for: .seconds(1))
        await add()
      }
    }
  }

  @Test("A world inside a world, and an invalid seed, are errors") func wrongUses() async throws {
    let error = await worldError { _ in try await withSimulatedWorld { _ in } }
    #expect(error?.code == .notPossible)
    #expect(try SeedVariable.seed("") == nil && SeedVariable.seed("18446744073709551615") == .max)
    for text in ["x", "-1", "1.5", "18446744073709551616", " 1"] {
      let error = #expect(throws: SimulationFailure.self) { try SeedVariable.seed(text) }
      #expect(error?.code == .invalidValue && error?.message.contains("\"\(text)\"") == true)
    }
  }

  @Test("A failed expectation in the body is attributed to the test") func attribution() async throws {
    await withKnownIssue { try await withSimulatedWorld { _ in #expect(Bool(false)) } }
  }

  @Test("HAPSIM_SEED replaces every seed, and the seed of a failure is printed") func variable() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("HAPSIM_SEED", "5", 1)
      let seen = Guarded<[UInt64]>([])
      await #expect(throws: SimulatorError.self) {
        try await withSimulatedWorld(seeds: 1...9) { world in
          seen.withLock { $0.append(world.seed) }
          throw SimulatorError(.failed, "on purpose")
        }
      }
      precondition(seen.withLock { $0 } == [5])
      setenv("HAPSIM_SEED", "five", 1)
      let error = await worldError { _ in }
      precondition(error?.code == .invalidValue)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("seed 5 failed in a simulated world, after 0s of virtual time: on purpose"), "\(text)")
    #expect(text.contains("HAPSIM_SEED=5 runs it again"))
  }

  @Test("Conditions outside their ranges trap, and so does using a world after its end") func traps() async throws {
    await #expect(processExitsWith: .failure) { _ = World.Conditions(latency: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = World.Conditions(jitter: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = World.Conditions(bandwidth: 0) }
    await #expect(processExitsWith: .failure) { _ = World.Conditions(datagramLoss: 1.1) }
    await #expect(processExitsWith: .failure) { _ = World.Conditions(datagramDuplication: .nan) }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let world = try await withSimulatedWorld { $0 }
      _ = world.addHost("late")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("addHost(_:) of a simulated world was used outside"), "\(text)")
  }

  @Test("Operations of a world throw after its end") func late() async throws {
    let (world, door, phone) = try await withSimulatedWorld { world in
      let garage = try await world.garage()
      return (world, garage.door, garage.phone)
    }
    #expect(await world.error { _ = try await door.value(of: "TargetDoorState") } == .stopped)
    #expect(await world.error { _ = try await phone.find("Garage") } == .stopped)
    #expect(await world.error { try await world.sleep(for: .seconds(1)) } == .stopped)
  }

  @Test("A simulator in a world uses the world's time") func advancing() async throws {
    try await withSimulatedWorld { world in
      let (_, _, door) = try await world.garage()
      let error = await #expect(throws: SimulatorError.self) { try await door.simulator.advance(by: .seconds(1)) }
      #expect(error?.code == .notPossible)
    }
  }
}
