import HAPLoop
import MDNS

/// The sockets of multicast DNS (RFC 6762 §3, §5): one for each interface and address family. With `takesAddresses` there is also
/// one for each address.
///
/// The sockets of addresses receive the unicast packets for this machine. Without them, the system gives such a packet to any socket on
/// port 5353, often the system daemon's (RFC 6762 §15.1). Belongs to the loop's thread.
package final class MDNSSockets {
  package static let port: UInt16 = 5353
  package static let groups = [
    IPAddress(bytes: [224, 0, 0, 251])!,
    IPAddress(bytes: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB])!,
  ]

  /// An interface and an address family to multicast on.
  package struct Link: Hashable, Sendable {
    /// Index of the interface.
    package let interface: UInt32
    package let isV4: Bool

    package init(interface: UInt32, isV4: Bool) {
      self.interface = interface
      self.isV4 = isV4
    }
  }

  /// An open link.
  private struct Member {
    let link: Link
    let socket: UDPSocket
    /// The group, with the interface as its scope.
    let target: SocketAddress
    /// The source of IPv4 packets: the interface's first address.
    let source: IPAddress?
  }

  private let loop: EventLoop
  /// Called with received packets and the local port. Without `dropsEchoes` these include own packets that the system looped back.
  private var onDatagram: ((UDPSocket.Datagram, UInt16) -> Void)?
  private var members: [Member] = []
  private var ownAddresses: [UDPSocket] = []
  /// Sockets for questions from another port than 5353, by family. They are opened when first used.
  private var askers: [UDPSocket] = []
  /// nil: own packets are not recognized.
  private var echoes: EchoMemory?

  /// - Parameter dropsEchoes: whether to drop own packets that the system loops back (IP_MULTICAST_LOOP).
  package init(
    _ loop: EventLoop, dropsEchoes: Bool = true, onDatagram: @escaping (UDPSocket.Datagram, UInt16) -> Void
  ) {
    self.loop = loop
    echoes = dropsEchoes ? EchoMemory() : nil
    self.onDatagram = onDatagram
  }

  /// The open links, in the order of `open` or `follow`.
  package var links: [Link] { members.map(\.link) }

  /// - Parameter takesAddresses: whether this object receives unicast packets for this machine instead of another responder.
  /// - Throws: if no group can be joined on any of `interfaces`.
  package func open(on interfaces: [NetworkInterface], takesAddresses: Bool = true) throws(LoopError) {
    let failure = follow(interfaces)
    if members.isEmpty {
      throw failure ?? LoopError(.addressNotAvailable, "no interface that can multicast has an address")
    }
    guard takesAddresses else { return }
    for link in links {
      let addresses = interfaces.first { $0.index == link.interface }?.addresses ?? []
      for address in addresses where address.isV4 == link.isV4 {
        // No packet can be sent to an address that isn't usable yet.
        guard let socket = try? makeSocket(address, port: Self.port) else { continue }
        ownAddresses.append(socket)
      }
    }
  }

  /// Opens links for `interfaces` and closes all others. Links that stay open lose no packet.
  /// - Returns: the first reason why a link can't be opened.
  @discardableResult
  package func follow(_ interfaces: [NetworkInterface]) -> LoopError? {
    guard onDatagram != nil else { return nil }
    var failure: LoopError?
    var old = members
    members = []
    for group in Self.groups {
      for interface in interfaces {
        guard let address = interface.addresses.first(where: { $0.isV4 == group.isV4 }) else { continue }
        let link = Link(interface: interface.index, isV4: group.isV4)
        let source = group.isV4 ? address : nil
        if let index = old.firstIndex(where: { $0.link == link && $0.source == source && !$0.socket.isClosed }) {
          members.append(old.remove(at: index))
          continue
        }
        do throws(LoopError) { members.append(try join(group, link, source)) } catch { failure = failure ?? error }
      }
    }
    for member in old { member.socket.close() }
    return failure
  }

  private func join(_ group: IPAddress, _ link: Link, _ source: IPAddress?) throws(LoopError) -> Member {
    let socket = try makeSocket(group.isV4 ? .anyV4 : .anyV6, port: Self.port, of: link)
    do throws(LoopError) {
      try socket.join(group, on: link.interface)
      try socket.multicast(on: link.interface, source: source)
    } catch {
      socket.close()
      throw error
    }
    let scoped = IPAddress(bytes: group.bytes, scope: link.interface) ?? group
    return Member(link: link, socket: socket, target: SocketAddress(host: scoped, port: Self.port), source: source)
  }

  private func makeSocket(_ host: IPAddress, port: UInt16, of link: Link? = nil) throws(LoopError) -> UDPSocket {
    let socket = try UDPSocket(loop, host: host, port: port, sharing: port != 0) { [unowned self] datagram in
      // A system without IP_MULTICAST_ALL delivers the multicasts of all interfaces to each socket.
      if let link, datagram.interface != 0, datagram.interface != link.interface,
        datagram.destination?.isMulticast == true
      {
        return
      }
      receive(datagram, port)
    }
    socket.setHops(255)
    socket.setReceiveBuffer(Self.receiveBuffer)
    return socket
  }

  /// In bytes, if the system allows it. On a busy network, a burst of answers arrives within a few milliseconds.
  private static let receiveBuffer = 1 << 20

  /// Closes all sockets. No datagram follows. Idempotent.
  package func close() {
    onDatagram = nil
    for socket in members.map(\.socket) + ownAddresses + askers { socket.close() }
    members = []
    ownAddresses = []
    askers = []
  }

  private func receive(_ datagram: UDPSocket.Datagram, _ port: UInt16) {
    if let destination = datagram.destination,
      echoes?.take(datagram.bytes, to: destination, on: datagram.interface) == true
    {
      return
    }
    // An asker's port was chosen by the system.
    let isAsker = port == 0
    let local = isAsker ? askers.first { $0.address.host.isV4 == datagram.source.host.isV4 }?.address.port : port
    onDatagram?(datagram, local ?? port)
  }

  // MARK: Sending

  /// Sends to the group on one link, from port 5353.
  /// - Throws: if the link isn't open, or the system doesn't accept the packet now.
  package func multicast(_ bytes: [UInt8], on link: Link) throws(LoopError) {
    guard let member = members.first(where: { $0.link == link }) else {
      throw LoopError(.cancelled, "this interface is not open for multicast")
    }
    try member.socket.send(bytes, to: member.target)
    echoes?.expect(bytes, to: member.target.host, on: link.interface)
  }

  /// Sends to the group on all interfaces, or on one.
  /// - Parameters:
  ///   - ownPort: whether to send from another port than 5353, which receives the answers.
  ///   - interface: its index; nil: all.
  /// - Returns: the source port.
  /// - Throws: if it could not be sent on any of them.
  @discardableResult
  package func sendToAll(_ bytes: [UInt8], ownPort: Bool = false, on interface: UInt32? = nil) throws(LoopError)
    -> UInt16
  {
    var failure: LoopError?
    var port: UInt16?
    for member in members where interface == nil || member.link.interface == interface {
      do throws(LoopError) {
        if ownPort {
          let socket = try asker(isV4: member.link.isV4)
          try socket.multicast(on: member.link.interface, source: member.source)
          try socket.send(bytes, to: member.target)
          echoes?.expect(bytes, to: member.target.host, on: member.link.interface)
          port = port ?? socket.address.port
        } else {
          try multicast(bytes, on: member.link)
          port = Self.port
        }
      } catch { failure = failure ?? error }
    }
    if let port { return port }
    throw failure ?? LoopError(.cancelled, "no interface is open for multicast")
  }

  /// Sends to one address.
  /// - Parameter interface: the interface to send from. If it is nil or has no link, any link of the address's family is used.
  /// - Returns: the source port.
  @discardableResult
  package func send(_ bytes: [UInt8], to target: SocketAddress, ownPort: Bool = false, on interface: UInt32? = nil)
    throws(LoopError) -> UInt16
  {
    let isV4 = target.host.isV4
    let shared = members.filter { $0.link.isV4 == isV4 }
    let member = shared.first { $0.link.interface == interface } ?? shared.first
    let socket: UDPSocket
    if let member, !ownPort { socket = member.socket } else { socket = try asker(isV4: isV4) }
    try socket.send(bytes, to: target)
    // The address may belong to this machine.
    echoes?.expect(bytes, to: target.host, on: nil)
    return socket.address.port
  }

  private func asker(isV4: Bool) throws(LoopError) -> UDPSocket {
    if let asker = askers.first(where: { $0.address.host.isV4 == isV4 }) { return asker }
    let asker = try makeSocket(isV4 ? .anyV4 : .anyV6, port: 0)
    askers.append(asker)
    return asker
  }
}

