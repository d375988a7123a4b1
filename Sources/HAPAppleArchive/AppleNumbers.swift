import HAPModel

/// `HAK.format`, as the class headers have it.
enum AppleFormat {
  private static let names = [
    "none", "bool", "int", "uint8", "uint16", "uint32", "uint64", "float", "string", "date", "tlv8", "data", "array",
    "dictionary",
  ]

  /// The number itself, for those without a name.
  static func name(_ number: Int) -> String { names.indices.contains(number) ? names[number] : "\(number)" }

  /// Nil for formats that HAP doesn't have.
  static func format(_ number: Int) -> Format? {
    names.indices.contains(number) ? Format(rawValue: names[number]) : nil
  }
}

/// `HAK.permissions`: who may read and write.
struct ApplePermissions: OptionSet {
  let rawValue: Int
  static let read = ApplePermissions(rawValue: 1)
  static let write = ApplePermissions(rawValue: 2)
  static let securedRead = ApplePermissions(rawValue: 4)
  static let securedWrite = ApplePermissions(rawValue: 8)
}

/// `HAK.properties`: what can be done at all. That the last two are these is a guess.
struct AppleProperties: OptionSet {
  let rawValue: Int
  static let read = AppleProperties(rawValue: 1)
  static let write = AppleProperties(rawValue: 2)
  static let connectedNotify = AppleProperties(rawValue: 4)
  static let unconnectedNotify = AppleProperties(rawValue: 8)
  static let known: AppleProperties = [.read, .write, .connectedNotify, .unconnectedNotify]
}

/// What belongs to a transport and not to the database of an accessory on IP: pairing has endpoints of its own there, and signatures are of Bluetooth LE.
enum TransportType {
  static let services: Set<TypeID> = [0x55]
  /// Pair Setup, Pair Verify, Pairing Features, Pairing Pairings, Service Signature; Service Instance ID is not on Apple's base.
  static let characteristics: Set<TypeID> = Set(
    [0x4C, 0x4E, 0x4F, 0x50, 0xA5] + [TypeID("E604E95D-A759-4817-87D3-AA005083A0D1")].compactMap { $0 })
}
