import HAPWire

/// Takes a packet apart without copying it: where its questions and records are. Names and data are read only where they are needed.
struct PacketReader: Sendable {
  struct Question: Sendable {
    var name: Int
    var type: UInt16
    var classField: UInt16

    var wantsUnicast: Bool { classField & PacketReader.topBit != 0 }
  }

  struct Record: Sendable {
    var name: Int
    var type: UInt16
    var classField: UInt16
    var ttl: UInt32
    /// Of the record's data.
    var range: Range<Int>
    /// Of the answer section: in a query, a known answer.
    var isAnswer: Bool

    var flushesCache: Bool { classField & PacketReader.topBit != 0 }
    var isInternet: Bool { classField & ~PacketReader.topBit == 1 }
  }

  static let topBit: UInt16 = 0x8000
  private static let headSize = 12

  private(set) var flags: UInt16 = 0
  private(set) var questions: [Question] = []
  private(set) var records: [Record] = []

  var isResponse: Bool { flags & DNSMessage.response != 0 }
  var isTruncated: Bool { flags & DNSMessage.truncated != 0 }

  /// Reads where everything is. Bytes after the last record are ignored.
  /// - Returns: false unless it is a multicast DNS message whose parts are all within the packet. RFC 6762 §18.3, §18.11.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    questions.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
    guard bytes.count >= Self.headSize, bytes.count <= MDNS.largestPacket else { return false }
    flags = Self.number(bytes, 2)
    // Operation code and response code.
    guard flags & 0x780F == 0 else { return false }
    var at = Self.headSize
    for _ in 0..<Self.number(bytes, 4) {
      guard let end = Self.endOfName(bytes, at), bytes.count - end >= 4 else { return false }
      questions.append(
        Question(name: at, type: Self.number(bytes, end), classField: Self.number(bytes, end + 2)))
      at = end + 4
    }
    let answers = Int(Self.number(bytes, 6))
    for index in 0..<(answers + Int(Self.number(bytes, 8)) + Int(Self.number(bytes, 10))) {
      guard let end = Self.endOfName(bytes, at), bytes.count - end >= 10 else { return false }
      let start = end + 10
      let length = Int(Self.number(bytes, end + 8))
      guard bytes.count - start >= length else { return false }
      records.append(
        Record(
          name: at, type: Self.number(bytes, end), classField: Self.number(bytes, end + 2),
          ttl: UInt32(Self.number(bytes, end + 4)) << 16 | UInt32(Self.number(bytes, end + 6)),
          range: start..<(start + length), isAnswer: index < answers))
      at = start + length
    }
    return true
  }

  /// - Precondition: both bytes are within the packet.
  static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt16 {
    UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
  }

  /// Where the bytes end that a name has at its own place, a pointer included.
  private static func endOfName(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    var at = start
    while at < bytes.count {
      switch bytes[at] {
      case 0: return at + 1
      case 1...63: at += 1 + Int(bytes[at])
      case 0xC0...: return at + 2 <= bytes.count ? at + 2 : nil
      default: return nil
      }
    }
    return nil
  }

  /// Reads a name into `name`, following its pointers, each of which has to lead back. RFC 1035 §4.1.4.
  /// - Returns: where the name ends at its own place; nil if it is malformed, and `name` is then of no use.
  static func name(_ bytes: UnsafeRawBufferPointer, at start: Int, end: Int, into name: inout NameBuffer) -> Int? {
    name.clear()
    var at = start
    var limit = end
    // Where this part of the name began.
    var part = start
    var next: Int?
    while at < limit {
      let length = Int(bytes[at])
      switch length {
      case 0: return next ?? at + 1
      case 1...63:
        guard limit - at > length, name.wire.count + length < 254 else { return nil }
        name.append(UnsafeRawBufferPointer(rebasing: bytes[at...(at + length)]))
        at += 1 + length
      case 0xC0...:
        guard limit - at >= 2 else { return nil }
        let target = (length & 0x3F) << 8 | Int(bytes[at + 1])
        guard target >= headSize, target < part else { return nil }
        next = next ?? at + 2
        limit = bytes.count
        part = target
        at = target
      default: return nil
      }
    }
    return nil
  }
}
