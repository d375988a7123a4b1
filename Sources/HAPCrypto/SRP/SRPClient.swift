/// The controller's side of SRP-6a.
///
/// Implementations differ if A, B, S or K starts with a zero byte. Therefore, draw `a` after M2, until ``startsWithZero``,
/// ``SRPClientProof/startsWithZero`` and ``SRPClientProof/keyStartsWithZero`` are false.
package struct SRPClient: Sendable {
  private let code: String
  private let privateKey: SecretBytes
  /// A as sent, without leading zeros.
  package let publicKey: [UInt8]

  /// Slow (0.5 ms).
  ///
  /// - Parameters:
  ///   - code: with its dashes.
  ///   - privateKey: a, 32 bytes, or it traps.
  package init(code: String, privateKey: SecretBytes) {
    precondition(privateKey.count == 32, "an SRP private key is 32 bytes")
    self.code = code
    self.privateKey = privateKey
    publicKey = SRPGroup.generatorPower(BigNumber(privateKey)).padded().withBytes { SRPGroup.strip(Array($0)) }
  }

  /// Whether A, padded, starts with a zero byte.
  package var startsWithZero: Bool { publicKey.count < SRPGroup.byteCount }

  /// Slow (3 ms).
  ///
  /// - Parameters:
  ///   - salt: as received.
  ///   - serverPublicKey: B as received.
  /// - Returns: nil if B mod N is zero (RFC 5054 §2.5.3) or B is longer than 384 bytes.
  package func agree(salt: [UInt8], serverPublicKey: [UInt8]) -> SRPClientProof? {
    guard serverPublicKey.count <= SRPGroup.byteCount else { return nil }
    let b = SRPGroup.reduced(BigNumber(serverPublicKey))
    let u = SRPGroup.scrambler(publicKey, serverPublicKey)
    guard !b.isZero, !u.isZero else { return nil }
    // S = (B - k × g^x)^(a + u × x)
    let x = SRPGroup.privateExponent(salt: salt, code: code)
    let masked = SRPGroup.product(BigNumber(SRPGroup.multiplier), SRPGroup.generatorPower(x))
    let exponent = SRPGroup.exponent(BigNumber(privateKey), plus: u, times: x)
    let secret = SRPGroup.power(SRPGroup.difference(b, masked), exponent).padded()
    let key = sessionKey(secret, padded: false)
    return SRPClientProof(
      secret: secret, key: key, publicKey: publicKey,
      proof: clientProof(salt: salt, clientKey: publicKey, serverKey: serverPublicKey, sessionKey: key))
  }
}

/// The controller's values before M3.
package struct SRPClientProof: Sendable {
  /// S, padded.
  let secret: SecretBytes
  /// K, 64 bytes.
  package let key: SecretBytes
  /// A as sent.
  package let publicKey: [UInt8]
  /// The proof for M3, 64 bytes.
  package let proof: [UInt8]

  init(secret: SecretBytes, key: SecretBytes, publicKey: [UInt8], proof: [UInt8]) {
    self.secret = secret
    self.key = key
    self.publicKey = publicKey
    self.proof = proof
  }

  /// Whether S starts with a zero byte.
  package var startsWithZero: Bool { HAPCrypto.startsWithZero(secret) }

  /// Whether K starts with a zero byte.
  package var keyStartsWithZero: Bool { HAPCrypto.startsWithZero(key) }

  /// Whether `proof2` proves that the accessory has the code. It may be computed with A padded (HomeKitADK), as sent, or without its leading
  /// zeros.
  package func check(proof2: [UInt8]) -> Bool {
    var forms = [publicKey, SRPGroup.strip(publicKey)]
    if publicKey.count <= SRPGroup.byteCount { forms.append(SRPGroup.pad(publicKey)) }
    return forms.contains {
      equalInConstantTime(proof2, serverProof(clientKey: $0, clientProof: proof, sessionKey: key))
    }
  }
}
