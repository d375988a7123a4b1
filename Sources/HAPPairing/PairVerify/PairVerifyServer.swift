import HAPCrypto
import HAPModel
import HAPWire

/// The accessory's end of Pair Verify, one for each connection. HAP R2 §5.7, as HomeKitADK does it.
package struct PairVerifyServer: Sendable {
  package enum Action: Equatable, Sendable {
    case reply(TLV)
    /// The request is malformed: there is no reply.
    case badRequest
    /// After the reply before it has left in plain, every byte is sealed under these keys; the controller is this one.
    case established(SessionKeys, Pairing)
  }

  private enum State {
    /// Nothing is under way. Next: `finishExpected`, on M1.
    case idle
    /// M2 is out. Next: `idle`, with or without a session.
    case finishExpected(secret: SecretBytes, accessoryKey: [UInt8], controllerKey: [UInt8])
  }

  private var state = State.idle
  private let refusesMethod: Bool
  private let unpaired: PairingQuirks.UnpairedVerify

  package init(quirks: PairingQuirks = PairingQuirks()) {
    refusesMethod = quirks.refusesVerifyMethod
    unpaired = quirks.unpairedVerify
  }

  /// Whether M2 is out and M3 awaited.
  package var isUnderWay: Bool {
    if case .idle = state { false } else { true }
  }

  /// The key that M2 and M3 are sealed with, between M2 and M4.
  var messageKey: SecretBytes? {
    if case .finishExpected(let secret, _, _) = state { PairingKeys.pairVerify(secret) } else { nil }
  }

  package mutating func reset() { state = .idle }

  /// A body came that isn't TLV8, or none.
  package mutating func receiveUnreadable() -> [Action] {
    state = .idle
    return [.badRequest]
  }

  /// - Parameters:
  ///   - message: a decoded body.
  ///   - isPaired: whether the accessory has any pairing.
  ///   - pairing: finds the pairing of a controller's identifier, byte for byte; asked when M3 comes, so that a
  ///     pairing removed since M1 is of no use.
  ///   - random: the ephemeral key is drawn from it, a new one for every M1.
  package mutating func receive(
    _ message: TLV, identity: AccessoryIdentity, isPaired: Bool = true, pairing: ([UInt8]) -> Pairing?,
    random: RandomSource
  ) -> [Action] {
    // Fails closed: a path that names no next state ends the procedure.
    let current = state
    state = .idle
    guard !message.isAmbiguous, let step = message.state else { return [.badRequest] }
    if step == 1 {
      if !isPaired, let error = unpaired.error { return [.reply(.error(error, state: 2))] }
      return start(message, identity, random)  // from any state: it puts an earlier M1 aside
    }
    switch current {
    case .idle: return [.badRequest]
    case .finishExpected(let secret, let accessoryKey, let controllerKey):
      guard step == 3 else { return [.badRequest] }
      return finish(message, secret, accessoryKey: accessoryKey, controllerKey: controllerKey, pairing)
    }
  }

  /// M1 → M2.
  private mutating func start(_ message: TLV, _ identity: AccessoryIdentity, _ random: RandomSource) -> [Action] {
    // Over IP there is no method to choose, not even resumption (HomeKitADK).
    guard !refusesMethod || message[TLVType.method] == nil,
      let controllerKey = message.bytes(TLVType.publicKey, count: PairingLength.ephemeralKey)
    else { return [.badRequest] }
    let ephemeral = AgreementKey(privateKey: random.secret(32))
    guard let secret = ephemeral.sharedSecret(with: controllerKey) else {
      return [.reply(.error(.authentication, state: 2))]
    }
    var inner = TLV()
    inner.append(TLVType.identifier, identity.identifier)
    inner.append(
      TLVType.signature, identity.key.sign(ephemeral.publicKey + identity.identifier + controllerKey))
    var reply = TLV(state: 2)
    reply.append(TLVType.publicKey, ephemeral.publicKey)
    reply.append(
      TLVType.encryptedData,
      ChaChaPoly.seal(inner.encoded(), key: PairingKeys.pairVerify(secret), nonce: "PV-Msg02"))
    state = .finishExpected(secret: secret, accessoryKey: ephemeral.publicKey, controllerKey: controllerKey)
    return [.reply(reply)]
  }

  /// M3 → M4.
  private func finish(
    _ message: TLV, _ secret: SecretBytes, accessoryKey: [UInt8], controllerKey: [UInt8],
    _ pairing: ([UInt8]) -> Pairing?
  ) -> [Action] {
    guard let sealed = message[TLVType.encryptedData], sealed.count >= PairingLength.tag else { return [.badRequest] }
    let refusal = [Action.reply(.error(.authentication, state: 4))]
    guard let plain = ChaChaPoly.open(sealed, key: PairingKeys.pairVerify(secret), nonce: "PV-Msg03") else {
      return refusal
    }
    guard let inner = try? TLV(decoding: plain), !inner.isAmbiguous,
      let identifier = inner.bytes(TLVType.identifier, count: PairingLength.identifier),
      let signature = inner.bytes(TLVType.signature, count: PairingLength.signature)
    else { return [.badRequest] }
    guard let pairing = pairing(identifier),
      isValidSignature(signature, of: controllerKey + identifier + accessoryKey, by: pairing.publicKey)
    else { return refusal }
    return [.reply(TLV(state: 4)), .established(SessionKeys(pairVerify: secret), pairing)]
  }
}

extension PairingQuirks.UnpairedVerify {
  /// What M2 says; nil: it is an ordinary one.
  fileprivate var error: PairingError? {
    switch self {
    case .m2: nil
    case .authentication: .authentication
    case .unknown: .unknown
    }
  }
}
