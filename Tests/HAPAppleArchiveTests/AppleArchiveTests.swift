import HAPAppleArchive
import HAPModel
import Testing

@Suite("Reading Apple's archives") struct AppleArchiveTests {
  private let fadeRate = TypeID("7E536242-341C-4862-BE90-272CE15BD633")!

  /// One accessory with one service of one characteristic, and nothing off about it but what is handed in.
  private func characteristic(
    _ type: TypeID = 0x25, format: UInt64 = 1, permissions: UInt64 = 12, properties: UInt64 = 7,
    value: ArchiveWriter.Node? = nil, more: [String: ArchiveWriter.Node] = [:]
  ) throws -> (Characteristic?, remarks: [String]) {
    var writer = ArchiveWriter()
    let characteristic = writer.characteristic(
      type, format: format, permissions: permissions, properties: properties, iid: 9, value: value, more: more)
    let service = writer.service(0x43, iid: 8, [characteristic])
    let archive = try AppleArchive(writer.file(writer.accessory([service])))
    let place = "accessory.HAK.services[0].HAK.characteristics[0]"
    return (
      archive.accessories[0].services[0].characteristics.first,
      archive.remarks.map { String($0.description.trimmingPrefix(place)) }
    )
  }

  @Test("A garage door with a light and a characteristic of its maker is read whole")
  func garage() throws {
    var writer = ArchiveWriter()
    let door = writer.service(
      0x41, iid: 8,
      [
        writer.characteristic(0xE, format: 3, permissions: 4, properties: 5, iid: 9, value: .integer(1)),
        writer.characteristic(0x32, format: 3, permissions: 12, properties: 7, iid: 10, value: .integer(1)),
        writer.characteristic(0x24, format: 1, permissions: 4, properties: 5, iid: 11, value: .bool(false)),
      ])
    let light = writer.service(
      0x43, iid: 12,
      [
        writer.characteristic(0x25, format: 1, permissions: 12, properties: 7, iid: 13, value: .bool(true)),
        writer.characteristic(0x8, format: 2, permissions: 12, properties: 7, iid: 14, value: .integer(40)),
        writer.characteristic(fadeRate, format: 7, permissions: 12, properties: 3, iid: 15, value: .real(1.5)),
      ], more: ["HAK.hidden": .bool(true)])
    let identifier = writer.object("HAKIdentifier", ["HAK.data": .data([0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF])])
    let code = writer.object("NSMutableString", ["NS.string": .string("031-45-154")])
    let bytes = writer.file(
      writer.accessory(
        [writer.information("Garage"), door, light],
        more: [
          "HAK.category": .integer(4), "HAK.identifier": identifier, "HAK.password": code,
          "HAK.setupID": writer.add(.string("7OSX")), "HAK.primary": door,
        ]))
    #expect(AppleArchive.isArchive(bytes))
    let archive = try AppleArchive(bytes)
    #expect(archive.remarks == [])
    #expect(archive.category == .garageDoorOpener)
    #expect(archive.setupCode?.text == "031-45-154")
    #expect(archive.setupID?.text == "7OSX")
    #expect(archive.deviceID?.text == "AA:BB:CC:DD:EE:FF")
    #expect(archive.names == [1: "Garage"])
    let read: Permissions = [.pairedRead]
    let all: Permissions = [.pairedRead, .pairedWrite, .events]
    func apples(_ definition: CharacteristicDefinition, _ iid: UInt64, _ perms: Permissions, _ value: Value)
      -> Characteristic
    {
      Characteristic(
        iid: iid, type: definition.type, format: definition.format, perms: perms, value: value, unit: definition.unit,
        constraints: definition.constraints, persists: perms.isSuperset(of: [.pairedRead, .pairedWrite]))
    }
    #expect(
      archive.accessories == [
        Accessory(
          aid: 1,
          services: [
            Service(
              iid: 1, type: 0x3E,
              characteristics: [
                apples(.identify, 2, .pairedWrite, .null),
                apples(.manufacturer, 3, read, "Kilgo Devices, Inc."),
                apples(.name, 4, read, "Garage"),
              ]),
            Service(
              iid: 8, type: 0x41, isPrimary: true,
              characteristics: [
                apples(.currentDoorState, 9, [.pairedRead, .events], 1), apples(.targetDoorState, 10, all, 1),
                apples(.obstructionDetected, 11, [.pairedRead, .events], false),
              ]),
            Service(
              iid: 12, type: 0x43, isHidden: true,
              characteristics: [
                apples(.on, 13, all, true), apples(.brightness, 14, all, 40),
                Characteristic(
                  iid: 15, type: fadeRate, format: .float, perms: [.pairedRead, .pairedWrite], value: 1.5,
                  persists: true),
              ]),
          ])
      ])
  }

  @Test("A bridge comes first, then what is behind it, each with an aid of its own")
  func bridge() throws {
    var writer = ArchiveWriter()
    func light(_ name: String, iid: UInt64) -> ArchiveWriter.Node {
      let on = writer.characteristic(0x25, format: 1, permissions: 12, properties: 7, iid: 9)
      return writer.accessory([writer.information(name), writer.service(0x43, iid: 8, [on])], iid: iid)
    }
    let lights = [light("Hall", iid: 7), light("Attic", iid: 7), light("Porch", iid: 1)]
    let bytes = writer.file(
      writer.accessory(
        [writer.information("Bridge")],
        more: ["HAK.category": .integer(2), "HAK.bridgedAccessories": writer.array(lights)]))
    let archive = try AppleArchive(bytes)
    #expect(archive.category == .bridge)
    #expect(archive.accessories.map(\.aid) == [1, 7, 2, 3])
    #expect(archive.names == [1: "Bridge", 7: "Hall", 2: "Attic", 3: "Porch"])
    #expect(
      archive.accessories.map { $0.services.map(\.type) } == [[0x3E], [0x3E, 0x43], [0x3E, 0x43], [0x3E, 0x43]])
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.bridgedAccessories[1].HAK.instanceid: 7 is another's already; it gets a new aid",
        "accessory.HAK.bridgedAccessories[2].HAK.instanceid: 1 is another's already; it gets a new aid",
      ])
    #expect(throws: Never.self) { try AttributeDatabase(archive.accessories) }
  }

  @Test("A bridge behind a bridge is told, and so is a bridge behind itself")
  func bridgeBehindBridge() throws {
    var writer = ArchiveWriter()
    let inner = writer.accessory([writer.information("Inner")], iid: 3)
    let bridge = writer.accessory(
      [writer.information("Middle")], iid: 2, more: ["HAK.bridgedAccessories": writer.array([inner])])
    // The next object is the list, then its class, the accessory's class, and the accessory.
    let outer = writer.accessory([writer.information("Outer")])
    guard case .uid(let place) = outer, case .object(var members) = writer.objects[place] else { return }
    members["HAK.bridgedAccessories"] = writer.array([bridge, outer])
    writer.objects[place] = .object(members)
    let archive = try AppleArchive(writer.file(outer))
    #expect(archive.names == [1: "Outer", 2: "Middle"])
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.bridgedAccessories[1]: this was read already, in another place; it is left out here",
        "accessory.HAK.bridgedAccessories[0].HAK.bridgedAccessories: a bridge behind a bridge can't be; what is behind it is left out",
      ])
  }

  @Test(
    "A type is read in each of its forms",
    arguments: [
      .string("00000043-0000-1000-8000-0026BB765291"), .string("43"), .data(TypeID(apple: 0x43).bytes),
      .object(["HAK.data": .data(TypeID(apple: 0x43).bytes)]), .object(["HAK.uuid": .string("43")]),
      .object(["HAK.uuid": .object(["NS.uuidbytes": .data(TypeID(apple: 0x43).bytes)])]),
    ] as [ArchiveWriter.Node])
  func types(_ form: ArchiveWriter.Node) throws {
    var writer = ArchiveWriter()
    let service = writer.service(0x49, iid: 8, [], more: ["HAK.uuid": writer.add(form)])
    let archive = try AppleArchive(writer.file(writer.accessory([service])))
    #expect(archive.accessories[0].services.map(\.type) == [0x43])
    #expect(archive.remarks == [])
  }

  @Test(
    "Where there is no type, there is nothing",
    arguments: [.data([1, 2, 3]), .string("light"), .integer(67), .list([]), .object([:]), .uid(0), .uid(99_999)]
      as [ArchiveWriter.Node])
  func noType(_ form: ArchiveWriter.Node) throws {
    var writer = ArchiveWriter()
    let service = writer.service(0x49, iid: 8, [], more: ["HAK.uuid": writer.add(form)])
    let archive = try AppleArchive(writer.file(writer.accessory([service])))
    #expect(archive.accessories == [Accessory(aid: 1, services: [])])
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.services[0].HAK.uuid: the type is missing, or no UUID; this is left out"
      ])
  }

  @Test(
    "Formats are told by their numbers",
    arguments: zip(
      [1, 2, 3, 4, 5, 6, 7, 8, 10, 11], [.bool, .int, .uint8, .uint16, .uint32, .uint64, .float, .string, .tlv8, .data])
      as Zip2Sequence<[UInt64], [Format]>)
  func formats(_ number: UInt64, _ format: Format) throws {
    let (read, remarks) = try characteristic(fadeRate, format: number)
    #expect(read?.format == format)
    #expect(remarks == [])
  }

  @Test(
    "A format that HAP doesn't have is the catalogue's, or there is no characteristic",
    arguments: [0, 9, 12, 13, 14, 1 << 63])
  func noFormat(_ number: UInt64) throws {
    let (own, remarks) = try characteristic(fadeRate, format: number)
    #expect(own == nil)
    #expect(remarks.count == 1 && remarks[0].hasSuffix("is no format of HAP; this is left out"), "\(remarks)")
    let (apples, others) = try characteristic(0x25, format: number)
    #expect(apples?.format == .bool)
    #expect(others.count == 1 && others[0].hasSuffix("is no format of HAP; On has bool"), "\(others)")
  }

  @Test("Another format than Apple's stays, without Apple's limits")
  func otherFormat() throws {
    let (read, remarks) = try characteristic(0x8, format: 7, value: .real(140.5))
    #expect(read?.format == .float)
    #expect(read?.value == 140.5)
    #expect(read?.constraints == Constraints())
    #expect(remarks == [".HAK.format: Brightness has int with Apple, and float here"])
  }

  @Test(
    "Permissions are told by their bits",
    arguments: [
      (1, 4, [.pairedRead]), (2, 8, [.pairedWrite]), (3, 12, [.pairedRead, .pairedWrite]),
      (5, 4, [.pairedRead, .events]), (9, 4, [.pairedRead, .events]),
    ] as [(UInt64, UInt64, Permissions)])
  func permissions(_ properties: UInt64, _ access: UInt64, _ perms: Permissions) throws {
    let (read, remarks) = try characteristic(fadeRate, permissions: access, properties: properties)
    #expect(read?.perms == perms)
    #expect(remarks == [])
  }

  @Test("Without properties the permissions count, and without either the catalogue")
  func permissionsAlone() throws {
    let nothing = ["HAK.properties": ArchiveWriter.null]
    #expect(try characteristic(fadeRate, permissions: 5, more: nothing).0?.perms == .pairedRead)
    #expect(try characteristic(fadeRate, permissions: 10, more: nothing).0?.perms == .pairedWrite)
    #expect(try characteristic(0x25, permissions: 12, more: nothing).0?.perms == [.pairedRead, .pairedWrite, .events])
    let (own, remarks) = try characteristic(fadeRate, permissions: 0, more: nothing)
    #expect(own?.perms == .pairedRead)
    #expect(remarks == [": there are no permissions; it gets that to be read"])
    #expect(try characteristic(0x25, permissions: 0, properties: 0).0?.perms == [.pairedRead, .pairedWrite, .events])
  }

  @Test("What Apple's types can't tell of, and bits that nobody knows, give no permission")
  func permissionsBeyond() throws {
    #expect(try characteristic(0x20, format: 8, properties: 13).0?.perms == .pairedRead)
    let (read, remarks) = try characteristic(fadeRate, properties: 0x21)
    #expect(read?.perms == .pairedRead)
    #expect(remarks == [".HAK.properties: 33 has bits that are not known here"])
  }

  @Test(
    "A value is one of its format, or none",
    arguments: [
      (1, .integer(1), true), (1, .integer(2), nil), (1, .string("1"), nil),
      (2, .integer(UInt64(bitPattern: -5)), -5), (2, .integer(1 << 40), nil), (2, .real(7), 7), (2, .real(7.5), nil),
      (3, .integer(255), 255), (3, .integer(256), nil), (3, .bool(true), 1), (4, .integer(65536), nil),
      (5, .integer(4_294_967_295), 4_294_967_295), (6, .integer(.max), .integer(Int128(UInt64.max))),
      (7, .integer(3), 3.0), (7, .real(.infinity), nil), (7, .real(.nan), nil), (8, .string("Grüße"), "Grüße"),
      (8, .data([1]), nil), (10, .data([1, 0]), .data([1, 0])), (11, .object(["NS.data": .data([9])]), .data([9])),
      (11, .string("AQ=="), nil), (1, .date, nil), (3, .list([]), nil), (3, .object([:]), nil), (3, .uid(99_999), nil),
    ] as [(UInt64, ArchiveWriter.Node, Value?)])
  func values(_ format: UInt64, _ written: ArchiveWriter.Node, _ value: Value?) throws {
    let (read, remarks) = try characteristic(fadeRate, format: format, value: written)
    #expect(read?.value == value ?? .null)
    #expect(remarks.count == (value == nil ? 1 : 0), "\(remarks)")
  }

  @Test(
    "An NSDecimalNumber is the number that it is",
    arguments: [
      ([4, 0], 1, 0, false, 2, 4), ([4, 0], 2, 0, false, 2, 1024), ([0, 0, 1, 0], 1, 0, true, 2, -65536),
      ([25, 0], 1, -1, false, 7, 2.5), ([25, 0], 1, 1, false, 2, 250), ([], 1, 0, false, 2, 0),
      ([7], 1, 0, false, 2, 0),
    ] as [([UInt8], UInt64, Int64, Bool, UInt64, Value)])
  func decimals(mantissa: [UInt8], order: UInt64, exponent: Int64, negative: Bool, format: UInt64, value: Value) throws
  {
    let (read, remarks) = try characteristic(
      fadeRate, format: format,
      value: .object([
        "NS.mantissa": .data(mantissa), "NS.mantissa.bo": .integer(order), "NS.negative": .bool(negative),
        "NS.exponent": .integer(UInt64(bitPattern: exponent)),
      ]))
    #expect(read?.value == value)
    #expect(remarks == [])
  }

  @Test("A value beyond Apple's limits is left out; so is one that nobody may read")
  func limits() throws {
    let (brightness, remarks) = try characteristic(0x8, format: 2, value: .integer(101))
    #expect(brightness?.value == .null)
    #expect(remarks == [".HAK.value: 101 is beyond what the characteristic may be; it is left out"])
    let (identify, others) = try characteristic(0x14, permissions: 8, properties: 2, value: .bool(true))
    #expect(identify?.value == .null)
    #expect(others == [".HAK.value: there is nothing to read here; the value is left out"])
    #expect(try characteristic(0x73, format: 3, properties: 5, value: .integer(0)).0?.value == .null)
  }

  @Test("A long text of the maker's own gets the room that it needs")
  func longText() throws {
    let (long, remarks) = try characteristic(fadeRate, format: 8, value: .string(String(repeating: "a", count: 100)))
    #expect(long?.value.stringValue?.count == 100)
    #expect(long?.constraints.maxLen == 256)
    #expect(remarks == [".HAK.value: the text has 100 bytes; it gets a maxLen of 256"])
    let (longer, others) = try characteristic(fadeRate, format: 8, value: .string(String(repeating: "a", count: 257)))
    #expect(longer?.value == .null)
    #expect(others.count == 1 && others[0].contains("\"\(String(repeating: "a", count: 40))…\" is beyond"), "\(others)")
  }

  @Test("Pairing and the transport's own characteristics are left out, and told")
  func transport() throws {
    var writer = ArchiveWriter()
    let pairSetup = writer.characteristic(0x4C, format: 10, permissions: 3, properties: 3, iid: 9)
    let pairing = writer.service(0x55, iid: 8, [pairSetup])
    let byName = writer.service(0x79, iid: 10, [], name: "HAKPairingService")
    let version = writer.characteristic(
      0x37, format: 8, permissions: 4, properties: 9, iid: 14, value: .string("2.2.0"))
    let signature = writer.characteristic(0xA5, format: 11, permissions: 12, properties: 3, iid: 15)
    let information = writer.service(0xA2, iid: 13, [version, signature])
    let archive = try AppleArchive(writer.file(writer.accessory([pairing, byName, information])))
    #expect(archive.accessories[0].services.map(\.type) == [0xA2])
    #expect(archive.accessories[0].services[0].characteristics.map(\.value) == ["1.1.0"])
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.services[0]: pairing is the transport's own on IP; this service is left out",
        "accessory.HAK.services[1]: pairing is the transport's own on IP; this service is left out",
        "accessory.HAK.services[2].HAK.characteristics[0].HAK.value: \"2.2.0\" is of another transport; on IP the protocol is 1.1.0",
        "accessory.HAK.services[2].HAK.characteristics[1]: type A5 is the transport's own; this characteristic is left out",
      ])
  }

  @Test("What isn't known is told with its path; bytes are counted and never shown")
  func unknown() throws {
    var writer = ArchiveWriter()
    let on = writer.characteristic(
      0x25, format: 1, permissions: 12, properties: 7, iid: 9,
      more: ["HAK.constraints": writer.add(.object(["HAK.max": .integer(3)])), "HAK.unit": .integer(2)])
    let light = writer.service(0x43, iid: 8, [on], more: ["HAK.linked": .list([.uid(1)])])
    let bytes = writer.file(
      writer.accessory([light], more: ["HAK.key": .data([7, 7, 7]), "HAK.note": .string("a\u{1B}[2J\nb")]))
    #expect(
      try AppleArchive(bytes).remarks.map(\.description) == [
        "accessory.HAK.services[0].HAK.characteristics[0].HAK.constraints: is not known here: an object",
        "accessory.HAK.services[0].HAK.characteristics[0].HAK.unit: is not known here: 2",
        "accessory.HAK.services[0].HAK.linked: is not known here: a list of 1",
        "accessory.HAK.key: is not known here: 3 bytes",
        "accessory.HAK.note: is not known here: \"a[2Jb\"",
      ])
  }

  @Test("Instance IDs that are missing or another's are given out; 1 is Accessory Information's")
  func instanceIDs() throws {
    var writer = ArchiveWriter()
    let characteristics = [9, 9, nil].enumerated().map { index, iid in
      writer.characteristic(TypeID(apple: UInt32(0x500 + index)), format: 1, permissions: 4, properties: 1, iid: iid)
    }
    let light = writer.service(0x43, iid: 1, characteristics)
    let information = writer.service(0x3E, iid: 20, [])
    let archive = try AppleArchive(writer.file(writer.accessory([light, information])))
    let services = archive.accessories[0].services
    #expect(services.map(\.iid) == [21, 1])
    #expect(services[0].characteristics.map(\.iid) == [9, 22, 23])
    let place = "accessory.HAK.services[0].HAK.characteristics"
    #expect(
      archive.remarks.map(\.description) == [
        "\(place)[1]: instance ID 9 is another's already; it gets a new one",
        "\(place)[2]: there is no instance ID; it gets one",
        "accessory: instance ID 1 is Accessory Information's; what had it gets a new one",
        "accessory: Accessory Information has instance ID 20; it gets 1, as HomeKit wants it",
      ])
  }

  @Test("A characteristic type is there once in a service, and one service is primary")
  func twice() throws {
    var writer = ArchiveWriter()
    let ons = [9, 10].map { writer.characteristic(0x25, format: 1, permissions: 12, properties: 7, iid: $0) }
    let lights = [(8, ons), (11, [])].map { writer.service(0x43, iid: $0, $1, more: ["HAK.primary": .bool(true)]) }
    let archive = try AppleArchive(writer.file(writer.accessory(lights)))
    #expect(archive.accessories[0].services.map(\.isPrimary) == [true, false])
    #expect(archive.accessories[0].services[0].characteristics.map(\.iid) == [9])
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.services[0].HAK.characteristics[1]: the service has a characteristic of type 25 already; this one is left out",
        "accessory.HAK.services[1]: another service is primary already; this one isn't",
      ])
  }

  @Test("Members of the wrong kind are told and passed over")
  func wrongKinds() throws {
    var writer = ArchiveWriter()
    let light = writer.service(
      0x43, iid: 8, [],
      more: ["HAK.hidden": .string("yes"), "HAK.instanceid": .real(1.5), "HAK.characteristics": .integer(3)])
    let archive = try AppleArchive(
      writer.file(
        writer.accessory(
          [light, .integer(4), .uid(0), .uid(88_888)],
          more: [
            "HAK.category": .integer(200), "HAK.password": .string("123-45-678"), "HAK.setupID": .string("abcd"),
            "HAK.identifier": .data([1]), "HAK.instanceid": .integer(2), "HAK.bridgedAccessories": .bool(true),
            "HAK.primary": .integer(1),
          ])))
    #expect(archive.accessories == [Accessory(aid: 1, services: [Service(iid: 2, type: 0x43)])])
    #expect(archive.category == nil && archive.setupCode == nil && archive.setupID == nil && archive.deviceID == nil)
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.category: no category has the number 200",
        "accessory.HAK.password: HomeKit forbids setup codes that are too simple (000-00-000 to 999-99-999, 123-45-678, 876-54-321)",
        "accessory.HAK.setupID: \"abcd\" is not four of 0-9 and A-Z",
        "accessory.HAK.identifier: 1 byte is no device ID, which has 6 bytes",
        "accessory.HAK.primary: 1 is no service; it is left out",
        "accessory.HAK.services[0].HAK.instanceid: 1.5 stands where a whole number should",
        "accessory.HAK.services[0]: there is no instance ID; it gets one",
        "accessory.HAK.services[0].HAK.hidden: \"yes\" is neither true nor false",
        "accessory.HAK.services[0].HAK.characteristics: 3 stands where a list should",
        "accessory.HAK.services[1]: 4 stands where a reference to an object should; it is left out",
        "accessory.HAK.services[2]: nothing stands where a reference to an object should; it is left out",
        "accessory.HAK.services[3]: a reference that leads nowhere stands where a reference to an object should; it is left out",
        "accessory.HAK.instanceid: 2 can't be; the accessory of a server has aid 1",
        "accessory.HAK.bridgedAccessories: true stands where a list should",
      ])
  }

  @Test("An ordered set is a list, too")
  func orderedSet() throws {
    var writer = ArchiveWriter()
    let services = [8, 9, 10].map { writer.service(0x43, iid: $0, []) }
    var members: [String: ArchiveWriter.Node] = [:]
    for (index, service) in services.enumerated() { members["NS.object.\(index)"] = service }
    let set = writer.object("NSMutableOrderedSet", members)
    let empty = writer.object("NSOrderedSet", [:])
    let accessory = writer.accessory([], more: ["HAK.services": set, "HAK.bridgedAccessories": empty])
    let archive = try AppleArchive(writer.file(accessory))
    #expect(archive.accessories[0].services.map(\.iid) == [8, 9, 10])
    #expect(archive.remarks == [])
  }

  @Test("The dictionary around an accessory may say what isn't known, or be missing")
  func envelope() throws {
    var writer = ArchiveWriter()
    let accessory = writer.accessory([])
    let root = writer.object(
      "NSDictionary",
      [
        "NS.keys": .list(["kind", "version", "accessory", "colour"].map { writer.add(.string($0)) }),
        "NS.objects": .list([writer.add(.string("bridge")), .integer(2), accessory, .string("red")]),
      ])
    #expect(
      try AppleArchive(writer.bytes(top: ["root": root])).remarks.map(\.description) == [
        "kind: \"bridge\" is not known here; it is read as an accessory",
        "version: 2 is not known here; it is read as 1",
        "colour: is not known here: \"red\"",
      ])
    #expect(
      try AppleArchive(writer.bytes(top: ["root": accessory])).remarks.map(\.description) == [
        "root: the accessory is archived without the dictionary around it"
      ])
    #expect(try AppleArchive(writer.bytes(top: ["accessory": accessory])).accessories.count == 1)
  }
}
