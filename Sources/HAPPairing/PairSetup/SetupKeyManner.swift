import HAPCrypto

/// How an accessory draws what M2 of Pair Setup carries. Where B or the salt begin with a zero byte, which chance makes of one in 256, stacks differ.
package struct SetupKeyManner: Sendable {
  /// How B goes on the wire.
  package enum Zeros: String, CaseIterable, Sendable {
    /// It is drawn until it begins with none.
    case avoided
    /// It is drawn until it begins with one, and has 384 bytes.
    case padded
    /// It is drawn until it begins with one, which is left out: 383 bytes or fewer.
    case stripped
  }

  package var zeros: Zeros
  /// In place of the label's, for the same code; nil: the label's.
  package var verifier: SRPVerifier?

  package init(_ zeros: Zeros = .avoided, verifier: SRPVerifier? = nil) {
    self.zeros = zeros
    self.verifier = verifier
  }
}
