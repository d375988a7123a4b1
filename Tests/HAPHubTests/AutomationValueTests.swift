#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub

  /// Values that the engine of a hub gets late, or not at all.
  @Suite("Values of automations") struct AutomationValueTests {
    @Test("The engine gets exactly its characteristics, and does not use values from before a loss in a condition")
    func lostValues() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let condition = Condition.characteristic(try app.id("Lamp", .on), .equal, .bool(false))
        // A trigger whose event is a value of the lamp keeps its value known.
        try await app.addSet("Dim", [HomeAction(try app.id("Lamp", .brightness), .integer(1))])
        let lit = HomeEvent.characteristic(try app.id("Lamp", .on), equals: .bool(true))
        try await app.addTrigger("lit", .event(EventTrigger(events: [lit])), runs: "Dim")
        let other = try await ArrivalHome.prepareOnly(bench, app, condition)
        bench.devices[1].lose()
        await bench.settle(.seconds(1))
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle(.seconds(10))
        #expect(try await other.explanations("arrived").last?.outcome == "condition-unknown")
      }
    }

    @Test("While a disk does not answer, a bounded number of values waits; those that are lost are read again")
    func manyValuesWhileStoring() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        let (id, reads) = (try app.id("Lock", .lockCurrent), bench.devices[0].reads.count)
        #expect(await bench.hub.passMany(of: id, in: app.home.id) == HomeHub.mostWaiting)
        await bench.settle()
        #expect(bench.devices[0].reads.dropFirst(reads).joined().contains(Script.on))
        #expect(await bench.hub.load.isIdle)
      }
    }
  }

  extension HomeHub {
    /// Passes more values than can wait while a command is held.
    /// - Returns: the number of the inputs that wait.
    fileprivate func passMany(of id: HomeObjectID, in home: HomeObjectID) -> Int {
      change(for: nil) { draft throws(HomeError) in try draft.perform(.addRoom(home: home, name: "Hall")) }
      for _ in 0..<Self.mostWaiting + 50 { pass(.integer(1), of: id, isCatchUp: false) }
      return load.inputs
    }
  }
#endif
