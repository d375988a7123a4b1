import HAPSimulatorCore
import HAPWorld

/// Runs `body` in a simulated world: hosts, accessories, the app's own HAP client and the network in virtual time.
///
/// ```swift
/// @Test func theLampComesBack() async throws {
///   try await withSimulatedWorld { world in
///     let home = world.addHost("home")
///     let phone = world.addHost("phone")
///     let lamp = try await home.start(.new("light-bulb"), name: "Lamp")
///     let app = App(transport: phone, clock: world.clock)                 // yours
///     try await app.pair(with: "Lamp", code: lamp.setupCode)
///     home.losePower()
///     try await world.sleep(for: .seconds(3600))                          // returns at once
///     home.restorePower()
///   …
/// ```
///
/// Two runs with one seed do the same, step by step. If the body throws, a line with the seed is printed to standard
/// error; `HAPSIM_SEED=7` in the environment runs this seed again. A failed expectation that does not throw
/// (`#expect`, `XCTAssert`) is not noticed: name the seed in its comment, or use `try #require`.
///
/// The body runs on a thread of the world, outside of any actor. All of its work must stay in the world: see
/// ``World``.
/// - Parameters:
///   - seed: determines everything, including keys and setup codes. `HAPSIM_SEED` in the environment replaces it.
///   - timeLimit: the maximum virtual time of the body, at least 0.
///   - includesMainActor: whether the clock waits for work of `@MainActor`. Each step of the clock then takes some 30
///     µs longer.
///   - file: appears in the message.
///   - line: appears in the message.
///   - body: runs in the world. The whole world ends when it returns or throws.
/// - Throws: the error of `body`; ``SimulatorError/Code/stuck``: it waits for something that can't happen;
///   ``SimulatorError/Code/timeLimit``; ``SimulatorError/Code/leftWorld``: it used something outside of the world;
///   ``SimulatorError/Code/invalidValue``: `HAPSIM_SEED` is not a seed; ``SimulatorError/Code/notPossible``: the
///   caller is in a simulated world.
/// - Returns: the result of `body`.
public func withSimulatedWorld<T: Sendable>(
  seed: UInt64 = 1, timeLimit: Duration = .seconds(86_400), includesMainActor: Bool = false, file: String = #fileID,
  line: Int = #line, _ body: @escaping @Sendable (World) async throws -> T
) async throws -> T {
  guard World.current == nil else {
    throw SimulatorError(.notPossible, "\(file):\(line): a simulated world can't run inside another")
  }
  let given = try await failing { () throws(SimulationFailure) in try SeedVariable.read() }
  let world = World(seed: given ?? seed, includesMainActor: includesMainActor)
  let limits = WorldLimits(time: timeLimit, deniesForeignWork: true)
  return try await World.$current.withValue(world) {
    try await world.simulated.runApart(
      limits,
      atEnd: { result in
        let run = WorldRun(
          world.waits, seed: world.seed, timeLimit: timeLimit, of: world.simulated, at: "\(file):\(line)")
        defer { world.forgetHosts() }
        return run.end(result).mapError { ($0 as? SimulationFailure).map { SimulatorError($0) } ?? $0 }
      }
    ) { try await body(world) }
  }
}

/// Runs `body` in one simulated world after another, one for each seed, until one fails. Use it to find an order of
/// events that the app doesn't expect.
///
/// If `HAPSIM_SEED` is set in the environment, only that seed is run.
/// - Parameters:
///   - seeds: the seeds to run, in order.
///   - timeLimit: the maximum virtual time of the body for each seed, at least 0.
///   - includesMainActor: whether the clock waits for work of `@MainActor`.
///   - file: appears in the message.
///   - line: appears in the message.
///   - body: runs in each world. The whole world ends when it returns or throws.
/// - Throws: as ``withSimulatedWorld(seed:timeLimit:includesMainActor:file:line:_:)``, for the first seed that fails.
///   A line on standard error contains this seed.
public func withSimulatedWorld(
  seeds: some Sequence<UInt64>, timeLimit: Duration = .seconds(86_400), includesMainActor: Bool = false,
  file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (World) async throws -> Void
) async throws {
  let only = try await failing { () throws(SimulationFailure) in try SeedVariable.read() }.map { [$0] }
  for seed in only ?? Array(seeds) {
    try await withSimulatedWorld(
      seed: seed, timeLimit: timeLimit, includesMainActor: includesMainActor, file: file, line: line, body)
  }
}
