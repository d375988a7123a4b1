/// The accessory's end of SRP-6a (3072 bits, SHA-512), with HomeKitADK's treatment of leading zeros.
///
/// Implementations part where A, B or S starts with a zero byte. So draw `b` until ``startsWithZero`` is false.
package struct SRPServer: Sendable {
  private let verifier: SRPVerifier
  private let privateKey: SecretBytes
  /// B as it goes on the wire: no zeros in front, so 384 bytes or fewer, unless they were asked for.
  package let publicKey: [UInt8]

  /// Slow (0.5 ms).
  ///
  /// - Parameters:
  ///   - privateKey: b, 32 bytes, or it traps.
  ///   - keepsZeros: whether B has its zeros in front, on the wire and in the proofs.
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

  /// Whether B, padded, starts with a zero byte (1 in 256): then another `b` pairs with more peers.
  package var startsWithZero: Bool { publicKey.count < SRPGroup.byteCount || publicKey.first == 0 }

  /// Slow (1.3 ms).
  ///
  /// - Parameter clientKey: A as received.
  /// - Returns: nil when A mod N is zero, which would give S away (RFC 5054 §2.5.4), or A is longer than 384 bytes.
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

/// What the accessory knows after M3, before it has looked at the controller's proof.
package struct SRPServerProof: Sendable {
  /// S, padded.
  let secret: SecretBytes
  let salt: [UInt8], clientKey: [UInt8], serverKey: [UInt8]

  /// Whether S, padded, starts with a zero byte (1 in 256).
  package var startsWithZero: Bool { HAPCrypto.startsWithZero(secret) }

  /// Checks the controller's proof.
  ///
  /// - Parameters:
  ///   - proof: 64 bytes; of any other length it is wrong.
  ///   - forms: which ways of hashing S and A are taken.
  /// - Returns: nil for a wrong proof, that is a wrong code; else K (64 bytes) and the accessory's proof (64 bytes).
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

/// How a controller's proof may be made where S or A begin with zeros, in which stacks differ.
package enum SRPProofForms: Sendable {
  /// With S and A without them, as HomeKitADK demands; or with S padded and A as received, as aiohomekit computes it.
  case either
  /// As HomeKitADK demands.
  case stripped
  /// S padded, as HAP-NodeJS and HomeSpan compute it.
  case padded
}

func startsWithZero(_ secret: SecretBytes) -> Bool { secret.withBytes { $0.first == 0 } }

/// K = H(S): 64 bytes, its own zeros always kept.
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
