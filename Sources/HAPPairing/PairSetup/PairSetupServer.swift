import HAPCrypto
import HAPModel
import HAPWire

/// The accessory's side of Pair Setup, one for each connection. HAP R2 §5.6, as implemented by HomeKitADK.
///
/// The caller keeps the state of the accessory: whether it is paired, the count of failed attempts, and the connection with the current
/// procedure. It performs the actions in their order.
package struct PairSetupServer: Sendable {
  package enum Action: Sendable {
    case reply(TLV)
    /// The request is malformed. The request gets no TLV8 reply.
    case badRequest
    /// The message is not the expected one. A reply to it would have this state.
    case outOfOrder(replyState: UInt8)
    /// M5 could not be decrypted, or its signature is wrong.
    case exchangeFailed(isOpened: Bool)
    /// Method 1 is refused.
    case methodRefused(PairingAnswer)
    /// Run it off the loop, then call ``PairSetupServer/computed(_:)``.
    case compute(SlowWork)
    /// Store the pairing durably, then call ``PairSetupServer/stored(_:)``.
    case store(Pairing)
    /// Count one more failed attempt, and persist the count.
    case failedAttempt
    case clearFailedAttempts
    /// Send the preceding reply unencrypted. After it, the connection is a transient session with these keys.
    case startTransientSession(SessionKeys)
  }

  /// The state of the accessory, for M1 and M3.
  package struct Context: Sendable {
    package var isPaired: Bool
    /// Whether there were too many failed attempts.
    package var isLocked: Bool
    /// Whether another connection is in Pair Setup. The caller decides about a takeover after 30 s.
    package var isOtherUnderWay: Bool
    package var arithmetic: any SetupArithmetic

    package init(
      isPaired: Bool, isLocked: Bool = false, isOtherUnderWay: Bool = false,
      arithmetic: any SetupArithmetic = OrdinarySetupArithmetic()
    ) {
      self.isPaired = isPaired
      self.isLocked = isLocked
      self.isOtherUnderWay = isOtherUnderWay
      self.arithmetic = arithmetic
    }
  }

  /// The options requested in M1.
  private struct Options {
    /// Whether method 1 is refused after M3.
    var isRefusedInM4 = false
    var isTransient = false
    var isSplit = false
  }

  private enum State {
    /// There is no procedure. Next: `keyAwaited`, on M1.
    case idle
    /// The private key b is being drawn. Next: `proofExpected`.
    case keyAwaited(number: UInt64, Options)
    /// M2 was sent. Next: `secretAwaited` on a valid M3; `idle` on anything else.
    case proofExpected(SRPServer, Options)
    /// S is being computed. Next: `exchangeExpected`, or `idle` if the proof is wrong or the session transient.
    case secretAwaited(number: UInt64, proof: [UInt8], Options)
    /// M4 was sent. Next: `storeAwaited` on a valid M5; `idle` on anything else.
    case exchangeExpected(key: SecretBytes)
    /// The pairing is being stored. Next: `idle`, with M6.
    case storeAwaited(key: SecretBytes)
  }

  private let identity: AccessoryIdentity
  private let random: RandomSource
  private let quirks: PairingQuirks
  private var state = State.idle
  private var computations: UInt64 = 0

  package init(identity: AccessoryIdentity, random: RandomSource, quirks: PairingQuirks = PairingQuirks()) {
    self.identity = identity
    self.random = random
    self.quirks = quirks
  }

  /// Whether the procedure is between M1 and M6, so that other connections get error Busy.
  package var isUnderWay: Bool {
    if case .idle = state { false } else { true }
  }

  /// The key that encrypts M5 and M6. It exists between M4 and M6.
  var exchangeKey: SecretBytes? {
    switch state {
    case .exchangeExpected(let key), .storeAwaited(let key): PairingKeys.pairSetup(key)
    case .idle, .keyAwaited, .proofExpected, .secretAwaited: nil
    }
  }

  /// Resets the procedure, because the connection was closed or another one took over. Results of earlier computations and stores are
  /// ignored.
  package mutating func reset() { state = .idle }

  /// Handles a missing body, or one that isn't TLV8.
  package mutating func receiveUnreadable() -> [Action] {
    if case .storeAwaited = state { return [.badRequest] }
    state = .idle
    return [.badRequest]
  }

  /// - Parameters:
  ///   - message: a decoded body.
  ///   - context: used for M1; its arithmetic is also used for M3.
  package mutating func receive(_ message: TLV, context: Context) -> [Action] {
    if case .storeAwaited = state {
      // The pairing is being stored, and M6 is the next reply. A client that doesn't wait for it changes nothing.
      return message.state == 1 ? [.reply(.error(.busy, state: 2))] : [.badRequest]
    }
    // Fails closed: a path that sets no next state ends the procedure.
    let current = state
    state = .idle
    guard !message.isAmbiguous, let step = message.state else { return [.badRequest] }
    if step == 1 { return start(message, context) }  // from any state: HomeKitADK observed it with iOS 12.1
    switch current {
    case .proofExpected(let srp, let options):
      guard step == 3 else { return outOfOrder(step) }
      return proof(message, srp, options, context.arithmetic)
    case .exchangeExpected(let key):
      guard step == 5 else { return outOfOrder(step) }
      return exchange(message, key)
    case .idle, .keyAwaited, .secretAwaited, .storeAwaited: return outOfOrder(step)
    }
  }

  private func outOfOrder(_ step: UInt8) -> [Action] { [.outOfOrder(replyState: step &+ 1)] }

  /// Handles the result of a `compute` action. It is ignored if the procedure has moved on.
  package mutating func computed(_ result: SlowWork.Result) -> [Action] {
    switch state {
    case .keyAwaited(result.number, let options): return startResponse(result.outcome, options)
    case .secretAwaited(result.number, let proof, let options):
      state = .idle
      return proofResponse(result.outcome, proof, options)
    case .idle, .keyAwaited, .proofExpected, .secretAwaited, .exchangeExpected, .storeAwaited: return []
    }
  }

  /// Handles the result of a `store` action. It is ignored if the procedure was reset meanwhile.
  ///
  /// - Parameter succeeded: whether the pairing survives a power cut.
  package mutating func stored(_ succeeded: Bool) -> [Action] {
    guard case .storeAwaited(let key) = state else { return [] }
    state = .idle
    guard succeeded else { return [.reply(.error(.unknown, state: 6))] }
    return [.reply(exchangeResponse(key))]
  }
}

