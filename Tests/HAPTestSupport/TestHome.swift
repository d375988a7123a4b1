import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPProfile

/// An accessory with each kind of characteristic, and its controllers.
package enum TestHome {
  package static let code = "518-08-582"
  package static let deviceID = "3C:11:D2:0A:9F:E1"

  /// Controllers 1 and 2 are admins, 3 is an ordinary user, 4 is not paired.
  package static let admin = ControllerIdentity(1)
  package static let secondAdmin = ControllerIdentity(2)
  package static let user = ControllerIdentity(3)
  package static let stranger = ControllerIdentity(4)

  package static func pairing(_ identity: ControllerIdentity, isAdmin: Bool) -> Pairing {
    Pairing(identifier: identity.identifier, publicKey: identity.key.publicKey, isAdmin: isAdmin)
  }

  /// The initial pairings of most tests.
  package static let pairings = [
    pairing(admin, isAdmin: true), pairing(secondAdmin, isAdmin: true), pairing(user, isAdmin: false),
  ]

  package static let accessoryKey = SigningKey(seed: RandomSource.seeded(77).secret(32))
  // Computed once, because it is a modular exponentiation.
  private static let verifier = SRPVerifier(code: code, salt: RandomSource.seeded(78).bytes(16))

  package static func accessory(
    pairings: [Pairing] = pairings, accessories: [Accessory] = accessories, quirks: Quirks = Quirks(),
    seed: UInt64 = 1
  ) -> MemoryAccessory {
    guard let id = DeviceID(deviceID), let database = try? AttributeDatabase(accessories) else {
      preconditionFailure("the test's own accessory is malformed")
    }
    let identity = AccessoryIdentity(deviceID: id, key: accessoryKey, verifier: verifier)
    let record = Advertisement(
      model: "T-1", deviceID: id, configurationNumber: 1, category: 5, isPaired: !pairings.isEmpty,
      setupID: SetupID("7OSX"))
    return MemoryAccessory(
      core: AccessoryCore(
        identity: identity, advertisement: record, database: database, pairings: pairings, failedAttempts: 0,
        quirks: quirks.ip, attributeQuirks: quirks.attributes, pairingQuirks: quirks.pairing,
        random: .seeded(seed)))
  }

  /// Iids of aid 1, by name.
  package enum ID {
    package static let identify = "1.2", name = "1.5"
    package static let on = "1.11", brightness = "1.12", hue = "1.13", colour = "1.14"
    package static let fade = "1.21", text = "1.22", shortText = "1.23", data = "1.24", tlv = "1.25"
    package static let big = "1.26", listed = "1.27", ranged = "1.28", writeOnly = "1.29", uint16 = "1.30"
    package static let uint32 = "1.31", int = "1.32", uint8 = "1.33", float = "1.34", silentTLV = "1.35"
    package static let readOnly = "1.36", silent = "1.37", emptyNumber = "1.38"
    package static let button = "1.41", motion = "1.51", contact = "1.56", buttonEvent = "1.58"
    package static let bridgedOn = "2.11", bridgedIdentify = "2.2"
  }

  package static func id(_ text: String) -> AttributeID {
    let parts = text.split(separator: ".").compactMap { UInt64($0) }
    return AttributeID(aid: parts[0], iid: parts[1])
  }

  // MARK: The database

  package static let accessories: [Accessory] = [
    Accessory(aid: 1, services: [information, light, custom, button, motion, contact, event, version]),
    Accessory(
      aid: 2,
      services: [
        information,
        service(10, "43", [characteristic(11, "25", .bool, [.pairedRead, .pairedWrite, .events], .bool(false))]),
      ]),
  ]

  private static let all: Permissions = [.pairedRead, .pairedWrite, .events]

  private static func type(_ text: String) -> TypeID {
    guard let type = TypeID(text) else { preconditionFailure("\(text) is not a type") }
    return type
  }

  private static func characteristic(
    _ iid: UInt64, _ kind: String, _ format: Format, _ perms: Permissions, _ value: Value,
    _ constraints: Constraints = Constraints()
  ) -> Characteristic {
    Characteristic(
      iid: iid, type: type(kind), format: format, perms: perms, value: value, constraints: constraints, persists: true)
  }

  private static func service(
    _ iid: UInt64, _ kind: String, _ characteristics: [Characteristic], isPrimary: Bool = false, linked: [UInt64] = []
  ) -> Service {
    Service(
      iid: iid, type: type(kind), isPrimary: isPrimary, isHidden: false, linked: linked,
      characteristics: characteristics)
  }

  private static var information: Service {
    service(
      1, "3E",
      [
        characteristic(2, "14", .bool, [.pairedWrite], .bool(false)),
        characteristic(3, "20", .string, [.pairedRead], "hapsim"),
        characteristic(4, "21", .string, [.pairedRead], "T-1"),
        characteristic(5, "23", .string, [.pairedRead], "Test Home"),
        characteristic(6, "30", .string, [.pairedRead], "T-0001"),
        characteristic(7, "52", .string, [.pairedRead], "1.0.0"),
      ])
  }

  private static var light: Service {
    service(
      10, "43",
      [
        characteristic(11, "25", .bool, all, .bool(false)),
        characteristic(12, "8", .int, all, 50, Constraints(minValue: 0, maxValue: 100, minStep: 1)),
        characteristic(
          13, "13", .float, all, .float(120),
          Constraints(minValue: .float(0), maxValue: .float(360), minStep: .float(1))),
        characteristic(14, "CE", .uint32, all, 140, Constraints(minValue: 140, maxValue: 500, minStep: 20)),
      ], isPrimary: true, linked: [40])
  }

  /// A custom type that ends in `number`.
  private static func own(_ number: String) -> String { "7E536242-341C-4862-BE90-272CE15B\(number)" }

  private static var custom: Service {
    service(
      20, own("F000"),
      [
        characteristic(
          21, own("D633"), .float, all, .float(1.5),
          Constraints(minValue: .float(0), maxValue: .float(10), minStep: .float(0.1))),
        characteristic(22, own("F022"), .string, all, "first"),
        characteristic(23, own("F023"), .string, all, "ab", Constraints(maxLen: 5)),
        characteristic(24, own("F024"), .data, all, .data([1, 2]), Constraints(maxDataLen: 4)),
        characteristic(25, own("F025"), .tlv8, all, .data([1, 1, 5])),
        characteristic(26, own("F026"), .uint64, all, 7),
        characteristic(27, own("F027"), .uint8, all, 1, Constraints(validValues: [0, 1, 3])),
        characteristic(28, own("F028"), .uint8, all, 2, Constraints(validValuesRange: 2...4)),
        characteristic(29, own("F029"), .bool, [.pairedWrite], .bool(false)),
        characteristic(30, own("F030"), .uint16, all, 0),
        characteristic(31, own("F031"), .uint32, all, 0),
        characteristic(32, own("F032"), .int, all, 0),
        characteristic(33, own("F033"), .uint8, all, 0),
        characteristic(34, own("F034"), .float, all, .float(0)),
        characteristic(35, own("F035"), .tlv8, [.pairedRead, .pairedWrite], .null),
        characteristic(36, own("F036"), .string, [.pairedRead], "fixed"),
        characteristic(37, own("F037"), .bool, [.pairedRead, .pairedWrite], .bool(false)),
        characteristic(38, own("F038"), .uint8, [.pairedRead, .events], .null),
      ])
  }

  private static var button: Service {
    service(
      40, "89",
      [
        characteristic(
          41, "73", .uint8, [.pairedRead, .events], .null, Constraints(minValue: 0, maxValue: 2, minStep: 1))
      ])
  }

  private static var motion: Service {
    service(50, "85", [characteristic(51, "22", .bool, [.pairedRead, .events], .bool(false))])
  }

  private static var contact: Service {
    service(
      55, "80",
      [
        characteristic(
          56, "6A", .uint8, [.pairedRead, .events], 0, Constraints(minValue: 0, maxValue: 1, minStep: 1))
      ])
  }

  private static var event: Service {
    service(57, own("F100"), [characteristic(58, "126", .tlv8, [.pairedRead, .events], .data([]))])
  }

  private static var version: Service {
    service(60, "A2", [characteristic(61, "37", .string, [.pairedRead], "1.1.0")])
  }
}

