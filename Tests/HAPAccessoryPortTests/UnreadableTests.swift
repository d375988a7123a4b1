#if os(Linux)
  import HAPDeviations
  import HAPHome
  import HAPHomeEngine
  import HAPModel
  import HAPVocabulary
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// Answers of a verified device that can't be read, in simulated worlds.
  @Suite("Unreadable answers of devices") struct UnreadableTests {
    /// Faults that the simulator does not have.
    private static let faults = FaultLibrary(
      FaultFile(
        Array(
          """
          faults:
            - name: bad-read
              what: Reads have unreadable answers.
              rules: [{ when: { answer: GET /characteristics }, body: "{\\"characteristics\\":[" }]
            - name: bad-write
              what: Writes have unreadable answers.
              rules: [{ when: { answer: PUT /characteristics }, status: 207, body: "oops" }]
            - name: bad-event
              what: Events are unreadable.
              rules: [{ when: { event: "*" }, body: "oops" }]
            - name: bad-database
              what: The database is unreadable.
              rules: [{ when: { answer: GET /accessories }, body: "oops" }]
            - name: refused-write
              what: A write is refused with a status.
              rules: [{ when: { answer: PUT /characteristics }, status: 400, body: "{\\"status\\":-70407}" }]
            - name: failed-write
              what: A write fails without a status.
              rules: [{ when: { answer: PUT /characteristics }, status: 500, body: "" }]
            - name: refused-prepare
              what: A timed write is not prepared.
              rules: [{ when: { answer: PUT /prepare }, status: 503, body: "" }]
          """.utf8), file: "test"
      ).faults)

    private static func switchFault(_ name: String, _ accessory: RunningAccessory, _ isOn: Bool = true) async throws {
      try await accessory.perform(.fault(try faults.choice(name), isOn))
    }

    @Test("A subscription that is refused ends, also if the database is unreadable")
    func refusedWithoutDatabase() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (first, pairing) = try await it.open(door)
        let target = try first.id("Target Door State")
        await first.connection.close()
        for fault in ["refused-write", "bad-database"] { try await Self.switchFault(fault, door) }
        let device = FollowedDevice(it.port, pairing, isNew: false)
        _ = try await device.connected()
        await device.connection.subscribe(exactly: [target])
        for fault in ["refused-write", "bad-database"] { try await Self.switchFault(fault, door, false) }
        try await door.expect(.subscribed, of: "TargetDoorState")
        await device.connection.close()
      }
    }

    @Test("If subscriptions are refused as a whole, a known database is read at once, and they are tried again")
    func refusedSubscriptions() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (first, pairing) = try await it.open(door)
        let target = try first.id("Target Door State")
        await first.connection.close()
        let other = try await it.openSilent(like: pairing)
        try await Self.switchFault("refused-write", door)
        let device = FollowedDevice(it.port, pairing, isNew: false)
        _ = try await device.connected()
        let start = it.world.now
        let subscription = it.world.startTask { await device.connection.subscribe(exactly: [target]) }
        _ = try await device.database()
        try #require(it.world.now - start < .milliseconds(500))
        try await Self.switchFault("refused-write", door, false)
        try await subscription.value
        try await door.expect(.subscribed, of: "TargetDoorState")
        await other.close()
        await device.connection.close()
      }
    }

    @Test(
      "An unreadable answer to a read is 50, an unreadable event is none, each is a violation, and the connection stays"
    )
    func reads() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let target = try device.id("Target Door State")
        await device.connection.subscribe(exactly: [target])
        _ = try await device.values(isCatchUp: true)
        try await Self.switchFault("bad-read", door)
        let error = await homeError { () async throws(HomeError) in _ = try await device.connection.read([target]) }
        try #require(error?.code == .accessorySentInvalidResponse)
        try await Self.switchFault("bad-event", door)
        try await door.set("TargetDoorState", to: .integer(0))
        try await it.world.sleep(for: .seconds(5))
        await device.connection.close()
        try #require(await device.rest() == ["violation", "violation"])
      }
    }

    @Test(
      "An unreadable answer to a write is unknown, and a refused request has the status of its body, if there is one")
    func writes() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let entry = try device.entry("Target Door State", .integer(0))
        for (fault, answer) in [
          ("bad-write", SceneAnswer.unreadable), ("refused-write", .refused(status: -70407)),
          ("failed-write", .refused(status: nil)),
        ] {
          try await Self.switchFault(fault, door)
          try #require(await device.connection.write([entry], [:], isTimed: false) == answer, "\(fault)")
          try await Self.switchFault(fault, door, false)
        }
        try await Self.switchFault("refused-prepare", door)
        door.forgetEvents()
        try #require(await device.connection.write([entry], [:], isTimed: true) == .refused(status: nil))
        try #require(door.history.allSatisfy { $0.kind != .wrote })
        await device.connection.close()
        try #require(await device.rest() == ["violation"])
      }
    }

    @Test("An unreadable database is a violation each time, and is read again after growing delays")
    func database() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let pairing = try await it.pair(door)
        try await Self.switchFault("bad-database", door)
        let device = FollowedDevice(it.port, pairing)
        _ = try await device.connected()
        var times: [Duration] = []
        for _ in 0..<4 {
          _ = try await device.violation()
          times.append(it.world.now)
        }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        for (pause, seconds) in zip(pauses, [1, 2, 4]) {
          try #require((.seconds(seconds)..<(.seconds(seconds) + .milliseconds(100))).contains(pause), "\(pauses)")
        }
        try await Self.switchFault("bad-database", door, false)
        _ = try await device.database()
        await device.connection.close()
      }
    }

    @Test("A subscription whose answer is unreadable is repeated until it is accepted")
    func subscription() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let (device, _) = try await it.open(door)
        let target = try device.id("Target Door State")
        try await Self.switchFault("bad-write", door)
        await device.connection.subscribe(exactly: [target])
        for _ in 0..<3 { _ = try await device.violation() }
        try await Self.switchFault("bad-write", door, false)
        _ = try await device.values(isCatchUp: true)
        try await door.set("TargetDoorState", to: .integer(0))
        _ = try await device.values(isCatchUp: false)
        await device.connection.close()
      }
    }
  }
#endif