// MARK: M1 and M2

extension PairSetupServer {
  private mutating func start(_ message: TLV, _ context: Context) -> [Action] {
    guard let method = message.byte(TLVType.method) else { return [.badRequest] }
    let isMethod1 = method == PairingMethod.pairSetupWithAuth.rawValue
    guard isMethod1 || method == PairingMethod.pairSetup.rawValue else { return [.badRequest] }
    var options = Options(isRefusedInM4: isMethod1 && quirks.setupMethod1 == .internalErrorInM4)
    if let value = message[TLVType.flags] {
      guard let flags = PairingFlags(value) else { return [.badRequest] }
      // HomeKitADK ignores flags when it expects the coprocessor to answer; otherwise it treats method 1 as method 0.
      let heedsFlags = quirks.heedsSetupFlags && !options.isRefusedInM4
      options.isTransient = heedsFlags && flags.contains(.transient)
      options.isSplit = heedsFlags && flags.contains(.split)
    }
    // "If the accessory is already paired it must respond with … kTLVError_Unavailable" and so on, in this order.
    if context.isPaired { return [.reply(.error(.unavailable, state: 2))] }
    if context.isLocked { return [.reply(.error(.maxTries, state: 2))] }
    if context.isOtherUnderWay { return [.reply(.error(.busy, state: 2))] }
    if isMethod1, let refusal = method1Refusal { return [refusal] }
    computations += 1
    state = .keyAwaited(number: computations, options)
    let task = SlowWork.Task.accessoryKey(identity.verifier, seed: random.secret(32), context.arithmetic)
    return [.compute(SlowWork(number: computations, task: task))]
  }

  /// The answer that refuses method 1 in M2; nil: the procedure continues.
  private var method1Refusal: Action? {
    switch quirks.setupMethod1 {
    case .method0, .internalErrorInM4: nil
    case .badRequest: .methodRefused(.badRequest(.error(.authentication, state: 2)))
    case .unavailable: .methodRefused(.reply(.error(.unavailable, state: 2)))
    }
  }

