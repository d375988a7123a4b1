#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPLoop
  import HAPWorld
  import Testing

  @testable import HAPHub

  @Suite("The end of a hub") struct EndTests {
    @Test("Each request ends, whenever the hub ends or is killed", arguments: 0...20, [true, false])
    func requests(_ turns: Int, _ isKilled: Bool) async throws {
      // Afterwards, no task may keep the hub.
      try await withHub(ArrivalHome.devices() + [Script.lampDevice(9, "Other")]) { bench in
        let app = try await ArrivalHome.prepare(bench)
        let (user, set) = (app.home.users[0].id, try app.set("Light"))
        let requests: [HubRequest] = [
          .perform(.addRoom(home: app.home.id, name: "Hall")), .place(PersonState(user, .home)),
          .fire(try app.trigger("arrived").id), .execute([set]), .read([try app.id("Lamp", .on)]),
          .subscribe([try app.id("Lamp", .on)]), .adopt(Self.adoption(in: app.home.id)),
        ]
        let hub = bench.hub
        let tasks = requests.map { request in bench.loop.startTask { _ = try? await app.ask(request) } }
        for _ in 0..<turns { await Task.yield() }
        if isKilled { bench.kill() } else { await hub.stop() }
        for task in tasks { await task.value }
      }
    }

    private static func adoption(in home: HomeObjectID) -> PairingAdoption {
      PairingAdoption(
        home: home, device: Script.id(9), accessoryKey: ScriptedPort.key(of: Script.id(9)), controllerID: "c",
        controllerSeed: [UInt8](repeating: 1, count: 32), addresses: [])
    }

    @Test("Two calls end a hub once", arguments: 1...20 as ClosedRange<UInt64>) func twice(_ seed: UInt64) async throws
    {
      try await withHub(seed: seed) { bench in
        let app = try await bench.attach("a")
        let hub = bench.hub
        async let first: Void = hub.stop()
        async let second: Void = hub.stop()
        _ = await (first, second)
        await bench.settle()
        #expect(app.events == [.stopping])
      }
    }

    @Test(
      "A hub that ends, or is killed, while it reads its model keeps no connection", arguments: 0...5, [true, false])
    func starting(_ turns: Int, _ isKilled: Bool) async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        _ = try await ArrivalHome.prepare(bench)
        await bench.hub.stop()
        let ended = Guarded<Task<Void, Never>?>(nil)
        bench.devices[0].onOpen = {
          let hub = bench.hub
          let end = hub.loop.startTask {
            // After some turns, news of connections wait for the model.
            for _ in 0..<turns { await Task.yield() }
            if isKilled { bench.kill() } else { await hub.stop() }
          }
          ended.withLock { $0 = end }
        }
        let start = bench.loop.startTask { try? await bench.start() }
        while ended.withLock({ $0 == nil }) { await Task.yield() }
        await ended.withLock { $0 }?.value
        if !isKilled {
          await start.value
          #expect(bench.devices.allSatisfy { $0.openConnections.isEmpty })
          bench.kill()
        }
        bench.devices[0].onOpen = nil
        try await bench.start()
        let app = try await bench.attach("again")
        await bench.settle(.seconds(1))
        #expect(app.link.replica.snapshot?.unreachable == [:])
      }
    }

    @Test("The place of a user who is removed meanwhile is refused") func removedUser() async throws {
      try await withHub { bench in
        let app = try await bench.attach("a")
        try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        let (home, user) = (app.home.id, app.home.users[0].id)
        let removal = bench.loop.startTask { _ = try? await app.ask(.perform(.removeHome(home))) }
        while await bench.hub.load.unstored == 0 { await Task.yield() }
        let refusal = await app.refusal(of: .place(PersonState(user, .home)))
        await removal.value
        #expect(refusal == HomeError.unknown(.user, user))
        bench.kill()
        try await bench.start()
        let again = try await bench.attach("a")
        #expect(again.link.replica.snapshot?.persons == [])
      }
    }
  }
#endif
