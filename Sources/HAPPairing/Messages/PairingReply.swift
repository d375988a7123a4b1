import HAPCrypto
import HAPWire

/// A parsed reply of the accessory. It checks what both client procedures require.
package struct PairingReply {
  private let step: UInt8
  private let message: TLV

  /// - Throws: the refusal if there is one, with any State; else the error in the reply as a whole.
  package init(_ message: TLV, step: UInt8) throws(PairingFailure) {
    self.step = step
    self.message = message
    if let code = message.byte(TLVType.error) {
      throw PairingFailure(
        step: step, cause: .refused(code), retryDelay: message.integer(TLVType.retryDelay, upToBytes: 8))
    }
    if message.isAmbiguous { throw PairingFailure(step: step, cause: .unreadable) }
    if message.state != step { throw PairingFailure(step: step, cause: .unexpectedState(message.state)) }
  }

  private init(sealedIn reply: PairingReply, _ message: TLV) {
    step = reply.step
    self.message = message
  }

  func bytes(_ type: UInt8, count counts: ClosedRange<Int>) throws(PairingFailure) -> [UInt8] {
    guard let value = message[type] else { throw failure(.missing(type: type)) }
    guard counts.contains(value.count) else { throw failure(.wrongLength(type: type, count: value.count)) }
    return value
  }

  func bytes(_ type: UInt8, count: Int) throws(PairingFailure) -> [UInt8] { try bytes(type, count: count...count) }

  /// Decrypts the items in EncryptedData.
  func opened(_ key: SecretBytes, nonce: String) throws(PairingFailure) -> PairingReply {
    let sealed = try bytes(TLVType.encryptedData, count: PairingLength.tag...Int.max)
    guard let plain = ChaChaPoly.open(sealed, key: key, nonce: nonce) else { throw failure(.brokenSeal) }
    guard let inner = try? TLV(decoding: plain), !inner.isAmbiguous else { throw failure(.unreadable) }
    return PairingReply(sealedIn: self, inner)
  }

  package func failure(_ cause: PairingFailure.Cause) -> PairingFailure { PairingFailure(step: step, cause: cause) }
}
