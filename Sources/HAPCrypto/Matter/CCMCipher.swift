import CLibcrypto

/// AES-128 in CCM mode with nonces of 13 bytes and tags of 16 bytes, for one direction. It works in place, and allocates
/// memory only in `init`. Matter 1.4 §3.6.
///
/// Owned by one session. It must not be used from two threads at the same time.
package final class CCMCipher {
  package static let nonceByteCount = 13
  package static let tagByteCount = 16
  /// With nonces of 13 bytes, two bytes are left for the length.
  package static let mostTextBytes = 65_535

  /// libcrypto chooses the code of a direction when it gets the key.
  package enum Direction: Int32, Sendable { case opening = 0, sealing = 1 }

  private let context: OpaquePointer
  private let direction: Direction
  // As in `FrameCipher`.
  private static let algorithm = SharedPointer(EVP_CIPHER_fetch(nil, "AES-128-CCM", nil)!)

  /// - Parameter key: 16 bytes, or it traps.
  package init(key: SecretBytes, _ direction: Direction) {
    self.direction = direction
    precondition(key.count == 16, "a key of AES-128 is 16 bytes")
    context = EVP_CIPHER_CTX_new()
    check(EVP_CipherInit_ex(context, Self.algorithm.pointer, nil, nil, nil, direction.rawValue))
    check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(Self.nonceByteCount), nil))
    check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagByteCount), nil))
    key.withPointer { check(EVP_CipherInit_ex(context, nil, nil, $0, nil, direction.rawValue)) }
  }

  deinit { EVP_CIPHER_CTX_free(context) }  // also wipes the key

  /// Encrypts `text` in place: at most `mostTextBytes`, or it traps.
  ///
  /// - Parameters:
  ///   - tag: receives the 16 bytes of the tag.
  ///   - nonce: 13 bytes. Reusing a nonce with the key breaks the cipher.
  ///   - aad: authenticated, not encrypted.
  package func seal(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawPointer, nonce: UnsafeRawBufferPointer,
    aad: UnsafeRawBufferPointer
  ) {
    precondition(text.count <= Self.mostTextBytes, "a text of CCM has at most 65535 bytes")
    start(nonce, .sealing)
    feed(aad, textCount: text.count)
    check(run(text))
    check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagByteCount), tag))
  }

  /// Decrypts `text` in place.
  ///
  /// - Returns: false if `tag`, 16 bytes, is wrong, or the text too long. `text` must not be used then.
  package func open(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeRawPointer, nonce: UnsafeRawBufferPointer,
    aad: UnsafeRawBufferPointer
  ) -> Bool {
    guard text.count <= Self.mostTextBytes else { return false }
    start(nonce, .opening)
    check(
      EVP_CIPHER_CTX_ctrl(
        context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagByteCount), UnsafeMutableRawPointer(mutating: tag)))
    feed(aad, textCount: text.count)
    // In this mode the update is the verdict, and there is no final step.
    return run(text) == 1
  }

  private func start(_ nonce: UnsafeRawBufferPointer, _ direction: Direction) {
    precondition(direction == self.direction, "a cipher is for one direction")
    precondition(nonce.count == Self.nonceByteCount, "a nonce is 13 bytes")
    let nonce = nonce.baseAddress!.assumingMemoryBound(to: UInt8.self)
    check(EVP_CipherInit_ex(context, nil, nil, nil, nonce, direction.rawValue))
  }

  private func feed(_ aad: UnsafeRawBufferPointer, textCount: Int) {
    var count: Int32 = 0
    check(EVP_CipherUpdate(context, nil, &count, nil, Int32(textCount)))
    guard let start = aad.baseAddress, aad.count > 0 else { return }
    check(EVP_CipherUpdate(context, nil, &count, start.assumingMemoryBound(to: UInt8.self), Int32(aad.count)))
  }

  private func run(_ text: UnsafeMutableRawBufferPointer) -> Int32 {
    var count: Int32 = 0
    guard let start = text.baseAddress, text.count > 0 else {
      // Without text, the update must have a pointer nevertheless.
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) {
        EVP_CipherUpdate(context, $0.baseAddress!, &count, $0.baseAddress!, 0)
      }
    }
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    return EVP_CipherUpdate(context, bytes, &count, bytes, Int32(text.count))
  }
}

/// These calls can fail only because of an error in this code.
private func check(_ result: Int32) { precondition(result == 1, "libcrypto refused an AES-CCM call") }

extension CCMCipher {
  /// Seals parts of a handshake.
  /// - Returns: the encrypted bytes and the tag.
  package func seal(_ text: [UInt8], nonce: [UInt8], aad: [UInt8] = []) -> [UInt8] {
    var sealed = text + [UInt8](repeating: 0, count: Self.tagByteCount)
    sealed.withUnsafeMutableBytes { sealed in
      nonce.withUnsafeBytes { nonce in
        aad.withUnsafeBytes { aad in
          seal(
            UnsafeMutableRawBufferPointer(rebasing: sealed[..<text.count]), tag: sealed.baseAddress! + text.count,
            nonce: nonce, aad: aad)
        }
      }
    }
    return sealed
  }

  /// Opens what `seal` returned; nil: it is too short, or the tag is wrong.
  package func open(_ sealed: [UInt8], nonce: [UInt8], aad: [UInt8] = []) -> [UInt8]? {
    let count = sealed.count - Self.tagByteCount
    guard count >= 0 else { return nil }
    var text = sealed
    let isOpen = text.withUnsafeMutableBytes { text in
      nonce.withUnsafeBytes { nonce in
        aad.withUnsafeBytes { aad in
          open(
            UnsafeMutableRawBufferPointer(rebasing: text[..<count]), tag: text.baseAddress! + count, nonce: nonce,
            aad: aad)
        }
      }
    }
    guard isOpen else { return nil }
    text.removeLast(Self.tagByteCount)
    return text
  }
}
