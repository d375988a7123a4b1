#if os(Linux)
  import HAPLoop
  import HAPModel
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// Checked: this test fails with a limit of 33, and without `attemptEnded`.
  @Suite("Many devices at once") struct ManyDevicesTests {
    @Test("100 devices are connected with at most 32 handshakes at a time, also after all of them lost their power")
    func hundred() async throws {
      try await withPort { it in
        var accessories: [RunningAccessory] = []
        var pairings: [DevicePairing] = []
        for number in 0..<100 {
          let lamp = try await it.home.start(Profiles.lamp("Lamp \(number)"))
          accessories.append(lamp)
          pairings.append(try await it.pair(lamp))
        }
        try await Self.slowDown(accessories)
        let devices = pairings.map { FollowedDevice(it.port, $0) }
        for round in 0..<2 {
          let isDone = Guarded(false)
          let most = it.world.startTask {
            var most = 0
            while !isDone.withLock({ $0 }) {
              most = max(most, it.port.gate.openCount)
              try await it.world.sleep(for: .milliseconds(20))
            }
            return most
          }
          for device in devices { _ = try await device.connected() }
          isDone.withLock { $0 = true }
          try #require(try await most.value == 32, "round \(round)")
          try #require((16...32).contains(Self.mostUnverified(accessories)))
          guard round == 0 else { break }
          it.home.losePower()
          try await it.world.sleep(for: .seconds(300))
          it.hub.setConnected(false)
          it.home.restorePower()
          for number in accessories.indices {
            accessories[number] = try await it.home.start(Profiles.lamp("Lamp \(number)"))
          }
          try await Self.slowDown(accessories)
          it.hub.setConnected(true)
        }
        for device in devices { await device.connection.close() }
      }
    }

    @Test("Those who wait for quiet continue when no attempt is open or waits, or after their limit")
    func quiet() async throws {
      try await withSimulatedWorld(seed: 1) { world in
        let loop = try world.addHost("hub").runningAppLoop()
        let gate = HandshakeGate(limit: 1)
        let start = world.now
        await gate.waitUntilQuiet(atMost: .seconds(2), on: loop)
        try #require(world.now == start, "it is quiet")
        try #require(await gate.enter(1, isPresent: true))
        let second = loop.startTask { await gate.enter(2, isPresent: true) }
        let quiet = loop.startTask { await gate.waitUntilQuiet(atMost: .seconds(2), on: loop) }
        try await world.sleep(for: .seconds(1))
        gate.leave(1)
        try #require(await second.value)
        try await world.sleep(for: .milliseconds(500))
        gate.leave(2)
        await quiet.value
        try #require(world.now - start == .milliseconds(1500), "the end of the last attempt")
        try #require(await gate.enter(3, isPresent: true))
        // The time limit of the first wait ends this one early.
        await gate.waitUntilQuiet(atMost: .seconds(2), on: loop)
        try #require(world.now - start == .seconds(2))
        gate.leave(3)
        try await world.sleep(for: .seconds(5))
        try #require(await gate.enter(4, isPresent: true))
        await gate.waitUntilQuiet(atMost: .seconds(2), on: loop)
        try #require(world.now - start == .seconds(9))
      }
    }

    private static func slowDown(_ accessories: [RunningAccessory]) async throws {
      for lamp in accessories {
        try await lamp.switchOn(fault: "latency:by=100ms")
        lamp.forgetEvents()
      }
    }

    /// The greatest number of connections that were accepted and not verified at one time.
    private static func mostUnverified(_ accessories: [RunningAccessory]) -> Int {
      let steps = accessories.flatMap(\.history).compactMap { event -> (time: Duration, change: Int)? in
        switch event.kind {
        case .connected: (event.uptime, 1)
        case .verified: (event.uptime, -1)
        default: nil
        }
      }
      var (open, most) = (0, 0)
      // At the same time, a connection that ends comes first.
      for step in steps.sorted(by: { $0.time != $1.time ? $0.time < $1.time : $0.change < $1.change }) {
        open += step.change
        most = max(most, open)
      }
      return most
    }
  }
#endif
