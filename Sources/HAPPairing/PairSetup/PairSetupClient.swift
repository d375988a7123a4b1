import HAPCrypto
import HAPWire

/// The controller's side of Pair Setup. HAP R2 §5.6.
///
/// After M2 it draws its private key until neither A nor S starts with a zero byte. If B starts with a zero byte, it restarts, because
/// accessories differ in this case.
package struct PairSetupClient: Sendable {
  package enum Action: Sendable {
    /// POST it to `/pair-setup`.
    case send(TLV)
    /// Run it off the loop, then call ``PairSetupClient/computed(_:)``.
    case compute(SlowWork)
    /// M6 was valid.
    case paired(PairedAccessory)
    /// M4 of a transient Pair Setup was valid: from the next byte on, each direction is encrypted with these keys.
    case startTransientSession(SessionKeys)
    /// The procedure is over.
    case failed(PairingFailure)
  }

  private enum State {
    /// Next: `startResponseExpected`, on ``start()``.
    case idle
    /// M1 was sent. Next: `secretAwaited`.
    case startResponseExpected
    /// a is being drawn. Next: `proofResponseExpected`, with M3.
    case secretAwaited(number: UInt64)
    /// M3 was sent. Next: `exchangeResponseExpected` with M5, or `over` if transient.
    case proofResponseExpected(SRPClientProof)
    /// M5 was sent. Next: `over`.
    case exchangeResponseExpected(key: SecretBytes)
    /// The procedure has ended.
    case over
  }

  private let code: String
  private let identity: ControllerCredentials
  private let flags: PairingFlags
  private let random: RandomSource
  /// The number of restarts that are left if B starts with a zero byte. This happens in one of 256 pairings.
  private var restartsLeft: Int
  /// Whether M1 was sent during a procedure. Some accessories answer it with an error, and accept the next M1.
  private var isRestart = false
  private var state = State.idle
  private var computations: UInt64 = 0

  /// - Parameters:
  ///   - code: the setup code with its dashes.
  ///   - flags: sent in M1 unless empty. With `.transient`, the procedure ends at M4.
  ///   - restarts: the maximum number of restarts if B starts with a zero byte. After that, the procedure continues with such a B.
  package init(
    code: String, identity: ControllerCredentials, flags: PairingFlags = [], restarts: Int = 4, random: RandomSource
  ) {
    restartsLeft = restarts
    self.code = code
    self.identity = identity
    self.flags = flags
    self.random = random
  }

  /// Returns M1. It can also restart the procedure.
  package mutating func start() -> TLV {
    state = .startResponseExpected
    var message = PairSetupMessages.start()
    if !flags.isEmpty { message.append(flags) }
    return message
  }

  /// Handles the reply to the last message.
  package mutating func receive(_ message: TLV) -> [Action] {
    let current = state
    state = .over  // unless a path sets another state
    do throws(PairingFailure) {
      switch current {
      case .startResponseExpected:
        let wasRestart = isRestart
        isRestart = false
        if wasRestart, message.byte(TLVType.error) != nil { return [.send(start())] }
        return try startResponse(PairingReply(message, step: 2))
      case .proofResponseExpected(let proof): return try proofResponse(PairingReply(message, step: 4), proof)
      case .exchangeResponseExpected(let key): return [.paired(try PairingReply(message, step: 6).accessory(key: key))]
      case .idle, .over, .secretAwaited:
        throw PairingFailure(step: message.state ?? 0, cause: .unexpectedMessage)
      }
    } catch { return [.failed(error)] }
  }

  /// Handles the result of the `compute` action. It is ignored if the procedure no longer waits for it.
  package mutating func computed(_ result: SlowWork.Result) -> [Action] {
    guard case .secretAwaited(result.number) = state else { return [] }
    state = .over
    switch result.outcome {
    case .worthlessKey: return [.failed(PairingFailure(step: 2, cause: .worthlessKey))]
    case .controllerSecret(let proof):
      state = .proofResponseExpected(proof)
      return [.send(PairSetupMessages.proof(proof))]
    case .accessoryKey, .accessorySecret, .pairVerify: preconditionFailure("the outcome is not a controller's secret")
    }
  }

  /// Handles M2.
  private mutating func startResponse(_ reply: PairingReply) throws(PairingFailure) -> [Action] {
    let challenge = try reply.challenge()
    let accessoryKey = challenge.accessoryKey
    if accessoryKey.count < PairingLength.srpKey.upperBound || accessoryKey[0] == 0, restartsLeft > 0 {
      restartsLeft -= 1
      isRestart = true
      return [.send(start())]
    }
    computations += 1
    state = .secretAwaited(number: computations)
    let task = SlowWork.Task.controllerSecret(code: code, seed: random.secret(32), challenge)
    return [.compute(SlowWork(number: computations, task: task))]
  }

  /// Handles M4 and sends M5.
  private mutating func proofResponse(
    _ reply: PairingReply, _ proof: SRPClientProof
  ) throws(PairingFailure) -> [Action] {
    try reply.check(proof)
    if flags.contains(.transient) {
      return [.startTransientSession(SessionKeys(transientPairSetup: proof.key))]
    }
    state = .exchangeResponseExpected(key: proof.key)
    let items = PairSetupMessages.exchangeItems(identity, key: proof.key)
    return [.send(PairSetupMessages.exchange(sealing: items.encoded(), key: proof.key))]
  }
}
