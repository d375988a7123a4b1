/// The address of a peer: an IPv6 address, its zone, and a port. IPv4 addresses are in their mapped form (::ffff:a.b.c.d).
package struct PeerAddress: Hashable, Sendable {
  /// The first eight bytes of the address, big-endian.
  package var high: UInt64
  /// The last eight bytes of the address, big-endian.
  package var low: UInt64
  /// The interface of a link-local address; 0 for others.
  package var zone: UInt32
  package var port: UInt16

  package init(high: UInt64, low: UInt64, zone: UInt32 = 0, port: UInt16) {
    (self.high, self.low, self.zone, self.port) = (high, low, zone, port)
  }
}
