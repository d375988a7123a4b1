import HAPLoop

/// A machine of a simulated network: interfaces, processes, and a kernel with its ports.
package final class SimulatedHost {
  package let network: SimulatedNetwork
  package let name: String
  let id: UInt64
  package private(set) var isOn = true
  /// The interfaces in the order of their index. The first one is the loopback interface.
  package private(set) var interfaces: [SimulatedInterface] = []
  package private(set) var processes: [SimulatedProcess] = []
  /// The difference between the host's civil clock and the world's clock, which starts at `worldBegin`. A change is a
  /// jump of the civil clock.
  package var clockOffset = Duration.zero {
    didSet { network.trace.note("host.clock", id, UInt64(bitPattern: clockOffset.components.seconds)) }
  }
  /// The civil time at the start of the world: 2026-01-01T00:00:00Z, as a time since 1970.
  package static let worldBegin = Duration.seconds(1_767_225_600)
  var random: WorldRandom
  private var lastPID: Int32 = 100
  private var powerOffAfterShutdown: Agenda.Token?

  // The state of the kernel.
  var connections: [UInt64: SimulatedConnection] = [:]
  var tcpPorts: [UInt16: [SimulatedListener]] = [:]
  var udpPorts: [UInt16: [SimulatedUDPSocket]] = [:]
  var outgoingPorts: Set<OutgoingPort> = []
  var localPaths: [String: LocalPath] = [:]

  init(_ network: SimulatedNetwork, name: String, id: UInt64) {
    self.network = network
    self.name = name
    self.id = id
    random = network.random.fork("host \(id)")
    let addresses: [SimulatedInterface.Address] = [
      .init(.loopbackV4, prefixLength: 8),
      .init(IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])!, prefixLength: 128),
    ]
    interfaces = [SimulatedInterface(self, name: "lo", index: 1, mtu: 65_536, isLoopback: true, addresses)]
  }

  var loopback: SimulatedInterface { interfaces[0] }

  /// The civil time since 1970, in UTC.
  package var wallClock: Duration { Self.worldBegin + .nanoseconds(Int64(clamping: network.agenda.now)) + clockOffset }

  /// Adds an interface that is up.
  /// - Parameters:
  ///   - index: the index; nil, or an index in use: the highest index plus one.
  ///   - link: the link to which the interface is attached; nil: none.
  package func addInterface(
    _ name: String, index: UInt32? = nil, mtu: Int = 1500, addresses: [SimulatedInterface.Address],
    link: SimulatedLink? = nil
  ) -> SimulatedInterface {
    let highest = interfaces.map(\.index).max() ?? 1
    let wanted = index ?? highest + 1
    let isFree = wanted > 0 && !interfaces.contains { $0.index == wanted }
    let interface = SimulatedInterface(
      self, name: name, index: isFree ? wanted : highest + 1, mtu: mtu, isLoopback: false, addresses)
    interfaces.append(interface)
    interfaces[1...].sort { $0.index < $1.index }
    interface.attach(to: link)
    interfacesChanged()
    return interface
  }

  package func interface(named name: String) -> SimulatedInterface? { interfaces.first { $0.name == name } }
  package func interface(at index: UInt32) -> SimulatedInterface? { interfaces.first { $0.index == index } }

  func interfacesChanged() {
    network.topologyChanged()
    for process in processes { process.interfacesChanged() }
  }

  // MARK: Lifecycle

  /// Starts a process. Returns nil if the host is off.
  package func startProcess(_ name: String, uid: UInt32 = 1000) -> SimulatedProcess? {
    guard isOn else { return nil }
    lastPID = lastPID == .max ? 101 : lastPID + 1
    let process = SimulatedProcess(self, name: name, pid: lastPID, uid: uid)
    processes.append(process)
    network.trace.note("process.start", id, UInt64(lastPID))
    return process
  }

  /// Switches the power off. No packet is sent, and no process is notified.
  package func powerOff() {
    guard isOn else { return }
    cancelShutdown()
    network.trace.note("host.off", id)
    isOn = false
    network.topologyChanged()
    for process in processes { process.powerLost() }
    for connection in sortedConnections { connection.powerLost() }
    connections = [:]
    tcpPorts = [:]
    udpPorts = [:]
    outgoingPorts = []
    // The names stay in the file system, without listeners.
    for path in localPaths.keys { localPaths[path]!.listener = nil }
  }

  /// Ends all processes as `kill()` does, and switches the power off half a second later.
  package func shutDown() {
    guard isOn, powerOffAfterShutdown == nil else { return }
    network.trace.note("host.shutdown", id)
    for process in processes { process.kill() }
    powerOffAfterShutdown = network.agenda.schedule(after: Nanoseconds.second / 2) { [self] in powerOff() }
  }

  /// Switches the host on. It has no process yet. Interfaces and addresses are unchanged.
  package func start() {
    if powerOffAfterShutdown != nil { powerOff() }
    guard !isOn else { return }
    network.trace.note("host.on", id)
    isOn = true
    network.topologyChanged()
  }

  private func cancelShutdown() {
    if let token = powerOffAfterShutdown { network.agenda.cancel(token) }
    powerOffAfterShutdown = nil
  }

  func processEnded(_ process: SimulatedProcess) { processes.removeAll { $0 === process } }

  var sortedConnections: [SimulatedConnection] { connections.sorted { $0.key < $1.key }.map(\.value) }

  func tearDown() {
    for process in processes { process.forgetCallbacks() }
    for connection in sortedConnections { connection.tearDown() }
    for interface in interfaces { interface.forgetAll() }
    processes = []
    connections = [:]
    tcpPorts = [:]
    udpPorts = [:]
    localPaths = [:]
    interfaces = [interfaces[0]]
  }

  /// Returns an address as text, with the name of its interface if it is scoped.
  func text(_ address: IPAddress) -> String {
    if address.scope == 0 { return address.description }
    return "\(address.unscoped)%\(interface(at: address.scope)?.name ?? "\(address.scope)")"
  }

  func text(_ address: SocketAddress) -> String {
    let host = text(address.host)
    return address.host.isV4 ? "\(host):\(address.port)" : "[\(host)]:\(address.port)"
  }
}
