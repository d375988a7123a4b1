import HAPCrypto
import HAPWire

/// The messages that a controller sends in Pair Setup. HAP R2 §5.6.
///
/// They can be sent in any order. ``PairSetupClient`` sends valid messages in the right order; the tester sends edited ones in the order of a
/// case. Between the steps it can change: the method, ``SRPChoices`` for A, S and the proof, the signer, the items before encryption, the nonce
/// or key of the encryption, and the items of the message itself.
package enum PairSetupMessages {
  /// M1.
  package static func start(method: UInt8 = PairingMethod.pairSetup.rawValue) -> TLV {
    var message = TLV(state: 1)
    message.append(TLVType.method, [method])
    return message
  }

  /// M3.
  package static func proof(_ proof: SRPClientProof) -> TLV {
    var message = TLV(state: 3)
    message.append(TLVType.publicKey, proof.publicKey)
    message.append(TLVType.proof, proof.proof)
    return message
  }

  /// Returns the items to encrypt in M5.
  /// - Parameters:
  ///   - key: K of SRP.
  ///   - signer: signs instead of the controller's own key.
  package static func exchangeItems(
    _ controller: ControllerCredentials, key: SecretBytes, signer: SigningKey? = nil
  ) -> TLV {
    let signed = PairingKeys.controllerSigned(key) + controller.identifier + controller.key.publicKey
    var items = TLV()
    items.append(TLVType.identifier, controller.identifier)
    items.append(TLVType.publicKey, controller.key.publicKey)
    items.append(TLVType.signature, (signer ?? controller.key).sign(signed))
    return items
  }

  /// M5.
  /// - Parameters:
  ///   - items: encoded.
  ///   - key: K of SRP.
  ///   - sealKey: encrypts instead of the key derived from K.
  package static func exchange(
    sealing items: [UInt8], key: SecretBytes, nonce: String = "PS-Msg05", sealKey: SecretBytes? = nil
  ) -> TLV {
    var message = TLV(state: 5)
    message.append(
      TLVType.encryptedData, ChaChaPoly.seal(items, key: sealKey ?? PairingKeys.pairSetup(key), nonce: nonce))
    return message
  }
}

/// The content of M2.
package struct PairSetupChallenge: Equatable, Sendable {
  package let salt: [UInt8]
  /// B as received.
  package let accessoryKey: [UInt8]
}

// The replies of Pair Setup.
extension PairingReply {
  /// Returns the content of M2.
  package func challenge() throws(PairingFailure) -> PairSetupChallenge {
    let salt = try bytes(TLVType.salt, count: SRPVerifier.saltCount)
    return PairSetupChallenge(salt: salt, accessoryKey: try bytes(TLVType.publicKey, count: PairingLength.srpKey))
  }

  /// Checks M4, which proves that the accessory has the setup code.
  package func check(_ proof: SRPClientProof) throws(PairingFailure) {
    guard proof.check(proof2: try bytes(TLVType.proof, count: PairingLength.proof)) else { throw failure(.wrongProof) }
  }

  /// Returns the accessory from M6.
  /// - Parameters:
  ///   - key: K of SRP.
  ///   - counts: the valid lengths of the accessory's identifier.
  package func accessory(
    key: SecretBytes, identifier counts: ClosedRange<Int> = PairingLength.identifier
  ) throws(PairingFailure) -> PairedAccessory {
    let inner = try opened(PairingKeys.pairSetup(key), nonce: "PS-Msg06")
    let identifier = try inner.bytes(TLVType.identifier, count: counts)
    let publicKey = try inner.bytes(TLVType.publicKey, count: PairingLength.longTermKey)
    let signature = try inner.bytes(TLVType.signature, count: PairingLength.signature)
    let signed = PairingKeys.accessorySigned(key) + identifier + publicKey
    guard isValidSignature(signature, of: signed, by: publicKey) else { throw inner.failure(.wrongSignature) }
    return PairedAccessory(identifier: identifier, publicKey: publicKey)
  }
}
