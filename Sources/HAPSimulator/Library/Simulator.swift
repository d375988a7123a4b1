import HAPLoop
import HAPSimulatorCore

/// Serves HomeKit accessories inside a test, a tool or an app. They are real to every controller, with a real port,
/// but have simulated time.
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
/// Each simulator has its own thread and clock; any number of simulators can run at the same time. All methods can be
/// called from any task. When a simulator and its accessories have no references left, they stop by themselves.
/// ``stop()`` stops them at once, and returns when they have stopped.
public final class Simulator: Sendable {
  let core: SimulatorCore

  /// Makes a simulator without accessories.
  /// - Parameters:
  ///   - time: the time of the devices. By default it is frozen until ``advance(by:)``.
  ///   - state: the storage of pairings and values.
  ///   - network: the addresses of the accessories, and whether they are announced.
  ///   - seed: the random seed of the simulation: the same seed gives the same simulation. Keys and setup codes never
  ///     come from it.
  ///   - tellsRequests: whether each request is an event too, ``AccessoryEvent/Kind/requested``, including reads,
  ///     which change nothing.
  /// - Throws: ``SimulatorError/Code/state``: the folder can't be used; ``SimulatorError/Code/network``: an address or
  ///   an interface doesn't exist; ``SimulatorError/Code/invalidValue``: the time scale is out of range.
  public init(
    time: Time = .virtual, state: State = .ephemeral, network: Network = .loopback, seed: UInt64 = 0,
    tellsRequests: Bool = false
  ) async throws(SimulatorError) {
    core = try await failing { () throws(SimulationFailure) in
      try await SimulatorCore.start(
        in: time.pace, keeping: state.path, at: network.choice, seed: seed, tellsRequests: tellsRequests)
    }
  }

  /// Makes a simulator of a simulated world, on a running loop.
  init(_ core: SimulatorCore) { self.core = core }

  deinit { core.endLoop() }

  /// Stops all accessories and ends the simulator's thread. Waiting calls fail with ``SimulatorError/Code/stopped``.
  /// May be called repeatedly.
  public func stop() async {
    await withCheckedContinuation { continuation in
      core.loop.whenEnded { continuation.resume() }
      core.endLoop()
    }
  }

  /// Serves another accessory. Controllers can pair with it when this returns.
  ///
  /// With ``State/ephemeral`` each call makes a new accessory, even for the same profile.
  /// - Parameters:
  ///   - profile: the source of the profile.
  ///   - name: replaces the profile's name.
  ///   - setupCode: replaces the profile's setup code, "031-45-154". Without either, the code is random.
  ///   - port: 0: any free port.
  /// - Throws: ``SimulatorError/Code/profile``: the profile can't be read or served; ``SimulatorError/Code/network``:
  ///   the port is in use; ``SimulatorError/Code/state``: another process or simulator runs it with the same folder;
  ///   ``SimulatorError/Code/malformed``: a name or a code that HomeKit doesn't accept.
  public func start(
    _ profile: ProfileSource, name: String? = nil, setupCode: String? = nil, port: UInt16 = 0
  ) async throws(SimulatorError) -> RunningAccessory {
    let served = try await core.loop.result { [core] done in
      core.start(profile.origin, name: name, setupCode: setupCode, port: port, done: done)
    }
    return RunningAccessory(served, of: self, at: core.shownAddress)
  }

  /// Advances frozen time. Everything that is due in this time happens before this returns, in order and at its exact
  /// time. Concurrent advances are performed one after another.
  /// - Parameter duration: 0 to ten years.
  /// - Throws: ``SimulatorError/Code/notPossible`` if time is not frozen; ``SimulatorError/Code/invalidValue`` beyond
  ///   the limits; ``SimulatorError/Code/failed`` if timers fired endlessly; ``SimulatorError/Code/cancelled`` if the
  ///   task was cancelled: an advance that has begun is completed.
  /// - Returns: the present time.
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

/// Makes a simulator for `body`, and stops it afterwards, even if `body` throws. When this returns or throws, all
/// accessories are closed.
///
/// ```swift
/// try await withSimulator { simulator in
///   let door = try await simulator.start(.file("Profiles/garage-door.hasaccessory"))
///   …
/// }
/// ```
/// - Parameters:
///   - time: as in ``Simulator/init(time:state:network:seed:tellsRequests:)``.
///   - state: the storage of pairings and values.
///   - network: the addresses of the accessories, and whether they are announced.
///   - seed: the random seed of the simulation.
///   - tellsRequests: whether each request is an event too.
///   - isolation: the actor of the caller, on which `body` runs.
///   - body: uses the simulator.
/// - Throws: the error of making the simulator or of `body`.
/// - Returns: the result of `body`.
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
