import HAPCrypto
import HAPModel
import HAPWire

/// The accessory's side of Pair Verify, one for each connection. HAP R2 §5.7, as implemented by HomeKitADK.
package struct PairVerifyServer: Sendable {
  package enum Action: Equatable, Sendable {
    case reply(TLV)
    /// The request is malformed. There is no reply.
    case badRequest
    /// Send the preceding reply unencrypted. After it, every byte is encrypted with these keys, and the controller has this pairing.
    case established(SessionKeys, Pairing)
  }

  private enum State {
    /// There is no procedure. Next: `finishExpected`, on M1.
    case idle
    /// M2 was sent. Next: `idle`, with or without a session.
    case finishExpected(secret: SecretBytes, accessoryKey: [UInt8], controllerKey: [UInt8])
  }

  private var state = State.idle
  private let refusesMethod: Bool
  private let unpaired: PairingQuirks.UnpairedVerify

  package init(quirks: PairingQuirks = PairingQuirks()) {
    refusesMethod = quirks.refusesVerifyMethod
    unpaired = quirks.unpairedVerify
  }

  /// Whether M2 was sent and M3 is expected.
  package var isUnderWay: Bool {
    if case .idle = state { false } else { true }
  }

  /// The key that encrypts M2 and M3. It exists between M2 and M4.
  var messageKey: SecretBytes? {
    if case .finishExpected(let secret, _, _) = state { PairingKeys.pairVerify(secret) } else { nil }
  }

  package mutating func reset() { state = .idle }

  /// Handles a missing body, or one that isn't TLV8.
  package mutating func receiveUnreadable() -> [Action] {
    state = .idle
    return [.badRequest]
  }

  /// - Parameters:
  ///   - message: a decoded body.
  ///   - isPaired: whether the accessory has any pairing.
  ///   - pairing: finds the pairing of a controller's identifier, byte for byte. It is called on M3, so that a pairing removed since M1 is
  ///     not used.
  ///   - random: the source of the ephemeral key. Every M1 gets a new one.
  package mutating func receive(
    _ message: TLV, identity: AccessoryIdentity, isPaired: Bool = true, pairing: ([UInt8]) -> Pairing?,
    random: RandomSource
  ) -> [Action] {
    // Fails closed: a path that sets no next state ends the procedure.
    let current = state
    state = .idle
    guard !message.isAmbiguous, let step = message.state else { return [.badRequest] }
    if step == 1 {
      if !isPaired, let error = unpaired.error { return [.reply(.error(error, state: 2))] }
      return start(message, identity, random)  // from any state: it replaces an earlier M1
    }
    switch current {
    case .idle: return [.badRequest]
    case .finishExpected(let secret, let accessoryKey, let controllerKey):
      guard step == 3 else { return [.badRequest] }
      return finish(message, secret, accessoryKey: accessoryKey, controllerKey: controllerKey, pairing)
    }
  }

  /// Handles M1 and sends M2.
  private mutating func start(_ message: TLV, _ identity: AccessoryIdentity, _ random: RandomSource) -> [Action] {
    // Over IP there is no choice of method, not even resumption (HomeKitADK).
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

  /// Handles M3 and sends M4.
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
  /// The error in M2; nil: M2 has no error.
  fileprivate var error: PairingError? {
    switch self {
    case .m2: nil
    case .authentication: .authentication
    case .unknown: .unknown
    }
  }
}
