import HAPLoop

/// A datagram that has arrived at a socket.
package struct SimulatedDatagram {
  package let bytes: [UInt8]
  package let source: SocketAddress
  /// The destination address, which can be a group.
  package let destination: IPAddress
  /// The index of the interface at which it arrived.
  package let interface: UInt32
  package let hopLimit: UInt8
  /// The number of datagrams that this socket had dropped before this one arrived.
  package fileprivate(set) var droppedBefore: UInt64 = 0

  init(bytes: [UInt8], source: SocketAddress, destination: IPAddress, interface: UInt32, hopLimit: UInt8) {
    self.bytes = bytes
    self.source = source
    self.destination = destination
    self.interface = interface
    self.hopLimit = hopLimit
  }
}

/// A UDP socket of a process, which may share its port with others and join groups.
package final class SimulatedUDPSocket: ProcessResource {
  struct Membership: Hashable {
    let group: IPAddress
    let interface: UInt32
  }

  /// The maximum number of groups of a socket: Linux's limit for IPv4, used here for both families.
  private static let mostGroups = 20
  /// The number of bytes that Linux counts for a datagram in addition to its data.
  private static let overhead = 768
  private static let longestPayload = 65_507

  package let process: SimulatedProcess
  /// The local address, with the chosen port.
  package let address: SocketAddress
  let isSharing: Bool
  let id: UInt64
  package private(set) var isClosed = false
  /// The number of datagrams that were dropped because the queue was full.
  package private(set) var droppedCount: UInt64 = 0
  /// Whether sockets of this host receive the datagrams that this one sends to groups.
  package var loopsBack = true
  private(set) var memberships: [Membership] = []
  private var queue = Fifo<SimulatedDatagram>()
  private var queuedBytes = 0
  private var limit: Int
  private var hops: UInt8?
  private var multicastInterface: UInt32 = 0
  private var multicastSource: IPAddress?
  var onReadable: (() -> Void)?
  private var isNotified = false
  /// While false, datagrams wait in the queue.
  package var isReading = true { didSet { if isReading { notify() } } }

  init(_ process: SimulatedProcess, _ address: SocketAddress, sharing: Bool, _ onReadable: @escaping () -> Void) {
    self.process = process
    self.address = address
    isSharing = sharing
    self.onReadable = onReadable
    id = process.host.network.newID()
    limit = process.host.network.settings.datagramBuffer
    process.keep(self, id)
    process.host.udpPorts[address.port, default: []].append(self)
  }

  private var host: SimulatedHost { process.host }

  // MARK: Receiving

  /// Returns the oldest unread datagram.
  package func receive() -> SimulatedDatagram? {
    guard let first = queue.popFirst() else { return nil }
    queuedBytes -= first.bytes.count + Self.overhead
    return first
  }

  /// Sets the maximum size of unread datagrams in bytes. As on Linux, the actual size is twice as large, up to a limit.
  package func setReceiveBuffer(_ bytes: Int) { limit = min(max(bytes, 1152), 212_992) * 2 }

  func arrives(_ datagram: SimulatedDatagram) {
    guard !isClosed else { return }
    let size = datagram.bytes.count + Self.overhead
    guard queuedBytes + size <= limit else {
      droppedCount += 1
      host.network.trace.note("udp.full", id)
      return
    }
    var datagram = datagram
    datagram.droppedBefore = droppedCount
    queuedBytes += size
    queue.append(datagram)
    notify()
  }

  private func notify() {
    guard !isNotified, isReading, !queue.isEmpty, onReadable != nil else { return }
    isNotified = true
    process.post { [self] in
      isNotified = false
      guard isReading, !queue.isEmpty, let onReadable else { return }
      let before = queue.count
      onReadable()
      if queue.count < before { notify() }
    }
  }

  // MARK: Groups

  /// Receives the datagrams sent to `group` on an interface.
  /// - Throws: `.other` for an address that isn't a group, an unknown interface, or too many groups; `.addressInUse` if
  ///   the socket is already a member.
  package func join(_ group: IPAddress, on index: UInt32) throws(LoopError) {
    let doing = "joining \(group.unscoped)"
    if isClosed { throw LoopError(.cancelled, while: doing) }
    guard group.isMulticast, group.isV4 == address.host.isV4 else {
      throw LoopError(.other(SystemStatus.invalidArgument), while: doing)
    }
    guard let interface = index == 0 ? defaultInterface : host.interface(at: index) else {
      throw LoopError(.other(SystemStatus.noSuchDevice), while: doing)
    }
    let membership = Membership(group: group.unscoped, interface: interface.index)
    if memberships.contains(membership) { throw LoopError(.addressInUse, while: doing) }
    if memberships.count >= Self.mostGroups { throw LoopError(.other(SystemStatus.noBufferSpace), while: doing) }
    memberships.append(membership)
    interface.link?.join(membership.group, interface)
  }

  /// Sets the interface on which later datagrams to groups are sent.
  /// - Parameter source: the source address.
  package func multicast(on index: UInt32, source: IPAddress? = nil) throws(LoopError) {
    if isClosed || index != 0 && host.interface(at: index) == nil {
      throw LoopError(.other(SystemStatus.noSuchDevice), while: "multicasting on interface \(index)")
    }
    multicastInterface = index
    multicastSource = source.flatMap { $0.isV4 && address.host.isV4 ? $0 : nil }
  }

  /// Sets the TTL or hop limit of later datagrams, to groups and to addresses. With 0, datagrams to groups reach only
  /// this host.
  package func setHops(_ hops: UInt8) { self.hops = hops }

  private var defaultInterface: SimulatedInterface? {
    host.interfaces.first { $0.isUp && $0.link != nil && $0.source(for: address.host) != nil }
  }

  // MARK: Sending

  /// Sends one datagram. It never waits.
  /// - Throws: `.networkUnreachable`, or `.other` for a datagram that can't be sent.
  package func send(_ bytes: [UInt8], to target: SocketAddress) throws(LoopError) {
    if isClosed { throw LoopError(.cancelled, "sending: the socket is closed") }
    let doing = "sending to \(host.text(target))"
    if target.port == 0 { throw LoopError(.other(SystemStatus.invalidArgument), while: doing) }
    if target.host.isV4 != address.host.isV4 { throw LoopError(.networkUnreachable, while: doing) }
    if bytes.count > Self.longestPayload { throw LoopError(.other(SystemStatus.messageTooLong), while: doing) }
    if target.host.isMulticast { return try sendToGroup(bytes, target, doing) }
    let destination = target.host.isUnspecified ? host.loopbackAddress(like: target.host) : target.host
    do throws(LoopError) {
      let (interface, source) = try host.route(to: destination)
      let datagram = Outgoing(
        bytes: bytes, source: from(source), destination: SocketAddress(host: destination, port: target.port),
        hopLimit: max(hops ?? 64, 1))
      host.network.send(datagram, on: host.owns(destination) ? host.loopback : interface)
    } catch {
      throw LoopError(error.code, while: doing)
    }
  }

  private func sendToGroup(_ bytes: [UInt8], _ target: SocketAddress, _ doing: String) throws(LoopError) {
    let index = target.host.scope != 0 ? target.host.scope : multicastInterface
    let interface = index == 0 ? defaultInterface : host.interface(at: index)
    guard let interface, interface.isUp else { throw LoopError(.networkUnreachable, while: doing) }
    guard let source = multicastSource ?? interface.source(for: target.host) else {
      throw LoopError(.networkUnreachable, while: doing)
    }
    let group = SocketAddress(host: target.host.unscoped, port: target.port)
    let datagram = Outgoing(bytes: bytes, source: from(source), destination: group, hopLimit: hops ?? 1)
    host.network.sendToGroup(datagram, on: interface, loopsBack: loopsBack)
  }

  private func from(_ source: IPAddress) -> SocketAddress {
    SocketAddress(
      host: address.host.isUnspecified || address.host.isMulticast ? source : address.host, port: address.port)
  }

  // MARK: Ending

  /// Leaves all groups and frees the port. Can be called any number of times.
  package func close() {
    guard !isClosed else { return }
    process.release(id)
    processDied()
  }

  func processDied() {
    isClosed = true
    forgetCallbacks()
    host.udpPorts[address.port]?.removeAll { $0 === self }
    if host.udpPorts[address.port]?.isEmpty == true { host.udpPorts[address.port] = nil }
    let left = memberships
    memberships = []
    for membership in left { host.leave(membership) }
  }

  func powerLost() { processDied() }

  func forgetCallbacks() {
    onReadable = nil
    queue.removeAll()
    queuedBytes = 0
  }
}

