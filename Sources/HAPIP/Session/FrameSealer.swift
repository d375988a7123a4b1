import HAPCrypto
import HAPWire

/// Seals messages in place, in the connection's buffer of bytes to send. HAP R2 §6.5.2 "Session Security".
///
/// A frame: 2-byte little-endian length of the plaintext (authenticated, in clear), ciphertext, 16-byte tag; never
/// empty, never more than 1024 bytes of plaintext. Nothing is allocated once the buffer has grown to its size.
package struct FrameSealer: ~Copyable {
  private static let overhead = FrameOpener.headCount + FrameOpener.tagCount

  private let cipher: FrameCipher
  /// The number of sealed frames. HAP R2: each direction has its own count, from 0.
  package var counter: UInt64

  /// - Parameters:
  ///   - key: 32 bytes; traps otherwise.
  ///   - counter: the number of frames already sealed with this key; using a number twice breaks the cipher.
  package init(key: SecretBytes, counter: UInt64 = 0) {
    cipher = FrameCipher(key: key)
    self.counter = counter
  }

  /// Returns the number of bytes after sealing `plainCount` bytes of plaintext.
  package static func sealedCount(of plainCount: Int) -> Int { plainCount + frameCount(of: plainCount) * overhead }

  private static func frameCount(of plainCount: Int) -> Int {
    (plainCount + FrameOpener.maximumPlaintext - 1) / FrameOpener.maximumPlaintext
  }

  /// Seals the bytes of `buffer` from `offset` to its end, in as few frames as possible.
  ///
  /// - Parameter offset: the start of the plaintext, in bytes from the first readable one. Earlier bytes are already
  ///   sealed and stay unchanged. Traps if it is beyond the end.
  package mutating func seal(_ buffer: inout ByteBuffer, from offset: Int = 0) {
    let plainCount = buffer.readableCount - offset
    precondition(offset >= 0 && plainCount >= 0, "the plaintext starts outside the buffer")
    let frames = Self.frameCount(of: plainCount)
    guard frames > 0 else { return }
    let room = frames * Self.overhead
    _ = buffer.reserve(room)
    buffer.commit(room)
    buffer.withReadable { bytes in
      // Works backwards from the last frame: each moves to its place before its source is overwritten.
      for index in stride(from: frames - 1, through: 0, by: -1) {
        let source = index * FrameOpener.maximumPlaintext
        let count = min(FrameOpener.maximumPlaintext, plainCount - source)
        sealFrame(
          bytes, from: offset + source, to: offset + source + index * Self.overhead, count: count,
          counter: counter + UInt64(index))
      }
    }
    counter += UInt64(frames)
  }

  /// Seals one text in place, for callers that create the rest of the frame themselves.
  package func seal(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawPointer, counter: UInt64, aad: UnsafeRawBufferPointer
  ) { cipher.seal(text, tag: tag, counter: counter, aad: aad) }

  private func sealFrame(
    _ bytes: UnsafeMutableRawBufferPointer, from source: Int, to target: Int, count: Int, counter: UInt64
  ) {
    let text = target + FrameOpener.headCount
    // Source and target may overlap.
    (bytes.baseAddress! + text).copyMemory(from: bytes.baseAddress! + source, byteCount: count)
    bytes[target] = UInt8(truncatingIfNeeded: count)
    bytes[target + 1] = UInt8(truncatingIfNeeded: count >> 8)
    cipher.seal(
      UnsafeMutableRawBufferPointer(rebasing: bytes[text..<text + count]), tag: bytes.baseAddress! + text + count,
      counter: counter, aad: UnsafeRawBufferPointer(rebasing: bytes[target..<text]))
  }
}
