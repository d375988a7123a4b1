import HAPCrypto
import HAPWire

/// The controller's side of Pair Verify. HAP R2 §5.7.
package struct PairVerifyClient: Sendable {
  package enum Action: Equatable, Sendable {
    /// POST it to `/pair-verify`.
    case send(TLV)
    /// M4 was valid: from the next byte on, each direction is encrypted with these keys.
    case established(SessionKeys)
    /// The procedure is over.
    case failed(PairingFailure)
  }

  private enum State {
    /// Next: `startResponseExpected`, on ``start()``.
    case idle
    /// M1 was sent. Next: `finishResponseExpected`, with M3.
    case startResponseExpected(AgreementKey)
    /// M3 was sent. Next: `over`.
    case finishResponseExpected(secret: SecretBytes)
    /// The procedure has ended.
    case over
  }

  private let identity: ControllerCredentials
  private let accessory: PairedAccessory
  private let random: RandomSource
  private var state = State.idle

  /// - Parameter accessory: the expected accessory. Any other one is refused.
  package init(identity: ControllerCredentials, accessory: PairedAccessory, random: RandomSource) {
    self.identity = identity
    self.accessory = accessory
    self.random = random
  }

  /// Returns M1 with a new ephemeral key.
  package mutating func start() -> TLV {
    let ephemeral = AgreementKey(privateKey: random.secret(32))
    state = .startResponseExpected(ephemeral)
    return PairVerifyMessages.start(ephemeral.publicKey)
  }

  /// Handles the reply to the last message.
  package mutating func receive(_ message: TLV) -> [Action] {
    let current = state
    state = .over  // unless a path sets another state
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

  /// Handles M2 and sends M3.
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
