import Foundation
import HAPHomeKit
import HAPHomeKitTesting
import Testing

/// Accessories, services and characteristics with real HAP connections to simulated accessories. home.md M4, M6 to M8,
/// M13, M14.
@Suite("Accessories, services and characteristics") struct AccessoryTests {
  private struct Apps {
    let world: HomeWorld
    let home: HMHome
    let other: HMHome
    let recorder: Recorder
    let managers: [HMHomeManager]

    func accessory(_ name: String) throws -> HMAccessory { try #require(home.accessories.first { $0.name == name }) }

    func characteristic(_ type: String, of accessory: String) throws -> HMCharacteristic {
      try #require(
        try self.accessory(accessory).services.flatMap(\.characteristics).first { $0.characteristicType == type })
    }
  }

  private func apps(_ devices: [HomeWorld.Device]) async throws -> Apps {
    let world = try await HomeWorld.start(accessories: devices)
    let managers = [try await world.makeManager(), try await world.makeManager()]
    let recorder = Recorder()
    recorder.watch(managers[1])
    await world.advance(by: .seconds(1))
    _ = recorder.calls
    return Apps(
      world: world, home: try #require(managers[0].homes.first), other: try #require(managers[1].homes.first),
      recorder: recorder, managers: managers)
  }

  private static let garage = HomeWorld.Device("Garage", .file("Profiles/garage-kilgo.hasaccessory"))
  private static let lamp = HomeWorld.Device("Lamp", .new("LightBulb:Brightness"))

