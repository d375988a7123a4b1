import HAPCrypto
import HAPModel
import HAPWire

/// The slow computations of pairing, to be run off the loop: the modular exponentiations of Pair Setup (0.5 to 6 ms), and the elliptic curves of
/// Pair Verify (0.1 ms, but any client can request them as often as it likes). The shell calls ``perform()`` on its pool and returns the result
/// to the procedure.
///
/// It draws no randomness. All random input is drawn before, so that a run can be replayed from its seed in spite of the pool's scheduling.
package struct SlowWork: Sendable {
  enum Task: Sendable {
    case accessoryKey(SRPVerifier, seed: SecretBytes, any SetupArithmetic)
    case accessorySecret(SRPServer, controllerKey: [UInt8], any SetupArithmetic)
    /// Draw the private key a until neither A nor S starts with a zero byte.
    case controllerSecret(code: String, seed: SecretBytes, PairSetupChallenge)
    /// A message of Pair Verify.
    case pairVerify(PairVerifyServer, TLV, AccessoryIdentity, pairings: [Pairing], RandomSource)
  }

  enum Outcome: Sendable {
    case accessoryKey(SRPServer)
    case accessorySecret(SRPServerProof)
    case controllerSecret(SRPClientProof)
    /// The procedure after the message, and the actions to perform.
    case pairVerify(PairVerifyServer, [PairVerifyServer.Action])
    /// The peer's public key is zero modulo N.
    case worthlessKey
  }

  package struct Result: Sendable {
    let number: UInt64
    let outcome: Outcome
  }

  /// Distinguishes this computation from earlier ones of the same procedure, whose results are no longer used.
  let number: UInt64
  let task: Task

  /// Whether it takes a tenth of a millisecond instead of several. Switching to another thread and back costs half as much as such work.
  package var isBrief: Bool { if case .pairVerify = task { true } else { false } }

  package func perform() -> Result { Result(number: number, outcome: compute()) }

  private func compute() -> Outcome {
    switch task {
    case .accessoryKey(let verifier, let seed, let arithmetic):
      return .accessoryKey(arithmetic.key(verifier, seed: seed))
    case .accessorySecret(let key, let controllerKey, let arithmetic):
      guard let proof = arithmetic.secret(key, controllerKey: controllerKey) else { return .worthlessKey }
      return .accessorySecret(proof)
    case .controllerSecret(let code, let seed, let challenge):
      for attempt in 0... {
        let client = SRPClient(code: code, privateKey: Self.privateKey(attempt, from: seed))
        if client.startsWithZero { continue }
        guard let proof = client.agree(salt: challenge.salt, serverPublicKey: challenge.accessoryKey) else {
          return .worthlessKey
        }
        if !proof.startsWithZero && !proof.keyStartsWithZero { return .controllerSecret(proof) }
      }
    case .pairVerify(var server, let message, let identity, let pairings, let random):
      let steps = server.receive(
        message, identity: identity, isPaired: pairings.contains { $0.isAdmin },
        pairing: { id in pairings.first { $0.identifier == id } }, random: random)
      return .pairVerify(server, steps)
    }
    preconditionFailure("an infinite range has ended")
  }

  /// Returns the private keys to try in order, 32 bytes each: the seed itself, then keys derived from it by HKDF.
  static func privateKey(_ attempt: Int, from seed: SecretBytes) -> SecretBytes {
    attempt == 0 ? seed : HKDF.sha512(seed, salt: "hapsim SRP private key", info: "\(attempt)")
  }
}
