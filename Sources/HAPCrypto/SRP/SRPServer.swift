/// The accessory's side of SRP-6a (3072 bits, SHA-512). It treats leading zeros as HomeKitADK does.
///
/// Implementations differ if A, B or S starts with a zero byte. Therefore, draw `b` until ``startsWithZero`` is false.
package struct SRPServer: Sendable {
  private let verifier: SRPVerifier
  private let privateKey: SecretBytes
  /// B as sent, without leading zeros and at most 384 bytes. With `keepsZeros` it keeps them.
  package let publicKey: [UInt8]

  /// Slow (0.5 ms).
  ///
  /// - Parameters:
  ///   - privateKey: b, 32 bytes, or it traps.
  ///   - keepsZeros: whether B keeps its leading zeros, when sent and in the proofs.
  package init(_ verifier: SRPVerifier, privateKey: SecretBytes, keepsZeros: Bool = false) {
    precondition(privateKey.count == 32, "an SRP private key is 32 bytes")
    let verifier = verifier.computed
    self.verifier = verifier
    self.privateKey = privateKey
    // B = k × v + g^b
    let masked = SRPGroup.product(BigNumber(SRPGroup.multiplier), BigNumber(verifier.verifier))
    let sum = SRPGroup.sum(masked, SRPGroup.generatorPower(BigNumber(privateKey)))
    publicKey = sum.padded().withBytes { keepsZeros ? Array($0) : SRPGroup.strip(Array($0)) }
  }

  /// 16 bytes.
  package var salt: [UInt8] { verifier.salt }

  /// Whether B, padded, starts with a zero byte (1 in 256). Another `b` then works with more controllers.
  package var startsWithZero: Bool { publicKey.count < SRPGroup.byteCount || publicKey.first == 0 }

  /// Slow (1.3 ms).
  ///
  /// - Parameter clientKey: A as received.
  /// - Returns: nil if A mod N is zero, which would reveal S (RFC 5054 §2.5.4), or A is longer than 384 bytes.
  package func agree(with clientKey: [UInt8]) -> SRPServerProof? {
    guard clientKey.count <= SRPGroup.byteCount else { return nil }
    let a = SRPGroup.reduced(BigNumber(clientKey))
    guard !a.isZero else { return nil }
    // S = (A × v^u)^b
    let u = SRPGroup.scrambler(clientKey, publicKey)
    let base = SRPGroup.product(a, SRPGroup.power(BigNumber(verifier.verifier), u))
    return SRPServerProof(
      secret: SRPGroup.power(base, BigNumber(privateKey)).padded(), salt: salt, clientKey: clientKey,
      serverKey: publicKey)
  }
}

/// The accessory's values after M3, before it checks the controller's proof.
package struct SRPServerProof: Sendable {
  /// S, padded.
  let secret: SecretBytes
  let salt: [UInt8], clientKey: [UInt8], serverKey: [UInt8]

  /// Whether S, padded, starts with a zero byte (1 in 256).
  package var startsWithZero: Bool { HAPCrypto.startsWithZero(secret) }

  /// Checks the controller's proof.
  ///
  /// - Parameters:
  ///   - proof: 64 bytes. Any other length is wrong.
  ///   - forms: the accepted ways of hashing S and A.
  /// - Returns: nil for a wrong proof, which means a wrong code; else K (64 bytes) and the accessory's proof (64 bytes).
  package func verify(_ proof: [UInt8], forms: SRPProofForms) -> (key: SecretBytes, proof2: [UInt8])? {
    let strippedKey = SRPGroup.strip(clientKey)
    let clientForms = forms == .stripped || strippedKey == clientKey ? [strippedKey] : [strippedKey, clientKey]
    let paddings: [Bool] =
      switch forms {
      case .stripped: [false]
      case .padded: [true]
      case .either: startsWithZero ? [false, true] : [false]
      }
    for padded in paddings {
      let key = sessionKey(secret, padded: padded)
      for form in clientForms
      where equalInConstantTime(
        proof, clientProof(salt: salt, clientKey: form, serverKey: serverKey, sessionKey: key))
      {
        return (key, serverProof(clientKey: SRPGroup.pad(clientKey), clientProof: proof, sessionKey: key))
      }
    }
    return nil
  }
}

/// The accepted forms of a controller's proof if S or A has leading zeros. Stacks differ in this case.
package enum SRPProofForms: Sendable {
  /// S and A without leading zeros, as HomeKitADK requires; or S padded and A as received, as aiohomekit computes it.
  case either
  /// S and A without leading zeros, as HomeKitADK requires.
  case stripped
  /// S padded, as HAP-NodeJS and HomeSpan compute it.
  case padded
}

func startsWithZero(_ secret: SecretBytes) -> Bool { secret.withBytes { $0.first == 0 } }

/// K = H(S): 64 bytes. Leading zeros of K are always kept.
func sessionKey(_ secret: SecretBytes, padded: Bool) -> SecretBytes {
  var hasher = SHA512.Hasher()
  secret.withBytes { bytes in
    let start = padded ? 0 : bytes.firstIndex { $0 != 0 } ?? bytes.count
    hasher.update(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }
  return hasher.finishSecret()
}

/// H( H(N) xor H(g) | H(user) | salt | A | B | K ).
func clientProof(salt: [UInt8], clientKey: [UInt8], serverKey: [UInt8], sessionKey: SecretBytes) -> [UInt8] {
  var hasher = SHA512.Hasher()
  hasher.update(SRPGroup.primeXorGenerator)
  hasher.update(SHA512.hash(SRPGroup.user))
  hasher.update(salt)
  hasher.update(clientKey)
  hasher.update(serverKey)
  hasher.update(sessionKey)
  return hasher.finish()
}

/// H( A | proof1 | K ).
func serverProof(clientKey: [UInt8], clientProof: [UInt8], sessionKey: SecretBytes) -> [UInt8] {
  var hasher = SHA512.Hasher()
  hasher.update(clientKey)
  hasher.update(clientProof)
  hasher.update(sessionKey)
  return hasher.finish()
}
