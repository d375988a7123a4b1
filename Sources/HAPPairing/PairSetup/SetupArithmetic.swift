import HAPCrypto

/// The accessory's two computations in Pair Setup. They run off the loop.
///
/// The default implementations are the protocol's. `PairingServer.setupArithmetic` accepts another implementation.
package protocol SetupArithmetic: Sendable {
  /// Returns the key of M2.
  /// - Parameters:
  ///   - verifier: the verifier of the setup code.
  ///   - seed: the only source of randomness.
  func key(_ verifier: SRPVerifier, seed: SecretBytes) -> SRPServer
  /// Returns the values to check M3 with, or `nil` if the controller's public key is zero modulo N.
  func secret(_ key: SRPServer, controllerKey: [UInt8]) -> SRPServerProof?
}

extension SetupArithmetic {
  /// Returns the first key whose B doesn't start with a zero byte, because stacks differ for such a B.
  package func key(_ verifier: SRPVerifier, seed: SecretBytes) -> SRPServer {
    firstKey(verifier, seed: seed) { !$0.startsWithZero }
  }

  package func secret(_ key: SRPServer, controllerKey: [UInt8]) -> SRPServerProof? { key.agree(with: controllerKey) }

  /// Returns the first matching key of the seed's sequence.
  /// - Parameter keepsZeros: whether B keeps its leading zeros.
  package func firstKey(
    _ verifier: SRPVerifier, seed: SecretBytes, keepsZeros: Bool = false, where fits: (SRPServer) -> Bool
  ) -> SRPServer {
    for attempt in 0... {
      let key = SRPServer(verifier, privateKey: SlowWork.privateKey(attempt, from: seed), keepsZeros: keepsZeros)
      if fits(key) { return key }
    }
    preconditionFailure("an infinite range has ended")
  }
}

/// The computations that the protocol requires.
package struct OrdinarySetupArithmetic: SetupArithmetic {
  package init() {}
}
