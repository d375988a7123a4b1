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
/// Two runs of one seed do the same, step by step. If the body throws, a line with the seed goes to standard error, and `HAPSIM_SEED=7` in the
/// environment runs this seed again. An expectation that fails without throwing (`#expect`, `XCTAssert`) can't be noticed: name the seed in
/// its comment, or take `try #require`.
///
/// The body runs on a thread of the world, outside of any actor. All of its work has to stay in the world: see ``World``.
/// - Parameters:
///   - seed: decides everything, keys and setup codes too. `HAPSIM_SEED` of the environment takes its place.
///   - timeLimit: how much virtual time the body may take, from 0.
///   - includesMainActor: whether the clock waits for work of `@MainActor`. Each step of the clock takes some 30 µs longer then.
///   - file: for the message.
///   - line: for the message.
///   - body: what is done in the world. All of the world ends when it returns or throws.
/// - Throws: what `body` throws; ``SimulatorError/Code/stuck``: it waits for something that can't happen; ``SimulatorError/Code/timeLimit``;
///   ``SimulatorError/Code/leftWorld``: it used something outside of the world; ``SimulatorError/Code/invalidValue``: `HAPSIM_SEED` is no seed;
///   ``SimulatorError/Code/notPossible``: the caller is in a simulated world.
/// - Returns: what `body` returns.
public func withSimulatedWorld<T: Sendable>(
  seed: UInt64 = 1, timeLimit: Duration = .seconds(86_400), includesMainActor: Bool = false, file: String = #fileID,
  line: Int = #line, _ body: @escaping @Sendable (World) async throws -> T
) async throws -> T {
  guard World.current == nil else {
    throw SimulatorError(.notPossible, "\(file):\(line): a simulated world can't run in another one")
  }
  let world = World(seed: try SeedVariable.read() ?? seed, includesMainActor: includesMainActor)
  let run = WorldRun(world: world, timeLimit: timeLimit, place: "\(file):\(line)")
  let limits = WorldLimits(time: timeLimit, deniesForeignWork: true)
  return try await World.$current.withValue(world) {
    try await world.simulated.runApart(limits, atEnd: { run.end($0) }) { try await body(world) }
  }
}

/// Runs `body` in one simulated world after another, one for each seed, until one fails: to find an order of events that the app doesn't expect.
///
/// `HAPSIM_SEED` of the environment runs its seed alone.
/// - Parameters:
///   - seeds: those to run, in order.
///   - timeLimit: as of ``withSimulatedWorld(seed:timeLimit:includesMainActor:file:line:_:)``, and so are the others.
/// - Throws: as the other one, for the first seed that fails; the line on standard error names it.
public func withSimulatedWorld(
  seeds: some Sequence<UInt64>, timeLimit: Duration = .seconds(86_400), includesMainActor: Bool = false,
  file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (World) async throws -> Void
) async throws {
  let only = try SeedVariable.read().map { [$0] }
  for seed in only ?? Array(seeds) {
    try await withSimulatedWorld(
      seed: seed, timeLimit: timeLimit, includesMainActor: includesMainActor, file: file, line: line, body)
  }
}

/// What a run of a world says at its end. Belongs to the world's thread.
private struct WorldRun: Sendable {
  let world: World
  let timeLimit: Duration
  let place: String

  /// Explains an error of the world, and prints the seed of a failure.
  func end<T>(_ result: Result<T, any Error>) -> Result<T, any Error> {
    defer { world.forgetHosts() }
    guard case .failure(let raw) = result else { return result }
    let error = (raw as? WorldError).map { explained($0) } ?? raw
    SeedVariable.print(
      "\(place): seed \(world.seed) failed in a simulated world, after \(world.simulated.now.roundText) of virtual time: \(error)\n"
        + "HAPSIM_SEED=\(world.seed) runs it again")
    return .failure(error)
  }

  private func explained(_ error: WorldError) -> any Error {
    switch error {
    case .stuck(_, let time):
      return SimulatorError(
        .stuck,
        "the body waits, and nothing can happen any more in the simulated world, at \(time.roundText)\n\(waits)A continuation is never resumed, or something left the world. \(Self.exits)"
      )
    case .spinning(_, let time):
      return SimulatorError(
        .stuck,
        "the clock of the simulated world can't move on from \(time.roundText), because something runs without end: code that polls with Task.yield needs World.sleep between two looks"
      )
    case .timeLimit:
      return SimulatorError(
        .timeLimit,
        "the body has not ended after \(timeLimit.roundText) of virtual time; timeLimit: allows more\n\(waits)Perhaps it waits for something that left the world. \(Self.exits)"
      )
    case .realSleep(_, let time):
      return SimulatorError(
        .leftWorld,
        "Task.sleep was used in the simulated world, at \(time.roundText): it waits in real time. Use World.sleep, or World.clock in code that takes a clock"
      )
    case .foreignWork(_, let time):
      return SimulatorError(
        .leftWorld,
        "work came into the simulated world from another thread, at \(time.roundText): the run could not be repeated. \(Self.exits)"
      )
    }
  }

  private var waits: String {
    let lines = world.waitLines
    if lines.isEmpty { return "no connection of the world waits\n" }
    return "what waits:\n" + lines.map { "  \($0)\n" }.joined()
  }

  /// What leaves a world, and what to use instead.
  private static let exits = """
    Task.sleep waits in real time: use World.sleep or World.clock. \
    Tasks that were made outside of the world run elsewhere: use World.startTask, async let or a task group. \
    Code of @MainActor needs includesMainActor: true. \
    Dispatch queues, sockets and callbacks of the system can't run in a world.
    """
}
