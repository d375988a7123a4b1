import HAPLoop

/// A TCP socket of a process that is bound to a port. It accepts connections after `listen(backlog:)` and refuses them
/// before.
package final class SimulatedListener: ProcessResource {
  /// The local address, with the chosen port.
  package let address: SocketAddress
  /// The path of a local socket; nil: TCP.
  package let path: String?
  /// The only interface that accepts connections; nil: any.
  let interface: SimulatedInterface?
  package let process: SimulatedProcess
  let id: UInt64
  package private(set) var isListening = false
  package private(set) var isClosed = false
  private var backlog = 0
  private var waiting = Fifo<SimulatedConnection>()
  /// Connections whose handshake isn't complete, by id.
  private var halfOpen: [UInt64: SimulatedConnection] = [:]
  var onConnection: (() -> Void)?
  private var isNotified = false
  /// While false, connections wait in the backlog.
  package var isAccepting = true { didSet { if isAccepting { notify() } } }

  init(_ process: SimulatedProcess, _ address: SocketAddress, interface: SimulatedInterface?, path: String? = nil) {
    self.process = process
    self.address = address
    self.interface = interface
    self.path = path
    id = process.host.network.newID()
    process.keep(self, id)
    if path == nil { process.host.tcpPorts[address.port, default: []].append(self) }
  }

  package var port: UInt16 { address.port }
  /// The number of connections that wait to be accepted.
  package var waitingCount: Int { waiting.count }
  private var host: SimulatedHost { process.host }

  /// Begins to listen.
  /// - Parameter onConnection: called while connections wait. It has to call `accept()`.
  /// - Throws: `.addressInUse` if another socket listens on the address.
  package func listen(backlog: Int, onConnection: @escaping () -> Void) throws(LoopError) {
    if isClosed { throw LoopError(.cancelled, while: "listening on \(host.text(address))") }
    if path == nil, host.hasListener(address, interface, except: self) {
      throw LoopError(.addressInUse, "port \(port) is in use")
    }
    self.backlog = min(max(backlog, 0), host.network.settings.longestBacklog)
    self.onConnection = onConnection
    isListening = true
  }

  /// Returns the connection that has waited for the longest time; nil: none waits. Its events begin after
  /// `setReading(true)`.
  /// - Throws: `.tooManyOpenFiles`. The connection continues to wait.
  package func accept() throws(LoopError) -> SimulatedConnection? {
    guard !isClosed, !waiting.isEmpty else { return nil }
    try process.checkDescriptor(while: "accepting a connection on \(host.text(address))")
    let connection = waiting.popFirst()!
    connection.accepted(by: process)
    return connection
  }

  /// Stops listening and frees the port. Connections that were not accepted are reset.
  package func close() {
    guard !isClosed else { return }
    process.release(id)
    end { $0.sendReset() }
  }

  private func end(_ drop: (SimulatedConnection) -> Void) {
    isClosed = true
    isListening = false
    onConnection = nil
    if path == nil {
      host.tcpPorts[port]?.removeAll { $0 === self }
      if host.tcpPorts[port]?.isEmpty == true { host.tcpPorts[port] = nil }
    } else {
      host.listenerClosed(self)
    }
    let dropped = waiting.drain() + halfOpen.sorted { $0.key < $1.key }.map(\.value)
    halfOpen = [:]
    for connection in dropped { drop(connection) }
  }

  // MARK: The kernel's side

  var isFull: Bool { waiting.count + halfOpen.count > backlog }

  func handshakeBegan(_ connection: SimulatedConnection) { halfOpen[connection.id] = connection }
  func handshakeFailed(_ connection: SimulatedConnection) { halfOpen[connection.id] = nil }

  func handshakeDone(_ connection: SimulatedConnection) {
    halfOpen[connection.id] = nil
    waiting.append(connection)
    notify()
  }

  private func notify() {
    guard !isNotified, isAccepting, !waiting.isEmpty, onConnection != nil else { return }
    isNotified = true
    process.post { [self] in
      isNotified = false
      guard isAccepting, !waiting.isEmpty, let onConnection else { return }
      let before = waiting.count
      onConnection()
      if waiting.count < before { notify() }
    }
  }

  func processDied() { end { $0.sendReset() } }
  func powerLost() { end { $0.powerLost() } }

  func forgetCallbacks() {
    onConnection = nil
    waiting.removeAll()
    halfOpen = [:]
  }
}

extension SimulatedProcess {
  /// Binds a TCP socket.
  /// - Parameters:
  ///   - host: an address of this host, `0.0.0.0`, or `::` for IPv6 and IPv4.
  ///   - interface: the name of the only interface that accepts connections. Connections from the host itself arrive on
  ///     `lo`.
  ///   - port: 0: any free port.
  /// - Throws: `.addressInUse`, `.addressNotAvailable`, `.tooManyOpenFiles`, …
  package func bind(host address: IPAddress, interface: String? = nil, port: UInt16) throws(LoopError)
    -> SimulatedListener
  {
    var place = SocketAddress(host: address, port: port)
    try checkDescriptor(while: "listening on \(host.text(place))")
    let bound = try host.boundInterface(interface, interface ?? "")
    try host.checkOwn(address)
    if port == 0 {
      guard let free = host.freePort({ host.tcpPorts[$0] == nil }) else {
        throw LoopError(.addressInUse, "no port is free")
      }
      place.port = free
    } else if host.hasListener(place, bound, except: nil) {
      throw LoopError(.addressInUse, "port \(port) is in use")
    }
    return SimulatedListener(self, place, interface: bound)
  }

  /// Binds a TCP socket and listens.
  /// - Throws: the same errors as `bind`.
  package func listen(
    host address: IPAddress, interface: String? = nil, port: UInt16, backlog: Int = 4096,
    onConnection: @escaping (SimulatedListener) -> Void
  ) throws(LoopError) -> SimulatedListener {
    let listener = try bind(host: address, interface: interface, port: port)
    do throws(LoopError) {
      try listener.listen(backlog: backlog) { [unowned listener] in onConnection(listener) }
    } catch {
      listener.close()
      throw error
    }
    return listener
  }
}
