/// A message that only the owner of an Ed25519 key can open: X25519 with an ephemeral key, HKDF-SHA-512, ChaCha20-Poly1305.
/// It does not prove who sealed it.
package struct SealedMessage: Equatable, Sendable {
  /// The ephemeral X25519 public key: 32 bytes.
  package let ephemeralKey: [UInt8]
  /// The ciphertext and its tag.
  package let bytes: [UInt8]

  package init(ephemeralKey: [UInt8], bytes: [UInt8]) { (self.ephemeralKey, self.bytes) = (ephemeralKey, bytes) }

  /// Seals a message.
  /// - Parameter publicKey: of the receiver, Ed25519.
  /// - Returns: nil if the key is invalid.
  package init?(_ plain: [UInt8], to publicKey: [UInt8], _ random: RandomSource) {
    let ephemeral = AgreementKey(privateKey: random.secret(32))
    guard let receiver = SigningKey.agreementKey(of: publicKey), let secret = ephemeral.sharedSecret(with: receiver)
    else { return nil }
    ephemeralKey = ephemeral.publicKey
    bytes = ChaChaPoly.seal(plain, key: Self.key(secret, ephemeralKey, receiver), nonce: Self.nonce)
  }

  /// - Returns: nil if the message was sealed for another key, or changed.
  package func opened(by key: SigningKey) -> [UInt8]? {
    let own = key.agreementKey
    guard let secret = own.sharedSecret(with: ephemeralKey) else { return nil }
    return ChaChaPoly.open(bytes, key: Self.key(secret, ephemeralKey, own.publicKey), nonce: Self.nonce)
  }

  /// A key seals one message, so the nonce is constant.
  private static let nonce = [UInt8](repeating: 0, count: 12)

  private static func key(_ secret: SecretBytes, _ ephemeral: [UInt8], _ receiver: [UInt8]) -> SecretBytes {
    HKDF.sha512(secret, salt: Array("hapsim-Sealed-Message-Salt".utf8), info: ephemeral + receiver)
  }
}
