import CSodium

/// SHA-512, FIPS 180-4.
package enum SHA512 {
  package static let byteCount = 64

  package static func hash(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { hash($0) } }

  /// - Returns: 64 bytes.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hasher = Hasher()
    hasher.update(bytes)
    return hasher.finish()
  }

  /// An incremental hash, so that parts, including secret ones, need not be joined first. Finishing wipes its state.
  struct Hasher: ~Copyable {
    private var state = crypto_hash_sha512_state()

    init() { _ = crypto_hash_sha512_init(&state) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      guard let start = bytes.baseAddress else { return }
      _ = crypto_hash_sha512_update(&state, start.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }

    mutating func update(_ bytes: some Collection<UInt8>) {
      if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) == nil {
        Array(bytes).withUnsafeBytes { update($0) }
      }
    }

    mutating func update(_ secret: SecretBytes) { secret.withBytes { update($0) } }

    mutating func finish() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
        _ = crypto_hash_sha512_final(&state, buffer.baseAddress!)
        count = byteCount
      }
    }

    mutating func finishSecret() -> SecretBytes {
      SecretBytes(count: byteCount) {
        _ = crypto_hash_sha512_final(&state, $0.baseAddress!.assumingMemoryBound(to: UInt8.self))
      }
    }
  }
}

/// HKDF with SHA-512, RFC 5869. HAP derives every key with it (HAP R2 §5, §6.5).
package enum HKDF {
  /// - Parameter count: 1...16320 bytes (255 blocks), or it traps.
  package static func sha512(_ key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int = 32) -> SecretBytes {
    precondition((1...255 * SHA512.byteCount).contains(count), "HKDF-SHA-512 gives 1...16320 bytes")
    let pseudorandomKey = SecretBytes(count: SHA512.byteCount) { output in
      hmac(salt, into: output) { key.withBytes($0) }
    }
    return SecretBytes(count: count) { output in
      withUnsafeTemporaryAllocation(byteCount: SHA512.byteCount, alignment: 16) { block in
        var done = 0
        var number: UInt8 = 0
        while done < count {
          number += 1
          pseudorandomKey.withBytes { key in
            hmac(key, into: block) { update in
              if number > 1 { update(UnsafeRawBufferPointer(block)) }
              info.withUnsafeBytes { update($0) }
              withUnsafeBytes(of: number) { update($0) }
            }
          }
          let part = min(SHA512.byteCount, count - done)
          UnsafeMutableRawBufferPointer(rebasing: output[done..<done + part])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<part]))
          done += part
        }
        sodium_memzero(block.baseAddress!, block.count)
      }
    }
  }

  /// Derives a key with salt and info in HAP's form: ASCII, without a terminator.
  package static func sha512(_ key: SecretBytes, salt: String, info: String, count: Int = 32) -> SecretBytes {
    sha512(key, salt: Array(salt.utf8), info: Array(info.utf8), count: count)
  }

  private static func hmac(
    _ key: [UInt8], into output: UnsafeMutableRawBufferPointer, feed: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) { key.withUnsafeBytes { hmac($0, into: output, feed: feed) } }

  /// Computes the HMAC-SHA-512, RFC 2104, of the bytes that `feed` passes, and writes 64 bytes to `output`.
  private static func hmac(
    _ key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    feed: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) {
    var state = crypto_auth_hmacsha512_state()
    defer { sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha512_state>.size) }
    if let start = key.baseAddress {
      _ = crypto_auth_hmacsha512_init(&state, start.assumingMemoryBound(to: UInt8.self), key.count)
    } else {
      _ = crypto_auth_hmacsha512_init(&state, [0], 0)
    }
    feed { part in
      guard let start = part.baseAddress else { return }
      _ = crypto_auth_hmacsha512_update(&state, start.assumingMemoryBound(to: UInt8.self), UInt64(part.count))
    }
    _ = crypto_auth_hmacsha512_final(&state, output.baseAddress!.assumingMemoryBound(to: UInt8.self))
  }
}
