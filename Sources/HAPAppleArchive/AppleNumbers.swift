import HAPModel

/// `HAK.format`, with the numbers of the class headers.
enum AppleFormat {
  private static let names = [
    "none", "bool", "int", "uint8", "uint16", "uint32", "uint64", "float", "string", "date", "tlv8", "data", "array",
    "dictionary",
  ]

  /// Returns the name, or the number itself if it has none.
  static func name(_ number: Int) -> String { names.indices.contains(number) ? names[number] : "\(number)" }

  /// Returns nil for formats that HAP doesn't have.
  static func format(_ number: Int) -> Format? {
    names.indices.contains(number) ? Format(rawValue: names[number]) : nil
  }
}

/// `HAK.permissions`: the readers and writers that are allowed.
struct ApplePermissions: OptionSet {
  let rawValue: Int
  static let read = ApplePermissions(rawValue: 1)
  static let write = ApplePermissions(rawValue: 2)
  static let securedRead = ApplePermissions(rawValue: 4)
  static let securedWrite = ApplePermissions(rawValue: 8)
}

/// `HAK.properties`: the supported operations. The meaning of the last two is a guess.
struct AppleProperties: OptionSet {
  let rawValue: Int
  static let read = AppleProperties(rawValue: 1)
  static let write = AppleProperties(rawValue: 2)
  static let connectedNotify = AppleProperties(rawValue: 4)
  static let unconnectedNotify = AppleProperties(rawValue: 8)
  static let known: AppleProperties = [.read, .write, .connectedNotify, .unconnectedNotify]
}

/// Types that belong to a transport, not to the database of an IP accessory. Over IP, pairing has separate endpoints, and signatures exist
/// only over Bluetooth LE.
enum TransportType {
  static let services: Set<TypeID> = [0x55]
  /// Pair Setup, Pair Verify, Pairing Features, Pairing Pairings, Service Signature. Service Instance ID doesn't use Apple's base UUID.
  static let characteristics: Set<TypeID> = Set(
    [0x4C, 0x4E, 0x4F, 0x50, 0xA5] + [TypeID("E604E95D-A759-4817-87D3-AA005083A0D1")].compactMap { $0 })
}