extension MemoryAccessory {
  /// A connection of `identity` after Pair Verify.
  package func verified(_ identity: ControllerIdentity = TestHome.admin) -> MemoryController {
    guard let controller = connect(identity) else { preconditionFailure("the accessory has no free slot") }
    if let problem = controller.verify() { preconditionFailure("Pair Verify failed: \(problem)") }
    return controller
  }

  /// A connection without Pair Verify.
  package func unverified(_ identity: ControllerIdentity = TestHome.admin) -> MemoryController {
    guard let controller = connect(identity) else { preconditionFailure("the accessory has no free slot") }
    return controller
  }
}

extension MemoryController {
  /// The inside of a write entry: `"aid":1,"iid":11,"value":true`.
  package static func entry(_ id: String, value: String? = nil, ev: String? = nil) -> String {
    let parts = id.split(separator: ".")
    return #""aid":\#(parts[0]),"iid":\#(parts[1])"# + (value.map { #","value":\#($0)"# } ?? "")
      + (ev.map { #","ev":\#($0)"# } ?? "")
  }

  /// Writes one value, given as JSON text.
  package func set(_ id: String, _ value: String) -> AccessoryMessage? { write(Self.entry(id, value: value)) }

  package func subscribe(_ ids: String...) -> AccessoryMessage? {
    put(#"{"characteristics":["# + ids.map { "{\(Self.entry($0, ev: "true"))}" }.joined(separator: ",") + "]}")
  }

  /// The present value of one characteristic, as the accessory returns it.
  package func value(_ id: String) -> Any? { get("/characteristics?id=\(id)")?.entry(id)?["value"] }
  package func int(_ id: String) -> Int? { get("/characteristics?id=\(id)")?.entry(id)?.int("value") }
}
