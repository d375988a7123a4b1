import HAPCrypto
import HAPWire

/// Opens the frames of a secured session in place, in the connection's buffer of received bytes. HAP R2 §6.5.2
/// "Session Security".
///
/// A frame: 2-byte little-endian length of the plaintext (authenticated, in clear), ciphertext, 16-byte tag. The
/// buffer's readable bytes are, in this order: ``plainCount`` contiguous bytes of plaintext, unused bytes, and frames
/// that are not complete. A request in one frame is never moved, and nothing is allocated.
///
/// After the first call, only the opener may consume bytes from the buffer: use ``consume(_:from:)``.
package struct FrameOpener: ~Copyable {
  package enum Failure: Error, Equatable, Sendable {
    /// A frame announces more than 1024 bytes of plaintext; the connection must be closed without a response.
    case tooLong(Int)
    /// The tag is invalid; the connection must be closed without a response.
    case badTag
  }

  package static let maximumPlaintext = 1024
  static let headCount = 2
  package static let tagCount = 16

  private let cipher: FrameCipher
  private let most: Int
  /// The number of opened frames. HAP R2: each direction has its own count, from 0.
  package var counter: UInt64
  /// The number of plaintext bytes at the front of the buffer.
  package private(set) var plainCount = 0
  /// The number of unused bytes after the plaintext: heads and tags of opened frames.
  private var gap = 0

  /// The offset of the first unopened frame in the buffer.
  package var unopenedOffset: Int { plainCount + gap }

  /// - Parameters:
  ///   - key: 32 bytes; traps otherwise.
  ///   - counter: the number of frames already opened with this key.
  ///   - maximumPlaintext: longer frames are refused.
  package init(key: SecretBytes, counter: UInt64 = 0, maximumPlaintext: Int = Self.maximumPlaintext) {
    cipher = FrameCipher(key: key)
    most = maximumPlaintext
    self.counter = counter
  }

  /// Opens every complete frame; call it after bytes were appended to `buffer`.
  ///
  /// - Throws: on an invalid frame; after that, nothing more may be opened. Earlier plaintext is still at the front.
  package mutating func open(_ buffer: inout ByteBuffer) throws(Failure) {
    while true {
      let start = plainCount + gap
      guard buffer.readableCount - start >= Self.headCount else { break }
      let opened = try buffer.withReadable { bytes throws(Failure) in try openFrame(bytes, at: start) }
      guard let opened else { break }
      counter += 1
      if plainCount == 0 {
        // The plaintext stays in place; the bytes before it are dropped.
        buffer.consume(start + Self.headCount)
        gap = Self.tagCount
      } else {
        gap += Self.headCount + Self.tagCount
      }
      plainCount += opened
      if plainCount == 0 {
        buffer.consume(gap)
        gap = 0
      }
    }
  }

  /// Passes the plaintext to `body`, which may change the bytes in place. The pointer is only valid inside `body`.
  package func withPlaintext<R: ~Copyable, E: Error>(
    of buffer: borrowing ByteBuffer, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try buffer.withReadable { bytes throws(E) in
      try body(UnsafeMutableRawBufferPointer(rebasing: bytes[..<plainCount]))
    }
  }

  /// Drops `count` bytes of plaintext from the front.
  package mutating func consume(_ count: Int, from buffer: inout ByteBuffer) {
    precondition((0...plainCount).contains(count), "more plaintext was consumed than there is")
    plainCount -= count
    guard plainCount == 0 else { return buffer.consume(count) }
    buffer.consume(count + gap)
    gap = 0
  }

  /// Discards the unopened bytes.
  package mutating func discardUnopened(of buffer: inout ByteBuffer) {
    buffer.removeLast(buffer.readableCount - unopenedOffset)
  }

  /// Returns the unopened bytes.
  func unopened(of buffer: borrowing ByteBuffer) -> [UInt8] { buffer.withReadable { [UInt8]($0[unopenedOffset...]) } }

  /// Opens the frame at `start`, if it is complete, and moves its plaintext next to the existing plaintext.
  ///
  /// - Returns: the number of plaintext bytes in the frame; nil if it isn't complete.
  private func openFrame(_ bytes: UnsafeMutableRawBufferPointer, at start: Int) throws(Failure) -> Int? {
    let count = Int(bytes[start]) | Int(bytes[start + 1]) << 8
    guard count <= most else { throw .tooLong(count) }
    let text = start + Self.headCount
    guard bytes.count - text >= count + Self.tagCount else { return nil }
    let isGood = cipher.open(
      UnsafeMutableRawBufferPointer(rebasing: bytes[text..<text + count]), tag: bytes.baseAddress! + text + count,
      counter: counter, aad: UnsafeRawBufferPointer(rebasing: bytes[start..<text]))
    guard isGood else { throw .badTag }
    if plainCount > 0 {
      // Source and target may overlap.
      (bytes.baseAddress! + plainCount).copyMemory(from: bytes.baseAddress! + text, byteCount: count)
    }
    return count
  }
}
