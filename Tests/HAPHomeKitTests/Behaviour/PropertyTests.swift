import Foundation
import HAPHomeKit
import HAPHomeKitTesting
import Testing

/// Properties that the other suites do not use, and what happens at the ends: of a manager, of a world, of the order.
@Suite("Properties and ends") struct PropertyTests {
  @Test("Properties that have one value here") func constants() async throws {
    let world = try await HomeWorld.start(
      accessories: [.init("Bridge", .file("Profiles/bridge-two-lights.hasaccessory"))])
    defer { world.end() }
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    let bridge = try #require(home.accessories.first)
    #expect(!home.supportsAddingNetworkRouter && !bridge.isVendorAccessory)
    #expect(bridge.matterNodeID == nil && bridge.cameraProfiles == nil)
    #expect(bridge.hapInstanceID == 1 && bridge.bridgedAccessories.allSatisfy { ($0.hapInstanceID ?? 0) > 1 })
    #expect(bridge.services.allSatisfy { $0.matterEndpointID == nil })
    #expect(!manager.authorizationStatus.contains(.restricted))
    let name = try #require(
      bridge.services.flatMap(\.characteristics).first { $0.characteristicType == HMCharacteristicTypeName })
    #expect(name.metadata?.format == HMCharacteristicMetadataFormatString)
    #expect(name.metadata?.maxLength == nil || name.metadata?.maxLength == 64)
    #expect(await thrown { _ = try await manager.findVendorAccessory(hapPublicKey: Data([1])) } == 48)
  }

  @Test("A home with accessories is removed, and they lose their pairings") func removedHome() async throws {
    let world = try await HomeWorld.start(accessories: [.init("Lamp", .new("light-bulb")), .init("Fan", .new("fan"))])
    defer { world.end() }
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    try await manager.removeHome(home)
    #expect(manager.homes.isEmpty)
    for name in ["Lamp", "Fan"] {
      try await world.accessory(name).run { accessory in
        let pairings = try await accessory.pairings
        #expect(pairings.isEmpty)
      }
    }
  }

  @Test("Requests without a wait keep their order") func order() async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      var options = HomeWorld.Options()
      options.seed = seed
      let world = try await HomeWorld.start(
        accessories: [.init("Lamp", .new("LightBulb:Brightness"))], options: options)
      let manager = try await world.makeManager()
      let brightness = try #require(
        manager.homes.first?.accessories.flatMap(\.services).flatMap(\.characteristics).first {
          $0.characteristicType == HMCharacteristicTypeBrightness
        })
      let codes = await withCheckedContinuation { continuation in
        let answers = Lines()
        for value in [10, 20, 30] { brightness.writeValue(value) { answers.add("\(value) \($0 == nil)") } }
        brightness.enableNotification(true) { answers.add("on \($0 == nil)") }
        brightness.enableNotification(true) { answers.add("again \(($0 as? HMError)?.code.rawValue ?? 0)") }
        brightness.enableNotification(false) { _ in continuation.resume(returning: answers) }
      }
      await world.settle()
      let lines = codes.taken
      #expect(lines.filter { $0.hasSuffix("0 true") } == ["10 true", "20 true", "30 true"], "\(world)")
      #expect(lines.contains("on true") && lines.contains("again 68"), "\(lines) in \(world)")
      #expect(!brightness.isNotificationEnabled)
      #expect(try await world.accessory("Lamp").value(of: "Brightness") == 30)
      world.end()
    }
  }

  @Test("After the end of its world, each request of an app gets an error") func endedWorld() async throws {
    let world = try await HomeWorld.start(accessories: [.init("Lamp", .new("light-bulb"))])
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    let on = try #require(
      home.servicesWithTypes([HMServiceTypeLightbulb])?[0].characteristics.first {
        $0.characteristicType == HMCharacteristicTypePowerState
      })
    world.end()
    #expect(await thrown { _ = try await home.addRoom(named: "Attic") } != 0)
    #expect(await thrown { try await on.writeValue(true) } != 0)
    await world.advance(by: .seconds(10))
    await world.settle()
    await #expect(throws: HomeWorldError.self) { try await world.cutNetwork() }
  }

  @Test("Removed services stay the same objects, and refuse requests") func removedServices() async throws {
    let world = try await HomeWorld.start(accessories: [.init("Lamp", .new("light-bulb"))])
    defer { world.end() }
    let manager = try await world.makeManager()
    let home = try #require(manager.homes.first)
    let lamp = try #require(home.accessories.first)
    let services = lamp.services
    let on = try #require(services.flatMap(\.characteristics).first { $0.localizedDescription == "On" })
    try await home.removeAccessory(lamp)
    #expect(lamp.services == services && lamp.home == nil)
    #expect(await thrown { try await on.readValue() } == 12)
    #expect(await thrown { try await services[0].updateName("X") } == 12)
  }
}
