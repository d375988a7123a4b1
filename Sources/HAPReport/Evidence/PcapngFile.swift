/// The blocks of a pcapng file: little-endian, with IP packets and times in nanoseconds. draft-ietf-opsawg-pcapng.
struct PcapngFile {
  private(set) var bytes: [UInt8] = []

  private enum Block: UInt32 {
    case sectionHeader = 0x0A0D_0D0A
    case interfaceDescription = 1
    case interfaceStatistics = 5
    case enhancedPacket = 6
  }

  enum Direction: UInt32 {
    case inbound = 1
    case outbound = 2
  }

  /// - Parameter application: the program that writes the file.
  init(application: String) {
    var section: [UInt8] = []
    section.append(UInt32(0x1A2B_3C4D))
    section.append(UInt16(1))
    section.append(UInt16(0))
    section.append(UInt64.max)  // the length of the section: unspecified
    section.append(option: 4, Array(application.utf8))
    section.endOptions()
    append(.sectionHeader, section)
    var interface: [UInt8] = []
    interface.append(UInt16(101))  // packets begin with an IP header
    interface.append(UInt16(0))
    interface.append(UInt32(0))  // no limit
    interface.append(option: 9, [9])  // times are in units of 10^-9 s
    interface.endOptions()
    append(.interfaceDescription, interface)
  }

  /// - Parameter time: since 1970, not below zero.
  mutating func append(packet: [UInt8], time: Duration, direction: Direction, comments: [String]) {
    var block: [UInt8] = []
    block.append(UInt32(0))  // the interface
    block.append(time)
    block.append(UInt32(packet.count))
    block.append(UInt32(packet.count))
    block += packet
    block.pad()
    for comment in comments { block.append(option: 1, comment) }
    var flags: [UInt8] = []
    flags.append(direction.rawValue)
    block.append(option: 2, flags)
    block.endOptions()
    append(.enhancedPacket, block)
  }

  /// Appends comments after the last packet.
  mutating func append(comments: [String], time: Duration) {
    var block: [UInt8] = []
    block.append(UInt32(0))
    block.append(time)
    for comment in comments { block.append(option: 1, comment) }
    block.endOptions()
    append(.interfaceStatistics, block)
  }

  private mutating func append(_ block: Block, _ body: [UInt8]) {
    let length = UInt32(body.count + 12)
    bytes.append(block.rawValue)
    bytes.append(length)
    bytes += body
    bytes.append(length)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { self += $0 }
  }

  /// Appends a time, upper half first. A time out of range is clamped.
  fileprivate mutating func append(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    let (product, overflow) = UInt64(Swift.max(seconds, 0)).multipliedReportingOverflow(by: 1_000_000_000)
    let stamp = overflow ? .max : product &+ UInt64(Swift.max(attoseconds, 0) / 1_000_000_000)
    append(UInt32(stamp >> 32))
    append(UInt32(truncatingIfNeeded: stamp))
  }

  fileprivate mutating func pad() { while count % 4 != 0 { append(0 as UInt8) } }

  fileprivate mutating func append(option code: UInt16, _ value: [UInt8]) {
    append(code)
    append(UInt16(value.count))
    self += value
    pad()
  }

  /// Appends a comment of at most about 4000 characters, because readers show no more.
  fileprivate mutating func append(option code: UInt16, _ comment: String) {
    append(option: code, Array(comment.clipped(to: 4000).utf8.prefix(32_000)))
  }

  fileprivate mutating func endOptions() { append(UInt32(0)) }
}
