/// The latest packets that this machine sent, to recognize them when they are received again. Identical packets of
/// another process are also recognized. This does no harm, because identical records are no conflict. RFC 6762 §9.
struct EchoTable: Sendable {
  private static let limit = 4096
  /// The maximum time between sending and receiving a packet.
  private static let lifetime = 10 * Time.second

  private struct Packet {
    /// The time of sending.
    var time: Int64
    var announced: [MDNSServiceID]
  }

  private var packets: [UInt64: Packet] = [:]
  private var order: [UInt64] = []
  private var oldest = 0

  /// - Parameter announced: the services that the packet announces.
  mutating func note(_ bytes: [UInt8], announcing announced: [MDNSServiceID] = [], at now: Int64) {
    let hash = bytes.withUnsafeBytes { PacketHash.of($0) }
    if packets.updateValue(Packet(time: now, announced: announced), forKey: hash) != nil { return }
    if order.count < Self.limit { return order.append(hash) }
    packets[order[oldest]] = nil
    order[oldest] = hash
    oldest = (oldest + 1) % Self.limit
  }

  /// - Returns: nil for a packet of another host; otherwise the services that the packet announces, when it is received
  ///   for the first time.
  mutating func take(_ bytes: UnsafeRawBufferPointer, at now: Int64) -> [MDNSServiceID]? {
    let hash = PacketHash.of(bytes)
    guard let packet = packets[hash], now - packet.time <= Self.lifetime else { return nil }
    if !packet.announced.isEmpty { packets[hash]?.announced = [] }
    return packet.announced
  }
}

/// A hash that identifies a packet of this machine. A hostile sender can find two packets with one hash, but the only
/// effect is that its packet is ignored.
package enum PacketHash {
  /// Processes eight bytes in each step.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
    var place = 0
    while bytes.count - place >= 8 {
      hash = mixed(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place += 8
    }
    var rest: UInt64 = 0
    while place < bytes.count {
      rest = rest << 8 | UInt64(bytes[place])
      place += 1
    }
    return mixed(hash ^ rest)
  }

  @inline(__always)
  private static func mixed(_ number: UInt64) -> UInt64 {
    let (high, low) = number.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return high ^ low
  }
}