  private mutating func startResponse(_ outcome: SlowWork.Outcome, _ options: Options) -> [Action] {
    guard case .accessoryKey(let srp) = outcome else { preconditionFailure("the outcome is not a key") }
    state = .proofExpected(srp, options)
    var reply = TLV(state: 2)
    reply.append(TLVType.publicKey, srp.publicKey)
    reply.append(TLVType.salt, srp.salt)
    if options.isSplit {
      reply.append(options.isTransient ? [.transient, .split] as PairingFlags : .split)
    }
    return [.reply(reply)]
  }
}

// MARK: M3 and M4

extension PairSetupServer {
  private mutating func proof(
    _ message: TLV, _ srp: SRPServer, _ options: Options, _ arithmetic: any SetupArithmetic
  ) -> [Action] {
    guard let controllerKey = message.bytes(TLVType.publicKey, count: PairingLength.srpKey),
      let proof = message.bytes(TLVType.proof, count: PairingLength.proof)
    else { return [.badRequest] }
    computations += 1
    state = .secretAwaited(number: computations, proof: proof, options)
    let task = SlowWork.Task.accessorySecret(srp, controllerKey: controllerKey, arithmetic)
    return [.compute(SlowWork(number: computations, task: task))]
  }

  private mutating func proofResponse(_ outcome: SlowWork.Outcome, _ proof: [UInt8], _ options: Options) -> [Action] {
    let refusal = Action.reply(.error(.authentication, state: 4))
    switch outcome {
    case .worthlessKey: return [refusal]  // not a guess at the code, so no failed attempt (HomeKitADK)
    case .accessorySecret(let secret):
      guard let (key, proof2) = secret.verify(proof, forms: SRPProofForms(quirks.proofForms)) else {
        return [.failedAttempt, refusal]
      }
      if options.isRefusedInM4 { return [.clearFailedAttempts, .methodRefused(.failure(nil))] }
      var reply = TLV(state: 4)
      reply.append(TLVType.proof, proof2)
      if options.isTransient {
        let keys = SessionKeys(transientPairSetup: key)
        return [.clearFailedAttempts, .reply(reply), .startTransientSession(keys)]
      }
      state = .exchangeExpected(key: key)
      return [.clearFailedAttempts, .reply(reply)]
    case .accessoryKey, .controllerSecret, .pairVerify: preconditionFailure("the outcome is not a secret")
    }
  }
}

// MARK: M5 and M6

extension PairSetupServer {
  private mutating func exchange(_ message: TLV, _ key: SecretBytes) -> [Action] {
    guard let sealed = message[TLVType.encryptedData], sealed.count >= PairingLength.tag else { return [.badRequest] }
    guard let plain = ChaChaPoly.open(sealed, key: PairingKeys.pairSetup(key), nonce: "PS-Msg05") else {
      return [.exchangeFailed(isOpened: false)]
    }
    guard let inner = try? TLV(decoding: plain), !inner.isAmbiguous,
      let identifier = inner.bytes(TLVType.identifier, count: PairingLength.identifier),
      let publicKey = inner.bytes(TLVType.publicKey, count: PairingLength.longTermKey),
      let signature = inner.bytes(TLVType.signature, count: PairingLength.signature)
    else { return [.badRequest] }
    let signed = PairingKeys.controllerSigned(key) + identifier + publicKey
    guard isValidSignature(signature, of: signed, by: publicKey) else {
      return [.exchangeFailed(isOpened: true)]
    }
    state = .storeAwaited(key: key)
    // "The accessory must persistently save … as a pairing", with admin permissions, before it answers.
    return [.store(Pairing(identifier: identifier, publicKey: publicKey, isAdmin: true))]
  }

  private func exchangeResponse(_ key: SecretBytes) -> TLV {
    let signed = PairingKeys.accessorySigned(key) + identity.identifier + identity.key.publicKey
    var inner = TLV()
    inner.append(TLVType.identifier, identity.identifier)
    inner.append(TLVType.publicKey, identity.key.publicKey)
    inner.append(TLVType.signature, identity.key.sign(signed))
    var reply = TLV(state: 6)
    reply.append(
      TLVType.encryptedData,
      ChaChaPoly.seal(inner.encoded(), key: PairingKeys.pairSetup(key), nonce: "PS-Msg06"))
    return reply
  }
}

extension SRPProofForms {
  fileprivate init(_ forms: PairingQuirks.ProofForms) {
    switch forms {
    case .either: self = .either
    case .stripped: self = .stripped
    case .padded: self = .padded
    }
  }
}
