/// The questions and records of a message, located in place: no allocation per record, and a hash for each name.
///
/// It accepts every message that `DNSMessage(decoding:)` accepts. The data of records is not checked.
package struct DNSScan: Sendable {
  package enum Section: UInt8, Sendable { case question, answer, authority, additional }

  package struct Entry: Sendable {
    package var section: Section
    /// The offset of the name; its hash (`DNSScan.hash`) follows.
    package var name: Int
    package var nameHash: UInt64
    package var type: UInt16
    package var classField: UInt16
    /// In seconds; 0 in a question.
    package var ttl: UInt32
    /// The range of the data; empty in a question.
    package var data: Range<Int>

    /// The class without the top bit.
    package var plainClass: UInt16 { classField & ~DNSClass.topBit }
    /// The QU bit of a question, the cache-flush bit of a record.
    package var hasTopBit: Bool { classField & DNSClass.topBit != 0 }
  }

  package private(set) var id: UInt16 = 0
  package private(set) var flags: UInt16 = 0
  package private(set) var entries: [Entry] = []

  /// The maximum number of questions and records in a message; more are refused. Messages of 9000 bytes have fewer,
  /// unless they are designed to waste time.
  package static let entryLimit = 1024

  package init() {}

  package var isResponse: Bool { flags & DNSMessage.response != 0 }
  package var isTruncated: Bool { flags & DNSMessage.truncated != 0 }
  /// Whether bits are set that are 0 in every message of multicast DNS: opcode and response code. RFC 6762 §18.3,
  /// §18.11.
  package var hasForeignCodes: Bool { flags & 0x780F != 0 }

  /// Reads a message and discards the previous one.
  /// - Returns: false if the message is malformed.
  package mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    entries.removeAll(keepingCapacity: true)
    guard bytes.count >= 12 else { return false }
    id = Self.number(bytes, 0)
    flags = Self.number(bytes, 2)
    var place = 12
    for (section, offset) in [(Section.question, 4), (.answer, 6), (.authority, 8), (.additional, 10)] {
      let count = Int(Self.number(bytes, offset))
      guard entries.count + count <= Self.entryLimit else { return false }
      for _ in 0..<count {
        guard let next = readEntry(bytes, at: place, section) else { return false }
        place = next
      }
    }
    return true
  }

  private mutating func readEntry(_ bytes: UnsafeRawBufferPointer, at start: Int, _ section: Section) -> Int? {
    guard let (hash, fields) = Self.hash(bytes, at: start, before: bytes.count) else { return nil }
    let length = section == .question ? 4 : 10
    guard bytes.count - fields >= length else { return nil }
    var entry = Entry(
      section: section, name: start, nameHash: hash, type: Self.number(bytes, fields),
      classField: Self.number(bytes, fields + 2), ttl: 0, data: (fields + 4)..<(fields + 4))
    if section != .question {
      entry.ttl = UInt32(Self.number(bytes, fields + 4)) << 16 | UInt32(Self.number(bytes, fields + 6))
      let count = Int(Self.number(bytes, fields + 8))
      guard bytes.count - fields - 10 >= count else { return nil }
      entry.data = (fields + 10)..<(fields + 10 + count)
    }
    entries.append(entry)
    return entry.data.upperBound
  }

  package static func number(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt16 {
    UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
  }

  // MARK: Names

  /// The hash of a name without labels.
  package static let emptyHash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds a byte of a name to a hash: the length of a label, or a byte of it, ignoring the case of ASCII letters.
  /// (FNV-1a.)
  @inline(__always)
  package static func combine(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(DNSName.folded(byte))) &* 0x100_0000_01B3
  }

  /// Returns the hash of a name and the offset after it; nil if it is malformed. Names that differ only in the case
  /// of ASCII letters have the same hash.
  package static func hash(
    _ bytes: UnsafeRawBufferPointer, at start: Int, before end: Int
  ) -> (hash: UInt64, next: Int)? {
    var hash = emptyHash
    do throws(DNSMessage.DecodingError) {
      let next = try DNSNameWalk.walk(bytes, from: start, before: end) { place, length in
        for index in place...(place + length) { hash = combine(hash, bytes[index]) }
      }
      return (hash, next)
    } catch { return nil }
  }

  /// Writes a name without pointers and without its terminator into `buffer`, which has 255 bytes.
  /// - Parameter isFolded: whether letters are converted to lower case.
  /// - Returns: the number of bytes; nil if the name is malformed.
  package static func expand(
    _ bytes: UnsafeRawBufferPointer, at start: Int, before end: Int, isFolded: Bool = true,
    into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    var count = 0
    do throws(DNSMessage.DecodingError) {
      _ = try DNSNameWalk.walk(bytes, from: start, before: end) { place, length in
        for index in place...(place + length) {
          buffer[count] = isFolded ? DNSName.folded(bytes[index]) : bytes[index]
          count += 1
        }
      }
      return count
    } catch { return nil }
  }
}
