/// What the accessory keeps of the setup code: 16-byte salt and v = g^x mod N. HAP R2 §5.5.
package struct SRPVerifier: Sendable {
  package static let saltCount = 16

  /// 16 bytes.
  package let salt: [UInt8]
  /// 384 bytes, zeros in front.
  package let verifier: SecretBytes

  /// Slow (1 ms): computed once for a setup code.
  ///
  /// - Parameters:
  ///   - code: with its dashes, `031-45-154`.
  ///   - salt: 16 bytes, or it traps.
  package init(code: String, salt: [UInt8]) {
    let exponent = SRPGroup.privateExponent(salt: salt, code: code)
    self.init(salt: salt, verifier: SRPGroup.generatorPower(exponent).padded())
  }

  /// A stored one.
  ///
  /// - Parameters:
  ///   - salt: 16 bytes, or it traps.
  ///   - verifier: 384 bytes, or it traps.
  package init(salt: [UInt8], verifier: SecretBytes) {
    precondition(salt.count == Self.saltCount, "an SRP salt is 16 bytes")
    precondition(verifier.count == SRPGroup.byteCount, "an SRP verifier is 384 bytes")
    self.salt = salt
    self.verifier = verifier
  }
}
