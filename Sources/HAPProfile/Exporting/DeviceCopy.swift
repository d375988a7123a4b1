import HAPModel

/// The data about a device from which a profile is made.
package struct DeviceCopy: Sendable {
  /// In the order of the device's response, with its values.
  package var accessories: [Accessory]
  /// The category that it advertises.
  package var category: HAPModel.Category?
  package var setupCode: SetupCode?
  package var setupID: SetupID?
  package var deviceID: DeviceID?
  /// Whether it has everything that the device has. If not, the services and characteristics that HomeKit requires are added.
  package var isWhole = true
  /// Whether its JSON has Boolean values as `true` and `false`.
  package var saysBooleansInWords = false
  /// Whether an empty tlv8 value is null in its database.
  package var listsEmptyTLV8AsNull = false

  package init(_ accessories: [Accessory]) { self.accessories = accessories }

  /// Changes the copy so that a server can serve it.
  /// - Returns: a description of each change.
  package mutating func mend() -> [String] {
    var changes: [String] = []
    if let index = accessories.firstIndex(where: { $0.aid == 1 }) {
      if index > 0 {
        accessories.insert(accessories.remove(at: index), at: 0)
        changes.append("accessory 1 was moved to the front")
      }
    } else if let first = accessories.first {
      changes.append("accessory \(first.aid) became accessory 1, because there was none")
      accessories[0].aid = 1
    }
    if accessories.count > 150 {
      changes.append("\(accessories.count - 150) accessories after the first 150 are left out")
      accessories.removeLast(accessories.count - 150)
    }
    return changes
  }
}
