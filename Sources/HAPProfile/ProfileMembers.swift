/// The members of the format, in the order in which they are written.
enum ProfileMembers {
  private static let who = [
    "name", "category", "manufacturer", "model", "serialNumber", "firmwareRevision", "id", "aid",
  ]
  /// The members of the document, which is the accessory or the bridge.
  static let document =
    ["format", "exact"] + who + [
      "setupCode", "setupID", "deviceID", "quirks", "faults", "services", "bridgedAccessories",
    ]
  static let bridgedAccessory = who + ["copies", "services"]
  static let service = [
    "type", "name", "primary", "hidden", "id", "iid", "linked", "characteristics", "behaviour", "matter",
  ]
  static let characteristic = [
    "type", "value", "format", "perms", "unit", "description", "minValue", "maxValue", "minStep", "maxLen",
    "maxDataLen", "valid-values", "valid-values-range", "iid", "persist", "matter",
  ]
}
