import HAPCrypto
import HAPPairing
import HAPWire

/// A Pair Setup of a case: keeps the content of the replies and makes the next message, right or with the edits of a step. HAP R2 §5.6.
///
/// It is a value without a connection and without an order: a step sends any message at any time.
package struct SetupProcedure {
  /// Of the last M2 that was right.
  package private(set) var challenge: PairSetupChallenge?
  /// Of the last M3.
  private var proof: SRPClientProof?
  /// Of the M6 that was right.
  package private(set) var accessory: PairedAccessory?

  package init() {}

  /// K.
  package var key: SecretBytes? { proof?.key }

  package static func start(method: UInt8 = 0, flags: [UInt8]? = nil) -> TLVDraft {
    var message = TLVDraft(PairSetupMessages.start(method: method))
    if let flags { message.items.append(.init(type: TLVType.flags, value: flags)) }
    return message
  }

  /// M3. Slow (some ms, half a second where zeros are wanted).
  /// - Parameter random: draws the private key, unless A is forged. The search for one of the chosen form begins there.
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
      case .noKeyFound: throw ProcedureError("no key of the wanted form was found")
      }
    }
    proof = made
    return TLVDraft(PairSetupMessages.proof(made))
  }

  /// The items that M5 seals.
  package func exchange(
    _ controller: TestController, signedBy other: SigningKey? = nil
  ) throws(ProcedureError) -> TLVDraft {
    guard let key else { throw ProcedureError("M5 needs an M3 first") }
    return TLVDraft(PairSetupMessages.exchangeItems(controller.credentials, key: key, signer: other))
  }

  /// M5.
  package func sealedExchange(
    _ inner: [UInt8], nonce: String = "PS-Msg05", wrongKey: SecretBytes? = nil
  ) throws(ProcedureError) -> TLVDraft {
    guard let key else { throw ProcedureError("M5 needs an M3 first") }
    return TLVDraft(PairSetupMessages.exchange(sealing: inner, key: key, nonce: nonce, sealKey: wrongKey))
  }

  /// Takes M2, M4 or M6, and returns the error in it; `nil` without one.
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
        // Other cases are about the length of the identifier.
        accessory = try reply.accessory(key: key, identifier: 1...Int.max)
      }
      return nil
    } catch { return error.problem(in: message, key: "1 to 384 bytes") }
  }
}

/// A message can't be made from what went before.
package struct ProcedureError: Error, Equatable {
  package var message: String
  init(_ message: String) { self.message = message }
}
