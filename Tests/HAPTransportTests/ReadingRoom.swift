/// Where a test's stream reads to, for as long as somebody holds on to it.
final class ReadingRoom: @unchecked Sendable {  // used on a loop's thread
  let bytes: UnsafeMutableRawBufferPointer

  init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 1) }
  deinit { bytes.deallocate() }
}
