#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub

  /// The news of devices: connections, databases, values, violations.
  @Suite("Devices of a hub") struct DeviceTests {
    private func reachability(_ app: TestApp) -> [Bool] {
      app.events.compactMap {
        if case .reachability(_, let isReachable, _) = $0 { isReachable } else { nil }
      }
    }

    @Test("[M13] A lost accessory is reported once as not reachable and once as reachable")
    func lostAndFound() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (lamp, on) = (try app.accessory("Lamp").id, try app.id("Lamp", .on))
        try await app.ask(.subscribe([on]))
        bench.devices[0].lose()
        await bench.settle(.seconds(1))
        #expect(app.events.last == .reachability(lamp, isReachable: false, why: "no answer"))
        #expect(app.link.replica.snapshot?.unreachable == [lamp: "no answer"])
        bench.devices[0].send(.lost(why: "still no answer"))
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        bench.devices[0].send(.values([DeviceValue(id: Script.on, value: .bool(true))], isCatchUp: true))
        await bench.settle(.seconds(1))
        #expect(reachability(app) == [false, true])
        let value = CharacteristicReading(on, value: .bool(true))
        #expect(app.events.contains(.values([value], isCatchUp: true)))
        // A short loss is not reported.
        bench.devices[0].lose()
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        await bench.settle(.seconds(1))
        #expect(reachability(app) == [false, true])
      }
    }

    @Test("[M14] If a bridge can't reach an accessory, only this accessory is not reachable; it is queried again")
    func bridgedAccessory() async throws {
      let bridge = ScriptedDevice(
        Script.id(1),
        [Script.bridge("Bridge"), Script.lamp("Desk", aid: 2), Script.lamp("Floor", aid: 3)], category: 2)
      try await withHub([bridge]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let bridge = bench.devices[0]
        let (desk, floor) = (try app.id("Desk", .on), try app.id("Floor", .on))
        for iid: UInt64 in [11, 12] { bridge.statuses[AttributeID(aid: 2, iid: iid)] = -70402 }
        try await app.ask(.read([desk, floor]))
        await bench.settle(.seconds(1))
        let lost = HubEvent.reachability(
          try app.accessory("Desk").id, isReachable: false, why: "the bridge can't reach the accessory")
        #expect(app.events == [lost])
        guard
          case .executed(let result) = try await app.ask(
            .write(home: app.home.id, [HomeAction(desk, .bool(true)), HomeAction(floor, .bool(true))]))
        else { return }
        #expect(result.actions.map(\.outcome) == [.notSent, .done])
        #expect(result.actions[0].error?.code == .bridgedAccessoryNotReachable && bridge.puts.count == 1)
        // The bridge knows the name of an accessory that it can't reach.
        try await app.ask(.read([try app.id("Desk", .firmware)]))
        await bench.settle(.seconds(1))
        #expect(reachability(app) == [false])
        bridge.statuses = [:]
        await bench.settle(.seconds(70))
        #expect(reachability(app) == [false, true])
      }
    }

    @Test("[M14] A bridged accessory that executes a write can be reached again")
    func bridgedAccessoryWrites() async throws {
      let bridge = ScriptedDevice(Script.id(1), [Script.bridge("Bridge"), Script.lamp("Desk", aid: 2)], category: 2)
      try await withHub([bridge]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (bridge, desk) = (bench.devices[0], try app.id("Desk", .on))
        let write = HubRequest.write(home: app.home.id, [HomeAction(desk, .bool(true))])
        bridge.latency = .seconds(1)
        bench.loop.startTask { await app.refusal(of: write) }
        await bench.settle(.milliseconds(500))
        // The write is on its way when the accessory gets lost.
        bridge.send(
          .values([DeviceValue(id: AttributeID(aid: 2, iid: 11), value: nil, status: -70402)], isCatchUp: false))
        await bench.settle(.milliseconds(100))
        #expect(await bench.hub.isUnreachableBehindBridge(try app.accessory("Desk").id))
        await bench.settle(.seconds(1))
        #expect(await !bench.hub.isUnreachableBehindBridge(try app.accessory("Desk").id))
      }
    }

    @Test("[M15] A new database adds and removes bridged accessories, and drops references to removed ones")
    func databaseChanged() async throws {
      let bridge = ScriptedDevice(
        Script.id(1), [Script.bridge("Bridge"), Script.lamp("Desk", aid: 2)], category: 2)
      try await withHub([bridge]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        try await app.addSet("Light", [HomeAction(try app.id("Desk", .on), .bool(true))])
        let desk = try app.accessory("Desk").id
        app.forget()
        let bridge = bench.devices[0]
        bridge.replace([Script.bridge("Bridge"), Script.lamp("Floor", aid: 3)])
        await bench.settle(.seconds(1))
        #expect(app.home.accessories.map(\.name.text) == ["Bridge", "Floor"])
        #expect(app.home.actionSets.first { $0.name.text == "Light" }?.actions == [])
        let removal = app.changes.firstIndex(of: .accessoryRemoved(desk))
        let actions = app.changes.firstIndex { if case .actionsChanged = $0 { true } else { false } }
        let (first, second) = (try #require(actions), try #require(removal))
        #expect(first < second)
        #expect(reachability(app) == [true])
        guard case .values(let values) = try await app.ask(.read([try app.id("Floor", .on)])) else { return }
        #expect(values[0].error == nil)
      }
    }

    @Test("A changed firmware text is reported")
    func firmware() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        bench.devices[0].replace([Script.lamp("Lamp", firmware: "2.0")])
        await bench.settle()
        #expect(app.changes.contains(.firmwareUpdated(try app.accessory("Lamp").id, "2.0")))
      }
    }

    @Test("[M17] An accessory that was reset stays not reachable, says what to do, and can be removed and added")
    func reset() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let lamp = try app.accessory("Lamp").id
        bench.devices[0].lose()
        await bench.settle(.seconds(1))
        bench.devices[0].send(.gaveUp(why: "authentication failed"))
        // The reason of the end stays, also if a loss is reported late.
        bench.devices[0].send(.lost(why: "the connection was reset"))
        await bench.settle(.seconds(1))
        let why = try #require(app.link.replica.snapshot?.unreachable[lamp])
        #expect(why.contains("was reset: remove and add it"))
        guard case .values(let values) = try await app.ask(.read([try app.id("Lamp", .on)])) else { return }
        #expect(values[0].error?.code == .accessoryNotReachable && values[0].error?.message == why)
        try await app.ask(.remove(lamp, forgets: false))
        #expect(app.home.accessories.isEmpty)
        bench.devices[0].isOn = true
        try await app.ask(
          .add(AccessoryAddition(home: app.home.id, device: Script.id(1), code: ScriptedPort.code)))
        #expect(app.home.accessories.map(\.name.text) == ["Lamp"])
      }
    }

    @Test("Three violations within ten minutes block a device until it is unblocked")
    func blocking() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (lamp, on) = (try app.accessory("Lamp").id, try app.id("Lamp", .on))
        for _ in 0..<2 { bench.devices[0].send(.violation("unreadable JSON")) }
        await bench.settle(.seconds(700))
        for _ in 0..<2 { bench.devices[0].send(.violation("unreadable JSON")) }
        await bench.settle()
        #expect(app.changes.isEmpty)
        // The block can't be stored, so later violations count from zero.
        bench.disk.fail(.write, isLasting: true, code: 13)  // SQLITE_FULL
        bench.devices[0].send(.violation("unreadable JSON"))
        await bench.settle()
        bench.disk.clearFaults()
        for _ in 0..<2 { bench.devices[0].send(.violation("unreadable JSON")) }
        await bench.settle()
        #expect(app.changes.isEmpty)
        bench.devices[0].send(.violation("unreadable JSON"))
        await bench.settle()
        #expect(app.changes == [.accessoryBlocked(lamp)])
        guard case .values(let values) = try await app.ask(.read([on])) else { return }
        #expect(values[0].error?.code == .accessoryIsBlocked)
        #expect(await app.refusal(of: .identify(lamp))?.code == .accessoryIsBlocked)
        let write = HubRequest.write(home: app.home.id, [HomeAction(on, .bool(true))])
        guard case .executed(let refused) = try await app.ask(write) else { return }
        #expect(refused.actions[0].error?.code == .accessoryIsBlocked && bench.devices[0].puts.isEmpty)
        try await app.perform(.unblockAccessory(lamp))
        guard case .executed(let done) = try await app.ask(write) else { return }
        #expect(done.error == nil)
        try await app.ask(.identify(lamp))
        #expect(bench.devices[0].identified == [1])
        app.forget()
        for _ in 0..<3 { bench.devices[0].send(.violation("unreadable JSON")) }
        await bench.settle()
        #expect(app.changes == [.accessoryBlocked(lamp)])
      }
    }

    @Test("New accessories are reported to apps that search, and leave the list when they are paired or gone")
    func searching() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let (app, other) = (try await bench.attach("a"), try await bench.attach("b"))
        try await app.setUp(bench)
        func seen(_ number: UInt8, isPaired: Bool = false) -> SeenDevice {
          SeenDevice(
            device: Script.id(number), name: "New \(number)", model: "M", category: 5, isPaired: isPaired,
            setupHash: nil, configurationNumber: 1, addresses: [])
        }
        other.forget()
        guard case .found(let none) = try await app.ask(.search) else { return }
        for device in [seen(1), seen(2), seen(3), seen(4, isPaired: true)] { await bench.port.report(.seen(device)) }
        await bench.settle()
        let found = app.events.compactMap { if case .found(let new) = $0 { new.device } else { nil } }
        #expect(none.isEmpty && found == [Script.id(2), Script.id(3)] && other.events.isEmpty)
        await bench.port.report(.seen(seen(2, isPaired: true)))
        await bench.port.report(.gone(Script.id(3)))
        await bench.settle(.seconds(5))
        let gone = app.events.compactMap { if case .gone(let device) = $0 { device } else { nil } }
        #expect(gone == [Script.id(2), Script.id(3)])
        // The lamp leaves the home, and has no pairing.
        app.forget()
        try await app.perform(.removeAccessory(try app.accessory("Lamp").id))
        await bench.port.report(.seen(seen(1)))
        await bench.settle()
        let add = AccessoryAddition(home: app.home.id, device: Script.id(1), code: ScriptedPort.code)
        try await app.ask(.add(add))
        await bench.settle()
        let last = app.events.compactMap { event -> String? in
          switch event {
          case .found(let new): "found \(new.device)"
          case .gone(let device): "gone \(device)"
          default: nil
          }
        }
        #expect(last == ["found \(Script.id(1))", "gone \(Script.id(1))"])
        try await app.ask(.identifyNew(Script.id(1)))
        try await app.ask(.endSearch)
      }
    }

    @Test("The status lists devices with their reasons, and apps with their subscriptions")
    func status() async throws {
      try await withHub([Script.lampDevice(1, "Lamp"), Script.lampDevice(2, "Lost")]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        try await app.ask(.subscribe([try app.id("Lamp", .on)]))
        bench.devices[1].lose()
        await bench.settle()
        guard case .status(let status) = try await app.ask(.status) else { return }
        #expect(status.version == "1" && status.devices.map(\.isReachable) == [true, false])
        #expect(status.devices.map(\.why) == [nil, "no answer"] && status.devices.map(\.subscriptions) == [1, 0])
        #expect(status.devices[0].address == "192.0.2.1:1")
        #expect(status.apps == [HubStatus.App(name: "a", processID: nil, subscriptions: 1, gaps: 0)])
        #expect(status.problems.isEmpty)
      }
    }
  }
#endif
