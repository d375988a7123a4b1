import HAPModel
import HAPWire
import Testing

@testable import HAPProfile

private func build(_ json: String, _ ids: inout IDMap, renumber: Bool = false) throws -> BuiltAccessory {
  try profile(json).build(ids: &ids, deviceID: testDeviceID, renumber: renumber)
}

private func build(_ json: String) throws -> BuiltAccessory {
  var ids = IDMap()
  return try build(json, &ids)
}

/// The first characteristic of a type in the first service of a type.
private func characteristic(_ built: BuiltAccessory, _ service: TypeID, _ type: TypeID, aid: UInt64 = 1) throws
  -> Characteristic
{
  let accessory = try #require(built.database.accessories.first { $0.aid == aid })
  let service = try #require(accessory.services.first { $0.type == service })
  return try #require(service.characteristics.first { $0.type == type })
}

struct BuildTests {
  @Test("[DB.4] [DB.5] Omitted parts are added: information, protocol information, required characteristics")
  func added() throws {
    let built = try build(document(services: #"{ "type": "GarageDoorOpener" }"#))
    let services = built.database.accessories[0].services
    #expect(services.map(\.type) == [0x3E, 0xA2, 0x41])
    #expect(services[0].iid == 1)
    #expect(Set(services[0].characteristics.map(\.type)) == [0x14, 0x20, 0x21, 0x23, 0x30, 0x52])
    #expect(try characteristic(built, 0x3E, 0x14).perms == [.pairedWrite])
    #expect(try characteristic(built, 0x3E, 0x20).value == "hapsim")
    #expect(try characteristic(built, 0x3E, 0x21).value == "Other")
    #expect(try characteristic(built, 0x3E, 0x23).value == "Thing")
    #expect(try characteristic(built, 0x3E, 0x30).value == "AABBCCDDEE0F")
    #expect(try characteristic(built, 0x3E, 0x52).value == "1.0.0")
    #expect(try characteristic(built, 0xA2, 0x37).value == "1.1.0")
    #expect(services[2].characteristics.map(\.type) == [0xE, 0x24, 0x32])
    #expect(services[2].characteristics.map(\.value) == [.integer(1), .bool(false), .integer(1)])
    #expect(built.category == .other)
  }

  @Test("Written members are kept, and the rest is completed")
  func writtenOut() throws {
    let json = document(
      #""manufacturer": "M", "model": "X1", "serialNumber": "S1", "firmwareRevision": "2.1""#,
      services: """
        { "type": "Switch" },
        { "type": "AccessoryInformation", "characteristics": [
          { "type": "HardwareRevision", "value": "3.0" }, { "type": "SerialNumber", "value": "S2" } ] }
        """)
    let built = try build(json)
    let services = built.database.accessories[0].services
    #expect(services.map(\.type) == [0x49, 0x3E, 0xA2])
    #expect(services[1].iid == 1)
    #expect(services[1].characteristics.prefix(2).map(\.value) == ["3.0", "S2"])
    #expect(services[1].characteristics.count == 7)
    #expect(try characteristic(built, 0x3E, 0x20).value == "M")
    #expect(built.model == "X1")
  }

  @Test("A service's name is its Name characteristic, unless Name is written")
  func serviceNames() throws {
    let built = try build(document(services: #"{ "type": "Switch", "name": "Left" }"#))
    #expect(try characteristic(built, 0x49, 0x23).value == "Left")
    let written = try build(
      document(characteristics: #"{ "type": "Name", "value": "Right" }"#, service: #""name": "Left","#))
    #expect(try characteristic(written, 0x43, 0x23).value == "Right")
    let input = try build(document(services: #"{ "type": "InputSource", "name": "HDMI 1" }"#))
    #expect(try characteristic(input, 0xD9, 0xE3).value == "HDMI 1")
  }

  @Test("Values: names in any case, numbers, base64, null for a press; the default is safe and within narrower limits")
  func values() throws {
    func first(_ text: String, _ type: String = "LightBulb") throws -> Characteristic {
      let built = try build(document(characteristics: text, type: type))
      return built.database.accessories[0].services[2].characteristics[0]
    }
    #expect(try first(#"{ "type": "Current Door-State", "value": "OPENING" }"#, "41").value == .integer(2))
    #expect(try first(#"{ "type": "RotationDirection", "value": "counter-clockwise" }"#, "40").value == .integer(1))
    #expect(try first(#"{ "type": "On", "value": 1 }"#).value == .bool(true))
    #expect(try first(#"{ "type": "Hue", "value": 30 }"#).value == .float(30))
    #expect(try first(#"{ "type": "ProgrammableSwitchEvent", "value": null }"#, "89").value == .null)
    #expect(try first(#"{ "type": "Brightness", "maxValue": 50 }"#).value == .integer(0))
    #expect(try first(#"{ "type": "Brightness" }"#).value == .integer(100))
    #expect(try first(#"{ "type": "CurrentTemperature" }"#, "8A").value == .float(20))
    #expect(try first(#"{ "type": "SetupEndpoints", "value": "BgEB" }"#, "110").value == .data([6, 1, 1]))
  }

  @Test("If only one of current and target is written, the other equals it")
  func twins() throws {
    let built = try build(
      document(characteristics: #"{ "type": "TargetDoorState", "value": "open" }"#, type: "GarageDoorOpener"))
    #expect(try characteristic(built, 0x41, 0xE).value == .integer(0))
    let thermostat = try build(
      document(characteristics: #"{ "type": "TargetHeatingCoolingState", "value": "auto" }"#, type: "Thermostat"))
    #expect(try characteristic(thermostat, 0x4A, 0xF).value == .integer(0), "auto is not a current state")
  }

  @Test("Overrides narrow the catalogue's metadata, and other members are kept")
  func overrides() throws {
    let built = try build(
      document(
        characteristics: """
          { "type": "Brightness", "minValue": 10, "maxValue": 90, "minStep": 5, "description": "How bright",
            "perms": ["pr", "pw", "ev", "tw"], "value": 50 }
          """))
    let brightness = try characteristic(built, 0x43, 0x8)
    #expect(
      brightness.constraints
        == Constraints(minValue: .integer(10), maxValue: .integer(90), minStep: .integer(5)))
    #expect(brightness.unit == .percentage && brightness.format == .int && brightness.description == "How bright")
    #expect(brightness.perms == [.pairedRead, .pairedWrite, .events, .timedWrite])
    let door = try build(
      document(characteristics: #"{ "type": "TargetDoorState", "valid-values": [0], "value": 0 }"#, type: "41"))
    #expect(try characteristic(door, 0x41, 0x32).constraints.validValues == [0])
    let range = try build(
      document(characteristics: #"{ "type": "TargetDoorState", "valid-values-range": [0, 1] }"#, type: "41"))
    #expect(try characteristic(range, 0x41, 0x32).constraints.validValuesRange == 0...1)
  }

  @Test("persist: writable values are stored unless the profile disables it")
  func persist() throws {
    let built = try build(
      document(
        characteristics:
          #"{ "type": "On" }, { "type": "Brightness", "persist": false }, { "type": "Hue", "persist": true }"#))
    #expect(try characteristic(built, 0x43, 0x25).persists)
    #expect(try !characteristic(built, 0x43, 0x8).persists)
    #expect(try !characteristic(built, 0x3E, 0x14).persists, "Identify has no stored value")
    #expect(try !characteristic(built, 0x3E, 0x23).persists)
    let sensor = try build(
      document(characteristics: #"{ "type": "MotionDetected", "persist": true }"#, type: "MotionSensor"))
    #expect(try characteristic(sensor, 0x85, 0x22).persists)
  }

  @Test("Primary, hidden and links are in the database; behaviours have their service's ids")
  func services() throws {
    let built = try build(
      document(
        services: """
          { "type": "Television", "primary": true, "linked": ["hdmi", "speaker"], "behaviour": { "a": 1 } },
          { "type": "InputSource", "id": "hdmi", "name": "HDMI" },
          { "type": "Speaker", "id": "speaker", "hidden": true }
          """))
    let services = built.database.accessories[0].services
    #expect(services[2].isPrimary && services[4].isHidden && !services[3].isHidden)
    #expect(services[2].linked == [services[3].iid, services[4].iid])
    #expect(built.behaviours.map(\.serviceIID) == services.dropFirst(2).map(\.iid))
    #expect(
      built.behaviours[0].node?["a"]?.integerValue == 1
        && built.behaviours[0].node?.path.description == "services[0].behaviour")
    #expect(built.behaviours.allSatisfy { $0.aid == 1 })
  }

  @Test("faults are kept unparsed, with their places")
  func rawMembers() throws {
    let read = try profile(document(#""faults": { "latency": "1s" }"#))
    #expect(read.faults?["latency"]?.path.description == "faults.latency")
  }

  @Test("Copies are numbered, and differ in name, serial number and ids")
  func copies() throws {
    var ids = IDMap()
    let json = bridge(
      lamp(#""name": "Lamp", "serialNumber": "L", "copies": 3"#) + "," + lamp(#""name": "Sole", "copies": 1"#))
    let built = try build(json, &ids)
    #expect(built.names == [1: "Bridge", 2: "Lamp 1", 3: "Lamp 2", 4: "Lamp 3", 5: "Sole"])
    for (aid, serial) in [2: "L-1", 3: "L-2", 4: "L-3", 5: "AABBCCDDEE0F-5"] as [UInt64: String] {
      #expect(try characteristic(built, 0x3E, 0x30, aid: aid).value == .string(serial))
      #expect(try characteristic(built, 0x3E, 0x23, aid: aid).value == .string(built.names[aid]!))
    }
    let most = try build(bridge(lamp(#""name": "Lamp", "copies": 149"#)))
    #expect(most.database.accessoryEntries.count == 150)
    #expect(
      Set(most.database.accessories.map { $0.services[0].characteristics.first { $0.type == 0x30 }!.value }).count
        == 150)
  }

  @Test("The key is the device ID, or the id, or the serial number with maker and model, or the name")
  func keys() throws {
    #expect(try profile(document()).key == "name:Thing")
    #expect(try profile(document(#""serialNumber": "S1""#)).key == "serial://S1")
    #expect(
      try profile(document(#""manufacturer": "a/b", "model": "50%", "serialNumber": "S1""#)).key
        == "serial:a%2Fb/50%25/S1")
    #expect(try profile(document(#""manufacturer": "M", "model": "X""#)).key == "name:Thing")
    #expect(try profile(document(#""serialNumber": "S1", "id": "mine""#)).key == "id:mine")
    #expect(
      try profile(document(#""serialNumber": "S1", "id": "mine", "deviceID": "aa:bb:cc:dd:ee:ff""#)).key
        == "device:AA:BB:CC:DD:EE:FF")
  }

  @Test("An accessory keeps its identity under another name")
  func rename() throws {
    var read = try profile(document())
    read.rename("Other Thing")
    #expect(read.name == "Other Thing" && read.key == "name:Thing")
    var ids = IDMap()
    let built = try read.build(ids: &ids, deviceID: testDeviceID)
    #expect(try characteristic(built, 0x3E, 0x23).value == "Other Thing")
    #expect(built.name == "Other Thing" && built.names == [1: "Other Thing"])
    #expect(AccessoryProfile.problem(withName: "a\nb") != nil)
    #expect(AccessoryProfile.problem(withName: "") != nil)
    #expect(AccessoryProfile.problem(withName: String(repeating: "é", count: 33)) != nil)
    #expect(AccessoryProfile.problem(withName: "Lamp") == nil)
  }

  @Test(
    "[AD.10] The configuration text differs for ids, types, perms, formats, metadata, links, firmware; not for values")
  func configuration() throws {
    func text(_ json: String) throws -> String { try build(json).configurationText }
    func light(_ members: String, _ root: String = "") -> String {
      document(root, services: #"{ "type": "LightBulb", "characteristics": [ { "type": "Brightness" \#(members) } ] }"#)
    }
    let base = try text(light(""))
    for same in [
      light(#", "value": 5"#), light(#", "persist": false"#), light("", #""manufacturer": "Other", "model": "X2""#),
      light("", #""serialNumber": "123""#), light("", #""x-note": 1"#), light(#", "maxValue": 100"#),
      light("", #""name": "Renamed""#),
    ] {
      #expect(try text(same) == base)
    }
    for different in [
      light(#", "maxValue": 99"#), light(#", "minValue": 1"#), light(#", "minStep": 2"#), light(#", "perms": ["pr"]"#),
      light(#", "format": "uint8""#), light(#", "unit": "lux""#), light(#", "valid-values": [0, 100]"#),
      light(#", "valid-values-range": [0, 100]"#), light(#", "description": "d""#), light(#", "iid": 77"#),
      light("", #""firmwareRevision": "1.0.1""#),
      document(services: #"{ "type": "LightBulb", "hidden": true, "characteristics": [ { "type": "Brightness" } ] }"#),
      document(services: #"{ "type": "LightBulb", "primary": true, "characteristics": [ { "type": "Brightness" } ] }"#),
      document(services: #"{ "type": "Switch", "characteristics": [ { "type": "Brightness" } ] }"#),
    ] {
      #expect(try text(different) != base)
    }
    let two = #"{ "type": "Switch", "id": "a" }, { "type": "Outlet", "id": "b" LINK }"#
    #expect(
      try text(document(services: two.replacing("LINK", with: "")))
        != text(document(services: two.replacing("LINK", with: #", "linked": ["a"]"#))))
    #expect(try text(custom(#""maxLen": 10"#, format: "string")) != text(custom("", format: "string")))
    #expect(try text(custom(#""maxDataLen": 10"#, format: "data")) != text(custom("", format: "data")))
    #expect(try text(custom(#""minValue": 1.0"#, format: "float")) == text(custom(#""minValue": 1"#, format: "float")))
  }
}
