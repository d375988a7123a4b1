import HAPCrypto
import HAPWire

/// The controller's end of Pair Setup. HAP R2 §5.6.
///
/// It draws its private key after M2 until neither A nor S starts with a zero byte, and starts anew when B does: there accessories part ways.
package struct PairSetupClient: Sendable {
  package enum Action: Sendable {
    /// POST it to `/pair-setup`.
    case send(TLV)
    /// Run it off the loop, then call ``PairSetupClient/computed(_:)``.
    case compute(SlowWork)
    /// M6 was good.
    case paired(PairedAccessory)
    /// M4 of a transient Pair Setup was good: the next byte in each direction is sealed under these keys.
    case startTransientSession(SessionKeys)
    /// The procedure is over.
    case failed(PairingFailure)
  }

  private enum State {
    /// Next: `startResponseExpected`, on ``start()``.
    case idle
    /// M1 is out. Next: `secretAwaited`.
    case startResponseExpected
    /// a is being drawn. Next: `proofResponseExpected`, with M3.
    case secretAwaited(number: UInt64)
    /// M3 is out. Next: `exchangeResponseExpected` with M5, or `over` where transient.
    case proofResponseExpected(SRPClientProof)
    /// M5 is out. Next: `over`.
    case exchangeResponseExpected(key: SecretBytes)
    /// Nothing more.
    case over
  }

  private let code: String
  private let identity: ControllerCredentials
  private let flags: PairingFlags
  private let random: RandomSource
  /// How often it may still start anew for a B with zeros in front; one pairing in 256 does once.
  private var restartsLeft: Int
  /// M1 came in the middle, which some accessories answer with an error, and take the next one.
  private var isRestart = false
  private var state = State.idle
  private var computations: UInt64 = 0

  /// - Parameters:
  ///   - code: the setup code with its dashes.
  ///   - flags: sent in M1 unless empty; with `.transient` the procedure ends at M4.
  ///   - restarts: how often to start anew where B starts with a zero byte; with 0 it goes on all the same.
  package init(
    code: String, identity: ControllerCredentials, flags: PairingFlags = [], restarts: Int = 4, random: RandomSource
  ) {
    restartsLeft = restarts
    self.code = code
    self.identity = identity
    self.flags = flags
    self.random = random
  }

  /// M1, also to start over.
  package mutating func start() -> TLV {
    state = .startResponseExpected
    var message = PairSetupMessages.start()
    if !flags.isEmpty { message.append(flags) }
    return message
  }

  /// The reply to what was sent last.
  package mutating func receive(_ message: TLV) -> [Action] {
    let current = state
    state = .over  // unless a path names another
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

  /// What the `compute` action led to; ignored when the procedure has gone on without it.
  package mutating func computed(_ result: SlowWork.Result) -> [Action] {
    guard case .secretAwaited(result.number) = state else { return [] }
    state = .over
    switch result.outcome {
    case .worthlessKey: return [.failed(PairingFailure(step: 2, cause: .worthlessKey))]
    case .controllerSecret(let proof):
      state = .proofResponseExpected(proof)
      return [.send(PairSetupMessages.proof(proof))]
    case .accessoryKey, .accessorySecret, .pairVerify: preconditionFailure("a controller's secret was asked for")
    }
  }

  /// M2.
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

  /// M4 → M5.
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
