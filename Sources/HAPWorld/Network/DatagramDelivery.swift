import HAPLoop

/// A datagram that a sender has passed to the network.
struct Outgoing {
  let bytes: [UInt8]
  let source: SocketAddress
  let destination: SocketAddress
  let hopLimit: UInt8
}

extension SimulatedNetwork {
  /// The maximum time for which datagrams are queued before they are sent. Further ones are dropped.
  private static let longestQueue = Nanoseconds.second

  /// Sends to one address. The datagram is lost if no interface has the address.
  func send(_ datagram: Outgoing, on interface: SimulatedInterface) {
    if interface.isLoopback {
      let lane = Lane(from: interface, to: interface, .loopback)
      agenda.schedule(at: lane.arrival(of: datagram.bytes.count, at: agenda.now)) { [self] in
        arrives(datagram, interface)
      }
    } else if let target = interface.link?.owner(of: datagram.destination.host) {
      carry(datagram, from: interface, to: target) { network, datagram in network.arrives(datagram, target) }
    } else {
      trace.note("udp.nowhere", interface.id)
    }
  }

  /// Sends to the members of a group: those of other hosts, and sockets of the sender's host if `loopsBack` is true.
  func sendToGroup(_ datagram: Outgoing, on interface: SimulatedInterface, loopsBack: Bool) {
    if loopsBack {
      let lane = Lane(from: interface.host.loopback, to: interface, .loopback)
      let arrival = lane.arrival(of: datagram.bytes.count, at: agenda.now)
      agenda.schedule(at: arrival) { [self] in arrivesForGroup(datagram, interface) }
    }
    guard datagram.hopLimit > 0, let link = interface.link else { return }
    for member in link.groups[datagram.destination.host] ?? [] where member.host !== interface.host {
      carry(datagram, from: interface, to: member) { network, datagram in network.arrivesForGroup(datagram, member) }
    }
  }

  /// Sends a datagram over a link, which may lose, delay or duplicate it.
  private func carry(
    _ datagram: Outgoing, from: SimulatedInterface, to: SimulatedInterface,
    _ deliver: @escaping (SimulatedNetwork, Outgoing) -> Void
  ) {
    guard let link = from.link, link.passage(from: from, to: to) == .open else {
      return trace.note("udp.lost", from.id, to.id)
    }
    let lane = Lane(from: from, to: to, link.properties(from: from, to: to))
    let fragments = max(1, (datagram.bytes.count + 28 + from.mtu - 1) / from.mtu)
    if lane.backlog(at: agenda.now) > Self.longestQueue { return trace.note("udp.queue.full", from.id, to.id) }
    for _ in 0..<fragments where link.random.chance(lane.properties.loss) {
      return trace.note("udp.lost", from.id, to.id)
    }
    var arrival = lane.arrival(of: datagram.bytes.count + 42, at: agenda.now)
    if link.random.chance(lane.properties.reordering) {
      arrival = Nanoseconds.sum(arrival, lane.properties.reorderingDelay.clampedNanoseconds)
    }
    let copies = link.random.chance(lane.properties.duplication) ? 2 : 1
    for copy in 0..<copies {
      let delay = copy == 0 ? 0 : 1 + link.random.upTo(lane.jitter)
      agenda.schedule(at: Nanoseconds.sum(arrival, delay)) { [self] in
        if from.link === link, link.passage(from: from, to: to) == .open { deliver(self, datagram) }
      }
    }
  }

  private func arrives(_ datagram: Outgoing, _ interface: SimulatedInterface) {
    guard interface.isUp, interface.host.isOn else { return }
    let destination = datagram.destination
    let sockets = interface.host.udpPorts[destination.port] ?? []
    let exact = sockets.filter { $0.address.host.bytes == destination.host.bytes }
    let matching =
      exact.isEmpty
      ? sockets.filter { $0.address.host.isUnspecified && $0.address.host.isV4 == destination.host.isV4 } : exact
    guard !matching.isEmpty else { return trace.note("udp.refused", interface.id) }
    // As with SO_REUSEPORT on Linux, all datagrams of one source go to the same socket.
    var choice = 0
    if matching.count > 1 {
      let hash = datagram.source.host.bytes.withUnsafeBytes { Trace.hash(of: $0) }
      choice = Int((hash ^ UInt64(datagram.source.port) &* 0x9E37_79B9_7F4A_7C15) >> 33) % matching.count
    }
    hand(datagram, to: matching[choice], on: interface)
  }

  private func arrivesForGroup(_ datagram: Outgoing, _ interface: SimulatedInterface) {
    guard interface.isUp, interface.host.isOn else { return }
    let group = datagram.destination.host
    let membership = SimulatedUDPSocket.Membership(group: group, interface: interface.index)
    for socket in interface.host.udpPorts[datagram.destination.port] ?? [] {
      let isBoundSo = socket.address.host.isUnspecified || socket.address.host.bytes == group.bytes
      if isBoundSo, socket.memberships.contains(membership) { hand(datagram, to: socket, on: interface) }
    }
  }

  private func hand(_ datagram: Outgoing, to socket: SimulatedUDPSocket, on interface: SimulatedInterface) {
    let source = datagram.source
    var sender = source
    if source.host.isV6, source.host.isLinkLocal, !interface.isLoopback {
      sender.host = IPAddress(bytes: source.host.bytes, scope: interface.index)!
    }
    trace.note(
      "udp.data", socket.id, UInt64(datagram.bytes.count), datagram.bytes.withUnsafeBytes { Trace.hash(of: $0) })
    socket.arrives(
      SimulatedDatagram(
        bytes: datagram.bytes, source: sender, destination: datagram.destination.host.unscoped,
        interface: interface.index, hopLimit: datagram.hopLimit))
  }
}

extension SimulatedHost {
  /// Returns the loopback address of the same family.
  func loopbackAddress(like address: IPAddress) -> IPAddress {
    address.isV4 ? .loopbackV4 : IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])!
  }

  /// Returns the groups that sockets of this host have joined on an interface.
  func memberships(of interface: SimulatedInterface) -> [IPAddress] {
    var groups: [IPAddress] = []
    for socket in udpPorts.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
      for membership in socket.memberships
      where membership.interface == interface.index && !groups.contains(membership.group) {
        groups.append(membership.group)
      }
    }
    return groups
  }

  /// Handles the end of a socket's membership. The interface leaves the group too, unless another socket is a member.
  func leave(_ membership: SimulatedUDPSocket.Membership) {
    let isWanted = udpPorts.contains { $0.value.contains { $0.memberships.contains(membership) } }
    if isWanted { return }
    if let interface = interface(at: membership.interface) { interface.link?.leave(membership.group, interface) }
  }
}
