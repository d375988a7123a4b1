/// An IPv4 or IPv6 address without a heap allocation.
package struct MDNSAddress: Hashable, Sendable {
  /// The 16 bytes in network order as two numbers; an IPv4 address is the upper half of `low`.
  private let high: UInt64
  private let low: UInt64
  package let isV4: Bool

  /// The same for an array; other modules have the generic initializer unspecialized, which takes ten times as long.
  package init?(bytes: [UInt8]) { self.init(bytes: bytes[...]) }

  /// - Parameter bytes: 4 or 16 in network order; any other count returns nil. IPv4 addresses that are mapped into IPv6 become IPv4 addresses.
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

  /// 4 or 16 bytes in network order.
  package var bytes: [UInt8] {
    if isV4 { return (0..<4).map { UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * $0)) } }
    return [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) } }
  }

  /// The number of bytes, 4 or 16.
  var count: Int { isV4 ? 4 : 16 }

  /// A byte in network order; `index` is below `count`.
  func byte(_ index: Int) -> UInt8 {
    if isV4 { return UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * index)) }
    let half = index < 8 ? high : low
    return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index & 7)))
  }

  /// 169.254.0.0/16 or fe80::/10.
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

/// Numbers of RFC 6762.
package enum MDNS {
  /// The port of every multicast DNS packet. RFC 6762 §3.
  package static let port: UInt16 = 5353
  /// 224.0.0.251. RFC 6762 §3.
  package static let groupV4 = MDNSAddress(bytes: [224, 0, 0, 251])!
  /// ff02::fb. RFC 6762 §3.
  package static let groupV6 = MDNSAddress(bytes: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB])!
  /// Seconds that records with a host's name are kept: SRV, A, AAAA, and NSEC records. RFC 6762 §10.
  package static let hostTTL: UInt32 = 120
  /// Seconds that all other records are kept. RFC 6762 §10.
  package static let otherTTL: UInt32 = 4500
  /// The highest number of bytes in a packet, IP and UDP headers included. RFC 6762 §17.
  package static let largestPacket = 9000
}
