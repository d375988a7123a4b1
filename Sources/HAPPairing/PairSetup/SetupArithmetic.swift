import HAPCrypto

/// The accessory's two computations of Pair Setup. They run off the loop.
///
/// The default implementations are the protocol's. `PairingServer.setupArithmetic` accepts another implementation.
package protocol SetupArithmetic: Sendable {
  /// Returns the key of M2.
  /// - Parameters:
  ///   - verifier: of the setup code.
  ///   - seed: the only source of randomness.
  func key(_ verifier: SRPVerifier, seed: SecretBytes) -> SRPServer
  /// Returns what M3 is checked with, or `nil` if the controller's public key is worthless.
  func secret(_ key: SRPServer, controllerKey: [UInt8]) -> SRPServerProof?
}

extension SetupArithmetic {
  /// The first key whose B begins with no zero byte: stacks differ where it begins with one.
  package func key(_ verifier: SRPVerifier, seed: SecretBytes) -> SRPServer {
    firstKey(verifier, seed: seed) { !$0.startsWithZero }
  }

  package func secret(_ key: SRPServer, controllerKey: [UInt8]) -> SRPServerProof? { key.agree(with: controllerKey) }

  /// Returns the first key of the seed's sequence that fits.
  /// - Parameter keepsZeros: whether B keeps its leading zeros.
  package func firstKey(
    _ verifier: SRPVerifier, seed: SecretBytes, keepsZeros: Bool = false, where fits: (SRPServer) -> Bool
  ) -> SRPServer {
    for attempt in 0... {
      let key = SRPServer(verifier, privateKey: SlowWork.privateKey(attempt, from: seed), keepsZeros: keepsZeros)
      if fits(key) { return key }
    }
    preconditionFailure("a range without end has ended")
  }
}

/// The computations that the protocol requires.
package struct OrdinarySetupArithmetic: SetupArithmetic {
  package init() {}
}
