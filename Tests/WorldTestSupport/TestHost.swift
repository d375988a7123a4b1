import HAPLoop
import HAPWorld

/// A simulated host with only a loopback interface, on which the programs of one test multicast.
package final class TestHost: @unchecked Sendable {  // confined to the world's thread
  /// The name of its only interface.
  package let interface = "lo"
  package let interfaceIndex: UInt32
  private let world: SimulatedWorld
  private let host: SimulatedHost

  package convenience init(seed: UInt64 = 1) { self.init(SimulatedWorld(seed: seed)) }

  fileprivate init(_ world: SimulatedWorld) {
    self.world = world
    host = world.network.addHost("test")
    interfaceIndex = host.interfaces[0].index
  }

  /// Creates and starts the event loop of another process.
  package func makeLoop(_ name: String) throws -> EventLoop {
    guard let process = host.startProcess(name) else {
      throw LoopError(.cancelled, "starting \(name): the host is off")
    }
    return world.makeLoop(name, of: process)
  }

  /// Runs a part of a test and waits for it: for code that blocks a thread until its loop has done its work. The world
  /// continues with the next part.
  package func run<T: Sendable>(_ part: @escaping @Sendable () async throws -> T) throws -> T { try world.run(part) }

  /// Ends the world.
  /// - Returns: whether it used only virtual time, without work from other threads.
  package func end() -> Bool {
    world.end()
    return world.foreignJobCount == 0
  }
}

/// Runs a test in a separate simulated world, in virtual time.
/// - Throws: the error of the test, or a `WorldError` if it waits for an impossible event or for real time.
package func withTestHost<T: Sendable>(
  seed: UInt64 = 1, _ test: @escaping @Sendable (TestHost) async throws -> T
) async throws -> T {
  let world = SimulatedWorld(seed: seed)
  let host = TestHost(world)
  return try await world.runApart(WorldLimits(time: .seconds(86_400), deniesForeignWork: true), atEnd: { $0 }) {
    try await test(host)
  }
}
