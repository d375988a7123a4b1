import Foundation
import HAPHomeKit
import HAPHomeKitTesting
import Testing

/// Two apps of one home, each with a manager: one changes the home, the other watches. home.md M1 to M5.
@Suite("Homes, rooms, zones and groups") struct HomeTests {
  /// Runs a body with a home that has a lamp and a switch, the manager of the app that changes it, and the watching app.
  private func withApps(
    _ body: (HomeWorld, HMHome, _ other: HMHome, Recorder, Recorder) async throws -> Void
  ) async throws {
    let world = try await HomeWorld.start(
      accessories: [
        .init("Lamp", .new("LightBulb:Brightness"), room: "Hall"), .init("Switch", .new("switch")),
      ])
    defer { world.end() }
    let (manager, watcher) = (try await world.makeManager(), try await world.makeManager())
    let (own, others) = (Recorder(), Recorder())
    own.watch(manager)
    others.watch(watcher)
    await world.settle()
    (_, _) = (own.calls, others.calls)
    try await body(world, try #require(manager.homes.first), try #require(watcher.homes.first), own, others)
    withExtendedLifetime((manager, watcher)) {}
  }

  @Test("The homes are known when the delegate learns of them, and not before (M1)")
  func firstTurn() async throws {
    let world = try await HomeWorld.start(home: "My Home")
    defer { world.end() }
    let recorder = Recorder()
    let manager = await MainActor.run {
      world.makeCurrent()
      let manager = HMHomeManager()
      manager.delegate = recorder
      #expect(manager.homes.isEmpty && recorder.calls.isEmpty)
      return manager
    }
    await world.settle()
    #expect(recorder.calls == ["homes [\"My Home\"]"])
    let home = try #require(manager.homes.first)
    #expect(home.name == "My Home" && home.isPrimary && home.homeHubState == .connected)
    #expect(home === manager.homes.first, "a home is one object")
    #expect(manager.authorizationStatus == [.determined, .authorized])
  }

  @Test("A delegate that is set late learns of the homes, too")
  func lateDelegate() async throws {
    let world = try await HomeWorld.start()
    defer { world.end() }
    let (manager, recorder) = (try await world.makeManager(), Recorder())
    manager.delegate = recorder
    await world.settle()
    #expect(recorder.calls == ["homes [\"My Home\"]"])
    manager.delegate = recorder
    await world.settle()
    #expect(recorder.calls == [])
  }

  @Test("Homes are added, renamed and removed; the app that asked gets its completion, the other its delegate (M5)")
  func homes() async throws {
    try await withApps { world, home, other, own, others in
      let manager = try await world.makeManager()
      manager.delegate = own
      await world.settle()
      _ = own.calls
      let cabin = try await manager.addHome(named: "Cabin")
      #expect(cabin.name == "Cabin" && !cabin.isPrimary && manager.homes.last === cabin)
      #expect(await thrown { _ = try await manager.addHome(named: "Cabin") } == 32)
      #expect(await thrown { _ = try await manager.addHome(named: "Ca!bin") } == 35)
      try await cabin.updateName("Lake House")
      #expect(cabin.name == "Lake House")
      await world.settle()
      #expect(own.calls == ["home+ Cabin"], "the first manager of this app learns of the second one's home")
      #expect(others.calls == ["home+ Cabin"])
      #expect(await thrown { try await Old(manager).updatePrimaryHome(cabin) } == 0)
      #expect(Old(manager).primaryHome === cabin && cabin.isPrimary)
      await world.settle()
      #expect(others.calls == ["primary"])
      try await manager.removeHome(cabin)
      #expect(manager.homes.count == 1 && cabin.name == "Lake House")
      await world.settle()
      #expect(others.calls == ["home- Lake House", "primary"])
      #expect(await thrown { try await cabin.updateName("X") } == 12)
    }
  }

  @Test("Rooms are added, renamed and removed") func rooms() async throws {
    try await withApps { world, home, other, own, others in
      let kitchen = try await home.addRoom(named: "Kitchen")
      #expect(kitchen.name == "Kitchen" && home.rooms.last === kitchen && kitchen.accessories.isEmpty)
      #expect(await thrown { _ = try await home.addRoom(named: "kitchen") } == 31)
      try await kitchen.updateName("Big Kitchen")
      let lamp = try #require(home.accessories.first)
      try await home.assignAccessory(lamp, to: kitchen)
      #expect(lamp.room === kitchen && kitchen.accessories == [lamp])
      await world.settle()
      #expect(others.calls == ["room+ Kitchen", "room= Big Kitchen", "moved Lamp Big Kitchen Big Kitchen"])
      try await home.removeRoom(kitchen)
      #expect(lamp.room === home.roomForEntireHome())
      #expect(await thrown { try await kitchen.updateName("X") } == 12)
      #expect(await thrown { try await home.roomForEntireHome().updateName("All") } == 29)
      #expect(await thrown { try await home.assignAccessory(lamp, to: kitchen) } == 12)
      await world.settle()
      #expect(others.calls == ["moved Lamp Default Room Default Room", "room- Big Kitchen"])
      #expect(own.calls == [], "an app gets no call for its own changes")
      #expect(other.rooms.map(\.name) == ["Hall"])
    }
  }

  @Test("Zones get and lose rooms") func zones() async throws {
    try await withApps { world, home, other, own, others in
      let (zone, hall) = (try await home.addZone(named: "Downstairs"), try #require(home.rooms.first))
      try await zone.addRoom(hall)
      #expect(zone.rooms == [hall] && home.zones == [zone])
      #expect(await thrown { try await zone.addRoom(hall) } == 1)
      #expect(await thrown { try await zone.addRoom(home.roomForEntireHome()) } == 24)
      try await zone.updateName("Ground Floor")
      try await zone.removeRoom(hall)
      #expect(await thrown { try await zone.removeRoom(hall) } == 2)
      try await home.removeZone(zone)
      #expect(await thrown { try await home.removeZone(zone) } == 12)
      await world.settle()
      #expect(
        others.calls == [
          "zone+ Downstairs", "room+zone Hall Downstairs", "zone= Ground Floor", "room-zone Hall Ground Floor",
          "zone- Ground Floor",
        ])
      #expect(own.calls == [])
    }
  }

  @Test("Service groups get and lose services") func groups() async throws {
    try await withApps { world, home, other, own, others in
      let group = try await home.addServiceGroup(named: "Night Lights")
      let light = try #require(home.servicesWithTypes([HMServiceTypeLightbulb])?.first)
      try await group.addService(light)
      #expect(group.services == [light] && home.serviceGroups == [group])
      #expect(await thrown { try await group.addService(light) } == 1)
      try await group.updateName("Lights")
      try await group.removeService(light)
      #expect(await thrown { try await group.removeService(light) } == 2)
      try await home.removeServiceGroup(group)
      await world.settle()
      #expect(
        others.calls == [
          "group+ Night Lights", "service+group Lamp Night Lights", "group= Lights", "service-group Lamp Lights",
          "group- Lights",
        ])
      #expect(home.servicesWithTypes([HMServiceTypeThermostat]) == nil)
    }
  }

