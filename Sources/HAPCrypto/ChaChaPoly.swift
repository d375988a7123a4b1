import CSodium

/// ChaCha20-Poly1305, RFC 8439, for the messages of the pairing procedures. Session frames use ``FrameCipher``.
package enum ChaChaPoly {
  package static let tagCount = 16

  /// - Parameters:
  ///   - key: 32 bytes, or it traps.
  ///   - nonce: 8 ASCII characters such as `PS-Msg05`, or it traps. Four zero bytes are put before them.
  /// - Returns: ciphertext and 16-byte tag.
  package static func seal(_ plain: [UInt8], key: SecretBytes, nonce: String, aad: [UInt8] = []) -> [UInt8] {
    seal(plain, key: key, nonce: bytes(ofNonce: nonce), aad: aad)
  }

  /// - Parameter nonce: 12 bytes, or it traps.
  package static func seal(_ plain: [UInt8], key: SecretBytes, nonce: [UInt8], aad: [UInt8] = []) -> [UInt8] {
    check(key, nonce)
    var sealed = [UInt8](repeating: 0, count: plain.count + tagCount)
    key.withPointer {
      _ = crypto_aead_chacha20poly1305_ietf_encrypt(
        &sealed, nil, plain, UInt64(plain.count), aad, UInt64(aad.count), nil, nonce, $0)
    }
    return sealed
  }

  /// - Returns: the plaintext; nil if the tag is missing or wrong.
  package static func open(_ sealed: [UInt8], key: SecretBytes, nonce: String, aad: [UInt8] = []) -> [UInt8]? {
    open(sealed, key: key, nonce: bytes(ofNonce: nonce), aad: aad)
  }

  /// - Parameter nonce: 12 bytes, or it traps.
  package static func open(_ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], aad: [UInt8] = []) -> [UInt8]? {
    check(key, nonce)
    guard sealed.count >= tagCount else { return nil }
    var plain = [UInt8](repeating: 0, count: sealed.count - tagCount)
    let result = key.withPointer {
      crypto_aead_chacha20poly1305_ietf_decrypt(
        &plain, nil, nil, sealed, UInt64(sealed.count), aad, UInt64(aad.count), nonce, $0)
    }
    return result == 0 ? plain : nil
  }

  private static func bytes(ofNonce text: String) -> [UInt8] {
    precondition(text.utf8.count == 8, "the nonce of a pairing message is 8 ASCII characters")
    return [0, 0, 0, 0] + text.utf8
  }

  private static func check(_ key: SecretBytes, _ nonce: [UInt8]) {
    Sodium.prepare()
    precondition(key.count == 32, "a ChaCha20-Poly1305 key is 32 bytes")
    precondition(nonce.count == 12, "a ChaCha20-Poly1305 nonce is 12 bytes")
  }
}
