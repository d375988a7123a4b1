import HAPCrypto
import HAPModel

/// What an accessory proves itself with.
package struct AccessoryIdentity: Sendable {
  package let deviceID: DeviceID
  /// The long-term key pair.
  package let key: SigningKey
  /// Of the setup code; computing one takes a millisecond, so it is made once and kept.
  package let verifier: SRPVerifier

  package init(deviceID: DeviceID, key: SigningKey, verifier: SRPVerifier) {
    self.deviceID = deviceID
    self.key = key
    self.verifier = verifier
  }

  /// The device ID as pairing messages carry it: 17 ASCII characters, upper case.
  package var identifier: [UInt8] { Array(deviceID.text.utf8) }
}

/// What a controller proves itself with.
package struct ControllerCredentials: Sendable {
  /// At most 36 bytes, by custom an upper-case UUID.
  package let identifier: [UInt8]
  package let key: SigningKey

  package init(identifier: [UInt8], key: SigningKey) {
    self.identifier = identifier
    self.key = key
  }
}

/// What a controller knows of an accessory once it has paired with it.
package struct PairedAccessory: Equatable, Sendable {
  /// As it came in M6, by rule the 17 characters of the device ID.
  package let identifier: [UInt8]
  /// 32 bytes.
  package let publicKey: [UInt8]

  package init(identifier: [UInt8], publicKey: [UInt8]) {
    self.identifier = identifier
    self.publicKey = publicKey
  }
}

/// Why a pairing procedure ended without success, seen from the controller.
package struct PairingFailure: Error, Equatable, Sendable {
  package enum Cause: Equatable, Sendable {
    /// The reply holds an Error item; the number is a `PairingError` if the accessory keeps to the list.
    case refused(UInt8)
    /// The State item isn't this step's, or isn't one byte (nil).
    case unexpectedState(UInt8?)
    /// A reply came while none was due.
    case unexpectedMessage
    /// An item that must be there is not. Types are those of `TLVType`.
    case missing(type: UInt8)
    case wrongLength(type: UInt8, count: Int)
    /// An item is there twice, or the sealed part isn't TLV8.
    case unreadable
    /// The accessory's public key leads to a secret that everybody knows.
    case worthlessKey
    /// The accessory doesn't know the setup code.
    case wrongProof
    /// The tag doesn't hold.
    case brokenSeal
    case wrongSignature
    /// The identifier isn't that of the accessory meant.
    case otherAccessory(identifier: [UInt8])
  }

  /// The message that was at fault: 2, 4 or 6.
  package let step: UInt8
  package let cause: Cause
  /// In seconds, where a refusal says when to try again.
  package let retryDelay: UInt64?

  package init(step: UInt8, cause: Cause, retryDelay: UInt64? = nil) {
    self.step = step
    self.cause = cause
    self.retryDelay = retryDelay
  }
}
