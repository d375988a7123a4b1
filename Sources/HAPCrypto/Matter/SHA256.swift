import CSodium

/// SHA-256, FIPS 180-4, and HMAC-SHA-256, RFC 2104. Matter 1.4 §3.3, §3.4.
package enum SHA256 {
  package static let byteCount = 32

  /// - Returns: 32 bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      _ = crypto_hash_sha256(buffer.baseAddress!, bytes, UInt64(bytes.count))
      count = byteCount
    }
  }

  /// Returns the hash of a secret, which is itself secret.
  static func hash(_ secret: SecretBytes) -> SecretBytes {
    SecretBytes(count: byteCount) { output in
      secret.withPointer {
        _ = crypto_hash_sha256(output.baseAddress!.assumingMemoryBound(to: UInt8.self), $0, UInt64(secret.count))
      }
    }
  }

  /// - Returns: 32 bytes.
  package static func hmac(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
    let code = key.withBytes { key in hmac(key) { update in message.withUnsafeBytes { update($0) } } }
    return code.copy
  }

  /// Computes the HMAC of the bytes that `feed` passes.
  fileprivate static func hmac(
    _ key: UnsafeRawBufferPointer, feed: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) -> SecretBytes {
    var state = crypto_auth_hmacsha256_state()
    defer { sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size) }
    if let start = key.baseAddress {
      _ = crypto_auth_hmacsha256_init(&state, start.assumingMemoryBound(to: UInt8.self), key.count)
    } else {
      _ = crypto_auth_hmacsha256_init(&state, [0], 0)
    }
    feed { part in
      guard let start = part.baseAddress else { return }
      _ = crypto_auth_hmacsha256_update(&state, start.assumingMemoryBound(to: UInt8.self), UInt64(part.count))
    }
    return SecretBytes(count: byteCount) {
      _ = crypto_auth_hmacsha256_final(&state, $0.baseAddress!.assumingMemoryBound(to: UInt8.self))
    }
  }
}

extension HKDF {
  /// HKDF with SHA-256, RFC 5869. Matter derives every key with it. Matter 1.4 §3.8.
  /// - Parameter count: 1...8160 bytes (255 blocks), or it traps.
  package static func sha256(_ key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int) -> SecretBytes {
    precondition((1...255 * SHA256.byteCount).contains(count), "HKDF-SHA-256 gives 1...8160 bytes")
    let pseudorandomKey = salt.withUnsafeBytes { salt in
      SHA256.hmac(salt) { update in key.withBytes { update($0) } }
    }
    return SecretBytes(count: count) { output in
      var block = SecretBytes([])
      for number in 1...UInt8((count - 1) / SHA256.byteCount + 1) {
        block = pseudorandomKey.withBytes { key in
          SHA256.hmac(key) { update in
            block.withBytes { update($0) }
            info.withUnsafeBytes { update($0) }
            withUnsafeBytes(of: number) { update($0) }
          }
        }
        let start = (Int(number) - 1) * SHA256.byteCount
        block.withBytes { block in
          let part = min(block.count, count - start)
          UnsafeMutableRawBufferPointer(rebasing: output[start..<start + part])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<part]))
        }
      }
    }
  }

  /// With an info of ASCII, without a terminator, as Matter writes it.
  package static func sha256(_ key: SecretBytes, salt: [UInt8] = [], info: String, count: Int) -> SecretBytes {
    sha256(key, salt: salt, info: Array(info.utf8), count: count)
  }
}
