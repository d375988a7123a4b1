import HAPCrypto
import HAPModel

/// The identity and keys of an accessory.
package struct AccessoryIdentity: Sendable {
  package let deviceID: DeviceID
  /// The long-term key pair.
  package let key: SigningKey
  /// The verifier of the setup code. It takes a millisecond to compute, so it is computed once and kept.
  package let verifier: SRPVerifier

  package init(deviceID: DeviceID, key: SigningKey, verifier: SRPVerifier) {
    self.deviceID = deviceID
    self.key = key
    self.verifier = verifier
  }

  /// The device ID as in pairing messages: 17 ASCII characters, upper case.
  package var identifier: [UInt8] { Array(deviceID.text.utf8) }
}

/// The identity and keys of a controller.
package struct ControllerCredentials: Sendable {
  /// At most 36 bytes, usually an upper-case UUID.
  package let identifier: [UInt8]
  package let key: SigningKey

  package init(identifier: [UInt8], key: SigningKey) {
    self.identifier = identifier
    self.key = key
  }
}

/// A controller's data about a paired accessory.
package struct PairedAccessory: Equatable, Sendable {
  /// The identifier from M6. It should be the 17 characters of the device ID.
  package let identifier: [UInt8]
  /// 32 bytes.
  package let publicKey: [UInt8]

  package init(identifier: [UInt8], publicKey: [UInt8]) {
    self.identifier = identifier
    self.publicKey = publicKey
  }
}

/// The reason why a controller's pairing procedure failed.
package struct PairingFailure: Error, Equatable, Sendable {
  package enum Cause: Equatable, Sendable {
    /// The reply has an Error item. The number is a `PairingError` if the accessory conforms.
    case refused(UInt8)
    /// The State item has another value than this step requires, or is missing or not one byte (nil).
    case unexpectedState(UInt8?)
    /// A reply arrived when none was expected.
    case unexpectedMessage
    /// A required item is missing. Types are those of `TLVType`.
    case missing(type: UInt8)
    case wrongLength(type: UInt8, count: Int)
    /// An item occurs twice, or the encrypted part isn't TLV8.
    case unreadable
    /// The accessory's public key leads to a shared secret that anyone can compute.
    case worthlessKey
    /// The accessory's proof doesn't match the setup code.
    case wrongProof
    /// The authentication tag is wrong.
    case brokenSeal
    case wrongSignature
    /// The identifier belongs to another accessory than the expected one.
    case otherAccessory(identifier: [UInt8])
  }

  /// The message that caused the failure: 2, 4 or 6.
  package let step: UInt8
  package let cause: Cause
  /// In seconds, if the refusal includes a delay.
  package let retryDelay: UInt64?

  package init(step: UInt8, cause: Cause, retryDelay: UInt64? = nil) {
    self.step = step
    self.cause = cause
    self.retryDelay = retryDelay
  }
}
