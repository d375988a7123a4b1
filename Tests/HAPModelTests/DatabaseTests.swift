import HAPModel
import Testing

@Suite struct AttributeDatabases {
  private func characteristic(_ iid: UInt64, _ value: Value = false) -> Characteristic {
    Characteristic(iid: iid, type: 0x25, format: .bool, perms: [.pairedRead, .pairedWrite], value: value)
  }

  private var bridge: [Accessory] {
    [
      Accessory(
        aid: 1,
        services: [
          Service(iid: 1, type: 0x3E, characteristics: [characteristic(2), characteristic(3)]),
          Service(iid: 10, type: 0xA2),
          Service(iid: 20, type: 0x43, isPrimary: true, linked: [10], characteristics: [characteristic(21, true)]),
        ]),
      Accessory(aid: 7, services: []),
      Accessory(
        aid: .max,
        services: [
          Service(iid: .max, type: 0x49, isHidden: true, characteristics: [characteristic(2), characteristic(1)])
        ]),
    ]
  }

  @Test("The database returns its original tree") func roundTrip() throws {
    #expect(try AttributeDatabase(bridge).accessories == bridge)
    #expect(try AttributeDatabase([]).accessories == [])
  }

  @Test("Slots are in the order of the tree; ids, slots and services map to each other") func slots() throws {
    let database = try AttributeDatabase(bridge)
    let ids = ["1.2", "1.3", "1.21", "18446744073709551615.2", "18446744073709551615.1"].map { AttributeID($0)! }
    #expect(database.characteristics.indices.map(database.id(ofSlot:)) == ids)
    #expect(ids.map(database.slot(of:)) == [0, 1, 2, 3, 4])
    #expect((0..<5).map { database.service(ofSlot: $0).iid } == [1, 1, 20, .max, .max])
    #expect(database.accessoryEntries.map(\.slots) == [0..<3, 3..<3, 3..<5])
    #expect(database.accessoryEntries.map(\.services) == [0..<3, 3..<3, 3..<4])
    #expect(database.service(ofSlot: 2).linked == [10])
    #expect(database.service(ofSlot: 4).accessory == 2)
  }

  @Test("Unknown ids, and a service's id, have neither slot nor value") func unknown() throws {
    let database = try AttributeDatabase(bridge)
    for text in ["1.1", "1.20", "1.4", "2.2", "7.1", "0.0", "1.18446744073709551615"] {
      #expect(database.slot(of: AttributeID(text)!) == nil)
      #expect(database[AttributeID(text)!] == nil)
    }
    #expect(database.hasAccessory(7))
    #expect(!database.hasAccessory(2))
  }

  @Test("A value is set by id or slot, only in this copy") func values() throws {
    let database = try AttributeDatabase(bridge)
    var changed = database
    changed[AttributeID(aid: 1, iid: 2)] = true
    changed[slot: 2] = false
    #expect(changed[AttributeID(aid: 1, iid: 2)] == true)
    #expect(changed[slot: 2] == false)
    #expect(changed.accessories[0].services[2].characteristics[0].value == false)
    #expect(database[AttributeID(aid: 1, iid: 2)] == false)
    #expect(database[slot: 2] == true)
  }

  @Test("Setting a value doesn't copy the slots") func inPlace() throws {
    var database = try AttributeDatabase(bridge)
    database[slot: 0] = true
    let before = database.characteristics.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    for slot in 0..<5 { database[slot: slot] = true }
    database[AttributeID(aid: 1, iid: 2)] = false
    let after = database.characteristics.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    #expect(before == after)
  }

  @Test("[DB.2] An aid of 0, or a duplicate, is refused") func aids() {
    #expect(throws: DatabaseError.zeroAccessoryID) { try AttributeDatabase([Accessory(aid: 0, services: [])]) }
    #expect(throws: DatabaseError.duplicateAccessoryID(3)) {
      try AttributeDatabase([Accessory(aid: 3, services: []), Accessory(aid: 3, services: [])])
    }
  }

  @Test("[DB.3] An iid of 0, or a duplicate among services and characteristics, is refused") func iids() {
    func database(_ services: [Service]) throws { _ = try AttributeDatabase([Accessory(aid: 4, services: services)]) }
    #expect(throws: DatabaseError.zeroInstanceID(aid: 4)) { try database([Service(iid: 0, type: 0x43)]) }
    #expect(throws: DatabaseError.zeroInstanceID(aid: 4)) {
      try database([Service(iid: 1, type: 0x43, characteristics: [characteristic(0)])])
    }
    let twice = DatabaseError.duplicateInstanceID(AttributeID(aid: 4, iid: 5))
    #expect(throws: twice) { try database([Service(iid: 5, type: 0x43), Service(iid: 5, type: 0x43)]) }
    #expect(throws: twice) { try database([Service(iid: 5, type: 0x43, characteristics: [characteristic(5)])]) }
    #expect(throws: twice) {
      try database([Service(iid: 1, type: 0x43, characteristics: [characteristic(5), characteristic(5)])])
    }
    #expect(throws: twice) {
      try database([
        Service(iid: 1, type: 0x43, characteristics: [characteristic(5)]),
        Service(iid: 2, type: 0x43, characteristics: [characteristic(5)]),
      ])
    }
    #expect("\(twice)" == "two services or characteristics of accessory 4 have iid 5")
  }

  @Test("Setting a value of an unknown id is a programming error and traps") func trap() async {
    await #expect(processExitsWith: .failure) {
      var database = try AttributeDatabase([])
      database[AttributeID(aid: 1, iid: 1)] = true
    }
  }

  @Test("An id is written as two numbers with a dot, and is sorted by accessory first") func attributeIDs() {
    #expect(AttributeID("1.9") == AttributeID(aid: 1, iid: 9))
    #expect("\(AttributeID(aid: 1, iid: 9))" == "1.9")
    #expect(AttributeID(aid: 1, iid: 10) < AttributeID(aid: 2, iid: 1))
    #expect(AttributeID(aid: 1, iid: 9) < AttributeID(aid: 1, iid: 10))
    for text in [
      "", ".", "1", "1.", ".1", "1.2.3", "+1.2", "1.-2", " 1.2", "1.2 ", "a.b", "1.18446744073709551616", "0x1.2",
    ] {
      #expect(AttributeID(text) == nil, "\(text)")
    }
  }
}
