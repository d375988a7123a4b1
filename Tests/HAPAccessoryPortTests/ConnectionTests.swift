#if os(Linux)
  import HAPController
  import HAPHome
  import HAPHomeEngine
  import HAPModel
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// Connections of a port with accessories of hapsim, in simulated worlds.
  @Suite("Connections with devices") struct ConnectionTests {
    @Test("A connection whose first attempt fails is made when the accessory has power")
    func firstAttempt() async throws {
      try await withPort { it in
        let pairing = try await it.pair(try await it.home.start(Profiles.garage()))
        it.home.losePower()
        let device = FollowedDevice(it.port, pairing)
        for _ in 0..<3 { _ = try await device.lost() }
        try await it.world.sleep(for: .seconds(600))
        it.home.restorePower()
        let start = it.world.now
        let again = try await it.home.start(Profiles.garage())
        let address = try await device.connected()
        try #require(address == "\(it.home.address):\(again.port)")
        let time = it.world.now - start
        try #require(time < .seconds(5), "\(time): the announcement ends the back-off of up to one minute")
        let description = try await device.database()
        try #require(description.device == pairing.device && description.category == 4)
        try #require(description.configurationNumber == 1 && description.accessories.map(\.aid) == [1])
        await device.connection.close()
      }
    }

    @Test("After a loss of power, subscriptions are renewed, and values that changed meanwhile are caught up")
    func powerCut() async throws {
      try await withPort { it in
        let (device, _) = try await it.open(try await it.home.start(Profiles.garage()))
        let target = try device.id("Target Door State")
        await device.connection.subscribe(exactly: [target])
        let present = try await device.values(isCatchUp: true)
        try #require(present == [DeviceValue(id: target, value: .integer(1))])
        it.home.losePower()
        try await it.world.sleep(for: .seconds(300))
        _ = try await device.lost()
        it.hub.setConnected(false)
        it.home.restorePower()
        let door = try await it.home.start(Profiles.garage())
        try await door.set("TargetDoorState", to: .integer(0))
        try await it.world.sleep(for: .seconds(20))
        it.hub.setConnected(true)
        _ = try await device.connected()
        let missed = try await device.values(isCatchUp: true)
        try #require(missed == [DeviceValue(id: target, value: .integer(0))])
        try await door.set("TargetDoorState", to: .integer(1))
        let event = try await device.values(isCatchUp: false)
        try #require(event == [DeviceValue(id: target, value: .integer(1))])
        await device.connection.close()
        try #require(await device.rest() == [], "the database of the second connection is the same")
      }
    }

    @Test("An accessory that moved to another port and address is found by its device ID")
    func moved() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let port = door.port
        await door.stop()
        _ = try await device.lost()
        it.home.changeAddress()
        let again = try await it.home.start(Profiles.garage(), port: port == 5000 ? 5001 : 5000)
        let address = try await device.connected()
        try #require(again.port != port && address == "\(it.home.address):\(again.port)")
        await device.connection.close()
      }
    }

    @Test("A known address is tried before the record arrives, which adds its addresses to the attempt")
    func knownAddresses() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        var pairing = try await it.pair(door)
        let address = "\(it.home.address):\(door.port)"
        let silent = it.world.addHost("silent")
        silent.losePower()
        for (known, limit) in [(address, Duration.milliseconds(10)), ("\(silent.address):1", .seconds(1))] {
          pairing.addresses = [known]
          let start = it.world.now
          let device = FollowedDevice(it.port, pairing)
          try #require(try await device.connected() == address)
          try #require(it.world.now - start < limit, "\(known): \(it.world.now - start)")
          try #require(try await device.database().category == 4, "the record is known before the database")
          await device.connection.close()
          try #require(await device.rest() == [])
          try await it.world.sleep(for: .seconds(10))
        }
      }
    }

    @Test(
      "A known database is read after all connections are made, at most 2 s later; a new one is read at once",
      arguments: [false, true])
    func knownDatabase(isNew: Bool) async throws {
      try await withPort { it in
        let lamp = try await it.home.start(Profiles.lamp("Lamp"))
        let (first, pairing) = try await it.open(lamp)
        let on = try first.id("On")
        await first.connection.close()
        let other = try await it.openSilent(like: pairing)
        let device = FollowedDevice(it.port, pairing, isNew: isNew)
        _ = try await device.connected()
        let start = it.world.now
        await device.connection.subscribe(exactly: [on])
        if !isNew {
          try #require(try await device.values(isCatchUp: true).map(\.id) == [on])
          try #require(device.description == nil && it.world.now - start < .milliseconds(100))
        }
        _ = try await device.database()
        let time = it.world.now - start
        try #require(isNew ? time < .milliseconds(100) : time >= .seconds(2) && time < .milliseconds(2100), "\(time)")
        await other.close()
        await device.connection.close()
      }
    }

    @Test("With a known database, a characteristic that was removed meanwhile does not prevent the other events")
    func staleDatabase() async throws {
      try await withPort { it in
        let lamp = try await it.home.start(Profiles.lamp("Lamp"))
        let (first, pairing) = try await it.open(lamp)
        let on = try first.id("On")
        await first.connection.close()
        let device = FollowedDevice(it.port, pairing, isNew: false)
        _ = try await device.connected()
        await device.connection.subscribe(exactly: [on, AttributeID(aid: 1, iid: 9999)])
        _ = try await device.database()
        try await lamp.set("On", to: .bool(true))
        while try await device.values(isCatchUp: false) != [DeviceValue(id: on, value: .bool(true))] {}
        it.home.losePower()
        try await it.world.sleep(for: .seconds(60))
        it.home.restorePower()
        lamp.forgetEvents()
        let again = try await it.home.start(Profiles.lamp("Lamp"))
        _ = try await device.connected()
        try await again.expect(.subscribed, of: "On")
        await device.connection.close()
      }
    }

    @Test("A risen c# gives the new database once")
    func configurationNumber() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let target = try device.id("Target Door State")
        await device.connection.subscribe(exactly: [target])
        _ = try await device.values(isCatchUp: true)
        let number = try await door.replace(
          by: Profiles.garage(extra: #", { "type": "Switch", "name": "Lamp" }"#))
        let description = try await device.database()
        try #require(description.configurationNumber == UInt32(number) && number > 1)
        try #require(description.accessories[0].services.contains { $0.type == 0x49 })
        try await it.world.sleep(for: .seconds(600))
        // The subscription is still there.
        try await door.set("TargetDoorState", to: .integer(0))
        _ = try await device.values(isCatchUp: false)
        await device.connection.close()
        try #require(await device.rest() == [])
      }
    }

    @Test("A bridge answers -70402 for an accessory that it can't reach, and the tracker reports only this accessory")
    func offlineBehindBridge() async throws {
      try await withPort { it in
        let bridge = try await it.home.start(Profiles.bridge)
        let (device, pairing) = try await it.open(bridge)
        try #require(device.description?.accessories.map(\.aid) == [1, 2, 3] && device.description?.category == 2)
        let ids = [try device.id("On", aid: 2), try device.id("On", aid: 3)]
        var tracker = ReachabilityTracker()
        tracker.setAccessories([1, 2, 3], of: pairing.device, at: it.world.now)
        tracker.connected(pairing.device, at: it.world.now)
        try await bridge.setReachable(false, accessory: "Desk")
        for status in [-70402, 0] {
          let values = try await device.connection.read(ids)
          try #require(values.map(\.status) == [status, 0])
          try #require(values[1].value == .bool(false))
          for value in values {
            tracker.answered(.init(pairing.device, aid: value.id.aid), status: value.status, at: it.world.now)
          }
          let member = ReachabilityTracker.Member(pairing.device, aid: 2)
          try #require(tracker.isReachable(member) == (status == 0))
          try #require(tracker.isReachable(.init(pairing.device, aid: 3)))
          try await bridge.setReachable(true, accessory: "Desk")
        }
        let entries = ids.map { ScenePut.Entry.make($0, .bool(true)) }
        let write = await device.connection.write(entries, [:], isTimed: false)
        try #require(write == .done)
        try await device.connection.identify(aid: 3)
        try await bridge.expect(.identified)
        await device.connection.close()
      }
    }

    @Test("A subscription that is refused, or that does not exist, is a value with its status, and the others work")
    func refusedSubscriptions() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let (target, identify) = (try device.id("Target Door State"), try device.id("Identify"))
        let unknown = AttributeID(aid: 1, iid: 9999)
        await device.connection.subscribe(exactly: [target, identify, unknown])
        var statuses: [AttributeID: Int] = [:]
        var present: [DeviceValue] = []
        while statuses.count < 2 || present.isEmpty {
          _ = try await device.next { news -> Bool? in
            guard case .values(let values, let isCatchUp) = news else { return nil }
            if isCatchUp { present += values } else { for value in values { statuses[value.id] = value.status } }
            return true
          }
        }
        try #require(statuses == [identify: -70406, unknown: -70409] && present.map(\.id) == [target])
        // Other wishes: the first subscription ends.
        let current = try device.id("Current Door State")
        await device.connection.subscribe(exactly: [current])
        _ = try await device.values(isCatchUp: true)
        try await door.expect(.unsubscribed, of: "TargetDoorState")
        await device.connection.subscribe(exactly: [])
        try await door.expect(.unsubscribed, of: "CurrentDoorState")
        await device.connection.close()
      }
    }

    @Test("After close, the accessory's connection ends, there are no news, and requests fail with 4")
    func closed() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let target = try device.id("Target Door State")
        await device.connection.subscribe(exactly: [target])
        _ = try await device.values(isCatchUp: true)
        door.forgetEvents()
        await device.connection.close()
        await device.connection.close()
        try await door.expect(.disconnected)
        try await door.set("TargetDoorState", to: .integer(0))
        let error = await homeError { () async throws(HomeError) in _ = try await device.connection.read([target]) }
        try #require(error?.code == .accessoryNotReachable && error?.message.contains("closed") == true)
        let entry = try device.entry("Target Door State", .integer(0))
        try #require(await device.connection.write([entry], [:], isTimed: false) == .notSent)
        try await it.world.sleep(for: .seconds(120))
        try #require(await device.rest() == [])
      }
    }

    @Test("A connection that is closed at once, or while it waits, makes no connection")
    func closedEarly() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let pairing = try await it.pair(door)
        door.forgetEvents()
        for time in [0, 1, 50, 300] {
          let device = FollowedDevice(it.port, pairing)
          if time > 0 { try await it.world.sleep(for: .milliseconds(time)) }
          await device.connection.close()
          try #require(await device.rest().allSatisfy { $0 != "lost" })
        }
        try await it.world.sleep(for: .seconds(60))
        try #require(it.port.gate.openCount == 0 && it.port.gate.waitingCount == 0)
        // The port still works.
        let device = FollowedDevice(it.port, pairing)
        _ = try await device.connected()
        await device.connection.close()
      }
    }

    @Test("An accessory that was reset, and one that removed the pairing, are given up", arguments: [true, false])
    func reset(_ isFactoryReset: Bool) async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, pairing) = try await it.open(door)
        if isFactoryReset { try await door.restart(.factoryReset) } else { try await door.unpair() }
        let why = try await device.gaveUp()
        try #require(why.contains("remove the accessory, and add it again"))
        door.forgetEvents()
        try await it.world.sleep(for: .seconds(600))
        try #require(door.history.allSatisfy { $0.kind != .connected })
        let error = await homeError { () async throws(HomeError) in _ = try await device.connection.read([]) }
        try #require(error?.code == .accessoryNotReachable && error?.message.contains("reset") == true)
        await device.connection.close()
        try #require(await device.rest() == [])
        // It is paired again, under its present ID.
        let again = try await it.pair(door)
        try #require((again.device != pairing.device) == isFactoryReset)
      }
    }

    @Test("Another unpaired accessory at the address of a device is not the device, and the device is not given up")
    func stranger() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage(), port: 5000)
        let (device, _) = try await it.open(door)
        await door.stop()
        let stranger = try await it.home.start(Profiles.lamp("Stranger"), port: 5000)
        for _ in 0..<5 {
          let why = try await device.lost()
          if why.contains("another accessory") { break }
        }
        await stranger.stop()
        _ = try await it.home.start(Profiles.garage(), port: 5000)
        _ = try await device.connected()
        await device.connection.close()
      }
    }
  }
#endif
