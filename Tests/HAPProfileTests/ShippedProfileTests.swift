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
  @Test("Every shipped profile is without a problem, and can be built")
  func sound() throws {
    #expect(try names().count >= 5)
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

  @Test("The garage has what Apple's sample has, with Fade Rate as its custom characteristic")
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
}