/// Hashes of own packets that the system may loop back (IP_MULTICAST_LOOP). Packets that never come back are evicted, oldest first.
private struct EchoMemory {
  static let most = 4096

  private var counts: [Int: Int] = [:]
  /// The hashes of all packets that are expected or came back, starting at `first`.
  private var order: [Int] = []
  private var first = 0

  mutating func expect(_ bytes: [UInt8], to destination: IPAddress, on interface: UInt32?) {
    let hash = bytes.withUnsafeBytes { Self.hash($0, destination, interface) }
    counts[hash, default: 0] += 1
    order.append(hash)
    guard order.count - first > Self.most else { return }
    forget(order[first])
    first += 1
    if first > Self.most {
      order.removeFirst(first)
      first = 0
    }
  }

  /// - Returns: whether the packet was expected. It is then no longer expected.
  mutating func take(_ bytes: UnsafeRawBufferPointer, to destination: IPAddress, on interface: UInt32) -> Bool {
    if counts.isEmpty { return false }
    return forget(Self.hash(bytes, destination, destination.isMulticast ? interface : nil))
  }

  @discardableResult
  private mutating func forget(_ hash: Int) -> Bool {
    guard let count = counts[hash] else { return false }
    counts[hash] = count > 1 ? count - 1 : nil
    return true
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer, _ destination: IPAddress, _ interface: UInt32?) -> Int {
    var hasher = Hasher()
    hasher.combine(destination.bytes)
    hasher.combine(interface)
    hasher.combine(PacketHash.of(bytes))
    return hasher.finalize()
  }
}
