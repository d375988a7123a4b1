import CSodium

/// A long-term key pair (LTSK, LTPK): Ed25519, RFC 8032.
package struct SigningKey: Sendable {
  /// The stored part: 32 bytes.
  package let seed: SecretBytes
  /// 32 bytes.
  package let publicKey: [UInt8]
  /// Seed and public key, the form that libsodium signs with.
  private let expanded: SecretBytes

  /// - Parameter seed: 32 bytes, or it traps.
  package init(seed: SecretBytes) {
    precondition(seed.count == 32, "an Ed25519 seed is 32 bytes")
    Sodium.prepare()
    self.seed = seed
    (publicKey, expanded) = PowerTable.result(.signingKey, of: [seed.copy]) {
      var publicKey = [UInt8](repeating: 0, count: 32)
      let expanded = SecretBytes(count: 64) { secretKey in
        let secretKey = secretKey.baseAddress!.assumingMemoryBound(to: UInt8.self)
        seed.withPointer { _ = crypto_sign_seed_keypair(&publicKey, secretKey, $0) }
      }
      return (publicKey, expanded)
    }
  }

  /// A key with another key's public key, so that its signatures are invalid. For accessories that violate the rules on purpose.
  package init(seed: SecretBytes, showing publicKey: [UInt8]) {
    let own = SigningKey(seed: seed)
    self.seed = own.seed
    self.publicKey = publicKey
    expanded = own.expanded
  }

  /// - Returns: 64 bytes.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    PowerTable.result(.signature, of: [expanded.copy, message]) {
      var signature = [UInt8](repeating: 0, count: 64)
      expanded.withPointer { _ = crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0) }
      return signature
    }
  }

  /// The X25519 key pair of the same seed, for messages to the owner of this key.
  package var agreementKey: AgreementKey {
    AgreementKey(
      privateKey: SecretBytes(count: 32) { output in
        let output = output.baseAddress!.assumingMemoryBound(to: UInt8.self)
        expanded.withPointer { _ = crypto_sign_ed25519_sk_to_curve25519(output, $0) }
      })
  }

  /// The X25519 public key that belongs to an Ed25519 public key.
  /// - Returns: 32 bytes; nil if the key is not 32 bytes, or no valid point.
  package static func agreementKey(of publicKey: [UInt8]) -> [UInt8]? {
    guard publicKey.count == 32 else { return nil }
    Sodium.prepare()
    var key = [UInt8](repeating: 0, count: 32)
    return crypto_sign_ed25519_pk_to_curve25519(&key, publicKey) == 0 ? key : nil
  }
}

/// Whether `signature` is the Ed25519 signature of `message` by the owner of `publicKey`. It is false for wrong lengths and for keys of small
/// order.
package func isValidSignature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
  guard signature.count == 64, publicKey.count == 32 else { return false }
  Sodium.prepare()
  return PowerTable.result(.verification, of: [signature, message, publicKey]) {
    crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
  }
}
