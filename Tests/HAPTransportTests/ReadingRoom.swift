/// The read buffer of a test's stream, allocated as long as it is referenced.
final class ReadingRoom: @unchecked Sendable {  // used on a loop's thread
  let bytes: UnsafeMutableRawBufferPointer

  init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 1) }
  deinit { bytes.deallocate() }
}
