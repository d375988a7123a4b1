#if os(Linux)
  import HAPAlmanac
  import HAPHome
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub
  @testable import HAPSimulator

  /// The demonstration of WWDC15 "What's New in HomeKit", with accessories of hapsim.
  @Suite("The demonstration of 2015") struct DemonstrationTests {
    /// "hi house": Stereo Light green, Kitchen Light blue, both on.
    private func actions(_ app: TestApp) throws -> [HomeAction] {
      func colour(_ light: String, hue: Double) throws -> [HomeAction] {
        [
          HomeAction(try app.id(light, .on), .bool(true)), HomeAction(try app.id(light, .hue), .float(hue)),
          HomeAction(try app.id(light, .saturation), .float(100)),
        ]
      }
      return try colour("Stereo Light", hue: 120) + colour("Kitchen Light", hue: 240)
    }

    private func addTrigger(_ app: TestApp) async throws {
      let lock = HomeEvent.characteristic(try app.id("Front Door Lock", .lockCurrent), equals: .integer(0))
      let condition = Condition.all([
        .time(.before(try DateParts(hour: 18, minute: 0))),
        .characteristic(try app.id("Motion Sensor", .motion), .equal, .bool(true)),
      ])
      try await app.addTrigger(
        "arrived home", .event(EventTrigger(events: [lock], condition: condition)), runs: "hi house")
    }

    @Test("An unlocked door before 18:00 with motion switches the lights on; otherwise the explanation says why not")
    func arriveHome() async throws {
      try await withSimulatedHub { hub in
        let lock = try await hub.house.start(Profiles.lock)
        let sensor = try await hub.house.start(Profiles.motion)
        let bridge = try await hub.house.start(Profiles.bridge("Stereo Light", "Kitchen Light"))
        let app = try await hub.home([lock, sensor, bridge])
        try await app.addSet("hi house", try actions(app))
        try await addTrigger(app)
        try await hub.wait()
        func unlock() async throws {
          for value in [1, 0] as [Int128] {
            try await lock.set("LockCurrentState", to: .integer(value))
            try await hub.wait()
          }
        }
        // Without motion: nothing.
        try await unlock()
        let first = try #require(try await app.explanations("arrived home").last)
        try #require(first.outcome == "condition-false" && bridge.writes.isEmpty)
        try #require(first.text.contains("false: Motion Sensor/Motion Detected is true (it is false)"))
        try #require(first.text.contains("true: before 18:00"))
        // With motion: the lights are on, in their colours, after one request to the bridge.
        try await sensor.set("MotionDetected", to: .bool(true))
        try await unlock()
        try #require(try await app.explanations("arrived home").last?.outcome == "executed")
        try #require(bridge.writes == [6])
        for (light, hue) in [("Stereo Light", 120.0), ("Kitchen Light", 240.0)] {
          try #require(try await bridge.value(of: CharacteristicName("On", accessory: light)) == .bool(true))
          try #require(try await bridge.value(of: CharacteristicName("Hue", accessory: light)) == .float(hue))
        }
        // At 18:00: nothing.
        try await hub.wait(.seconds(18 * 3600) - hub.world.now)
        try await unlock()
        let last = try #require(try await app.explanations("arrived home").last)
        try #require(last.outcome == "condition-false" && bridge.writes == [6])
        try #require(last.text.contains("false: before 18:00"))
      }
    }

    @Test("A hub that was killed continues with the same home, connections and automations")
    func restart() async throws {
      try await withSimulatedHub { hub in
        let lock = try await hub.house.start(Profiles.lock)
        let sensor = try await hub.house.start(Profiles.motion)
        let bridge = try await hub.house.start(Profiles.bridge("Stereo Light", "Kitchen Light"))
        let app = try await hub.home([lock, sensor, bridge])
        try await app.addSet("hi house", try actions(app))
        try await addTrigger(app)
        try await hub.wait()
        let before = app.model
        hub.kill()
        try await hub.wait(.seconds(60))
        try await hub.start()
        try await hub.wait(.seconds(20))
        try await sensor.set("MotionDetected", to: .bool(true))
        try await lock.set("LockCurrentState", to: .integer(0))
        try await hub.wait()
        let again = TestApp("a", try await hub.hub.attach(app: "a"))
        try #require(bridge.writes == [6] && again.link.replica.snapshot?.unreachable == [:])
        try #require(again.home.accessories == before.homes[0].accessories)
        try #require(try again.trigger("arrived home").lastFire != nil)
      }
    }
  }
#endif
