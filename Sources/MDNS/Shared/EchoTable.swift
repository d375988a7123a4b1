/// The latest packets that this machine sent, so that it recognizes those that the network gives back. Identical packets of another process are taken
/// for its own as well, which does no harm: identical records are no conflict. RFC 6762 §9.
struct EchoTable: Sendable {
  private static let limit = 4096
  /// How long a packet may be on its way.
  private static let lifetime = 10 * Time.second

  private var times: [UInt64: Int64] = [:]
  private var order: [UInt64] = []
  private var oldest = 0

  mutating func note(_ bytes: [UInt8], at now: Int64) {
    let hash = bytes.withUnsafeBytes { Self.hash($0) }
    if times.updateValue(now, forKey: hash) != nil { return }
    if order.count < Self.limit { return order.append(hash) }
    times[order[oldest]] = nil
    order[oldest] = hash
    oldest = (oldest + 1) % Self.limit
  }

  func contains(_ bytes: UnsafeRawBufferPointer, at now: Int64) -> Bool {
    times[Self.hash(bytes)].map { now - $0 <= Self.lifetime } ?? false
  }

  /// Eight bytes in one step.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
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
