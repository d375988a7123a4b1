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

  /// A = g^a, padded to 384 bytes. Slow (0.5 ms).
  /// - Parameter privateKey: a, any length.
  package static func publicKey(_ privateKey: [UInt8]) -> [UInt8] {
    SRPGroup.generatorPower(BigNumber(privateKey)).padded().withBytes { Array($0) }
  }

  /// S of the controller, padded to 384 bytes; nil when B is zero modulo N or longer than 384 bytes. Slow (3 ms).
  /// - Parameters:
  ///   - publicKey: A as it goes into u; at most 384 bytes, or it traps.
  ///   - serverPublicKey: B as received.
  package static func secret(
    code: String, salt: [UInt8], privateKey: [UInt8], publicKey: [UInt8], serverPublicKey: [UInt8]
  ) -> [UInt8]? {
    guard serverPublicKey.count <= SRPGroup.byteCount else { return nil }
    let b = SRPGroup.reduced(BigNumber(serverPublicKey))
    guard !b.isZero else { return nil }
    let u = SRPGroup.scrambler(publicKey, serverPublicKey)
    let x = SRPGroup.privateExponent(salt: salt, code: code)
    let masked = SRPGroup.product(BigNumber(SRPGroup.multiplier), SRPGroup.generatorPower(x))
    let exponent = SRPGroup.exponent(BigNumber(privateKey), plus: u, times: x)
    return SRPGroup.power(SRPGroup.difference(b, masked), exponent).padded().withBytes { Array($0) }
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
