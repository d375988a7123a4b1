import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPWorld
import HaptestProgram

/// A world with one host, on which hapsim is installed, and a process with a loop.
package struct SimulatedLaboratory: @unchecked Sendable {  // confined to the world's thread
  package let world: SimulatedWorld
  /// The loop of the process that uses the laboratory.
  package let loop: EventLoop
  /// The disk of the host.
  package let disk: SimulatedDisk
  private let process: SimulatedProcess

  package init(seed: UInt64 = 0) {
    // Runs of one seed repeat the same computations of SRP and of the curves, so a table of results saves time.
    PowerTable.use()
    let world = SimulatedWorld(seed: seed)
    self.world = world
    let link = world.network.addLink("lan")
    let host = world.network.addHost("laboratory")
    let address = SimulatedInterface.Address(IPAddress(bytes: [10, 0, 0, 1])!, prefixLength: 24)
    _ = host.addInterface("lan", addresses: [address], link: link)
    var options = SimulatedDisk.Options(seed: seed)
    options.now = { 1_767_225_600_000 + Int64(world.now / .milliseconds(1)) }
    disk = SimulatedDisk(options)
    world.installHapsim(on: disk)
    world.installHapctl(on: disk)
    guard let user = host.startProcess("user") else { preconditionFailure("the host is on") }
    process = user
    loop = world.makeLoop("user", of: process)
  }

  /// Creates an unstarted loop in the process that uses the laboratory.
  package func makeLoop(_ name: String) -> EventLoop { world.makeUnstartedLoop(name, of: process) }

  /// Sets the civil clock of the host.
  /// - Parameter time: the time since 1970, in UTC.
  package func setClock(_ time: Duration) { process.host.clockOffset += time - process.host.wallClock }

  /// Ends a process of the host, as SIGKILL does.
  package func kill(_ number: Int32) { process.host.processes.first { $0.pid == number }?.kill() }

  /// Runs haptest in the process that uses the laboratory.
  /// - Parameter words: the arguments after `haptest run`.
  package func test(_ words: [String], _ console: Console) -> ExitCode {
    runTest(words, in: WorldPlace(world, loop), console)
  }
}

private struct WorldPlace: LoopPlace, @unchecked Sendable {  // confined to the world's thread
  private let world: SimulatedWorld
  private let loop: EventLoop

  init(_ world: SimulatedWorld, _ loop: EventLoop) {
    self.world = world
    self.loop = loop
  }

  func run<T: Sendable>(_ console: Console, _ body: @escaping @Sendable (EventLoop) async throws -> T) throws -> T {
    let loop = loop
    return try world.run { try await body(loop) }
  }
}
