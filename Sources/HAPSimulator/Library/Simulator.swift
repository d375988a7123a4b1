import HAPLoop
import HAPSimulatorCore

/// Serves HomeKit accessories from inside a test, a tool or an app: real ones for every controller, with a real port, in a time of their own.
///
/// ```swift
/// let simulator = try await Simulator()
/// let door = try await simulator.start(.file("Profiles/garage-door.hasaccessory"))
/// try await app.pair(with: door.setupCode, at: door.address, door.port)   // the app under test
/// try await app.openTheDoor()
/// try await door.written("TargetDoorState", "open")
/// try await simulator.advance(by: .seconds(10))
/// try await door.becomes("CurrentDoorState", "open")
/// ```
///
/// Each simulator has a thread and a clock of its own; any number of them can stand side by side. All can be called from any task. When nothing
/// refers to a simulator and to its accessories any more, they stop by themselves; ``stop()`` does it at once, and returns when it is done.
public final class Simulator: Sendable {
  let core: SimulatorCore

  /// A simulator without accessories.
  /// - Parameters:
  ///   - time: how time passes for the devices. As a rule it stands still until ``advance(by:)``.
  ///   - state: where accessories keep pairings and values.
  ///   - network: where they listen, and whether they are announced.
  ///   - seed: of the simulation's chance: the same seed gives the same simulation. Keys and setup codes never come from it.
  ///   - tellsRequests: whether each request that comes is an event, too, ``AccessoryEvent/Kind/requested``: also reads, which change nothing.
  /// - Throws: ``SimulatorError/Code/state``: the folder can't be used; ``SimulatorError/Code/network``: an address or an interface isn't there;
  ///   ``SimulatorError/Code/invalidValue``: a time beyond its limits.
  public init(
    time: Time = .virtual, state: State = .ephemeral, network: Network = .loopback, seed: UInt64 = 0,
    tellsRequests: Bool = false
  ) async throws(SimulatorError) {
    core = try await failing { () throws(SimulationFailure) in
      try await SimulatorCore.start(
        in: time.pace, keeping: state.path, at: network.choice, seed: seed, tellsRequests: tellsRequests)
    }
  }

  /// A simulator of a simulated world, on a loop that runs.
  init(_ core: SimulatorCore) { self.core = core }

  deinit { core.endLoop() }

  /// Stops all accessories and ends the simulator's thread. What waits fails with ``SimulatorError/Code/stopped``. Any number of times.
  public func stop() async {
    await withCheckedContinuation { continuation in
      core.loop.whenEnded { continuation.resume() }
      core.endLoop()
    }
  }

  /// Serves one more accessory. It can be paired with when this returns.
  ///
  /// With ``State/ephemeral`` it is a new accessory each time, also of the same profile.
  /// - Parameters:
  ///   - profile: what it is.
  ///   - name: another name than the profile's.
  ///   - setupCode: another code to pair with than the profile's, "031-45-154". Without either it is drawn.
  ///   - port: 0: any that is free.
  /// - Throws: ``SimulatorError/Code/profile``: the profile can't be read or served; ``SimulatorError/Code/network``: the port is taken;
  ///   ``SimulatorError/Code/state``: another process or simulator runs it with the same folder; ``SimulatorError/Code/malformed``: a name or a
  ///   code that HomeKit doesn't take.
  public func start(
    _ profile: ProfileSource, name: String? = nil, setupCode: String? = nil, port: UInt16 = 0
  ) async throws(SimulatorError) -> RunningAccessory {
    let served = try await core.loop.result { [core] done in
      core.start(profile.origin, name: name, setupCode: setupCode, port: port, done: done)
    }
    return RunningAccessory(served, of: self, at: core.shownAddress)
  }

  /// Lets time pass that stands still: everything that is due on the way happens, in order and at its moment, before this returns. Advances that
  /// are asked for at the same time follow one another.
  /// - Parameter duration: 0 to ten years.
  /// - Throws: ``SimulatorError/Code/notPossible`` where time passes by itself; ``SimulatorError/Code/invalidValue`` beyond the limits;
  ///   ``SimulatorError/Code/failed`` when timers fired without end; ``SimulatorError/Code/cancelled``: time goes on to where it was to go, if that
  ///   had begun.
  /// - Returns: the time now.
  @discardableResult
  public func advance(by duration: Duration) async throws(SimulatorError) -> Duration {
    try await core.loop.resultUnlessCancelled { [core] done in core.advance(by: duration, done: done) }
  }

  /// The simulator's time: 0 when it was made.
  /// - Throws: ``SimulatorError/Code/stopped``.
  public var now: Duration {
    get async throws(SimulatorError) { try await core.loop.result { [core] done in done(core.now) } }
  }
}

/// Makes a simulator for `body`, and stops it afterwards, whatever comes of it: when this returns or throws, all its accessories are closed.
///
/// ```swift
/// try await withSimulator { simulator in
///   let door = try await simulator.start(.file("Profiles/garage-door.hasaccessory"))
///   …
/// }
/// ```
/// - Parameters:
///   - time: as of ``Simulator/init(time:state:network:seed:tellsRequests:)``, and so are the others.
///   - body: what is done with it.
/// - Throws: what making it or `body` throws.
/// - Returns: what `body` returns.
public func withSimulator<T>(
  time: Simulator.Time = .virtual, state: Simulator.State = .ephemeral, network: Simulator.Network = .loopback,
  seed: UInt64 = 0, tellsRequests: Bool = false, isolation: isolated (any Actor)? = #isolation,
  _ body: (Simulator) async throws -> T
) async throws -> T {
  let simulator = try await Simulator(
    time: time, state: state, network: network, seed: seed, tellsRequests: tellsRequests)
  do {
    let result = try await body(simulator)
    await simulator.stop()
    return result
  } catch {
    await simulator.stop()
    throw error
  }
}
