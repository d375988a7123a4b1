#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPStore
  import Testing

  @testable import HAPHub

  /// Accessories that are removed while they can't be reached.
  @Suite("Pending removals of a hub") struct LeavingTests {
    private static func stored(_ bench: HubBench) async throws -> HomeRows {
      await bench.hub.stop()
      let store = try HomeStore(folder: "/hub", files: bench.disk)
      defer { store.close() }
      return try store.load()
    }

    private static func addition(_ app: TestApp, _ number: UInt8, code: String = ScriptedPort.code) -> HubRequest {
      .add(AccessoryAddition(home: app.home.id, device: Script.id(number), code: code))
    }

    private static func adoption(_ app: TestApp) -> PairingAdoption {
      PairingAdoption(
        home: app.home.id, device: Script.id(1), accessoryKey: ScriptedPort.key(of: Script.id(1)),
        controllerID: "other",
        controllerSeed: Array(repeating: 3, count: 32), addresses: [], rooms: [:], names: [:])
    }

    private static func withHome(
      _ body: @escaping @Sendable (HubBench, TestApp) async throws -> Void
    ) async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let app = try await bench.attach("a")
        try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        try await body(bench, app)
      }
    }

    /// Removes the lamp while it can't be reached.
    private func forget(_ bench: HubBench, _ app: TestApp) async throws {
      try await app.ask(Self.addition(app, 1))
      bench.devices[0].lose()
      try await app.ask(.remove(try app.accessory("Lamp").id, forgets: true))
      #expect(app.home.accessories.isEmpty && bench.devices[0].removed.isEmpty)
    }

    @Test("An accessory that is forgotten because it can't be reached loses its pairing when it returns")
    func forgetting() async throws {
      for isRestarted in [false, true] {
        try await Self.withHome { bench, app in
          try await forget(bench, app)
          if isRestarted {
            bench.kill()
            try await bench.start()
          }
          #expect(await bench.hub.status.problems.map { $0.contains("loses its pairing") } == [true])
          bench.devices[0].isOn = true
          bench.devices[0].connect()
          await bench.settle(.seconds(1))
          #expect(bench.devices[0].removed.count == 1)
          #expect(await bench.hub.status.problems.isEmpty)
          let rows = try await Self.stored(bench)
          #expect(rows.pairings.isEmpty && rows.controllers.map(\.id) == [HubContents.ownIdentity])
        }
      }
    }

    @Test("An accessory that was forgotten and then reset is not tried any more")
    func forgettingReset() async throws {
      try await Self.withHome { bench, app in
        try await forget(bench, app)
        bench.devices[0].send(.gaveUp(why: "authentication failed"))
        await bench.settle(.seconds(1))
        let rows = try await Self.stored(bench)
        #expect(rows.pairings.isEmpty && rows.controllers.map(\.id) == [HubContents.ownIdentity])
        #expect(bench.devices[0].openConnections.isEmpty)
      }
    }

    @Test("An accessory that was forgotten can be added or adopted again before it has lost its pairing")
    func forgettingAndAdding() async throws {
      for isAdopted in [false, true] {
        try await Self.withHome { bench, app in
          try await forget(bench, app)
          bench.devices[0].isOn = true
          // The stored pairing is used, so the code does not matter.
          try await app.ask(isAdopted ? .adopt(Self.adoption(app)) : Self.addition(app, 1, code: "111-22-333"))
          await bench.settle(.seconds(1))
          #expect(app.home.accessories.count == 1 && bench.devices[0].removed.count == (isAdopted ? 1 : 0))
          let rows = try await Self.stored(bench)
          let row = isAdopted ? "adopted \(Script.id(1))" : HubContents.ownIdentity
          #expect(rows.pairings.map(\.controller) == [row])
          #expect(!rows.controllers.contains { $0.id.hasPrefix("leaving") })
        }
      }
    }

    @Test("If a forgotten accessory is added while it is off, the addition fails, and it loses its pairing later")
    func addingWhileOff() async throws {
      try await Self.withHome { bench, app in
        try await forget(bench, app)
        #expect(await app.refusal(of: Self.addition(app, 1))?.code == .accessoryNotReachable)
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        await bench.settle(.seconds(1))
        #expect(bench.devices[0].removed.count == 1)
        let rows = try await Self.stored(bench)
        #expect(rows.pairings.isEmpty && bench.devices[0].openConnections.isEmpty)
      }
    }

    @Test("An accessory that refuses to remove the pairing is asked again; without the permission it is not")
    func refused() async throws {
      for code in [HomeError.Code.accessoryIsBusy, .insufficientPrivileges] {
        try await Self.withHome { bench, app in
          try await forget(bench, app)
          let device = bench.devices[0]
          device.removalError = HomeError(code, nil, "refused")
          device.isOn = true
          device.connect()
          await bench.settle(.seconds(1))
          #expect(device.removed.isEmpty)
          device.removalError = nil
          await bench.settle(.seconds(61))
          #expect(device.removed.count == (code == .accessoryIsBusy ? 1 : 0))
          let rows = try await Self.stored(bench)
          #expect(rows.pairings.isEmpty && device.openConnections.isEmpty)
        }
      }
    }

    @Test("A pending removal can be dropped, also after a restart: then no hub tries it any more")
    func dropped() async throws {
      for isRestarted in [false, true] {
        try await Self.withHome { bench, first in
          var app = first
          try await forget(bench, app)
          if isRestarted {
            bench.kill()
            try await bench.start()
            app = try await bench.attach("a")
          }
          bench.disk.fail(.write, isLasting: true, code: 13)  // SQLITE_FULL
          #expect(await app.refusal(of: .drop(Script.id(1)))?.code == .unexpectedError)
          #expect(await bench.hub.status.problems.contains { $0.contains("hapctl home drop \(Script.id(1))") })
          bench.disk.clearFaults()
          try await app.ask(.drop(Script.id(1)))
          #expect(await bench.hub.status.problems.filter { $0.contains("pairing") }.isEmpty)
          await bench.settle()
          // The device keeps the connection of a hub that was killed.
          #expect(isRestarted || bench.devices[0].openConnections.isEmpty)
          #expect(await app.refusal(of: .drop(Script.id(1)))?.code == .notFound)
          bench.kill()
          try await bench.start()
          let count = bench.devices[0].openCount
          bench.devices[0].isOn = true
          bench.devices[0].connect()
          await bench.settle(.seconds(1))
          #expect(bench.devices[0].openCount == count && bench.devices[0].removed.isEmpty)
          let rows = try await Self.stored(bench)
          #expect(rows.pairings.isEmpty && rows.controllers.map(\.id) == [HubContents.ownIdentity])
        }
      }
    }

    @Test("The pairing of an addition that did not end can be dropped; that of an accessory in a home can't")
    func droppedUnused() async throws {
      try await Self.withHome { bench, app in
        bench.devices[0].isOn = false  // so that the database is not read
        bench.loop.startTask { await app.refusal(of: Self.addition(app, 1)) }
        await bench.settle(.seconds(1))
        bench.kill()
        try await bench.start()
        let again = try await bench.attach("a")
        #expect(await bench.hub.status.problems.map { $0.contains("hapctl home drop \(Script.id(1))") } == [true])
        try await again.ask(.drop(Script.id(1)))
        #expect(await bench.hub.status.problems.isEmpty)
        bench.devices[0].knowsHub = false
        bench.devices[0].isOn = true
        try await again.ask(Self.addition(again, 1))
        let error = await again.refusal(of: .drop(Script.id(1)))
        #expect(error?.code == .notFound && error?.message.contains("is in a home") == true)
        #expect(again.home.accessories.count == 1)
      }
    }

    @Test("A forgotten accessory that is adopted loses the pairing that it had with the hub")
    func adopted() async throws {
      try await Self.withHome { bench, app in
        try await forget(bench, app)
        bench.devices[0].isOn = true
        let own = bench.devices[0].pairedIdentity
        try await app.ask(.adopt(Self.adoption(app)))
        await bench.settle()
        #expect(bench.devices[0].removed == [own] && bench.devices[0].openConnections.count == 1)
      }
    }
  }
#endif