extension SimulatedProcess {
  /// Binds a UDP socket.
  /// - Parameters:
  ///   - host: an address of this host, a group, or `0.0.0.0` or `::` (IPv6 only).
  ///   - port: 0: any free port.
  ///   - sharing: whether other sockets with the same setting may be bound to the port too.
  ///   - onReadable: called while datagrams wait. It has to call `receive()`.
  /// - Throws: `.addressInUse`, `.addressNotAvailable`, `.tooManyOpenFiles`, …
  package func openUDP(
    host address: IPAddress, port: UInt16, sharing: Bool = false, onReadable: @escaping (SimulatedUDPSocket) -> Void
  ) throws(LoopError) -> SimulatedUDPSocket {
    var place = SocketAddress(host: address, port: port)
    try checkDescriptor(while: "receiving at \(host.text(place))")
    if !address.isMulticast { try host.checkOwn(address) }
    if port == 0 {
      guard let free = host.freePort({ host.udpPorts[$0] == nil }) else {
        throw LoopError(.addressInUse, "no UDP port is free")
      }
      place.port = free
    } else if host.hasSocket(place, sharing: sharing) {
      throw LoopError(.addressInUse, "UDP port \(port) is in use")
    }
    weak var made: SimulatedUDPSocket?
    let socket = SimulatedUDPSocket(self, place, sharing: sharing) { if let made { onReadable(made) } }
    made = socket
    return socket
  }
}
