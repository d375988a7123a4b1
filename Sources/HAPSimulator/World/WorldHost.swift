import HAPLoop
import HAPStore
import HAPWorld

extension World {
  // Safe: as `World`: each property and method that uses a variable traps outside of the world's thread by `world.check`, or awaits an actor of
  // the world.
  /// A machine of a simulated world: it serves accessories, or runs the app under test, or both.
  public final class Host: @unchecked Sendable {
    private static let folder = "/state"

    /// As it was given.
    public let name: String
    /// The world that it belongs to.
    public let world: World
    let interface: SimulatedInterface
    private let machine: SimulatedHost
    private let disk: SimulatedDisk
    /// nil: none was started since the last crash.
    private var simulator: Simulator?
    private var appLoop: EventLoop?

    init(_ name: String, in world: World) {
      self.name = name
      self.world = world
      machine = world.simulated.network.addHost(name)
      interface = machine.addInterface(
        "eth0", addresses: [.init(world.newAddress(), prefixLength: 16)], link: world.link)
      disk = SimulatedDisk(.init(seed: world.seed &+ UInt64(world.hosts.count)))
    }

    /// Its IPv4 address: "10.0.0.1".
    public var address: String {
      world.check()
      return "\(interface.addresses[0].address)"
    }

    /// Whether it has power.
    public var isOn: Bool {
      world.check()
      return machine.isOn
    }

    // MARK: Accessories

    /// Serves an accessory on this host, announced by multicast DNS. It can be paired with when this returns.
    ///
    /// The host's disk keeps its identity, pairings and values: after ``kill()`` or ``losePower()``, start the same profile again. Time passes for
    /// it as for the world, so `Simulator.advance` is neither needed nor possible.
    /// - Parameters:
    ///   - profile: what it is.
    ///   - name: another name than the profile's.
    ///   - setupCode: another code to pair with than the profile's, "031-45-154". Without either the seed decides it.
    ///   - port: 0: any that is free.
    /// - Throws: as ``Simulator/start(_:name:setupCode:port:)``; ``SimulatorError/Code/notPossible`` if the host has no power.
    public func start(
      _ profile: ProfileSource, name: String? = nil, setupCode: String? = nil, port: UInt16 = 0
    ) async throws(SimulatorError) -> RunningAccessory {
      let simulator = try await world.loop.answer { [self] done in
        done(Result { () throws(SimulatorError) in try runningSimulator() })
      }
      return try await simulator.start(profile, name: name, setupCode: setupCode, port: port)
    }

    private func runningSimulator() throws(SimulatorError) -> Simulator {
      if let simulator { return simulator }
      let loop = try makeLoop("hapsim")
      do {
        let address = address
        let core = try loop.performAndWait { [self] in
          let folder = try StateFolder.open(path: Self.folder, files: disk)
          return try SimulatorCore(
            on: loop, in: .running(scale: 1), keeping: folder, at: .interfaces(), seed: world.seed,
            tellsRequests: false, backEnd: .embedded, shownAddress: address)
        }
        let simulator = Simulator(core)
        self.simulator = simulator
        return simulator
      } catch { throw SimulatorError(error) }
    }

    // MARK: The app

    /// Connects to a port of another host, or of this one.
    /// - Parameters:
    ///   - address: an IPv4 address of the world, "10.0.0.1".
    ///   - port: 1 to 65535.
    /// - Throws: ``SimulatorError/Code/refused``: nothing listens there; ``SimulatorError/Code/timedOut``: no host answers, after about two minutes;
    ///   ``SimulatorError/Code/malformed``: it is no IPv4 address; ``SimulatorError/Code/notPossible``: this host has no power;
    ///   ``SimulatorError/Code/cancelled``.
    public func connect(to address: String, port: UInt16) async throws(SimulatorError) -> Connection {
      guard !address.contains("%"), let host = try? IPAddress(address), host.isV4, port > 0 else {
        throw SimulatorError(
          .malformed, "\"\(address)\", port \(port): a connection goes to an IPv4 address and a port from 1")
      }
      let channel = try await world.loop.answer { [self] done in
        done(
          Result { () throws(SimulatorError) in
            WorldChannel(world, on: try runningAppLoop(), from: name, to: SocketAddress(host: host, port: port))
          })
      }
      try await channel.connect()
      return Connection(channel)
    }

    /// Connects to an accessory that was found.
    /// - Throws: as ``connect(to:port:)``.
    public func connect(to service: Service) async throws(SimulatorError) -> Connection {
      try await connect(to: service.address, port: service.port)
    }

    func runningAppLoop() throws(SimulatorError) -> EventLoop {
      if let appLoop { return appLoop }
      let loop = try makeLoop("app")
      appLoop = loop
      return loop
    }

    private func makeLoop(_ program: String) throws(SimulatorError) -> EventLoop {
      if disk.isDown { disk.start() }
      guard let process = machine.startProcess(program) else {
        throw SimulatorError(.notPossible, "the host \"\(name)\" has no power: restorePower() gives it power")
      }
      let loop = world.simulated.makeLoop("\(program) of \(name)", of: process)
      process.whenDead { [weak self] in self?.processDied(on: loop) }
      return loop
    }

    private func processDied(on loop: EventLoop) {
      if appLoop === loop { appLoop = nil }
      guard let simulator, simulator.core.loop === loop else { return }
      self.simulator = nil
      // Frees what it had. It has no effect outside of the process.
      loop.schedule { [core = simulator.core] in core.end() }
    }

    // MARK: Crashes

    /// Ends all programs of the host at once, as `kill -9` does: its accessories and connections. Their ``RunningAccessory`` and ``Connection`` fail
    /// with ``SimulatorError/Code/stopped`` from then on.
    public func kill() {
      world.check()
      for process in machine.processes { process.kill() }
      disk.kill()
    }

    /// Takes the power away. Nothing is sent, and the disk loses what was not synced. As ``kill()`` besides.
    public func losePower() {
      world.check()
      machine.powerOff()
      disk.losePower()
    }

    /// Gives the power back. No program runs; ``start(_:name:setupCode:port:)`` and ``connect(to:port:)`` work again.
    public func restorePower() {
      world.check()
      machine.start()
    }

    /// Stops all programs of the host until ``thaw()``. Its network still acknowledges data until its buffers are full.
    public func freeze() {
      world.check()
      for process in machine.processes { process.freeze() }
    }

    /// Continues the programs of the host.
    public func thaw() {
      world.check()
      for process in machine.processes { process.thaw() }
    }

    /// Gives the host another address, as a router does. Connections of the old one get no answer any more.
    /// - Returns: the new address.
    @discardableResult
    public func changeAddress() -> String {
      world.check()
      interface.setAddresses([.init(world.newAddress(), prefixLength: 16)])
      return address
    }

    /// Disconnects the host from the network, as a pulled cable does, or connects it again.
    public func setConnected(_ isConnected: Bool) {
      world.check()
      interface.setUp(isConnected)
    }
  }
}
