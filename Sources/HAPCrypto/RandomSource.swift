import CSodium
import Synchronization

/// Where chance comes from: handed in, since nothing in the pure targets draws its own.
package struct RandomSource: Sendable {
  private let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// - Parameter fill: writes every byte of the buffer it is handed; may be called from any thread.
  package init(_ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { self.fill = fill }

  package func bytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0, "a negative number of bytes was asked for")
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      filled = count
    }
  }

  package func secret(_ count: Int) -> SecretBytes { SecretBytes(count: count, filledBy: fill) }

  /// The same randomness, of which `note` gets every draw.
  package func noted(by note: @escaping @Sendable ([UInt8]) -> Void) -> RandomSource {
    RandomSource { room in
      let bytes = bytes(room.count)
      room.copyBytes(from: bytes)
      note(bytes)
    }
  }

  /// The same stream for the same seed: for tests and simulations that must replay, never for keys that must hold.
  ///
  /// Draw `i` is the ChaCha20 keystream under a key made from `seed` and the nonce `i`.
  package static func seeded(_ seed: UInt64) -> RandomSource {
    let label = Array("hapsim seeded random source".utf8)
    let key = Array(SHA512.hash(label + withUnsafeBytes(of: seed.littleEndian, Array.init))[..<32])
    let stream = KeyStream(key: key)
    return RandomSource { stream.fill($0) }
  }
}

/// ChaCha20 keystream; one nonce for each draw.
private final class KeyStream: Sendable {
  private let key: [UInt8]
  private let draws = Atomic<UInt64>(0)

  init(key: [UInt8]) { self.key = key }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    let draw = draws.wrappingAdd(1, ordering: .relaxed).oldValue
    let nonce = withUnsafeBytes(of: draw.littleEndian, Array.init)
    // Has no way to fail below 2^70 bytes.
    _ = crypto_stream_chacha20(start.assumingMemoryBound(to: UInt8.self), UInt64(buffer.count), nonce, key)
  }
}
