import HAPCrypto
import HAPPairing
import HAPWire

/// A Pair Setup of a case: keeps the contents of the replies and creates the next message, correct or edited by a step. HAP R2 §5.6.
///
/// It has no connection and enforces no order: a step may send any message at any time.
package struct SetupProcedure {
  /// The challenge in the last valid M2.
  package private(set) var challenge: PairSetupChallenge?
  /// The proof in the last M3.
  private var proof: SRPClientProof?
  /// The accessory's identity in the valid M6.
  package private(set) var accessory: PairedAccessory?

  package init() {}

  /// The session key K of SRP.
  package var key: SecretBytes? { proof?.key }

  package static func start(method: UInt8 = 0, flags: [UInt8]? = nil) -> TLVDraft {
    var message = TLVDraft(PairSetupMessages.start(method: method))
    if let flags { message.items.append(.init(type: TLVType.flags, value: flags)) }
    return message
  }

  /// Creates M3. Slow: some milliseconds, or half a second if leading zeros are requested.
  /// - Parameter random: draws the private key, unless A is forged. A search for a key of the requested form starts from it.
  package mutating func proof(
    code: String, _ choices: SRPChoices = SRPChoices(), random: RandomSource
  ) throws(ProcedureError) -> TLVDraft {
    guard let challenge else { throw ProcedureError("M3 needs an M2 first") }
    let made: SRPClientProof
    do throws(SRPChoices.Problem) {
      made = try choices.proof(
        code: code, salt: challenge.salt, serverPublicKey: challenge.accessoryKey,
        privateKey: choices.publicKey == nil ? random.bytes(32) : [])
    } catch {
      switch error {
      case .worthlessKey: throw ProcedureError("the accessory's public key is zero modulo N, or too long")
      case .noKeyFound: throw ProcedureError("no key of the requested form was found")
      }
    }
    proof = made
    return TLVDraft(PairSetupMessages.proof(made))
  }

  /// Returns the items that M5 encrypts.
  package func exchange(
    _ controller: TestController, signedBy other: SigningKey? = nil
  ) throws(ProcedureError) -> TLVDraft {
    guard let key else { throw ProcedureError("M5 needs an M3 first") }
    return TLVDraft(PairSetupMessages.exchangeItems(controller.credentials, key: key, signer: other))
  }

  /// Returns M5.
  package func sealedExchange(
    _ inner: [UInt8], nonce: String = "PS-Msg05", wrongKey: SecretBytes? = nil
  ) throws(ProcedureError) -> TLVDraft {
    guard let key else { throw ProcedureError("M5 needs an M3 first") }
    return TLVDraft(PairSetupMessages.exchange(sealing: inner, key: key, nonce: nonce, sealKey: wrongKey))
  }

  /// Processes M2, M4 or M6, and returns the error in it; nil without one.
  package mutating func take(_ step: String, _ message: TLV) -> String? {
    let number = UInt8(step.dropFirst()) ?? 0
    do throws(PairingFailure) {
      let reply = try PairingReply(message, step: number)
      switch number {
      case 2:
        let challenge = try reply.challenge()
        if challenge.accessoryKey.isEmpty { throw reply.failure(.wrongLength(type: TLVType.publicKey, count: 0)) }
        self.challenge = challenge
      case 4:
        guard let proof else { return "no M3 was sent" }
        try reply.check(proof)
      default:
        guard let key else { return "no M3 was sent" }
        // Other cases check the length of the identifier.
        accessory = try reply.accessory(key: key, identifier: 1...Int.max)
      }
      return nil
    } catch { return error.problem(in: message, key: "1 to 384 bytes") }
  }
}

/// A message can't be created because an earlier one is missing or unusable.
package struct ProcedureError: Error, Equatable {
  package var message: String
  init(_ message: String) { self.message = message }
}
