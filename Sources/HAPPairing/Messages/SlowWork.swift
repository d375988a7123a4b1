import HAPCrypto
import HAPModel
import HAPWire

/// The modular exponentiations of Pair Setup (0.5 to 6 ms) and the curves of Pair Verify (0.1 ms, but asked for by anybody as often as they
/// like), to be run off the loop: the shell calls ``perform()`` on its pool and hands the result back to the procedure that asked.
///
/// It draws no randomness: whatever it needs was drawn before, so that a run can be replayed from its seed however the
/// pool schedules it.
package struct SlowWork: Sendable {
  enum Task: Sendable {
    case accessoryKey(SRPVerifier, seed: SecretBytes, any SetupArithmetic)
    case accessorySecret(SRPServer, controllerKey: [UInt8], any SetupArithmetic)
    /// Draw a until neither A nor S starts with a zero byte.
    case controllerSecret(code: String, seed: SecretBytes, PairSetupChallenge)
    /// A message of Pair Verify.
    case pairVerify(PairVerifyServer, TLV, AccessoryIdentity, pairings: [Pairing], RandomSource)
  }

  enum Outcome: Sendable {
    case accessoryKey(SRPServer)
    case accessorySecret(SRPServerProof)
    case controllerSecret(SRPClientProof)
    /// The procedure as it stands behind the message, and what is to be done.
    case pairVerify(PairVerifyServer, [PairVerifyServer.Action])
    /// The peer's public key is zero modulo N.
    case worthlessKey
  }

  package struct Result: Sendable {
    let number: UInt64
    let outcome: Outcome
  }

  /// Tells this computation from earlier ones of the same procedure, whose results nobody waits for any more.
  let number: UInt64
  let task: Task

  /// Whether it takes a tenth of a millisecond and not several: handing it to another thread and back costs half as much as doing it.
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
        if !proof.startsWithZero { return .controllerSecret(proof) }
      }
    case .pairVerify(var server, let message, let identity, let pairings, let random):
      let steps = server.receive(
        message, identity: identity, isPaired: pairings.contains { $0.isAdmin },
        pairing: { id in pairings.first { $0.identifier == id } }, random: random)
      return .pairVerify(server, steps)
    }
    preconditionFailure("a range without end has ended")
  }

  /// The private keys to try in turn, 32 bytes each: the seed itself, then what HKDF makes of it.
  static func privateKey(_ attempt: Int, from seed: SecretBytes) -> SecretBytes {
    attempt == 0 ? seed : HKDF.sha512(seed, salt: "hapsim SRP private key", info: "\(attempt)")
  }
}
