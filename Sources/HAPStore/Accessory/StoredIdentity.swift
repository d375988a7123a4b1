import HAPCrypto
import HAPModel

/// The identity of an accessory for its paired controllers. A factory reset removes it.
package struct StoredIdentity: Equatable, Sendable {
  package var deviceID: DeviceID
  /// The 32-byte seed of the accessory's long-term Ed25519 key.
  package var keySeed: SecretBytes

  package init(deviceID: DeviceID, keySeed: SecretBytes) {
    self.deviceID = deviceID
    self.keySeed = keySeed
  }
}

/// The data on the accessory's label, and the SRP verifier derived from it. A factory reset keeps it.
package struct StoredSetup: Equatable, Sendable {
  package var code: SetupCode
  package var id: SetupID
  /// 16 bytes.
  package var salt: [UInt8]
  /// 384 bytes. nil: it is computed from the code when it is needed.
  package var verifier: SecretBytes?

  package init(code: SetupCode, id: SetupID, salt: [UInt8], verifier: SecretBytes?) {
    self.code = code
    self.id = id
    self.salt = salt
    self.verifier = verifier
  }
}

/// An accessory with data in a folder, running or not.
package struct KnownAccessory: Equatable, Sendable {
  package var key: String
  /// The name at its last run.
  package var name: String
  /// `nil` before its first run and after a factory reset.
  package var deviceID: DeviceID?
  package var pairings: [Pairing]
  package var isRunning: Bool
  /// The process that runs it, if known.
  package var pid: Int32?
}
