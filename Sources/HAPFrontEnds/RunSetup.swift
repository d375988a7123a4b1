import HAPAttributes
import HAPCrypto
import HAPDeviations
import HAPIP
import HAPModel
import HAPPairing
import HAPWire

/// The initial data of a run of a hosted accessory.
package struct RunSetup {
  package let name: String
  /// The instance name in DNS-SD.
  package let instanceName: String
  package let hostName: String
  package let identity: AccessoryIdentity
  package let setupCode: SetupCode
  package let advertisement: Advertisement
  package let database: AttributeDatabase
  /// The choices of the profile about its Matter side, by the service or the characteristic.
  package let matter: [AttributeID: JSONNode]
  package let pairings: [Pairing]
  package let failedAttempts: Int
  package let quirks: IPQuirks
  package let attributeQuirks: AttributeQuirks
  package let pairingQuirks: PairingQuirks
  /// The accessory's own defect.
  package let defect: Defect?
  /// The number of open files that its connections may use; `nil`: as many as the process.
  package let openFiles: Int?
  /// The secret from which other front ends than that for IP derive identifiers and keys; `nil`: these are random.
  package let frontEndSecret: SecretBytes?

  package init(
    name: String, instanceName: String, hostName: String, identity: AccessoryIdentity, setupCode: SetupCode,
    advertisement: Advertisement, database: AttributeDatabase, matter: [AttributeID: JSONNode] = [:],
    pairings: [Pairing], failedAttempts: Int, quirks: IPQuirks, attributeQuirks: AttributeQuirks,
    pairingQuirks: PairingQuirks, defect: Defect?, openFiles: Int?,
    frontEndSecret: SecretBytes?
  ) {
    self.name = name
    self.instanceName = instanceName
    self.hostName = hostName
    self.identity = identity
    self.setupCode = setupCode
    self.advertisement = advertisement
    self.database = database
    self.matter = matter
    self.pairings = pairings
    self.failedAttempts = failedAttempts
    self.quirks = quirks
    self.attributeQuirks = attributeQuirks
    self.pairingQuirks = pairingQuirks
    self.defect = defect
    self.openFiles = openFiles
    self.frontEndSecret = frontEndSecret
  }
}
