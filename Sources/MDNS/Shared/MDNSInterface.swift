/// A network interface for the browser and the responder.
package struct MDNSInterface: Equatable, Sendable {
  /// An address of the interface, and its network.
  package struct Assignment: Equatable, Sendable {
    package var address: MDNSAddress
    /// The length of the network prefix in bits, 0...32 or 0...128; nil: unknown, so every source counts as on-link.
    package var prefixLength: Int?

    package init(_ address: MDNSAddress, prefixLength: Int? = nil) {
      self.address = address
      self.prefixLength = prefixLength
    }
  }

  /// The index of the interface, from 1.
  package var index: UInt32
  /// The addresses, in the order in which records announce them.
  package var assignments: [Assignment]
  /// The size of the largest unfragmented IP packet in bytes, 576...65535.
  package var mtu: Int
  /// Whether packets are sent and received over IPv4, and over IPv6. A family is a separate link: a question over IPv4
  /// is answered over IPv4.
  package var usesV4: Bool
  package var usesV6: Bool

  /// - Parameter usesV4: nil: true if the interface has an IPv4 address; the same for `usesV6`.
  package init(
    index: UInt32, _ assignments: [Assignment], mtu: Int = 1500, usesV4: Bool? = nil, usesV6: Bool? = nil
  ) {
    self.index = index
    self.assignments = assignments
    self.mtu = min(max(mtu, 576), 65535)
    self.usesV4 = usesV4 ?? assignments.contains { $0.address.isV4 }
    self.usesV6 = usesV6 ?? assignments.contains { !$0.address.isV4 }
  }

  package var addresses: [MDNSAddress] { assignments.map(\.address) }

  /// Returns whether a packet from this address came from the link itself. RFC 6762 §11.
  package func isOnLink(_ source: MDNSAddress) -> Bool {
    if !source.isV4, source.isLinkLocal { return true }
    return assignments.contains { own in
      own.address.isV4 == source.isV4
        && (own.prefixLength.map { source.isWithin(own.address, prefixLength: $0) } ?? true)
    }
  }

  /// Returns the maximum size in bytes of a DNS message in one IP packet: 1440 over IPv4 and 1452 over IPv6 with an MTU
  /// of 1500. RFC 6762 §17.
  func room(isV4: Bool) -> Int { min(mtu, MDNS.largestPacket) - (isV4 ? 60 : 48) }
}
