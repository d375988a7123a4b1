/// A queue of bytes in one piece of memory, which grows by doubling as needed.
final class ByteRing {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var head = 0
  private(set) var count = 0

  deinit { memory.deallocate() }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 0 else { return }
    if count + bytes.count > memory.count { grow(to: count + bytes.count) }
    let start = (head + count) % memory.count
    let first = min(bytes.count, memory.count - start)
    copy(UnsafeRawBufferPointer(rebasing: bytes[..<first]), to: start)
    copy(UnsafeRawBufferPointer(rebasing: bytes[first...]), to: 0)
    count += bytes.count
  }

  /// Appends `count` bytes of another ring, starting `offset` bytes after its first byte.
  /// - Returns: a hash of them.
  func append(from other: ByteRing, offset: Int, count: Int) -> UInt64 {
    var hash: UInt64 = 0
    other.pieces(offset: offset, count: count) { piece in
      append(piece)
      hash = hash &* 31 &+ Trace.hash(of: piece)
    }
    return hash
  }

  /// Moves up to `target.count` bytes out of the ring.
  func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    let taken = min(count, target.count)
    var at = 0
    pieces(offset: 0, count: taken) { piece in
      UnsafeMutableRawBufferPointer(rebasing: target[at...]).copyMemory(from: piece)
      at += piece.count
    }
    drop(taken)
    return taken
  }

  func drop(_ dropped: Int) {
    let dropped = min(dropped, count)
    count -= dropped
    head = count == 0 ? 0 : (head + dropped) % memory.count
  }

  /// Drops everything and frees the memory.
  func clear() {
    memory.deallocate()
    memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    head = 0
    count = 0
  }

  private func pieces(offset: Int, count wanted: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard wanted > 0, offset >= 0, offset + wanted <= count else { return }
    let start = (head + offset) % memory.count
    let first = min(wanted, memory.count - start)
    body(UnsafeRawBufferPointer(rebasing: memory[start..<(start + first)]))
    if first < wanted { body(UnsafeRawBufferPointer(rebasing: memory[..<(wanted - first)])) }
  }

  private func copy(_ bytes: UnsafeRawBufferPointer, to place: Int) {
    guard bytes.count > 0 else { return }
    UnsafeMutableRawBufferPointer(rebasing: memory[place...]).copyMemory(from: bytes)
  }

  private func grow(to needed: Int) {
    var capacity = max(memory.count, 512)
    while capacity < needed { capacity *= 2 }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    var at = 0
    pieces(offset: 0, count: count) { piece in
      UnsafeMutableRawBufferPointer(rebasing: larger[at...]).copyMemory(from: piece)
      at += piece.count
    }
    memory.deallocate()
    memory = larger
    head = 0
  }
}
