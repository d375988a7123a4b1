import HAPCrypto
import HAPPairing
import HAPWire

/// A Pair Verify of a case: creates messages, correct or faulty on purpose, and checks the replies. HAP R2 §5.7.
package struct VerifyProcedure {
  package private(set) var ephemeral: AgreementKey?
  /// The accessory's public key from M2.
  private(set) var accessoryKey: [UInt8] = []
  private var secret: SecretBytes?
  /// The accessory's identifier from M2.
  private(set) var identifier: [UInt8] = []

  package init() {}

  package mutating func start(random: RandomSource, publicKey: [UInt8]?) -> TLVDraft {
    let key = AgreementKey(privateKey: random.secret(32))
    ephemeral = key
    secret = nil
    return TLVDraft(PairVerifyMessages.start(publicKey ?? key.publicKey))
  }

  /// Returns the items that M3 encrypts.
  /// - Parameters:
  ///   - keys: the procedure whose ephemeral keys are signed; by default, this one.
  ///   - isSwapped: whether to sign the ephemeral keys in the wrong order.
  package func finish(
    _ controller: TestController, signedBy other: SigningKey?, over keys: VerifyProcedure?, isSwapped: Bool = false
  ) throws(ProcedureError) -> TLVDraft {
    let source = keys ?? self
    guard let ephemeral = source.ephemeral else { throw ProcedureError("M3 needs an M1 first") }
    let own = ephemeral.publicKey
    let keys = isSwapped ? (source.accessoryKey, own) : (own, source.accessoryKey)
    return TLVDraft(PairVerifyMessages.finishItems(controller.credentials, keys: keys, signer: other))
  }

  /// Returns M3 with its encrypted items. Without an M2 the key is random, because there is no shared secret.
  package func sealedFinish(_ inner: [UInt8], nonce: String, wrongKey: SecretBytes?, random: RandomSource) -> TLVDraft {
    let key = wrongKey ?? secret.map(PairingKeys.pairVerify) ?? random.secret(32)
    return TLVDraft(PairVerifyMessages.finish(sealing: inner, sealKey: key, nonce: nonce))
  }

  /// The session keys after M4.
  package var sessionKeys: SessionKeys? { secret.map { SessionKeys(pairVerify: $0) } }

  /// Processes M2 or M4, and returns the error in it; nil without one.
  /// - Parameter accessory: its identity from Pair Setup; nil: the signature isn't checked.
  package mutating func take(_ step: String, _ message: TLV, from accessory: PairedAccessory?) -> String? {
    let number = UInt8(step.dropFirst()) ?? 0
    do throws(PairingFailure) {
      let reply = try PairingReply(message, step: number)
      if number == 4 { return nil }
      guard let ephemeral else { return "no M1 was sent" }
      // Other cases are about the length of the identifier.
      let response = try reply.verifyResponse(to: ephemeral, identifier: 0...Int.max)
      (accessoryKey, secret, identifier) = (response.accessoryKey, response.secret, response.identifier)
      if let accessory { try response.check(accessory) }
      return nil
    } catch { return error.problem(in: message, key: "32 bytes") }
  }
}
