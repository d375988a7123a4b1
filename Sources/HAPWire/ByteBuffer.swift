/// Growable raw bytes with a readable window, for the input and output of a connection.
///
/// Bytes are appended at the end and consumed from the front. Nothing is allocated once the buffer has grown to the
/// size of the traffic. It has no maximum size: code that fills it with a peer's bytes must check `readableCount`.
// Safe: the type is not copyable, so `storage` has one owner, which the compiler checks. A pointer to it is only
// passed to a closure, which must not keep it. `withReadable` passes a pointer that allows writing without exclusive
// access. A buffer shared by threads would therefore need a lock; no buffer is shared.
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutableRawPointer
  package private(set) var capacity: Int
  @usableFromInline var start = 0
  @usableFromInline var end = 0

  /// Creates an empty buffer; `capacity` bytes fit before it grows.
  package init(capacity: Int = 256) {
    precondition(capacity >= 0)
    self.capacity = max(capacity, 64)
    storage = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { storage.deallocate() }

  // MARK: Reading

  /// The number of bytes that were appended and are not consumed yet.
  @inlinable package var readableCount: Int { end - start }
  @inlinable package var isEmpty: Bool { start == end }

  /// Passes the readable bytes to `body`, which may change them in place (opening a frame, joining chunks) but must
  /// not keep the pointer.
  @inlinable package borrowing func withReadable<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(UnsafeMutableRawBufferPointer(start: storage + start, count: end - start))
  }

  /// A copy of the readable bytes.
  package var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: storage + start, count: end - start)) }

  /// Drops `count` bytes from the front; traps if there are fewer.
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

  /// Empties the buffer; frees storage beyond `capacityLimit` bytes.
  package mutating func removeAll(keepingCapacityUpTo capacityLimit: Int = .max) {
    start = 0
    end = 0
    guard capacity > capacityLimit else { return }
    storage.deallocate()
    capacity = max(capacityLimit, 64)
    storage = .allocate(byteCount: capacity, alignment: 16)
  }

  // MARK: Writing

  /// Returns at least `count` writable bytes after the readable ones. Fill some of them, then `commit` the same
  /// number.
  ///
  /// The pointer is valid until the next mutation.
  @inlinable package mutating func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if capacity - end < count { makeRoom(count) }
    return UnsafeMutableRawBufferPointer(start: storage + end, count: capacity - end)
  }

  /// Makes `count` bytes of the reserved memory readable.
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

  /// Moves the bytes to the front, or grows to at least twice the size, so that the cost per byte stays constant.
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
  /// Space left in front of a body for a head that is not known yet. See `openGap`.
  package struct Gap {
    /// The number of readable bytes in front of the gap when it was opened.
    fileprivate let offset: Int
    fileprivate let room: Int
  }

  /// Leaves `room` bytes free at the end. The next bytes are appended after them, and `closeGap` later writes the
  /// head into the gap.
  ///
  /// Until then the buffer must only be appended to.
  package mutating func openGap(_ room: Int) -> Gap {
    let gap = Gap(offset: readableCount, room: room)
    _ = reserve(room)
    commit(room)
    return gap
  }

  /// Returns the number of bytes appended since the gap was opened.
  package func count(after gap: Gap) -> Int { readableCount - gap.offset - gap.room }

  /// Writes `head` directly in front of the body; it must fit into the gap.
  ///
  /// Nothing is moved if there are no unread bytes in front of the gap; otherwise the shorter side is moved to close
  /// the rest of it.
  package mutating func closeGap(_ gap: Gap, with head: UnsafeRawBufferPointer) {
    precondition(head.count <= gap.room, "the head does not fit into the gap")
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

  /// Removes the gap and everything after it.
  package mutating func abandonGap(_ gap: Gap) { removeLast(readableCount - gap.offset) }
}
