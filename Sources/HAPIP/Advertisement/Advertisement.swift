import HAPCrypto
import HAPModel
import HAPWire

/// The DNS-SD advertisement of an accessory. HAP R2 §6.4, Tables 6-7 and 6-8.
package struct Advertisement: Equatable, Sendable {
  /// Status flags, `sf`.
  package struct StatusFlags: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// No controller is paired.
    package static let notPaired = StatusFlags(rawValue: 0x01)
    /// The accessory is not yet configured to join a Wi-Fi network.
    package static let wiFiNotConfigured = StatusFlags(rawValue: 0x02)
    /// A problem was detected on the accessory.
    package static let problem = StatusFlags(rawValue: 0x04)
  }

  /// `md`: the model.
  package var model: String
  /// `id`: the device ID.
  package var deviceID: DeviceID
  /// `c#`: 1…65535, raised whenever the attribute database changes.
  package var configurationNumber: UInt16
  /// `pv`: the version of HAP over IP, "1.1".
  package var protocolVersion = "1.1"
  /// `s#`: always 1 over IP up to release R14.
  package var stateNumber: UInt16 = 1
  /// `ci`: the category.
  package var category: UInt8
  /// `ff`: 1 with an Apple coprocessor, 2 with software authentication; 0 here.
  package var featureFlags: UInt8 = 0
  /// `sf`: the status flags.
  package var statusFlags: StatusFlags
  /// The source of `sh`; nil: `sh` is omitted.
  package var setupID: SetupID?

  package init(
    model: String, deviceID: DeviceID, configurationNumber: UInt16, category: UInt8, isPaired: Bool, setupID: SetupID?
  ) {
    self.model = model
    self.deviceID = deviceID
    self.configurationNumber = configurationNumber
    self.category = category
    self.statusFlags = isPaired ? [] : .notPaired
    self.setupID = setupID
  }

  /// The members of the TXT record in the order in which they are sent.
  package var txt: [(key: String, value: String)] {
    var members: [(key: String, value: String)] = [
      ("c#", String(configurationNumber)),
      ("ff", String(featureFlags)),
      ("id", deviceID.text),
      ("md", model),
      ("pv", protocolVersion),
      ("s#", String(stateNumber)),
      ("sf", String(statusFlags.rawValue)),
      ("ci", String(category)),
    ]
    if let setupID { members.append(("sh", Self.setupHash(setupID: setupID, deviceID: deviceID))) }
    return members
  }

  /// `sh`: Base64 of the first 4 bytes of SHA-512 over the setup ID and the device ID's text. HAP R2 Table 6-7.
  package static func setupHash(setupID: SetupID, deviceID: DeviceID) -> String {
    let digest = SHA512.hash(Array(setupID.text.utf8) + Array(deviceID.text.utf8))
    return Base64.encode([UInt8](digest.prefix(4)))
  }
}
