import HAPPairing
import HAPWire

extension PairingFailure {
  /// Returns the error in a reply of a pairing procedure, for a report.
  /// - Parameter key: the expected length of PublicKey in M2: "32 bytes".
  func problem(in message: TLV, key: String) -> String {
    switch cause {
    case .refused(let code): "Error \(code)" + (PairingError(rawValue: code).map { " (\($0))" } ?? "")
    case .unexpectedState(let state): wrongState(state)
    // A wrong state is reported before duplicate items.
    case .unreadable where message.state != step: wrongState(message.state)
    case .unreadable: message.isAmbiguous ? "an item occurs twice" : "the decrypted EncryptedData isn't TLV8"
    case .missing(let type): wrongItem(type, count: nil, key: key)
    case .wrongLength(let type, let count): wrongItem(type, count: count, key: key)
    case .worthlessKey: "PublicKey leads to a publicly known secret"
    case .wrongProof: "the accessory's proof is wrong"
    case .brokenSeal: "EncryptedData doesn't authenticate"
    case .wrongSignature: "the signature is invalid"
    case .otherAccessory: "Identifier isn't that of M6"
    case .unexpectedMessage: "no reply was expected"
    }
  }

  private func wrongState(_ state: UInt8?) -> String {
    "State is \(state.map { "\($0)" } ?? "missing"), not \(step)"
  }

  private func wrongItem(_ type: UInt8, count: Int?, key: String) -> String {
    let length = count.map { "\($0) bytes" } ?? "missing"
    return switch type {
    case TLVType.salt: "Salt is \(length), not 16 bytes"
    case TLVType.proof: "Proof is \(length), not 64 bytes"
    case TLVType.publicKey: step == 2 ? "PublicKey is \(length), not \(key)" : "PublicKey isn't 32 bytes"
    case TLVType.encryptedData: count == nil ? "EncryptedData is missing" : "EncryptedData doesn't authenticate"
    case TLVType.identifier: "Identifier is missing"
    case TLVType.signature: "Signature isn't 64 bytes"
    default: "item \(type) is \(length)"
    }
  }
}
