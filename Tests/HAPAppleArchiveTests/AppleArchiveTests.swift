import HAPAppleArchive
import HAPModel
import Testing

@Suite("Reading archives of Apple's simulator") struct AppleArchiveTests: CharacteristicReading {
  /// A garage door with a light, as Apple's HomeKit Accessory Simulator saves it.
  private func garageFile() -> [UInt8] {
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
    return writer.file(
      writer.accessory(
        [writer.information("Garage"), door, light],
        more: [
          "HAK.category": .integer(4), "HAK.identifier": identifier, "HAK.password": code,
          "HAK.setupID": writer.add(.string("7OSX")), "HAK.primary": door,
        ]))
  }

  @Test("A garage door with a light and a custom characteristic is read completely")
  func garage() throws {
    let bytes = garageFile()
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

  @Test("The bridge comes first, then its bridged accessories, each with a unique aid")
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
        "accessory.HAK.bridgedAccessories[1].HAK.instanceid: 7 is already in use; this accessory gets a new aid",
        "accessory.HAK.bridgedAccessories[2].HAK.instanceid: 1 is already in use; this accessory gets a new aid",
      ])
    #expect(throws: Never.self) { try AttributeDatabase(archive.accessories) }
  }

  @Test("A bridge behind a bridge is reported, and so is a bridge behind itself")
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
        "accessory.HAK.bridgedAccessories[1]: this object was already read in another place; it is left out here",
        "accessory.HAK.bridgedAccessories[0].HAK.bridgedAccessories: a bridge can't be bridged; its accessories are left out",
      ])
  }

  @Test("Pairing services and the characteristics of the transport are left out and reported")
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
        "accessory.HAK.services[0]: pairing belongs to the transport on IP; this service is left out",
        "accessory.HAK.services[1]: pairing belongs to the transport on IP; this service is left out",
        "accessory.HAK.services[2].HAK.characteristics[0].HAK.value: \"2.2.0\" belongs to another transport; on IP the protocol is 1.1.0",
        "accessory.HAK.services[2].HAK.characteristics[1]: type A5 belongs to the transport; this characteristic is left out",
      ])
  }

  @Test("Unknown members are reported with their paths; bytes are counted but never shown")
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

  @Test("Missing and duplicate instance IDs are replaced; Accessory Information always gets 1")
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
        "\(place)[1]: instance ID 9 is already in use; a new one is assigned",
        "\(place)[2]: the instance ID is missing; a new one is assigned",
        "accessory: instance ID 1 is reserved for Accessory Information; a new one is assigned",
        "accessory: Accessory Information has instance ID 20; it gets 1, as HomeKit requires",
      ])
  }

  @Test("A service has each characteristic type only once, and an accessory has one primary service")
  func twice() throws {
    var writer = ArchiveWriter()
    let ons = [9, 10].map { writer.characteristic(0x25, format: 1, permissions: 12, properties: 7, iid: $0) }
    let lights = [(8, ons), (11, [])].map { writer.service(0x43, iid: $0, $1, more: ["HAK.primary": .bool(true)]) }
    let archive = try AppleArchive(writer.file(writer.accessory(lights)))
    #expect(archive.accessories[0].services.map(\.isPrimary) == [true, false])
    #expect(archive.accessories[0].services[0].characteristics.map(\.iid) == [9])
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.services[0].HAK.characteristics[1]: the service already has a characteristic of type 25; this one is left out",
        "accessory.HAK.services[1]: another service is already primary; this one is not",
      ])
  }

  @Test("Members of the wrong kind are reported and ignored")
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
        "accessory.HAK.setupID: \"abcd\" is not four characters of 0-9 and A-Z",
        "accessory.HAK.identifier: 1 byte is not a device ID, which has 6 bytes",
        "accessory.HAK.primary: 1 is not a service; it is left out",
        "accessory.HAK.services[0].HAK.instanceid: a whole number is expected, not 1.5",
        "accessory.HAK.services[0]: the instance ID is missing; a new one is assigned",
        "accessory.HAK.services[0].HAK.hidden: \"yes\" is neither true nor false",
        "accessory.HAK.services[0].HAK.characteristics: a list is expected, not 3",
        "accessory.HAK.services[1]: a reference to an object is expected, not 4; it is left out",
        "accessory.HAK.services[2]: a reference to an object is expected, not nothing; it is left out",
        "accessory.HAK.services[3]: a reference to an object is expected, not an invalid reference; it is left out",
        "accessory.HAK.instanceid: 2 is invalid; the accessory of a server has aid 1",
        "accessory.HAK.bridgedAccessories: a list is expected, not true",
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

  @Test("The dictionary around an accessory may have unknown members, or be missing")
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
