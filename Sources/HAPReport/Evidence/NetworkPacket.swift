/// IP packets for a transcript. Their headers are synthetic; their checksums are correct.
enum NetworkPacket {
  struct TCPFlags: OptionSet {
    var rawValue: UInt8
    static let fin = TCPFlags(rawValue: 0x01)
    static let syn = TCPFlags(rawValue: 0x02)
    static let rst = TCPFlags(rawValue: 0x04)
    static let psh = TCPFlags(rawValue: 0x08)
    static let ack = TCPFlags(rawValue: 0x10)
  }

  /// - Parameters:
  ///   - source, destination: both of the same family.
  ///   - payload: at most 60,000 bytes.
  static func tcp(
    from source: HostAndPort, to destination: HostAndPort, sequence: UInt32, acknowledgement: UInt32,
    flags: TCPFlags, payload: some Collection<UInt8>
  ) -> [UInt8] {
    var segment: [UInt8] = []
    segment.append(source.port)
    segment.append(destination.port)
    segment.append(sequence)
    segment.append(acknowledgement)
    segment += [5 << 4, flags.rawValue]
    segment.append(UInt16.max)  // the window
    segment += [0, 0, 0, 0]  // checksum, urgent pointer
    segment += payload
    return ip(segment, checksumAt: 16, transport: 6, from: source, to: destination)
  }

  static func udp(
    from source: HostAndPort, to destination: HostAndPort, payload: some Collection<UInt8>
  ) -> [UInt8] {
    var datagram: [UInt8] = []
    datagram.append(source.port)
    datagram.append(destination.port)
    datagram.append(UInt16(8 + payload.count))
    datagram += [0, 0]
    datagram += payload
    return ip(datagram, checksumAt: 6, transport: 17, from: source, to: destination)
  }

  private static func ip(
    _ segment: [UInt8], checksumAt place: Int, transport: UInt8, from source: HostAndPort,
    to destination: HostAndPort
  ) -> [UInt8] {
    precondition(source.isIPv6 == destination.isIPv6 && segment.count <= 60_100)
    var segment = segment
    var pseudoHeader = source.address + destination.address
    pseudoHeader.append(UInt32(segment.count))
    pseudoHeader += [0, 0, 0, transport]
    var sum = checksum(pseudoHeader + segment)
    if transport == 17, sum == 0 { sum = 0xFFFF }  // zero would mean that there is no checksum
    segment[place] = UInt8(sum >> 8)
    segment[place + 1] = UInt8(sum & 0xFF)
    var header: [UInt8] = []
    if source.isIPv6 {
      header += [0x60, 0, 0, 0]
      header.append(UInt16(segment.count))
      header += [transport, 64] + source.address + destination.address
    } else {
      header += [0x45, 0]
      header.append(UInt16(20 + segment.count))
      header += [0, 0, 0x40, 0, 64, transport, 0, 0] + source.address + destination.address
      let sum = checksum(header)
      header[10] = UInt8(sum >> 8)
      header[11] = UInt8(sum & 0xFF)
    }
    return header + segment
  }

  /// Returns the Internet checksum. RFC 1071.
  static func checksum(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt32 = 0
    for index in stride(from: 0, to: bytes.count, by: 2) {
      sum += UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
      sum = (sum & 0xFFFF) + (sum >> 16)
    }
    return ~UInt16(sum)
  }
}

extension [UInt8] {
  /// Appends a number in big-endian order.
  fileprivate mutating func append(_ number: UInt16) { self += [UInt8(number >> 8), UInt8(number & 0xFF)] }
  fileprivate mutating func append(_ number: UInt32) {
    append(UInt16(number >> 16))
    append(UInt16(number & 0xFFFF))
  }
}
