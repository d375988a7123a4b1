/// The pieces of SRP-6a one by one, for a tester that has to put them together wrongly, too. HAP R2 §5.5.
///
/// What protects a user's keys is ``SRPClient``; here values lie open.
package enum SRPWorkbench {
  /// N, 384 bytes.
  package static var prime: [UInt8] { SRPGroup.primeBytes }

  /// 2·N, which is zero modulo N and needs 385 bytes.
  package static var twicePrime: [UInt8] {
    var carry = 0
    var result = prime
    for index in result.indices.reversed() {
      let sum = Int(result[index]) * 2 + carry
      result[index] = UInt8(truncatingIfNeeded: sum)
      carry = sum >> 8
    }
    return carry > 0 ? [UInt8(carry)] + result : result
  }

  /// K = H(S) over these bytes of S, 64 bytes.
  package static func key(ofSecret secret: [UInt8]) -> SecretBytes {
    var hasher = SHA512.Hasher()
    hasher.update(secret)
    return hasher.finishSecret()
  }

  /// The controller's proof, 64 bytes, with A and B as they are given.
  package static func clientProof(salt: [UInt8], clientKey: [UInt8], serverKey: [UInt8], key: SecretBytes) -> [UInt8] {
    HAPCrypto.clientProof(salt: salt, clientKey: clientKey, serverKey: serverKey, sessionKey: key)
  }

  /// Whether `proof` is the accessory's, made with A as sent, padded or without zeros in front: stacks differ.
  package static func isServerProof(_ proof: [UInt8], clientKey: [UInt8], clientProof: [UInt8], key: SecretBytes)
    -> Bool
  {
    var forms = [clientKey, SRPGroup.strip(clientKey)]
    if clientKey.count <= SRPGroup.byteCount { forms.append(SRPGroup.pad(clientKey)) }
    return forms.contains {
      equalInConstantTime(proof, serverProof(clientKey: $0, clientProof: clientProof, sessionKey: key))
    }
  }
}

/// Keys of a controller one after another, each with the secret that it leads to: for a tester that looks for one of a certain form, which may
/// take hundreds.
///
/// They are a, a + 1, a + 2…, so that the powers of one are those of the one before times their bases: they protect nothing.
package struct SRPCandidates {
  private let serverPublicKey: [UInt8]
  /// B − k·g^x, to be raised to a + u·x.
  private let base: BigNumber
  /// base^x.
  private let codePower: BigNumber
  /// g^a.
  private var generatorPower: BigNumber
  /// base^a.
  private var basePower: BigNumber
  private var isFirst = true

  /// Slow (3 ms).
  /// - Parameters:
  ///   - serverPublicKey: B as received.
  ///   - privateKey: the first a, any length.
  /// - Returns: nil when B is zero modulo N or longer than 384 bytes.
  package init?(code: String, salt: [UInt8], serverPublicKey: [UInt8], privateKey: [UInt8]) {
    guard serverPublicKey.count <= SRPGroup.byteCount else { return nil }
    let b = SRPGroup.reduced(BigNumber(serverPublicKey))
    guard !b.isZero else { return nil }
    let x = SRPGroup.privateExponent(salt: salt, code: code)
    let masked = SRPGroup.product(BigNumber(SRPGroup.multiplier), SRPGroup.generatorPower(x))
    self.serverPublicKey = serverPublicKey
    base = SRPGroup.difference(b, masked)
    codePower = SRPGroup.power(base, x)
    generatorPower = SRPGroup.generatorPower(BigNumber(privateKey))
    basePower = SRPGroup.power(base, BigNumber(privateKey))
  }

  /// A of the next candidate, padded to 384 bytes.
  package mutating func next() -> [UInt8] {
    if !isFirst {
      generatorPower = SRPGroup.product(generatorPower, BigNumber(SRPGroup.generator))
      basePower = SRPGroup.product(basePower, base)
    }
    isFirst = false
    return generatorPower.padded().withBytes { Array($0) }
  }

  /// S of the candidate that `next` gave last, padded to 384 bytes. Slow (1.5 ms).
  package func secret(publicKey: [UInt8]) -> [UInt8] {
    let u = SRPGroup.scrambler(publicKey, serverPublicKey)
    return SRPGroup.product(basePower, SRPGroup.power(codePower, u)).padded().withBytes { Array($0) }
  }
}
