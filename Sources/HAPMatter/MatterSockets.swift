import HAPLoop

/// The UDP sockets of one Matter node: one for each address at which the accessory listens.
///
/// Belongs to the loop's thread.
final class MatterSockets {
  /// The default of Matter 1.4 §2.5.6.1. Any other port can be announced.
  static let standardPort: UInt16 = 5540
  /// How often any free port is tried. The system chooses it for the first socket, and another program can have it in the
  /// other address family.
  private static let mostChoices = 32

  private let loop: EventLoop
  private var sockets: [UDPSocket] = []
  /// Whether datagrams of an interface are received, by its index.
  private var isPermitted: [UInt32: Bool] = [:]
  /// Called with each datagram of a permitted interface.
  var onDatagram: (([UInt8], SocketAddress) -> Void)?
  /// The port that all sockets share, also after `close`; 0 before `open`.
  private(set) var port: UInt16 = 0

  init(_ loop: EventLoop) { self.loop = loop }

  /// Binds, all sockets to one port.
  /// - Parameter wanted: nil: the port of the last time, 5540, or any free port, in this order.
  /// - Throws: `.addressNotAvailable`, `.permissionDenied`, …; no socket is open then.
  func open(at places: [ListeningPlace], port wanted: UInt16?) throws(LoopError) {
    let candidates =
      wanted.map { [$0] }
      ?? ([port, Self.standardPort].filter { $0 != 0 } + Array(repeating: 0, count: Self.mostChoices))
    for candidate in candidates {
      do throws(LoopError) { return try bind(places, port: candidate) } catch {
        guard error.code == .addressInUse else { throw error }
        if let wanted {
          throw LoopError(.other(0), "UDP port \(wanted) is in use; --matter-port chooses another one for Matter")
        }
      }
    }
    throw LoopError(.addressInUse, "there is no free UDP port for Matter")
  }

  private func bind(_ places: [ListeningPlace], port wanted: UInt16) throws(LoopError) {
    let former = port
    port = wanted
    isPermitted = [:]
    do throws(LoopError) {
      for host in places.datagramHosts {
        // No interface: any. Several places can have the same host, and differ in their interface alone.
        let named = places.filter { $0.covers(host) }.map(\.interface)
        let interfaces = named.contains(nil) ? nil : Set(named.compactMap(\.self))
        let socket = try UDPSocket(loop, host: host, port: port) { [unowned self] datagram in
          if permits(datagram.interface, of: interfaces) { onDatagram?(Array(datagram.bytes), datagram.source) }
        }
        sockets.append(socket)
        port = socket.address.port
      }
    } catch {
      close()
      port = former
      throw error
    }
  }

  /// - Parameter index: 0: the system does not report it.
  private func permits(_ index: UInt32, of interfaces: Set<String>?) -> Bool {
    guard let interfaces, index != 0 else { return true }
    if let known = isPermitted[index] { return known }
    guard let name = loop.interfaces().first(where: { $0.index == index })?.name else { return false }
    isPermitted[index] = interfaces.contains(name)
    return interfaces.contains(name)
  }

  /// Sends a datagram. If the system does not take it, it is lost, like any other datagram of the network.
  func send(_ bytes: [UInt8], to peer: SocketAddress) {
    try? sockets.first { $0.address.host.isV4 == peer.host.isV4 }?.send(bytes, to: peer)
  }

  func close() {
    for socket in sockets { socket.close() }
    sockets = []
  }
}

extension [ListeningPlace] {
  /// The hosts of the sockets of one node, each once. A socket for `::` receives IPv6 alone.
  package var datagramHosts: [IPAddress] {
    var hosts: [IPAddress] = []
    for host in flatMap({ $0.host == .anyV6 ? [.anyV6, .anyV4] : [$0.host] }) where !hosts.contains(host) {
      hosts.append(host)
    }
    return hosts
  }
}

extension ListeningPlace {
  fileprivate func covers(_ address: IPAddress) -> Bool { host == address || (host == .anyV6 && address == .anyV4) }
}
