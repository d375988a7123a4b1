/// Writes a DNS message into a buffer of fixed size. Bytes beyond its end are dropped, and the message is incomplete
/// then.
struct PacketWriter {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  /// The number of bytes so far, which starts after the header.
  private(set) var count = 12
  private(set) var isComplete = true

  /// - Parameter buffer: a buffer of at least the 12 bytes of the header.
  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  @inline(__always)
  private mutating func hasRoom(_ more: Int) -> Bool {
    if buffer.count - count >= more { return true }
    isComplete = false
    return false
  }

  @inline(__always)
  mutating func put8(_ byte: UInt8) {
    guard hasRoom(1) else { return }
    buffer[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func put16(_ number: UInt16) {
    guard hasRoom(2) else { return }
    buffer[count] = UInt8(truncatingIfNeeded: number >> 8)
    buffer[count + 1] = UInt8(truncatingIfNeeded: number)
    count += 2
  }

  @inline(__always)
  mutating func put32(_ number: UInt32) {
    put16(UInt16(truncatingIfNeeded: number >> 16))
    put16(UInt16(truncatingIfNeeded: number))
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard hasRoom(bytes.count), let from = bytes.baseAddress, let to = buffer.baseAddress else { return }
    (to + count).update(from: from, count: bytes.count)
    count += bytes.count
  }

  @inline(__always)
  mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { put($0) } }

  mutating func put(_ address: MDNSAddress) {
    for index in 0..<address.count { put8(address.byte(index)) }
  }

  /// Writes a pointer to a name that was written before.
  @inline(__always)
  mutating func putPointer(_ place: UInt16) { put16(0xC000 | place) }

  /// The current offset if a pointer can refer to it; otherwise 0.
  var place: UInt16 { count < 0x4000 ? UInt16(count) : 0 }

  /// Overwrites two bytes that were written before.
  mutating func patch(_ number: UInt16, at place: Int) {
    guard place + 2 <= buffer.count else { return }
    buffer[place] = UInt8(truncatingIfNeeded: number >> 8)
    buffer[place + 1] = UInt8(truncatingIfNeeded: number)
  }

  /// Writes the header with the numbers of records in the four sections.
  mutating func putHeader(id: UInt16, flags: UInt16, counts: (UInt16, UInt16, UInt16, UInt16)) {
    patch(id, at: 0)
    patch(flags, at: 2)
    patch(counts.0, at: 4)
    patch(counts.1, at: 6)
    patch(counts.2, at: 8)
    patch(counts.3, at: 10)
  }

  var message: [UInt8] { Array(buffer[..<count]) }
}
