import HAPLoop
import HAPSimulatorCore
import HAPWorld

// Safe: a test runs the world on one thread, and only this thread runs tasks of the world. Each property and method
// that uses a variable traps on any other thread by `check`, or awaits an actor of the world.
/// A simulated world for a test: hosts, one network and one clock, all determined by a seed. See
/// ``withSimulatedWorld(seed:timeLimit:includesMainActor:file:line:_:)``.
///
/// Nothing in it uses a socket, a file or the time of the machine. Its clock moves only when nothing can run, so an
/// hour of waiting takes no real time. Everything here is for the tasks of the world: the body, and the tasks that
/// it starts with `async let`, task groups, actors or ``startTask(_:)``. A property or a method that doesn't await
/// traps if it is used elsewhere.
public final class World: @unchecked Sendable {
  /// The seed that determines everything in it. `HAPSIM_SEED` in the environment sets it, to repeat a failure.
  public let seed: UInt64
  let simulated: SimulatedWorld
  package let link: SimulatedLink
  /// Belongs to no host: for the test's own waits.
  let loop: EventLoop
  private(set) var hosts: [Host] = []
  private var lastAddress = 0
  let waits: WorldWaits

  /// The world of the current task; `nil`: the task is in no world.
  @TaskLocal static var current: World?

  convenience init(seed: UInt64, includesMainActor: Bool) {
    self.init(SimulatedWorld(seed: seed, includesMainQueue: includesMainActor))
  }

  /// The API of a world that runs on a thread of its own. On this thread.
  package init(_ simulated: SimulatedWorld) {
    seed = simulated.seed
    self.simulated = simulated
    waits = WorldWaits(simulated)
    link = simulated.network.addLink("network")
    guard let process = simulated.network.addHost("test").startProcess("test") else {
      preconditionFailure("a new host is on")
    }
    loop = simulated.makeLoop("test", of: process)
  }

  // MARK: Time

  /// The virtual time since the world began.
  public var now: Duration {
    check()
    return simulated.now
  }

  /// Waits in virtual time.
  /// - Parameter duration: at least 0.
  /// - Throws: `CancellationError` if the task is cancelled; ``SimulatorError/Code/stopped`` if the world ends first.
  public func sleep(for duration: Duration) async throws {
    do { try await loop.sleep(for: duration) } catch is LoopError {
      throw SimulatorError(.stopped, "the simulated world has ended")
    }
  }

  /// The clock of the world, for code that takes a `Clock`.
  public var clock: Clock { Clock(world: self) }

  // MARK: Hosts and tasks

  /// Adds a host that is on and connected to the network, with an IPv4 address and an empty disk.
  /// - Parameter name: for messages. It need not be unique.
  public func addHost(_ name: String) -> Host {
    check()
    let host = Host(name, in: self)
    hosts.append(host)
    return host
  }

  /// Breaks a cycle of references when the world ends.
  package func forgetHosts() { hosts = [] }

  /// The network that connects all hosts.
  public var network: Network { Network(world: self) }

  /// Starts a task of the world. On Linux, `Task { }` and `Task.detached` in code of the world stay in it too.
  @discardableResult
  public func startTask<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) -> Task<T, any Error> {
    loop.startTask(body)
  }

  /// Returns a generator of random numbers that are determined by the seed and the label.
  /// - Parameter label: generators of different labels give different numbers.
  public func randomNumbers(_ label: String = "") -> RandomNumbers {
    RandomNumbers(random: WorldRandom(seed: seed).fork("test \(label)"))
  }

  /// Random numbers that a world's seed determines.
  public struct RandomNumbers: RandomNumberGenerator, Sendable {
    fileprivate var random: WorldRandom

    /// Returns the next number, with 64 random bits.
    public mutating func next() -> UInt64 { random.next() }
  }

  // MARK: Results

  /// A hash of everything that has happened in the world. Two runs of one test with one seed have the same hash.
  public var traceHash: UInt64 {
    check()
    return simulated.trace.hash
  }

  /// The number of times that work came from outside of the world. The first time ends the run with
  /// ``SimulatorError/Code/leftWorld``.
  public var foreignJobCount: Int { simulated.foreignJobCount }

  // MARK: For the parts of the world

  /// Traps if the caller is not in a task of the world.
  func check(_ name: StaticString = #function) {
    precondition(
      simulated.isOnThread,
      "\(name) of a simulated world was used outside of the tasks of the world: use it in the body of withSimulatedWorld or in World.startTask, not on a dispatch queue, in a task from outside, or after the body"
    )
  }

  /// Returns an address that no host has had.
  package func newAddress() -> IPAddress {
    lastAddress += 1
    precondition(lastAddress <= 250 * 250, "a simulated world has 62500 addresses")
    let (high, low) = (lastAddress - 1).quotientAndRemainder(dividingBy: 250)
    return IPAddress(bytes: [10, 0, UInt8(high), UInt8(low + 1)])!
  }
}

extension World: CustomStringConvertible {
  /// "the simulated world of seed 7 (HAPSIM_SEED=7 runs it again)", for comments of expectations.
  public var description: String { "the simulated world of seed \(seed) (HAPSIM_SEED=\(seed) runs it again)" }
}
