import HAPCrypto
import HAPWire

/// The messages that a controller sends in Pair Verify. HAP R2 §5.7.
///
/// They can be sent in any order. ``PairVerifyClient`` sends valid messages in the right order; the tester sends edited ones in the order of a
/// case.
package enum PairVerifyMessages {
  /// M1.
  /// - Parameter publicKey: the controller's ephemeral key.
  package static func start(_ publicKey: [UInt8]) -> TLV {
    var message = TLV(state: 1)
    message.append(TLVType.publicKey, publicKey)
    return message
  }

  /// Returns the items to encrypt in M3.
  /// - Parameters:
  ///   - keys: the ephemeral public keys in the order of the signed data: the controller's, then the accessory's.
  ///   - signer: signs instead of the controller's own key.
  package static func finishItems(
    _ controller: ControllerCredentials, keys: (first: [UInt8], last: [UInt8]), signer: SigningKey? = nil
  ) -> TLV {
    var items = TLV()
    items.append(TLVType.identifier, controller.identifier)
    items.append(TLVType.signature, (signer ?? controller.key).sign(keys.first + controller.identifier + keys.last))
    return items
  }

  /// M3.
  /// - Parameters:
  ///   - items: encoded.
  ///   - sealKey: derived from the shared secret (`PairingKeys.pairVerify`).
  package static func finish(sealing items: [UInt8], sealKey: SecretBytes, nonce: String = "PV-Msg03") -> TLV {
    var message = TLV(state: 3)
    message.append(TLVType.encryptedData, ChaChaPoly.seal(items, key: sealKey, nonce: nonce))
    return message
  }
}

/// The content of M2. Its signature is not yet checked.
package struct PairVerifyResponse: Sendable {
  /// The accessory's ephemeral key.
  package let accessoryKey: [UInt8]
  package let secret: SecretBytes
  package let identifier: [UInt8]
  private let signature: [UInt8]
  private let controllerKey: [UInt8]

  fileprivate init(
    accessoryKey: [UInt8], secret: SecretBytes, identifier: [UInt8], signature: [UInt8], controllerKey: [UInt8]
  ) {
    self.accessoryKey = accessoryKey
    self.secret = secret
    self.identifier = identifier
    self.signature = signature
    self.controllerKey = controllerKey
  }

  /// Checks that the response comes from a paired accessory.
  /// - Throws: `.otherAccessory`, `.wrongSignature`.
  package func check(_ accessory: PairedAccessory) throws(PairingFailure) {
    guard identifier == accessory.identifier else {
      throw PairingFailure(step: 2, cause: .otherAccessory(identifier: identifier))
    }
    guard isValidSignature(signature, of: accessoryKey + identifier + controllerKey, by: accessory.publicKey) else {
      throw PairingFailure(step: 2, cause: .wrongSignature)
    }
  }
}

extension PairingReply {
  /// Parses M2 of Pair Verify.
  /// - Parameters:
  ///   - ephemeral: the controller's key of M1.
  ///   - counts: the valid lengths of the accessory's identifier.
  package func verifyResponse(
    to ephemeral: AgreementKey, identifier counts: ClosedRange<Int> = PairingLength.identifier
  ) throws(PairingFailure) -> PairVerifyResponse {
    let accessoryKey = try bytes(TLVType.publicKey, count: PairingLength.ephemeralKey)
    guard let secret = ephemeral.sharedSecret(with: accessoryKey) else { throw failure(.worthlessKey) }
    let inner = try opened(PairingKeys.pairVerify(secret), nonce: "PV-Msg02")
    let identifier = try inner.bytes(TLVType.identifier, count: counts)
    let signature = try inner.bytes(TLVType.signature, count: PairingLength.signature)
    return PairVerifyResponse(
      accessoryKey: accessoryKey, secret: secret, identifier: identifier, signature: signature,
      controllerKey: ephemeral.publicKey)
  }
}
