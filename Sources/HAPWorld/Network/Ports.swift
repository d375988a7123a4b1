import HAPLoop

/// A local port of a connection that this host opened, and the peer. Connections to different peers may use the same
/// port.
struct OutgoingPort: Hashable {
  let port: UInt16
  let peer: SocketAddress
}

/// Ports of a host for TCP and UDP.
extension SimulatedHost {
  /// Linux's range for ports that the kernel chooses.
  static let ephemeral: ClosedRange<UInt16> = 32_768...60_999

  /// Chooses a port that `isFree` accepts. The search starts at a random port.
  func freePort(_ isFree: (UInt16) -> Bool) -> UInt16? {
    let count = UInt64(Self.ephemeral.count)
    let start = random.upTo(count - 1)
    for step in 0..<count {
      let port = Self.ephemeral.lowerBound + UInt16((start + step) % count)
      if isFree(port) { return port }
    }
    return nil
  }

  /// - Throws: `.addressNotAvailable` unless the address is a wildcard or one of this host's.
  func checkOwn(_ address: IPAddress) throws(LoopError) {
    if address.isUnspecified || address.isLoopback { return }
    if address.isV6, address.isLinkLocal, address.scope == 0 {
      throw LoopError(.other(SystemStatus.invalidArgument), "invalid argument")
    }
    if !owns(address) {
      throw LoopError(.addressNotAvailable, "address \(text(address)) does not belong to this machine")
    }
  }

  /// - Throws: `.other` (ENODEV) when there is no such interface.
  func boundInterface(_ name: String?, _ doing: String) throws(LoopError) -> SimulatedInterface? {
    guard let name else { return nil }
    guard let found = interface(named: name) else {
      throw LoopError(.other(SystemStatus.noSuchDevice), while: "listening on \(doing)")
    }
    return found
  }

  // MARK: TCP

  /// Finds the listener for a connection that came in on an interface: one bound to the address before a wildcard.
  func listener(at address: SocketAddress, on interface: SimulatedInterface) -> SimulatedListener? {
    var best: SimulatedListener?
    for listener in tcpPorts[address.port] ?? []
    where listener.isListening && (listener.interface == nil || listener.interface === interface) {
      let host = listener.address.host
      if host.bytes == address.host.bytes { return listener }
      guard host.isUnspecified, host.isV6 || address.host.isV4 else { continue }
      if best == nil || host.isV4 == address.host.isV4 { best = listener }
    }
    return best
  }

  /// Returns whether a listener prevents binding. As on Linux with SO_REUSEADDR, a bound socket that doesn't listen
  /// doesn't prevent it.
  func hasListener(_ place: SocketAddress, _ interface: SimulatedInterface?, except own: SimulatedListener?) -> Bool {
    (tcpPorts[place.port] ?? []).contains { other in
      other !== own && other.isListening && Self.overlap(other.address.host, place.host, dualStack: true)
        && (interface == nil || other.interface == nil || interface === other.interface)
    }
  }

  static func overlap(_ one: IPAddress, _ other: IPAddress, dualStack: Bool) -> Bool {
    if one.isV4 != other.isV4 {
      guard dualStack else { return false }
      return (one.isV4 ? other : one).isUnspecified
    }
    return one.isUnspecified || other.isUnspecified
      || (one.bytes == other.bytes && (one.scope == other.scope || one.scope == 0 || other.scope == 0))
  }

  /// Reserves a local port for a connection to a peer; nil when none is left.
  func reserveOutgoing(to peer: SocketAddress, from source: IPAddress) -> UInt16? {
    let port = freePort { port in
      tcpPorts[port] == nil && !outgoingPorts.contains(OutgoingPort(port: port, peer: peer))
        && !(port == peer.port && source.bytes == peer.host.bytes)
    }
    if let port { outgoingPorts.insert(OutgoingPort(port: port, peer: peer)) }
    return port
  }

  // MARK: UDP

  func hasSocket(_ place: SocketAddress, sharing: Bool) -> Bool {
    (udpPorts[place.port] ?? []).contains { other in
      !(sharing && other.isSharing) && Self.overlap(other.address.host, place.host, dualStack: false)
    }
  }
}
