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
    var message = TLV(state: 1)
    message.append(TLVType.publicKey, ephemeral.publicKey)
    return message
  }

  /// The reply to what was sent last.
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
    let accessoryKey = try reply.bytes(TLVType.publicKey, count: PairingLength.ephemeralKey)
    guard let secret = ephemeral.sharedSecret(with: accessoryKey) else { throw reply.failure(.worthlessKey) }
    let key = PairingKeys.pairVerify(secret)
    let inner = try reply.opened(key, nonce: "PV-Msg02")
    let identifier = try inner.bytes(TLVType.identifier, count: PairingLength.identifier)
    let signature = try inner.bytes(TLVType.signature, count: PairingLength.signature)
    guard identifier == accessory.identifier else { throw inner.failure(.otherAccessory(identifier: identifier)) }
    let signed = accessoryKey + identifier + ephemeral.publicKey
    guard isValidSignature(signature, of: signed, by: accessory.publicKey) else {
      throw inner.failure(.wrongSignature)
    }
    state = .finishResponseExpected(secret: secret)
    var finish = TLV()
    finish.append(TLVType.identifier, identity.identifier)
    finish.append(
      TLVType.signature, identity.key.sign(ephemeral.publicKey + identity.identifier + accessoryKey))
    var message = TLV(state: 3)
    message.append(TLVType.encryptedData, ChaChaPoly.seal(finish.encoded(), key: key, nonce: "PV-Msg03"))
    return [.send(message)]
  }
}
