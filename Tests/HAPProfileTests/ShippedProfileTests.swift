import Foundation
import HAPModel
import Testing

@testable import HAPProfile

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appendingPathComponent("Profiles")

private func shipped(_ name: String) throws -> AccessoryProfile {
  let data = try Data(contentsOf: folder.appendingPathComponent(name))
  return try AccessoryProfile(json: Array(data), fileName: name)
}

private func names() throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".hasaccessory") }.sorted()
}

struct ShippedProfileTests {
  @Test("Each shipped profile is valid and can be built")
  func sound() throws {
    #expect(try names().count >= 14)
    for name in try names() {
      let profile = try shipped(name)
      #expect(profile.problems.isEmpty, "\(name)")
      var ids = IDMap()
      let built = try profile.build(ids: &ids, deviceID: testDeviceID)
      #expect(built.database.accessoryEntries.first?.aid == 1)
      for slot in built.database.characteristics.indices {
        let characteristic = built.database.characteristics[slot]
        #expect(
          characteristic.value == .null || characteristic.allows(characteristic.value), "\(name) \(characteristic)")
      }
    }
  }

  @Test("The garage equals Apple's sample, with Fade Rate as its custom characteristic")
  func garage() throws {
    let profile = try shipped("garage-kilgo.hasaccessory")
    var ids = IDMap()
    let built = try profile.build(ids: &ids, deviceID: testDeviceID)
    #expect(built.category == .garageDoorOpener && built.name == "Garage" && built.model == "GD-1")
    let services = try #require(built.database.accessories.first?.services)
    #expect(services.map(\.type) == [0x3E, 0xA2, 0x41, 0x43])
    #expect(services[2].characteristics.map(\.type) == [0xE, 0x32, 0x24, 0x23])
    #expect(services[2].characteristics.map(\.value) == [.integer(1), .integer(1), .bool(false), "Garage Door"])
    let fade = try #require(services[3].characteristics.first { !$0.type.isAppleDefined })
    #expect(fade.type.wireForm == "7E536242-341C-4862-BE90-272CE15BD633")
    #expect(fade.format == .float && fade.unit == .seconds && fade.value == .float(1.5) && fade.persists)
    #expect(fade.constraints == Constraints(minValue: .integer(0), maxValue: .integer(10), minStep: .float(0.1)))
    #expect(built.behaviours.map(\.serviceIID) == [services[2].iid, services[3].iid])
    #expect(built.behaviours[0].node?["travelTime"]?.stringValue == "12s")
    #expect(built.behaviours[1].node == nil)
    #expect(profile.key == "serial:Kilgo Devices, Inc./GD-1/KILGO-0001")
  }

  @Test("The bridge is aid 1 and has two lights")
  func bridge() throws {
    var ids = IDMap()
    let built = try shipped("bridge-two-lights.hasaccessory").build(ids: &ids, deviceID: testDeviceID)
    #expect(built.database.accessoryEntries.map(\.aid) == [1, 2, 3])
    #expect(built.names == [1: "Light Bridge", 2: "Desk Lamp", 3: "Floor Lamp"])
    #expect(
      built.database.accessories.map { $0.services.map(\.type) } == [[0x3E, 0xA2], [0x3E, 0x43], [0x3E, 0x43]])
  }

  @Test("The lights of a bridge have On, Brightness, Hue and Saturation")
  func colourBridge() throws {
    let bridged = try built("bridge-two-colour-lights").accessories.dropFirst()
    #expect(bridged.map(\.aid) == [2, 3])
    for accessory in bridged {
      #expect(accessory.services[1].characteristics.map(\.type) == [0x25, 0x8, 0x13, 0x2F, 0x23])
    }
  }

  private func built(_ name: String) throws -> AttributeDatabase {
    var ids = IDMap()
    return try shipped(name + ".hasaccessory").build(ids: &ids, deviceID: testDeviceID).database
  }

  @Test("The kitchen sink has each format, permission, constraint and unit, and a hidden and a linked service")
  func kitchenSink() throws {
    let database = try built("kitchen-sink")
    let all = database.accessories.flatMap(\.services).flatMap(\.characteristics).filter { !$0.type.isAppleDefined }
    #expect(Set(all.map(\.format)) == Set(Format.allCases))
    #expect(Set(all.compactMap(\.unit)) == Set(Unit.allCases))
    #expect(Set(all.flatMap(\.perms.names)) == ["pr", "pw", "ev", "aa", "tw", "hd", "wr"])
    #expect(all.contains { $0.perms.names.count == 7 } && all.contains { !$0.perms.contains(.pairedRead) })
    let constraints = all.map(\.constraints)
    #expect(constraints.contains { $0.minValue != nil && $0.maxValue != nil && $0.minStep != nil })
    #expect(constraints.contains { $0.maxLen != nil } && constraints.contains { $0.maxDataLen != nil })
    let services = try #require(database.accessories.first?.services)
    // In this profile, only a characteristic of Apple has valid values, and a range of valid values.
    let volumes = services.flatMap(\.characteristics).filter { $0.type == 0x119 }.map(\.constraints)
    #expect(volumes.contains { $0.validValues != nil } && volumes.contains { $0.validValuesRange != nil })
    #expect(services.contains(where: \.isHidden) && services.contains { !$0.linked.isEmpty })
    #expect(all.contains { !$0.persists && $0.perms.contains(.pairedWrite) && $0.perms.contains(.pairedRead) })
  }

  @Test("The coffee machine has only custom types, with each format")
  func coffeeMachine() throws {
    let services = try #require(try built("coffee-machine").accessories.first?.services).dropFirst(2)
    #expect(services.count == 2 && services.allSatisfy { !$0.type.isAppleDefined })
    let own = services.flatMap(\.characteristics).filter { $0.type != 0x23 }
    #expect(own.allSatisfy { !$0.type.isAppleDefined } && Set(own.map(\.format)) == Set(Format.allCases))
    let left = try #require(own.first { $0.constraints.maxValue == .integer(100) && $0.format == .uint8 })
    #expect(left.unit == .percentage && left.perms == [.pairedRead, .events])
  }

  @Test("The full bridge has the maximum number of accessories")
  func fullBridge() throws {
    let accessories = try built("bridge-149").accessories
    #expect(accessories.count == 150 && Set(accessories.map(\.aid)).count == 150)
  }
}
