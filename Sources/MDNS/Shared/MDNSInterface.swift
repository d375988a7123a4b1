/// A network interface as the machines see it.
package struct MDNSInterface: Equatable, Sendable {
  /// An address of the interface, and the network it is in.
  package struct Assignment: Equatable, Sendable {
    package var address: MDNSAddress
    /// Bits of the network's part, 0...32 or 0...128; nil: unknown, so every source is taken for one of the link.
    package var prefixLength: Int?

    package init(_ address: MDNSAddress, prefixLength: Int? = nil) {
      self.address = address
      self.prefixLength = prefixLength
    }
  }

  /// From 1.
  package var index: UInt32
  /// In the order in which records announce them.
  package var assignments: [Assignment]
  /// Bytes of the largest IP packet that leaves in one piece, 576...65535.
  package var mtu: Int
  /// Whether packets are sent and received over IPv4, and over IPv6. A family is a link of its own: a question that came over IPv4 is answered over IPv4.
  package var usesV4: Bool
  package var usesV6: Bool

  /// - Parameter usesV4: nil: when the interface has an IPv4 address; `usesV6` likewise.
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

  /// Bytes of a DNS message that fit into one IP packet: 1440 over IPv4 and 1452 over IPv6 with an MTU of 1500. RFC 6762 §17.
  func room(isV4: Bool) -> Int { min(mtu, MDNS.largestPacket) - (isV4 ? 60 : 48) }
}
