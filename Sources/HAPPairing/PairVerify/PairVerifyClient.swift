import HAPCrypto
import HAPWire

/// The controller's end of Pair Verify. HAP R2 §5.7.
package struct PairVerifyClient: Sendable {
  package enum Action: Equatable, Sendable {
    /// POST it to `/pair-verify`.
    case send(TLV)
    /// M4 was good: the next byte in each direction is sealed under these keys.
    case established(SessionKeys)
    /// The procedure is over.
    case failed(PairingFailure)
  }

  private enum State {
    /// Next: `startResponseExpected`, on ``start()``.
    case idle
    /// M1 is out. Next: `finishResponseExpected`, with M3.
    case startResponseExpected(AgreementKey)
    /// M3 is out. Next: `over`.
    case finishResponseExpected(secret: SecretBytes)
    /// Nothing more.
    case over
  }

  private let identity: ControllerCredentials
  private let accessory: PairedAccessory
  private let random: RandomSource
  private var state = State.idle

  /// - Parameter accessory: the one that is meant; any other is refused.
  package init(identity: ControllerCredentials, accessory: PairedAccessory, random: RandomSource) {
    self.identity = identity
    self.accessory = accessory
    self.random = random
  }

  /// M1, with a new ephemeral key each time.
  package mutating func start() -> TLV {
    let ephemeral = AgreementKey(privateKey: random.secret(32))
    state = .startResponseExpected(ephemeral)
    return PairVerifyMessages.start(ephemeral.publicKey)
  }

  /// Takes the reply to the last message.
  package mutating func receive(_ message: TLV) -> [Action] {
    let current = state
    state = .over  // unless a path names another
    do throws(PairingFailure) {
      switch current {
      case .startResponseExpected(let ephemeral): return try startResponse(PairingReply(message, step: 2), ephemeral)
      case .finishResponseExpected(let secret):
        _ = try PairingReply(message, step: 4)
        return [.established(SessionKeys(pairVerify: secret))]
      case .idle, .over: throw PairingFailure(step: message.state ?? 0, cause: .unexpectedMessage)
      }
    } catch { return [.failed(error)] }
  }

  /// M2 → M3.
  private mutating func startResponse(
    _ reply: PairingReply, _ ephemeral: AgreementKey
  ) throws(PairingFailure) -> [Action] {
    let response = try reply.verifyResponse(to: ephemeral)
    try response.check(accessory)
    state = .finishResponseExpected(secret: response.secret)
    let items = PairVerifyMessages.finishItems(identity, keys: (ephemeral.publicKey, response.accessoryKey))
    return [
      .send(
        PairVerifyMessages.finish(sealing: items.encoded(), sealKey: PairingKeys.pairVerify(response.secret)))
    ]
  }
}
