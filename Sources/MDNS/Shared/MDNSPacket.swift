/// A DNS message to send.
package struct MDNSPacket: Equatable, Sendable {
  package enum Destination: Equatable, Sendable {
    /// To 224.0.0.251 or ff02::fb, port 5353.
    case multicast(isV4: Bool)
    case unicast(MDNSEndpoint)
  }

  package var bytes: [UInt8]
  /// Index of the interface.
  package var interface: UInt32
  package var destination: Destination

  package init(_ bytes: [UInt8], interface: UInt32, to destination: Destination) {
    self.bytes = bytes
    self.interface = interface
    self.destination = destination
  }
}

/// A datagram that arrived.
package struct MDNSArrival: Sendable {
  package var source: MDNSEndpoint
  /// Index of the interface.
  package var interface: UInt32
  /// Whether it was sent to this machine alone instead of to the group. RFC 6762 §5.5.
  package var isUnicast: Bool

  package init(from source: MDNSEndpoint, interface: UInt32, isUnicast: Bool = false) {
    self.source = source
    self.interface = interface
    self.isUnicast = isUnicast
  }
}
