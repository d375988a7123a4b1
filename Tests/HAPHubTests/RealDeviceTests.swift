#if os(Linux)
  import HAPHome
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub
  @testable import HAPSimulator

  /// A hub with the port of HAP over IP, and accessories of hapsim.
  @Suite("A hub with accessories of hapsim") struct RealDeviceTests {
    private func reachability(_ app: TestApp) -> [Bool] {
      app.events.compactMap {
        if case .reachability(_, let isReachable, _) = $0 { isReachable } else { nil }
      }
    }

    @Test("A new accessory is found, identified, added by its payload, controlled and removed")
    func wholeLife() async throws {
      try await withSimulatedHub { hub in
        let app = try await hub.home([])
        try await app.ask(.search)
        let lamp = try await hub.house.start(Profiles.lamp)
        try await hub.wait(.seconds(5))
        let device = try #require(DeviceID(lamp.deviceID))
        guard case .found(let found)? = app.events.first else { throw Missing() }
        try #require(found.device == device && found.name == "Lamp" && found.category == 5)
        try await app.ask(.identifyNew(device))
        try #require(lamp.history.contains { $0.kind == .identified })
        guard
          case .added(let ids, _) = try await app.ask(
            .add(AccessoryAddition(home: app.home.id, device: nil, code: lamp.setupPayload)))
        else { throw Missing() }
        try await hub.wait(.seconds(5))
        let pairings = try await lamp.pairings
        try #require(app.events.contains(.gone(device)) && pairings.count == 1)
        let on = try app.id("Lamp", .on)
        try await app.ask(.subscribe([on]))
        try await hub.wait()
        try await app.ask(.write(home: app.home.id, [HomeAction(on, .bool(true))]))
        try #require(try await lamp.value(of: "On") == .bool(true))
        try await lamp.set("On", to: .bool(false))
        try await hub.wait()
        let event = HubEvent.values([CharacteristicReading(on, value: .bool(false))], isCatchUp: false)
        try #require(app.events.contains(event))
        try await app.ask(.identify(ids[0]))
        try await app.ask(.remove(ids[0], forgets: false))
        let rest = try await lamp.pairings
        try #require(rest.isEmpty && app.home.accessories.isEmpty)
      }
    }

    @Test("After the answer to a subscription, no event is missed, also if the accessory answers late")
    func subscription() async throws {
      try await withSimulatedHub { hub in
        let lamp = try await hub.house.start(Profiles.lamp)
        let app = try await hub.home([lamp])
        let on = try app.id("Lamp", .on)
        try await hub.wait()
        try await lamp.switchOn(fault: "latency:by=1s")
        try await app.ask(.subscribe([on]))
        try await lamp.set("On", to: .bool(true))
        try await hub.wait(.seconds(5))
        let event = HubEvent.values([CharacteristicReading(on, value: .bool(true))], isCatchUp: false)
        try #require(app.events.contains(event))
      }
    }

    private struct Missing: Error {}

    @Test("[M13] After a loss of power, an accessory is reported twice, and so are its changes meanwhile")
    func powerLoss() async throws {
      try await withSimulatedHub { hub in
        let lamp = try await hub.house.start(Profiles.lamp)
        let app = try await hub.home([lamp])
        let on = try app.id("Lamp", .on)
        try await app.ask(.subscribe([on]))
        try await hub.wait()
        app.forget()
        hub.house.losePower()
        // The hub learns of it by its next request.
        _ = try await app.ask(.read([on]))
        try await hub.wait(.seconds(60))
        try #require(reachability(app) == [false])
        hub.house.restorePower()
        let again = try await hub.house.start(Profiles.lamp)
        try await again.set("On", to: .bool(true))
        try await hub.wait(.seconds(90))
        try #require(reachability(app) == [false, true])
        let value = CharacteristicReading(on, value: .bool(true))
        let reported = app.events.contains {
          if case .values(let values, isCatchUp: _) = $0 { values.contains(value) } else { false }
        }
        try #require(reported)
        try await again.set("On", to: .bool(false))
        try await hub.wait()
        try #require(
          app.events.last == .values([CharacteristicReading(on, value: .bool(false))], isCatchUp: false))
      }
    }

    @Test("[M14] A bridged accessory that is off is not reachable; the others are")
    func bridgedAccessory() async throws {
      try await withSimulatedHub { hub in
        let bridge = try await hub.house.start(Profiles.bridge("Desk", "Floor"))
        let app = try await hub.home([bridge])
        let (desk, floor) = (try app.id("Desk", .on), try app.id("Floor", .on))
        try await bridge.setReachable(false, accessory: "Desk")
        guard case .values(let values) = try await app.ask(.read([desk, floor])) else { throw Missing() }
        try #require(values[0].error?.code == .bridgedAccessoryNotReachable && values[1].value == .bool(false))
        try await hub.wait()
        try #require(
          app.link.replica.snapshot?.unreachable.keys.map { $0 } == [try app.accessory("Desk").id])
        try await bridge.setReachable(true, accessory: "Desk")
        try await hub.wait(.seconds(70))
        try #require(reachability(app) == [false, true])
      }
    }

    @Test("[M15] A bridge that grows while it is paired brings its new accessory into the home")
    func bridgeGrows() async throws {
      try await withSimulatedHub { hub in
        let bridge = try await hub.house.start(Profiles.bridge("Desk"))
        let app = try await hub.home([bridge])
        let desk = try app.accessory("Desk")
        _ = try await bridge.replace(by: Profiles.bridge("Desk", "Floor"))
        try await hub.wait(.seconds(90))
        try #require(app.home.accessories.map(\.name.text) == ["Bridge", "Desk", "Floor"])
        try #require(try app.accessory("Desk").id == desk.id)
        let floor = try app.id("Floor", .on)
        try await app.ask(.write(home: app.home.id, [HomeAction(floor, .bool(true))]))
        try #require(try await bridge.value(of: CharacteristicName("On", accessory: "Floor")) == .bool(true))
      }
    }

    @Test("[M17] An accessory that was reset to factory settings says what to do, and can be removed and added")
    func factoryReset() async throws {
      try await withSimulatedHub { hub in
        let lamp = try await hub.house.start(Profiles.lamp)
        let app = try await hub.home([lamp])
        let id = try app.accessory("Lamp").id
        try await lamp.restart(.factoryReset)
        try await hub.wait(.seconds(180))
        let why = try #require(app.link.replica.snapshot?.unreachable[id])
        try #require(why.contains("was reset: remove and add it"))
        try await app.ask(.remove(id, forgets: false))
        let device = try #require(DeviceID(lamp.deviceID))
        try await app.ask(.add(AccessoryAddition(home: app.home.id, device: device, code: lamp.setupCode)))
        try #require(app.home.accessories.map(\.name.text) == ["Lamp"])
      }
    }

    @Test("[M16] A wrong code is refused with 18, and the right one still works")
    func wrongCode() async throws {
      try await withSimulatedHub { hub in
        let lamp = try await hub.house.start(Profiles.lamp)
        let app = try await hub.home([])
        let device = try #require(DeviceID(lamp.deviceID))
        func addition(_ code: String) -> HubRequest {
          .add(AccessoryAddition(home: app.home.id, device: device, code: code))
        }
        try #require(await app.refusal(of: addition("111-22-333"))?.code == .accessoryPairingFailed)
        try await app.ask(addition(lamp.setupCode))
        try #require(app.home.accessories.count == 1)
      }
    }
  }
#endif
