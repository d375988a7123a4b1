/// Growable raw bytes with a readable window: what a connection reads into and writes out of.
///
/// Bytes are appended at the end and consumed from the front. Once it has grown to the size of the traffic nothing is
/// allocated any more. It knows no upper bound: whoever fills it with a peer's bytes watches `readableCount`.
// Safe: the type has no copies, so `storage` has one owner, which the compiler checks. A pointer to it is only lent to a closure, which must not keep
// it. `withReadable` lends one that can be written to without exclusive access; so a buffer that threads share needs a lock, and none is shared.
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutableRawPointer
  package private(set) var capacity: Int
  @usableFromInline var start = 0
  @usableFromInline var end = 0

  /// An empty buffer; `capacity` bytes fit before it grows.
  package init(capacity: Int = 256) {
    precondition(capacity >= 0)
    self.capacity = max(capacity, 64)
    storage = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { storage.deallocate() }

  // MARK: Reading

  /// Bytes appended and not yet consumed.
  @inlinable package var readableCount: Int { end - start }
  @inlinable package var isEmpty: Bool { start == end }

  /// The readable bytes, which `body` may change in place (opening a frame, joining chunks) but must not keep.
  @inlinable package borrowing func withReadable<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(UnsafeMutableRawBufferPointer(start: storage + start, count: end - start))
  }

  /// A copy of the readable bytes.
  package var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: storage + start, count: end - start)) }

  /// Drops `count` bytes from the front; more than there are is the caller's mistake.
  @inlinable package mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= end - start, "consumed more than there is")
    start += count
    if start == end {
      start = 0
      end = 0
    }
  }

  /// Drops `count` bytes from the back.
  package mutating func removeLast(_ count: Int) {
    precondition(count >= 0 && count <= end - start, "removed more than there is")
    end -= count
  }

  /// Empties it; storage beyond `capacityLimit` bytes is given back.
  package mutating func removeAll(keepingCapacityUpTo capacityLimit: Int = .max) {
    start = 0
    end = 0
    guard capacity > capacityLimit else { return }
    storage.deallocate()
    capacity = max(capacityLimit, 64)
    storage = .allocate(byteCount: capacity, alignment: 16)
  }

  // MARK: Writing

  /// At least `count` writable bytes after the readable ones. Fill some, then `commit` as many.
  ///
  /// The pointer is good until the next mutation.
  @inlinable package mutating func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if capacity - end < count { makeRoom(count) }
    return UnsafeMutableRawBufferPointer(start: storage + end, count: capacity - end)
  }

  /// Makes `count` bytes of what `reserve` returned readable.
  @inlinable package mutating func commit(_ count: Int) {
    precondition(count >= 0 && count <= capacity - end, "committed more than was reserved")
    end += count
  }

  @inlinable package mutating func append(_ byte: UInt8) {
    if end == capacity { makeRoom(1) }
    storage.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    if capacity - end < bytes.count { makeRoom(bytes.count) }
    (storage + end).copyMemory(from: base, byteCount: bytes.count)
    end += bytes.count
  }

  @inlinable package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  @inlinable package mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends the text's UTF-8.
  @inlinable package mutating func append(_ text: String.UTF8View) {
    let contiguous: Void? = text.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
    if contiguous == nil {
      for byte in text { append(byte) }
    }
  }

  package mutating func appendDecimal(_ number: UInt64) {
    if number < 10 { return append(UInt8(truncatingIfNeeded: number) &+ 0x30) }
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      var rest = number
      var first = 20
      while rest > 0 {
        first -= 1
        digits[first] = UInt8(truncatingIfNeeded: rest % 10) &+ 0x30
        rest /= 10
      }
      append(UnsafeRawBufferPointer(rebasing: digits[first...]))
    }
  }

  package mutating func appendDecimal(_ number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    appendDecimal(number.magnitude)
  }

  /// Compacts, or grows to at least twice the size, so that the cost per byte stays constant.
  @usableFromInline mutating func makeRoom(_ count: Int) {
    precondition(count >= 0)
    let live = end - start
    if start >= live, capacity - live >= count {
      storage.copyMemory(from: storage + start, byteCount: live)
    } else {
      let larger = max(capacity * 2, live + count)
      let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
      moved.copyMemory(from: storage + start, byteCount: live)
      storage.deallocate()
      storage = moved
      capacity = larger
    }
    start = 0
    end = live
  }
}

extension ByteBuffer {
  /// Room left in front of a body whose head is not known yet. See `openGap`.
  package struct Gap {
    /// Readable bytes in front of the gap when it was opened.
    fileprivate let offset: Int
    fileprivate let room: Int
  }

  /// Leaves `room` bytes free at the end, so that what is appended next gets its head afterwards, by `closeGap`.
  ///
  /// Until then the buffer must only be appended to.
  package mutating func openGap(_ room: Int) -> Gap {
    let gap = Gap(offset: readableCount, room: room)
    _ = reserve(room)
    commit(room)
    return gap
  }

  /// Bytes appended since the gap was opened.
  package func count(after gap: Gap) -> Int { readableCount - gap.offset - gap.room }

  /// Writes `head`, of at most the gap's room, right in front of the body.
  ///
  /// With nothing unread in front of the gap nothing moves; else the shorter side closes the rest of it.
  package mutating func closeGap(_ gap: Gap, with head: UnsafeRawBufferPointer) {
    precondition(head.count <= gap.room, "the head is longer than the room left for it")
    precondition(readableCount >= gap.offset + gap.room, "bytes were consumed while a gap was open")
    let slack = gap.room - head.count
    let headStart = storage + start + gap.offset + slack
    if let base = head.baseAddress { headStart.copyMemory(from: base, byteCount: head.count) }
    let after = readableCount - gap.offset - slack
    if gap.offset <= after {
      (storage + start + slack).copyMemory(from: storage + start, byteCount: gap.offset)
      start += slack
    } else {
      (headStart - slack).copyMemory(from: headStart, byteCount: after)
      end -= slack
    }
  }

  /// Takes back the gap and everything after it.
  package mutating func abandonGap(_ gap: Gap) { removeLast(readableCount - gap.offset) }
}
