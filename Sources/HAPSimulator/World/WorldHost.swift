import HAPLoop
import HAPSimulatorCore
import HAPWorld

extension World {
  // Safe: like in `World`, each property and method that uses a variable traps outside of the world's thread by
  // `world.check`, or awaits an actor of the world.
  /// A machine of a simulated world. It serves accessories, runs the app under test, or both.
  public final class Host: @unchecked Sendable {
    /// The name that ``World/addHost(_:)`` was given.
    public var name: String { machine.name }
    /// The world of the host.
    public let world: World
    private let machine: WorldMachine
    /// `nil`: not started since the last crash.
    private var simulator: Simulator?

    init(_ name: String, in world: World) {
      self.world = world
      machine = WorldMachine(
        name, in: world.simulated, link: world.link, address: world.newAddress(),
        seed: world.seed &+ UInt64(world.hosts.count))
      machine.onAccessoriesDied = { [unowned self] in simulator = nil }
    }

    var interface: SimulatedInterface { machine.interface }

    /// Its IPv4 address: "10.0.0.1".
    public var address: String {
      world.check()
      return machine.address
    }

    /// Whether it has power.
    public var isOn: Bool {
      world.check()
      return machine.isOn
    }

    // MARK: Accessories

    /// Serves an accessory on this host, announced by multicast DNS. Controllers can pair with it when this returns.
    ///
    /// The host's disk stores its identity, pairings and values. After ``kill()`` or ``losePower()``, start the same
    /// profile again. The accessory has the world's time, so `Simulator.advance` is neither needed nor possible.
    /// - Parameters:
    ///   - profile: the source of the profile.
    ///   - name: replaces the profile's name.
    ///   - setupCode: replaces the profile's setup code, "031-45-154". Without either, the seed determines the code.
    ///   - port: 0: any free port.
    /// - Throws: as ``Simulator/start(_:name:setupCode:port:)``; ``SimulatorError/Code/notPossible`` if the host has no power.
    public func start(
      _ profile: ProfileSource, name: String? = nil, setupCode: String? = nil, port: UInt16 = 0
    ) async throws(SimulatorError) -> RunningAccessory {
      let simulator = try await world.loop.result { [self] done in
        done(Result { () throws(SimulationFailure) in try runningSimulator() })
      }
      return try await simulator.start(profile, name: name, setupCode: setupCode, port: port)
    }

    private func runningSimulator() throws(SimulationFailure) -> Simulator {
      let core = try machine.accessories(seed: world.seed)
      if let simulator { return simulator }
      let new = Simulator(core)
      simulator = new
      return new
    }

    // MARK: The app

    /// Connects to a port of another host, or of this one.
    /// - Parameters:
    ///   - address: an IPv4 address of the world, "10.0.0.1".
    ///   - port: 1 to 65535.
    /// - Throws: ``SimulatorError/Code/refused``: nothing listens there; ``SimulatorError/Code/timedOut``: no host
    ///   answers, after about two minutes; ``SimulatorError/Code/malformed``: the address is not an IPv4 address;
    ///   ``SimulatorError/Code/notPossible``: this host has no power; ``SimulatorError/Code/cancelled``.
    public func connect(to address: String, port: UInt16) async throws(SimulatorError) -> Connection {
      guard !address.contains("%"), let host = try? IPAddress(address), host.isV4, port > 0 else {
        throw SimulatorError(
          .malformed, "\"\(address)\", port \(port): a connection needs an IPv4 address and a port from 1")
      }
      let channel = try await world.loop.result { [self] done in
        done(
          Result { () throws(SimulationFailure) in
            WorldChannel(world.waits, on: try runningAppLoop(), from: name, to: SocketAddress(host: host, port: port))
          })
      }
      try await failing { () throws(SimulationFailure) in try await channel.connect() }
      return Connection(channel)
    }

    /// Connects to an accessory that was found by multicast DNS.
    /// - Throws: as ``connect(to:port:)``.
    public func connect(to service: Service) async throws(SimulatorError) -> Connection {
      try await connect(to: service.address, port: service.port)
    }

    func runningAppLoop() throws(SimulationFailure) -> EventLoop { try machine.runningAppLoop() }

    // MARK: Crashes

    /// Ends all programs of the host at once, as `kill -9` does. Its accessories and connections end, and from then on
    /// their ``RunningAccessory`` and ``Connection`` fail with ``SimulatorError/Code/stopped``.
    public func kill() {
      world.check()
      machine.kill()
    }

    /// Cuts the power. Nothing is sent, and the disk loses data that was not synced. Otherwise like ``kill()``.
    public func losePower() {
      world.check()
      machine.losePower()
    }

    /// Restores the power. No program runs; ``start(_:name:setupCode:port:)`` and ``connect(to:port:)`` work again.
    public func restorePower() {
      world.check()
      machine.restorePower()
    }

    /// Suspends all programs of the host until ``thaw()``. Its network acknowledges data until its buffers are full.
    public func freeze() {
      world.check()
      machine.freeze()
    }

    /// Resumes the programs of the host.
    public func thaw() {
      world.check()
      machine.thaw()
    }

    /// Gives the host another address, as a router may do. Connections of the old address get no more answers.
    /// - Returns: the new address.
    @discardableResult
    public func changeAddress() -> String {
      world.check()
      machine.setAddress(world.newAddress())
      return address
    }

    /// Disconnects the host from the network, like a pulled cable, or connects it again.
    public func setConnected(_ isConnected: Bool) {
      world.check()
      interface.setUp(isConnected)
    }
  }
}