  @Test("An object of another home is refused with 11") func otherHome() async throws {
    try await withApps { world, home, other, own, others in
      let manager = try await world.makeManager()
      let cabin = try await manager.addHome(named: "Cabin")
      let (room, zone) = (try await cabin.addRoom(named: "Loft"), try await cabin.addZone(named: "Upstairs"))
      let hall = try #require(manager.homes.first?.rooms.first)
      #expect(await thrown { try await zone.addRoom(hall) } == 11)
      #expect(await thrown { try await cabin.removeRoom(hall) } == 11)
      let lamp = try #require(manager.homes.first?.accessories.first)
      #expect(await thrown { try await cabin.assignAccessory(lamp, to: room) } == 11)
      #expect(await thrown { try await cabin.removeAccessory(lamp) } == 11)
      withExtendedLifetime(manager) {}
    }
  }

  @Test("Users: the owner is the current user; another person is invited by the prompt")
  func users() async throws {
    try await withApps { world, home, other, own, others in
      #expect(home.currentUser.name == other.currentUser.name)
      #expect(home.homeAccessControl(for: home.currentUser).isAdministrator)
      let prompt = HMSetupAnswers(code: "", user: { _ in HMUserInvitation(name: "Anna", isAdministrator: false) })
      try await HMSetupUI.withPrompt(prompt) { try await home.manageUsers() }
      await world.settle()
      #expect(others.calls == ["user+ Anna"])
      let anna = try #require(Old(home).users.first)
      #expect(anna.name == "Anna" && !home.homeAccessControl(for: anna).isAdministrator)
      try await Old(home).removeUser(anna)
      #expect(Old(home).users.isEmpty)
      await world.settle()
      #expect(others.calls == ["user- Anna"])
    }
  }

  @Test("A hub that ends is reported, and the app attaches again with the same objects")
  func hubEnds() async throws {
    try await withApps { world, home, other, own, others in
      let room = try #require(home.rooms.first)
      try await world.killHub()
      await world.settle()
      #expect(own.calls == ["hub disconnected"])
      #expect(home.homeHubState == .disconnected && home.rooms.first === room, "what is known stays readable")
      #expect(await thrown { _ = try await home.addRoom(named: "Attic") } == 91)
      try await world.startHub()
      await world.advance(by: .seconds(2))
      #expect(own.calls == ["homes [\"My Home\"]", "hub connected"])
      #expect(home.rooms.first === room)
      try await room.updateName("Entrance")
      #expect(room.name == "Entrance")
    }
  }

  @Test("Without its manager, an object refuses requests, and keeps its properties")
  func managerGone() async throws {
    let world = try await HomeWorld.start()
    defer { world.end() }
    var manager: HMHomeManager? = try await world.makeManager()
    let home = try #require(manager?.homes.first)
    manager = nil
    #expect(home.name == "My Home" && home.rooms.isEmpty && home.homeHubState == .notAvailable)
    #expect(await thrown { _ = try await home.addRoom(named: "Attic") } == 12)
  }
}
