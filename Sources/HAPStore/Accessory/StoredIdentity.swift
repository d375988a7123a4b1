import HAPCrypto
import HAPModel

/// Who an accessory is to the controllers paired with it. Gone after a factory reset.
package struct StoredIdentity: Equatable, Sendable {
  package var deviceID: DeviceID
  /// The 32-byte seed of the accessory's long-term Ed25519 key.
  package var keySeed: SecretBytes

  package init(deviceID: DeviceID, keySeed: SecretBytes) {
    self.deviceID = deviceID
    self.keySeed = keySeed
  }
}

/// What is printed on the accessory's label, and the SRP verifier made from it. Survives a factory reset.
package struct StoredSetup: Equatable, Sendable {
  package var code: SetupCode
  package var id: SetupID
  /// 16 bytes.
  package var salt: [UInt8]
  /// 384 bytes; nil: it is computed from the code whenever it is needed.
  package var verifier: SecretBytes?

  package init(code: SetupCode, id: SetupID, salt: [UInt8], verifier: SecretBytes?) {
    self.code = code
    self.id = id
    self.salt = salt
    self.verifier = verifier
  }
}

/// An accessory that a folder has something about, running or not.
package struct KnownAccessory: Equatable, Sendable {
  package var key: String
  /// As it was last called.
  package var name: String
  /// `nil` before its first run and after a factory reset.
  package var deviceID: DeviceID?
  package var pairings: [Pairing]
  package var isRunning: Bool
  /// Of the process that runs it, where that is known.
  package var pid: Int32?
}
