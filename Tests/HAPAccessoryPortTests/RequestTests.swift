#if os(Linux)
  import HAPController
  import HAPHome
  @testable import HAPHomeEngine
  import HAPModel
  import HAPTestSupport
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// Requests of a hub to accessories of hapsim, in simulated worlds.
  @Suite("Requests to devices") struct RequestTests {
    @Test("A write of several characteristics has a status for each one that is refused")
    func statuses() async throws {
      try await withPort { it in
        let (device, _) = try await it.open(try await it.home.start(Profiles.garage()))
        let entries = [
          try device.entry("Target Door State", .integer(0)), try device.entry("Current Door State", .integer(0)),
        ]
        let answer = await device.connection.write(entries, [:], isTimed: false)
        try #require(answer == .statuses([.init(entries[0].id, 0), .init(entries[1].id, -70404)]))
        let wrong = await device.connection.write(
          [try device.entry("Target Door State", .integer(7))], [:], isTimed: false)
        try #require(wrong == .statuses([.init(entries[0].id, -70410)]))
        await device.connection.close()
      }
    }

    @Test("A characteristic with tw is written only by a timed write")
    func timed() async throws {
      let profile = ProfileSource.json(
        """
        { "format": "hasaccessory/1", "name": "Lock", "category": "door-lock", "setupCode": "031-45-154",
          "services": [ { "type": "Switch", "name": "Lock", "characteristics": [
            { "type": "On", "perms": ["pr", "pw", "ev", "tw"] } ] } ] }
        """)
      try await withPort { it in
        let lock = try await it.home.start(profile)
        let (device, _) = try await it.open(lock)
        let entry = try device.entry("On", .bool(true))
        try #require(
          await device.connection.write([entry], [:], isTimed: false) == .statuses([.init(entry.id, -70410)]))
        try #require(await device.connection.write([entry], [:], isTimed: true) == .done)
        try #require(try await lock.value(of: "On") == .bool(true))
        await device.connection.close()
      }
    }

    @Test("A write without an answer is given up by drop, is unknown, is not repeated, and a new connection is made")
    func drop() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let entry = try device.entry("Target Door State", .integer(0))
        try await door.switchOn(fault: "drop-message:message=write")
        door.forgetEvents()
        let start = it.world.now
        let write = it.world.startTask { await device.connection.write([entry], [:], isTimed: false) }
        try await it.world.sleep(for: .seconds(10))
        await device.connection.drop()
        try #require(try await write.value == .connectionLost)
        try #require(it.world.now - start < .milliseconds(10_100))
        _ = try await device.lost()
        try await door.switchOff(fault: "drop-message")
        _ = try await device.connected()
        try await it.world.sleep(for: .seconds(60))
        try #require(door.history.count { $0.kind == .wrote } == 1)
        let values = try await device.connection.read([entry.id])
        try #require(values.first?.value == .integer(0))
        await device.connection.close()
      }
    }

    @Test("Without a drop, a write has no answer after 15 s, and a read after 10 s")
    func overdue() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let entry = try device.entry("Target Door State", .integer(0))
        try await door.switchOn(fault: "drop-message:message=write")
        var start = it.world.now
        try #require(await device.connection.write([entry], [:], isTimed: false) == .connectionLost)
        try #require((.seconds(15)..<(.milliseconds(15_100))).contains(it.world.now - start))
        try await door.switchOff(fault: "drop-message")
        try await door.switchOn(fault: "drop-message:message=read")
        _ = try await device.connected()
        start = it.world.now
        let error = await homeError { () async throws(HomeError) in _ = try await device.connection.read([entry.id]) }
        try #require(error?.code == .operationTimedOut)
        try #require((.seconds(10)..<(.milliseconds(10_100))).contains(it.world.now - start))
        await device.connection.close()
      }
    }

    @Test("A write that waits for an earlier answer when the connection is lost is never sent")
    func waitingWrite() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let entry = try device.entry("Target Door State", .integer(0))
        try await door.switchOn(fault: "drop-message:message=read")
        let read = it.world.startTask {
          await homeError { () async throws(HomeError) in _ = try await device.connection.read([entry.id]) }
        }
        try await it.world.sleep(for: .seconds(1))
        let write = it.world.startTask { await device.connection.write([entry], [:], isTimed: false) }
        try await it.world.sleep(for: .seconds(1))
        await device.connection.drop()
        try #require(try await write.value == .notSent)
        try #require(try await read.value?.code == .operationTimedOut)
        try await door.switchOff(fault: "drop-message")
        _ = try await device.connected()
        try await it.world.sleep(for: .seconds(60))
        try #require(door.history.allSatisfy { $0.kind != .wrote })
        await device.connection.close()
      }
    }

    @Test("Without a connection, a write fails at once, and a read after 2 s unless a connection is made")
    func noConnection() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let entry = try device.entry("Target Door State", .integer(0))
        await door.stop()
        _ = try await device.lost()
        var start = it.world.now
        try #require(await device.connection.write([entry], [:], isTimed: true) == .notSent)
        try #require(it.world.now == start)
        for isRead in [true, false] {
          start = it.world.now
          let error = await homeError { () async throws(HomeError) in
            if isRead { _ = try await device.connection.read([entry.id]) }
            try await device.connection.identify(aid: 1)
          }
          try #require(error?.code == .accessoryNotReachable && it.world.now - start == .seconds(2))
        }
        let read = it.world.startTask { try await device.connection.read([entry.id]) }
        _ = try await it.home.start(Profiles.garage(), port: door.port)
        try #require(try await read.value.first?.value == .integer(1))
        await device.connection.close()
      }
    }

    @Test("Controllers are added and removed; after its own removal, the connection is closed")
    func controllers() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let guest = Pairing(identifier: Array("guest".utf8), publicKey: Array(repeating: 9, count: 32), isAdmin: false)
        try await device.connection.addController(guest)
        try #require(try await door.pairings.contains(guest))
        try await device.connection.removeController(guest.identifier)
        try #require(try await door.pairings.map(\.name) == ["hub"])
        try await device.connection.removeController(Array("hub".utf8))
        try #require(try await door.pairings.isEmpty)
        door.forgetEvents()
        try await it.world.sleep(for: .seconds(120))
        try #require(door.history.allSatisfy { $0.kind != .connected })
        try #require(await device.rest().contains("gave up") == false)
      }
    }

    @Test("A controller that is no admin may not change pairings: 17")
    func notAdmin() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (owner, pairing) = try await it.open(door)
        let guest = try #require(ControllerIdentity(identifier: "guest", seed: Array(repeating: 8, count: 32)))
        try await owner.connection.addController(
          Pairing(identifier: Array("guest".utf8), publicKey: guest.publicKey, isAdmin: false))
        var guests = pairing
        guests.identity = guest
        let device = FollowedDevice(it.port, guests)
        _ = try await device.connected()
        let error = await homeError { () async throws(HomeError) in
          try await device.connection.removeController(Array("hub".utf8))
        }
        try #require(error?.code == .insufficientPrivileges)
        await device.connection.close()
        await owner.connection.close()
      }
    }
  }

  extension ScenePut.Entry {
    /// An entry for a characteristic whose place in a home does not matter.
    static func make(_ id: AttributeID, _ value: Value) -> Self {
      var generator = SeededGenerator(seed: id.aid)
      return Self(id: id, characteristic: .random(using: &generator).part(iid: id.iid), value: value)
    }
  }
#endif
