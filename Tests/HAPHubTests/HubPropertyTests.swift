#if os(Linux)
  import HAPAlmanac
  import HAPHome
  import HAPHubLink
  import HAPModel
  import HAPWorld
  import Testing

  @testable import HAPHub

  /// Random commands, events and faults of three apps and two devices.
  @Suite("Properties of a hub") struct HubPropertyTests {
    /// What happened in a run, for the check that the runs contain enough.
    private struct Counts {
      var accepted = 0
      var refused = 0
      var executions = 0
    }

    @Test(
      "All apps have the hub's model, and a killed hub has all acknowledged changes",
      arguments: 1...30 as ClosedRange<UInt64>)
    func randomRuns(_ seed: UInt64) async throws {
      let devices = [ScriptedDevice(Script.id(1), [Script.lock("Lock")]), Script.lampDevice(2, "Lamp")]
      try await withHub(devices, seed: seed) { bench in
        var random = WorldRandom(seed: seed).fork("test")
        var counts = Counts()
        var apps = [try await bench.attach("a")]
        try await prepare(bench, apps[0])
        for _ in 0..<3 {
          for name in ["b", "c"] { apps.append(try await bench.attach(name)) }
          try await run(bench, apps, &random, &counts)
          bench.disk.clearFaults()
          // This also stores what could not be stored before.
          try await apps[0].perform(.rename(apps[0].home.id, "Home \(random.next() % 1_000_000_000)"))
          await bench.settle(.seconds(15))
          let late = try await bench.attach("late")
          for app in apps {
            let isEqual = app.model == late.model
            try #require(isEqual, "\(app.name) differs")
          }
          let last = late.model
          bench.kill()
          await bench.settle(.seconds(Int(random.upTo(100))))
          for device in bench.devices { device.isOn = true }
          try await bench.start()
          apps = [try await bench.attach("a")]
          let isEqual = apps[0].model == last
          try #require(isEqual, "the model after the crash differs")
          await bench.settle(.seconds(1))
        }
        try #require(counts.accepted > 20 && counts.refused > 0 && counts.executions > 0)
      }
    }

    private func prepare(_ bench: HubBench, _ app: TestApp) async throws {
      try await app.setUp(bench)
      try await app.perform(.addRoom(home: app.home.id, name: "Room"))
      try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
      let event = HomeEvent.characteristic(try app.id("Lock", .lockCurrent), equals: .integer(0))
      try await app.addTrigger("arrived", .event(EventTrigger(events: [event])), runs: "Light")
      await bench.settle()
    }

    private func run(
      _ bench: HubBench, _ apps: [TestApp], _ random: inout WorldRandom, _ counts: inout Counts
    ) async throws {
      for _ in 0..<60 {
        let app = apps[Int(random.upTo(UInt64(apps.count - 1)))]
        let home = app.home
        let name = "N\(random.upTo(9))"
        let request: HubRequest?
        switch random.upTo(11) {
        case 0: request = .perform(.addRoom(home: home.id, name: name))
        case 1: request = home.rooms.last.map { .perform(.removeRoom($0.id)) }
        case 2: request = .perform(.rename(home.accessories[1].id, name))
        case 3:
          let trigger = home.triggers[0].id
          request = .perform(random.chance(0.5) ? .disableTrigger(trigger) : .enableTrigger(trigger))
        case 4: request = .execute([try app.set("Light")])
        case 5: request = .perform(.addActionSet(home: home.id, name: name))
        case 6: request = .perform(.moveAccessory(home.accessories[0].id, room: home.rooms.first?.id ?? home.id))
        case 7: request = .fire(home.triggers[0].id)
        default: request = nil
        }
        switch random.upTo(9) {
        case 0: bench.disk.fail(random.chance(0.5) ? .write : .sync, isLasting: random.chance(0.3))
        case 1: bench.disk.clearFaults()
        case 2: bench.devices[1].lose()
        case 3:
          bench.devices[1].isOn = true
          bench.devices[1].connect()
        default: for value in [1, 0] as [Int128] { bench.devices[0].event(Script.on, .integer(value)) }
        }
        guard let request else {
          await bench.settle(.milliseconds(Int(random.upTo(50))))
          continue
        }
        // The next request does not wait for one that waits for accessories.
        if case .perform = request {
          if await app.refusal(of: request) == nil { counts.accepted += 1 } else { counts.refused += 1 }
        } else {
          counts.executions += 1
          bench.loop.startTask { await app.refusal(of: request) }
        }
      }
    }
  }
#endif
