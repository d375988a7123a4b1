import CSodium
import Synchronization

/// A source of randomness. It is passed in, because the pure targets never draw their own.
package struct RandomSource: Sendable {
  private let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// - Parameter fill: writes every byte of its buffer. It can be called from any thread.
  package init(_ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { self.fill = fill }

  package func bytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0, "the number of bytes is negative")
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      filled = count
    }
  }

  package func secret(_ count: Int) -> SecretBytes { SecretBytes(count: count, filledBy: fill) }

  /// Returns the same randomness, and passes every draw to `note`.
  package func noted(by note: @escaping @Sendable ([UInt8]) -> Void) -> RandomSource {
    RandomSource { room in
      let bytes = bytes(room.count)
      room.copyBytes(from: bytes)
      note(bytes)
    }
  }

  /// Returns the same stream for the same seed. It is for tests and simulations that must be reproducible, never for secure keys.
  ///
  /// Draw `i` is the ChaCha20 keystream with a key derived from `seed` and the nonce `i`.
  package static func seeded(_ seed: UInt64) -> RandomSource {
    let label = Array("hapsim seeded random source".utf8)
    let key = Array(SHA512.hash(label + withUnsafeBytes(of: seed.littleEndian, Array.init))[..<32])
    let stream = KeyStream(key: key)
    return RandomSource { stream.fill($0) }
  }

  /// Returns the stream of a secret, also for keys. Draw `i` is the ChaCha20 keystream with the nonce `i`.
  /// - Parameter secret: 32 bytes.
  package static func derived(from secret: SecretBytes) -> RandomSource {
    precondition(secret.count == 32, "a key of ChaCha20 has 32 bytes")
    let stream = KeyStream(key: secret.withBytes { Array($0) })
    return RandomSource { stream.fill($0) }
  }
}

/// A ChaCha20 keystream with one nonce for each draw.
private final class KeyStream: Sendable {
  private let key: [UInt8]
  private let draws = Atomic<UInt64>(0)

  init(key: [UInt8]) { self.key = key }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    let draw = draws.wrappingAdd(1, ordering: .relaxed).oldValue
    let nonce = withUnsafeBytes(of: draw.littleEndian, Array.init)
    // Can't fail below 2^70 bytes.
    _ = crypto_stream_chacha20(start.assumingMemoryBound(to: UInt8.self), UInt64(buffer.count), nonce, key)
  }
}
