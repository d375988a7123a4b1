/// The deviations of a tester's M3 from an ordinary controller's. Without a change, the M3 is valid. HAP R2 §5.5.
///
/// ``SRPClient`` protects the keys of users. The values here are not protected.
package struct SRPChoices: Sendable {
  package enum Problem: Error {
    /// B is zero modulo N, or longer than 384 bytes.
    case worthlessKey
    /// 20,000 private keys were tried, and none had the requested form.
    case noKeyFound
  }

  /// A instead of the correct one. S is then ``secret``, or empty.
  package var publicKey: [UInt8]?
  /// Whether A starts with a zero byte, which is left out.
  package var isShort = false
  /// S instead of the correct one.
  package var secret: [UInt8]?
  /// Whether the leading zeros of S are hashed into K.
  package var isPadded = false
  /// Whether S starts with a zero byte.
  package var wantsZeroSecret = false
  /// Whether K starts with a zero byte.
  package var wantsZeroKey = false
  /// Whether B is hashed into the proof without its leading zeros.
  package var stripsServerKey = false

  package init() {}

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

  /// Returns A and the proof for M3. Slow (some ms; half a second if zeros are requested).
  /// - Parameters:
  ///   - serverPublicKey: B as received.
  ///   - privateKey: the first a of the search. It is unused with a ``publicKey``.
  package func proof(
    code: String, salt: [UInt8], serverPublicKey: [UInt8], privateKey: [UInt8]
  ) throws(Problem) -> SRPClientProof {
    let hashedKey = stripsServerKey ? SRPGroup.strip(serverPublicKey) : serverPublicKey
    func made(_ publicKey: [UInt8], _ secret: [UInt8], _ key: SecretBytes) -> SRPClientProof {
      SRPClientProof(
        secret: SecretBytes(secret), key: key, publicKey: publicKey,
        proof: clientProof(salt: salt, clientKey: publicKey, serverKey: hashedKey, sessionKey: key))
    }
    if let publicKey { return made(publicKey, secret ?? [], Self.key(ofSecret: secret ?? [])) }
    guard
      var candidates = SRPCandidates(
        code: code, salt: salt, serverPublicKey: serverPublicKey, privateKey: privateKey)
    else { throw .worthlessKey }
    for _ in 0..<20_000 {
      let padded = candidates.next()
      if (padded[0] == 0) != isShort { continue }
      let agreed = candidates.secret(publicKey: padded)
      if (agreed[0] == 0) != wantsZeroSecret { continue }
      let hashed = secret ?? (isPadded ? agreed : SRPGroup.strip(agreed))
      let key = Self.key(ofSecret: hashed)
      // One stack drops the leading zeros of K, so all other cases avoid such a K.
      if secret == nil, key.withBytes({ $0[0] == 0 }) != wantsZeroKey { continue }
      return made(SRPGroup.strip(padded), agreed, key)
    }
    throw .noKeyFound
  }

  /// K = H(S), 64 bytes.
  private static func key(ofSecret secret: [UInt8]) -> SecretBytes {
    var hasher = SHA512.Hasher()
    hasher.update(secret)
    return hasher.finishSecret()
  }
}
