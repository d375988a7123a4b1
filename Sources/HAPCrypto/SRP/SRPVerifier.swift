/// The accessory's data about the setup code: a 16-byte salt and v = g^x mod N. HAP R2 §5.5.
package struct SRPVerifier: Sendable {
  package static let saltCount = 16

  /// Draws a salt of 16 bytes that doesn't start with a zero byte. Some controllers drop leading zeros, and could never pair.
  /// - Parameter draw: returns 16 bytes that differ for each attempt (0, 1, …).
  package static func salt(drawing draw: (_ attempt: Int) -> [UInt8]) -> [UInt8] {
    var attempt = 0
    while true {
      let salt = draw(attempt)
      if salt.first != 0 { return salt }
      attempt += 1
    }
  }

  /// 16 bytes.
  package let salt: [UInt8]
  private enum Source: Sendable {
    case computed(SecretBytes)
    case code(String)
  }
  private let source: Source

  /// 384 bytes with leading zeros. Slow (1 ms) if it wasn't computed before.
  package var verifier: SecretBytes {
    switch source {
    case .computed(let verifier): verifier
    case .code(let code): SRPGroup.generatorPower(SRPGroup.privateExponent(salt: salt, code: code)).padded()
    }
  }

  /// A verifier with the same values that is already computed.
  package var computed: SRPVerifier { SRPVerifier(salt: salt, verifier: verifier) }

  /// Computes a verifier. Slow (1 ms): do it once for a setup code.
  ///
  /// - Parameters:
  ///   - code: with its dashes, `031-45-154`.
  ///   - salt: 16 bytes, or it traps.
  package init(code: String, salt: [UInt8]) {
    self = SRPVerifier(codeWhenNeeded: code, salt: salt).computed
  }

  /// A verifier that is computed each time it is needed, for thousands of accessories of which few will be paired.
  ///
  /// - Parameters: as of `init(code:salt:)`.
  package init(codeWhenNeeded code: String, salt: [UInt8]) {
    precondition(salt.count == Self.saltCount, "an SRP salt is 16 bytes")
    self.salt = salt
    source = .code(code)
  }

  /// A stored verifier.
  ///
  /// - Parameters:
  ///   - salt: 16 bytes, or it traps.
  ///   - verifier: 384 bytes, or it traps.
  package init(salt: [UInt8], verifier: SecretBytes) {
    precondition(salt.count == Self.saltCount, "an SRP salt is 16 bytes")
    precondition(verifier.count == SRPGroup.byteCount, "an SRP verifier is 384 bytes")
    self.salt = salt
    source = .computed(verifier)
  }
}
