import HAPModel

/// All that is known of a device that a profile is to be made of.
package struct DeviceCopy: Sendable {
  /// In the order of the device's own answer, with the values it had.
  package var accessories: [Accessory]
  /// As it advertises itself.
  package var category: HAPModel.Category?
  package var setupCode: SetupCode?
  package var setupID: SetupID?
  package var deviceID: DeviceID?
  /// Whether it has everything that the device has; else what HomeKit demands and it lacks is added.
  package var isWhole = true
  /// Truth values stand as `true` and `false` in its JSON.
  package var saysBooleansInWords = false
  /// A tlv8 that has nothing to say stands as null in its database.
  package var listsEmptyTLV8AsNull = false

  package init(_ accessories: [Accessory]) { self.accessories = accessories }

  /// Makes it one that a server can serve.
  /// - Returns: what had to be changed for it.
  package mutating func mend() -> [String] {
    var changes: [String] = []
    if let index = accessories.firstIndex(where: { $0.aid == 1 }) {
      if index > 0 {
        accessories.insert(accessories.remove(at: index), at: 0)
        changes.append("accessory 1 is the first")
      }
    } else if let first = accessories.first {
      changes.append("accessory \(first.aid) is accessory 1: there was none")
      accessories[0].aid = 1
    }
    if accessories.count > 150 {
      changes.append("\(accessories.count - 150) accessories behind the first 150 are left out")
      accessories.removeLast(accessories.count - 150)
    }
    return changes
  }
}
