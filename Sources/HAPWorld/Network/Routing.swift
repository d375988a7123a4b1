import HAPLoop

/// The path from one interface to another. On one host, both are its loopback interface.
struct Lane {
  let from: SimulatedInterface
  let to: SimulatedInterface
  let latency: UInt64
  let jitter: UInt64
  let bandwidth: UInt64?
  let properties: LinkProperties

  init(from: SimulatedInterface, to: SimulatedInterface, _ properties: LinkProperties) {
    self.from = from
    self.to = to
    latency = properties.latency.clampedNanoseconds
    jitter = properties.jitter.clampedNanoseconds
    bandwidth = properties.bandwidth
    self.properties = properties
  }

  /// Returns the time for which a packet waits because earlier packets are being sent.
  func backlog(at now: UInt64) -> UInt64 { bandwidth != nil && from.busyUntil > now ? from.busyUntil - now : 0 }

  /// Reserves the sending interface for a packet, and returns the packet's arrival time.
  func arrival(of bytes: Int, at now: UInt64) -> UInt64 {
    var time = now
    if let bandwidth {
      // A packet has at most 64 KiB, so the product can't overflow.
      let duration = UInt64(bytes) * Nanoseconds.second / max(bandwidth, 1)
      time = Nanoseconds.sum(max(now, from.busyUntil), duration)
      from.busyUntil = time
    }
    return Nanoseconds.sum(time, latency + extra())
  }

  private func extra() -> UInt64 {
    if jitter == 0 { return 0 }
    if let link = from.link { return link.random.upTo(jitter) }
    return from.host.random.upTo(jitter)
  }
}

/// The outcome for a packet that is sent now.
enum Reach {
  case open(Lane)
  /// No packet arrives: there is a cut, the host or an interface is down, or no interface has the address.
  case blocked
  /// No packet arrives until the stall ends.
  case stalled
}

extension SimulatedNetwork {
  /// Finds the path between two addresses for packets that `host` sends now.
  func reach(from host: SimulatedHost, local: IPAddress, remote: IPAddress) -> Reach {
    guard host.isOn else { return .blocked }
    if host.owns(remote) {
      guard host.owns(local), host.loopback.isUp else { return .blocked }
      return .open(Lane(from: host.loopback, to: host.loopback, .loopback))
    }
    guard let from = host.interface(having: local), from.isUp, let link = from.link, let to = link.owner(of: remote)
    else { return .blocked }
    switch link.passage(from: from, to: to) {
    case .cut: return .blocked
    case .stalled: return .stalled
    case .open: return .open(Lane(from: from, to: to, link.properties(from: from, to: to)))
    }
  }
}

extension SimulatedHost {
  /// Returns whether packets to an address stay on this host.
  func owns(_ address: IPAddress) -> Bool {
    if address.isLoopback { return true }
    for interface in interfaces where interface.has(address) {
      if address.scope == 0 || address.scope == interface.index { return true }
    }
    return false
  }

  /// Returns the interface that has an address; nil for an address of another host.
  func interface(having address: IPAddress) -> SimulatedInterface? {
    if address.isLoopback { return loopback }
    return interfaces.first { $0.has(address) && (address.scope == 0 || address.scope == $0.index) }
  }

  /// Chooses the interface and the source address for a destination that isn't a group.
  /// - Throws: `.networkUnreachable`; `.other` (EINVAL) for a link-local IPv6 address without a scope.
  func route(to destination: IPAddress) throws(LoopError) -> (interface: SimulatedInterface, source: IPAddress) {
    if destination.isLoopback, loopback.isUp {
      let source = loopback.addresses.first { $0.address.isV4 == destination.isV4 }?.address
      if let source { return (loopback, source) }
    }
    if destination.isV6, destination.isLinkLocal, destination.scope == 0 {
      throw LoopError(.other(SystemStatus.invalidArgument), "invalid argument")
    }
    if owns(destination), loopback.isUp { return (loopback, destination) }
    for interface in interfaces where interface.isUp && interface.link != nil {
      if destination.scope != 0 && destination.scope != interface.index { continue }
      guard interface.addresses.contains(where: { $0.contains(destination) }) else { continue }
      if let source = interface.source(for: destination) { return (interface, source) }
    }
    throw LoopError(.networkUnreachable, "network is unreachable")
  }
}

/// Linux's error numbers in libuv's form, for codes without a name in `LoopError.Code`.
enum SystemStatus {
  static let noSuchFile: Int32 = -2
  static let wouldBlock: Int32 = -11
  static let noSuchDevice: Int32 = -19
  static let invalidArgument: Int32 = -22
  static let nameTooLong: Int32 = -36
  static let messageTooLong: Int32 = -90
  static let noBufferSpace: Int32 = -105
}

extension LoopError {
  /// Creates an error with the system's message for its code.
  init(_ code: Code, while doing: String) {
    let text =
      switch code {
      case .connectionRefused: "connection refused"
      case .connectionReset: "connection reset by peer"
      case .timedOut: "connection timed out"
      case .networkUnreachable: "network is unreachable"
      case .brokenPipe: "broken pipe"
      case .addressNotAvailable: "address not available"
      case .addressInUse: "address already in use"
      case .tooManyOpenFiles: "too many open files"
      case .cancelled: "operation canceled"
      case .noSuchInterface: "no such device"
      case .other(SystemStatus.noSuchFile): "no such file or directory"
      case .other(SystemStatus.invalidArgument): "invalid argument"
      case .other(SystemStatus.messageTooLong): "message too long"
      case .other(SystemStatus.nameTooLong): "name too long"
      case .other(SystemStatus.noBufferSpace): "no buffer space available"
      case .other(SystemStatus.noSuchDevice): "no such device"
      case .other(SystemStatus.wouldBlock): "resource temporarily unavailable"
      default: "failed"
      }
    self.init(code, "\(doing): \(text)")
  }
}
