/// A sequence of controller keys with their shared secrets. A tester uses it to find a key of a certain form, and may
/// need hundreds of candidates.
///
/// The private keys are a, a + 1, a + 2…, so that each power is the preceding one times its base. They offer no security.
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

  /// Returns A of the next candidate, padded to 384 bytes.
  package mutating func next() -> [UInt8] {
    if !isFirst {
      generatorPower = SRPGroup.product(generatorPower, BigNumber(SRPGroup.generator))
      basePower = SRPGroup.product(basePower, base)
    }
    isFirst = false
    return generatorPower.padded().withBytes { Array($0) }
  }

  /// Returns S of the last candidate from `next`, padded to 384 bytes. Slow (1.5 ms).
  package func secret(publicKey: [UInt8]) -> [UInt8] {
    let u = SRPGroup.scrambler(publicKey, serverPublicKey)
    return SRPGroup.product(basePower, SRPGroup.power(codePower, u)).padded().withBytes { Array($0) }
  }
}
