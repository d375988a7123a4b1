import HAPCrypto

/// The keys of the pairing procedures, all by HKDF-SHA-512. HAP R2 §5.6.5, §5.6.6, §5.7.2.
package enum PairingKeys {
  /// The key that encrypts M5 and M6 of Pair Setup. - Parameter key: K of SRP.
  package static func pairSetup(_ key: SecretBytes) -> SecretBytes {
    HKDF.sha512(key, salt: "Pair-Setup-Encrypt-Salt", info: "Pair-Setup-Encrypt-Info")
  }

  /// iOSDeviceX, which the controller signs in M5.
  package static func controllerSigned(_ key: SecretBytes) -> [UInt8] {
    HKDF.sha512(key, salt: "Pair-Setup-Controller-Sign-Salt", info: "Pair-Setup-Controller-Sign-Info")
      .withBytes { Array($0) }
  }

  /// AccessoryX, which the accessory signs in M6.
  package static func accessorySigned(_ key: SecretBytes) -> [UInt8] {
    HKDF.sha512(key, salt: "Pair-Setup-Accessory-Sign-Salt", info: "Pair-Setup-Accessory-Sign-Info")
      .withBytes { Array($0) }
  }

  /// The key that encrypts M2 and M3 of Pair Verify. - Parameter secret: of X25519.
  package static func pairVerify(_ secret: SecretBytes) -> SecretBytes {
    HKDF.sha512(secret, salt: "Pair-Verify-Encrypt-Salt", info: "Pair-Verify-Encrypt-Info")
  }
}

/// The keys of a secured session. HAP R2 §6.5.2 "Session Security".
package struct SessionKeys: Equatable, Sendable {
  /// Each 32 bytes.
  package let accessoryToController, controllerToAccessory: SecretBytes
  /// The input for the keys of data streams: the X25519 secret of Pair Verify, or K of a transient Pair Setup.
  package let sharedSecret: SecretBytes

  /// The session that Pair Verify establishes. - Parameter sharedSecret: of X25519.
  package init(pairVerify sharedSecret: SecretBytes) {
    self.sharedSecret = sharedSecret
    accessoryToController = HKDF.sha512(sharedSecret, salt: "Control-Salt", info: "Control-Read-Encryption-Key")
    controllerToAccessory = HKDF.sha512(sharedSecret, salt: "Control-Salt", info: "Control-Write-Encryption-Key")
  }

  /// The session that a transient Pair Setup establishes. - Parameter key: K of SRP.
  package init(transientPairSetup key: SecretBytes) {
    sharedSecret = key
    accessoryToController = HKDF.sha512(key, salt: "SplitSetupSalt", info: "AccessoryEncrypt-Control")
    controllerToAccessory = HKDF.sha512(key, salt: "SplitSetupSalt", info: "ControllerEncrypt-Control")
  }
}
