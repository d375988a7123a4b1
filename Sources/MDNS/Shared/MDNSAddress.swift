/// An IPv4 or IPv6 address without a heap allocation.
package struct MDNSAddress: Hashable, Sendable {
  /// The 16 bytes in network order as two numbers. An IPv4 address is the upper half of `low`.
  private let high: UInt64
  private let low: UInt64
  package let isV4: Bool

  /// Creates an address from an array. Other modules use an unspecialized version of the generic initializer, which
  /// takes ten times as long.
  package init?(bytes: [UInt8]) { self.init(bytes: bytes[...]) }

  /// - Parameter bytes: 4 or 16 bytes in network order; for any other count the result is nil. IPv4-mapped IPv6
  ///   addresses become IPv4 addresses.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if bytes.count == 16, index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    let isMapped = bytes.count == 16 && high == 0 && low >> 32 == 0xFFFF
    self.high = high
    self.low = isMapped ? low & 0xFFFF_FFFF : low
    isV4 = isMapped || bytes.count == 4
  }

  /// The 4 or 16 bytes in network order.
  package var bytes: [UInt8] {
    if isV4 { return (0..<4).map { UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * $0)) } }
    return [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) } }
  }

  /// The number of bytes, 4 or 16.
  var count: Int { isV4 ? 4 : 16 }

  /// Returns a byte in network order. `index` must be below `count`.
  func byte(_ index: Int) -> UInt8 {
    if isV4 { return UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * index)) }
    let half = index < 8 ? high : low
    return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7)))
  }

  /// Whether the address is in 169.254.0.0/16 or fe80::/10.
  package var isLinkLocal: Bool { isV4 ? low >> 16 == 0xA9FE : high >> 54 == 0x3FA }

  /// Returns whether both addresses have the same first `length` bits and the same family.
  func isWithin(_ other: MDNSAddress, prefixLength length: Int) -> Bool {
    guard isV4 == other.isV4 else { return false }
    if isV4 {
      let shift = UInt64(32 - min(max(length, 0), 32))
      return low >> shift == other.low >> shift
    }
    if length <= 0 { return true }
    if length <= 64 { return high >> UInt64(64 - length) == other.high >> UInt64(64 - length) }
    let shift = UInt64(128 - min(length, 128))
    return high == other.high && low >> shift == other.low >> shift
  }
}

/// An address and a UDP port.
package struct MDNSEndpoint: Hashable, Sendable {
  package var address: MDNSAddress
  package var port: UInt16

  package init(_ address: MDNSAddress, port: UInt16 = MDNS.port) {
    self.address = address
    self.port = port
  }
}

/// Constants of RFC 6762.
package enum MDNS {
  /// The port of every multicast DNS packet. RFC 6762 §3.
  package static let port: UInt16 = 5353
  /// 224.0.0.251. RFC 6762 §3.
  package static let groupV4 = MDNSAddress(bytes: [224, 0, 0, 251])!
  /// ff02::fb. RFC 6762 §3.
  package static let groupV6 = MDNSAddress(bytes: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB])!
  /// The TTL in seconds of records with a host's name: SRV, A, AAAA, and NSEC records. RFC 6762 §10.
  package static let hostTTL: UInt32 = 120
  /// The TTL in seconds of all other records. RFC 6762 §10.
  package static let otherTTL: UInt32 = 4500
  /// The maximum size of a packet in bytes, including the IP and UDP headers. RFC 6762 §17.
  package static let largestPacket = 9000
}