  @Test("An accessory has the properties of its profile") func properties() async throws {
    let apps = try await apps([Self.garage])
    defer { apps.world.end() }
    let garage = try apps.accessory("Garage")
    #expect(garage.manufacturer == "Kilgo Devices, Inc." && garage.model == "GD-1" && garage.firmwareVersion == "1.0.0")
    #expect(garage.isReachable && !garage.isBlocked && !garage.isBridged && garage.supportsIdentify)
    #expect(garage.category.categoryType == HMAccessoryCategoryTypeGarageDoorOpener)
    #expect(garage.category.localizedDescription == "Garage Door Opener")
    #expect(garage.room === apps.home.roomForEntireHome() && garage.home === apps.home)
    #expect(garage.uniqueIdentifiersForBridgedAccessories == nil && garage.profiles.isEmpty)
    #expect(garage.services.filter(\.isUserInteractive).map(\.name) == ["Garage Door", "Garage Light"])
    let door = try #require(garage.services.first { $0.serviceType == HMServiceTypeGarageDoorOpener })
    #expect(door.isPrimaryService && door.accessory === garage && door.localizedDescription == "Garage Door Opener")
    #expect(door.linkedServices == nil && door.associatedServiceType == nil)
    let fade = try #require(
      garage.services.flatMap(\.characteristics).first { $0.localizedDescription == "Fade Rate" })
    #expect(fade.metadata?.format == HMCharacteristicMetadataFormatFloat)
    #expect(fade.metadata?.minimumValue == 0 && fade.metadata?.maximumValue == 10 && fade.metadata?.stepValue == 0.1)
    #expect(fade.metadata?.units == HMCharacteristicMetadataUnitsSeconds)
    #expect(fade.metadata?.manufacturerDescription == "Fade Rate")
    #expect(
      fade.properties == [
        HMCharacteristicPropertyReadable, HMCharacteristicPropertyWritable,
        HMCharacteristicPropertySupportsEventNotification,
      ])
    let target = try apps.characteristic(HMCharacteristicTypeTargetDoorState, of: "Garage")
    #expect(target.metadata?.validValues == nil || target.metadata?.validValues == [0, 1])
    #expect(target.service === door)
    #expect(apps.home.servicesWithTypes([HMServiceTypeLightbulb])?.map(\.name) == ["Garage Light"])
  }

  @Test("A value is nil before it is read (M6)") func reading() async throws {
    let apps = try await apps([Self.garage])
    defer { apps.world.end() }
    let state = try apps.characteristic(HMCharacteristicTypeCurrentDoorState, of: "Garage")
    #expect(state.value == nil)
    try await state.readValue()
    #expect(state.value as? Int == HMCharacteristicValueDoorState.closed.rawValue)
    let name = try apps.characteristic(HMCharacteristicTypeName, of: "Garage")
    try await name.readValue()
    #expect(name.value is String)
    let identify = try apps.characteristic(HMCharacteristicTypeIdentify, of: "Garage")
    #expect(await thrown { try await identify.readValue() } == 6)
  }

  @Test("A write reaches the accessory, and wrong values are refused with their numbers")
  func writing() async throws {
    let apps = try await apps([Self.lamp])
    defer { apps.world.end() }
    let device = try apps.world.accessory("Lamp")
    let on = try apps.characteristic(HMCharacteristicTypePowerState, of: "Lamp")
    let brightness = try apps.characteristic(HMCharacteristicTypeBrightness, of: "Lamp")
    try await on.writeValue(true)
    try await device.written("On", true)
    #expect(on.value as? Bool == true)
    try await on.writeValue(NSNumber(value: 0))
    try await device.written("On", false)
    try await brightness.writeValue(40)
    try await device.written("Brightness", 40)
    #expect(brightness.value as? Int == 40)
    #expect(await thrown { try await brightness.writeValue(101) } == 45)
    #expect(await thrown { try await brightness.writeValue(-1) } == 44)
    #expect(await thrown { try await brightness.writeValue("bright") } == 43)
    #expect(await thrown { try await brightness.writeValue(nil) } == 43)
    #expect(await thrown { try await on.writeValue(2) } == 43)
    #expect(brightness.value as? Int == 40, "a refused value changes nothing")
    let model = try apps.characteristic(HMCharacteristicTypeName, of: "Lamp")
    #expect(await thrown { try await model.writeValue("X") } == 5)
    #expect(await thrown { try await on.updateAuthorizationData(Data([1])) } == 48)
  }

  @Test("Notifications are enabled for each app; a second time is 68, and without the property 7 (M8)")
  func notifications() async throws {
    let apps = try await apps([Self.lamp])
    defer { apps.world.end() }
    let lamp = try #require(apps.other.accessories.first)
    let on = try #require(
      lamp.services.flatMap(\.characteristics).first { $0.characteristicType == HMCharacteristicTypePowerState })
    let device = try apps.world.accessory("Lamp")
    #expect(!on.isNotificationEnabled)
    try await device.set("On", to: true)
    await apps.world.advance(by: .seconds(2))
    #expect(apps.recorder.calls == [], "without notifications, no call")
    try await on.enableNotification(true)
    #expect(on.isNotificationEnabled)
    #expect(await thrown { try await on.enableNotification(true) } == 68)
    await apps.world.advance(by: .seconds(2))
    _ = apps.recorder.calls
    try await device.set("On", to: false)
    await apps.world.advance(by: .seconds(2))
    #expect(apps.recorder.calls == ["value Lamp On 0"])
    #expect(on.value as? Bool == false)
    // The write of the other app is news, too.
    try await (try apps.characteristic(HMCharacteristicTypePowerState, of: "Lamp")).writeValue(true)
    await apps.world.advance(by: .seconds(2))
    #expect(apps.recorder.calls == ["value Lamp On 1"])
    try await on.enableNotification(false)
    try await device.set("On", to: false)
    await apps.world.advance(by: .seconds(2))
    #expect(apps.recorder.calls == [])
    let name = try #require(
      lamp.services.flatMap(\.characteristics).first { $0.characteristicType == HMCharacteristicTypeName })
    #expect(await thrown { try await name.enableNotification(true) } == 7)
  }

  @Test("A button is pressed") func button() async throws {
    let apps = try await apps([.init("Button", .new("stateless-programmable-switch"))])
    defer { apps.world.end() }
    let press = try #require(
      apps.other.accessories[0].services.flatMap(\.characteristics).first {
        $0.characteristicType == HMCharacteristicTypeInputEvent
      })
    try await press.enableNotification(true)
    await apps.world.advance(by: .seconds(2))
    _ = apps.recorder.calls
    for _ in 0..<2 {
      try await apps.world.accessory("Button").press(.double)
      await apps.world.advance(by: .seconds(2))
      #expect(apps.recorder.calls == ["value Button Programmable Switch Event 1"])
    }
    #expect(press.value as? Int == HMCharacteristicValueInputEvent.doublePress.rawValue)
  }

  @Test("Names are those of the home (M7), and one move is one call with the same objects (M4)")
  func renaming() async throws {
    let apps = try await apps([Self.lamp])
    defer { apps.world.end() }
    let (lamp, seen) = (try apps.accessory("Lamp"), try #require(apps.other.accessories.first))
    let room = try await apps.home.addRoom(named: "Bedroom")
    try await lamp.updateName("Reading Lamp")
    let service = try #require(lamp.services.last)
    try await service.updateName("Shade")
    try await apps.home.assignAccessory(lamp, to: room)
    await apps.world.settle()
    #expect(
      apps.recorder.calls == [
        "room+ Bedroom", "accessory= Reading Lamp", "service= Shade", "moved Reading Lamp Bedroom Bedroom",
      ])
    #expect(apps.other.accessories.first === seen && seen.name == "Reading Lamp" && seen.room?.name == "Bedroom")
    try await apps.world.accessory("Lamp").notWritten("Name", within: .seconds(1))
    #expect(await thrown { try await lamp.updateName("Bedroom") } == 31)
  }

  @Test("A switch controls a fan") func associatedType() async throws {
    let apps = try await apps([.init("Switch", .new("switch"))])
    defer { apps.world.end() }
    let service = try #require(apps.home.servicesWithTypes([HMServiceTypeSwitch])?.first)
    try await service.updateAssociatedServiceType(HMServiceTypeFan)
    #expect(service.associatedServiceType == HMServiceTypeFan)
    #expect(await thrown { try await service.updateAssociatedServiceType("fan") } == 62)
    try await service.updateAssociatedServiceType(nil)
    #expect(service.associatedServiceType == nil)
    await apps.world.settle()
    #expect(apps.recorder.calls == ["associated \(HMServiceTypeFan)", "associated -"])
  }

  @Test("An accessory disappears and returns (M13)") func reachability() async throws {
    let apps = try await apps([Self.lamp])
    defer { apps.world.end() }
    let lamp = try apps.accessory("Lamp")
    let on = try apps.characteristic(HMCharacteristicTypePowerState, of: "Lamp")
    try await apps.world.accessory("Lamp").setConnected(false)
    // The hub does not know yet that the connection is lost: the write gets no answer.
    #expect(await thrown { try await on.writeValue(true) } == 8)
    await apps.world.advance(by: .seconds(180))
    #expect(!lamp.isReachable)
    #expect(await thrown { try await on.readValue() } == 4)
    #expect(await thrown { try await lamp.identify() } == 4)
    try await apps.world.accessory("Lamp").setConnected(true)
    await apps.world.advance(by: .seconds(180))
    #expect(lamp.isReachable)
    #expect(apps.recorder.calls == ["reachable Lamp false", "reachable Lamp true"])
    try await lamp.identify()
    try await on.readValue()
  }

  @Test("A bridge: bridged accessories are reachable one by one (M14), and are removed with the bridge")
  func bridge() async throws {
    let apps = try await apps([.init("Bridge", .file("Profiles/bridge-two-lights.hasaccessory"))])
    defer { apps.world.end() }
    let bridge = try #require(apps.home.accessories.first { !$0.isBridged })
    let bridged = bridge.bridgedAccessories
    #expect(bridged.count == 2 && bridged.allSatisfy(\.isBridged))
    #expect(bridge.uniqueIdentifiersForBridgedAccessories == bridged.map(\.uniqueIdentifier))
    #expect(await thrown { try await apps.home.removeAccessory(bridged[0]) } == 34)
    #expect(await thrown { try await apps.home.unblockAccessory(bridged[0]) } == 81)
    try await apps.home.removeAccessory(bridge)
    #expect(apps.home.accessories.isEmpty)
    await apps.world.settle()
    #expect(apps.recorder.calls.filter { $0.hasPrefix("accessory-") }.count == 3)
    #expect(await thrown { try await bridge.identify() } == 12)
    #expect(bridge.room == nil && !bridge.isReachable && !bridge.services.isEmpty)
  }
}
