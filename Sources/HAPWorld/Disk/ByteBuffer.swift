#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes in memory that grow by zeros. The operations are fast in a debug build too, in which those of an array are not.
final class ByteBuffer {
  private(set) var count = 0
  private var capacity = 0
  private var start: UnsafeMutableRawPointer?

  deinit { free(start) }

  var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: count) }

  /// Drops bytes at the end, or adds zeros.
  func resize(to newCount: Int) {
    if newCount > capacity {
      capacity = max(newCount, 2 * capacity, 4096)
      start = realloc(start, capacity)
    }
    if newCount > count, let start { memset(start + count, 0, newCount - count) }
    count = newCount
  }

  /// Copies bytes to `offset`. The buffer must contain all positions that are written.
  func replace(at offset: Int, with source: UnsafeRawBufferPointer) {
    precondition(offset >= 0 && source.count <= count - offset, "bytes beyond the end")
    if let from = source.baseAddress, let start { (start + offset).copyMemory(from: from, byteCount: source.count) }
  }

  /// Returns the bytes of `range` that exist.
  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    let range = range.clamped(to: 0..<count)
    return UnsafeRawBufferPointer(start: start.map { $0 + range.lowerBound }, count: range.count)
  }

  /// Fills the end of `target` with zeros.
  static func clear(_ target: UnsafeMutableRawBufferPointer, from offset: Int) {
    if let start = target.baseAddress, offset < target.count { memset(start + offset, 0, target.count - offset) }
  }

  static func zeros(_ count: Int) -> UnsafeMutableRawPointer {
    let zeros = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    memset(zeros, 0, count)
    return zeros
  }
}
