import HAPLoop

/// The sockets of multicast DNS, for who reads and writes its packets: one for each family that hears the group on some interfaces, and perhaps one
/// for each of their addresses.
///
/// The latter are there for what is sent to this machine alone: it comes to one socket of port 5353, which would often be the system daemon's.
/// Belongs to the loop's thread.
package final class MDNSSockets {
  package static let port: UInt16 = 5353
  package static let groups = [
    IPAddress(bytes: [224, 0, 0, 251])!,
    IPAddress(bytes: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB])!,
  ]

  /// A group on an interface.
  private struct Link {
    let socket: UDPSocket
    let group: IPAddress
    let interface: UInt32
    /// Of the interface.
    let address: IPAddress?
  }

  /// A datagram of our own that may come back.
  private struct Echo {
    let bytes: [UInt8]
    let destination: [UInt8]
    /// Nil: any.
    let interface: UInt32?
  }

  /// More are not waited for.
  private static let echoLimit = 64

  private let loop: EventLoop
  /// Told of what others sent, and to which port of ours.
  private var onDatagram: ((UDPSocket.Datagram, UInt16) -> Void)?
  private var links: [Link] = []
  private var ownAddresses: [UDPSocket] = []
  /// For questions from another port than 5353; made when there is one.
  private var askers: [UDPSocket] = []
  private var echoes: [Echo] = []

  package init(_ loop: EventLoop, onDatagram: @escaping (UDPSocket.Datagram, UInt16) -> Void) {
    self.loop = loop
    self.onDatagram = onDatagram
  }

  /// - Parameter takesAddresses: whether what is sent to this machine alone comes here rather than to another responder. Who takes it takes it from
  ///   all others that ask.
  /// - Throws: when no group can be joined on any of `interfaces`.
  package func open(on interfaces: [NetworkInterface], takesAddresses: Bool = true) throws(LoopError) {
    var failure: LoopError?
    for group in Self.groups {
      let candidates = interfaces.filter { $0.addresses.contains { $0.isV4 == group.isV4 } }
      if candidates.isEmpty { continue }
      do throws(LoopError) {
        try join(group, on: candidates)
      } catch { failure = failure ?? error }
    }
    if links.isEmpty {
      throw failure ?? LoopError(.addressNotAvailable, "no interface that can multicast has an address")
    }
    for link in links where takesAddresses {
      let addresses = interfaces.first { $0.index == link.interface }?.addresses ?? []
      for address in addresses where address.isV4 == link.group.isV4 {
        // One that isn't usable yet can't be sent to either.
        guard let socket = try? makeSocket(address, port: Self.port) else { continue }
        ownAddresses.append(socket)
      }
    }
  }

  private func join(_ group: IPAddress, on interfaces: [NetworkInterface]) throws(LoopError) {
    let socket = try makeSocket(group.isV4 ? .anyV4 : .anyV6, port: Self.port)
    var failure: LoopError?
    var joined: [Link] = []
    for interface in interfaces {
      do throws(LoopError) {
        try socket.join(group, on: interface.index)
        let address = interface.addresses.first { $0.isV4 == group.isV4 }
        joined.append(Link(socket: socket, group: group, interface: interface.index, address: address))
      } catch { failure = failure ?? error }
    }
    links += joined
    guard joined.isEmpty, let failure else { return }
    socket.close()
    throw failure
  }

  private func makeSocket(_ host: IPAddress, port: UInt16) throws(LoopError) -> UDPSocket {
    let socket = try UDPSocket(loop, host: host, port: port, sharing: port != 0) { [unowned self] in receive($0, port) }
    socket.setHops(255)
    return socket
  }

  /// No datagram comes any more. Any number of times.
  package func close() {
    onDatagram = nil
    for socket in links.map(\.socket) + ownAddresses + askers { socket.close() }
    links = []
    ownAddresses = []
    askers = []
  }

  private func receive(_ datagram: UDPSocket.Datagram, _ port: UInt16) {
    let echo = echoes.firstIndex {
      $0.destination == datagram.destination?.bytes && ($0.interface ?? datagram.interface) == datagram.interface
        && $0.bytes.elementsEqual(datagram.bytes)
    }
    if let echo {
      echoes.remove(at: echo)
      return
    }
    // The port of one that was chosen by the system is known when it is bound.
    let isAsker = port == 0
    let local = isAsker ? askers.first { $0.address.host.isV4 == datagram.source.host.isV4 }?.address.port : port
    onDatagram?(datagram, local ?? port)
  }

  // MARK: Sending

  /// Sends to the group on all interfaces, or on one.
  /// - Parameters:
  ///   - ownPort: from another port than 5353, to which the answers come.
  ///   - interface: its index; nil: all.
  /// - Returns: the port it was sent from.
  /// - Throws: when it could be sent on none of them.
  @discardableResult
  package func sendToAll(_ bytes: [UInt8], ownPort: Bool = false, on interface: UInt32? = nil) throws(LoopError)
    -> UInt16
  {
    var failure: LoopError?
    var port: UInt16?
    for link in links where interface == nil || link.interface == interface {
      do throws(LoopError) {
        let socket = ownPort ? try asker(isV4: link.group.isV4) : link.socket
        let group = IPAddress(bytes: link.group.bytes, scope: link.interface) ?? link.group
        let target = SocketAddress(host: group, port: Self.port)
        try socket.send(bytes, to: target, interface: link.interface, source: link.address)
        expectEcho(Echo(bytes: bytes, destination: group.bytes, interface: link.interface))
        port = port ?? socket.address.port
      } catch { failure = failure ?? error }
    }
    if let port { return port }
    throw failure ?? LoopError(.cancelled, "there is no interface to multicast on")
  }

  /// Sends to one address.
  @discardableResult
  package func send(_ bytes: [UInt8], to target: SocketAddress, ownPort: Bool = false) throws(LoopError) -> UInt16 {
    let isV4 = target.host.isV4
    let shared = links.first { $0.group.isV4 == isV4 }?.socket
    let socket: UDPSocket
    if let shared, !ownPort { socket = shared } else { socket = try asker(isV4: isV4) }
    try socket.send(bytes, to: target)
    // The address may be our own.
    expectEcho(Echo(bytes: bytes, destination: target.host.bytes, interface: nil))
    return socket.address.port
  }

  private func asker(isV4: Bool) throws(LoopError) -> UDPSocket {
    if let asker = askers.first(where: { $0.address.host.isV4 == isV4 }) { return asker }
    let asker = try makeSocket(isV4 ? .anyV4 : .anyV6, port: 0)
    askers.append(asker)
    return asker
  }

  private func expectEcho(_ echo: Echo) {
    if echoes.count == Self.echoLimit { echoes.removeFirst() }
    echoes.append(echo)
  }
}
