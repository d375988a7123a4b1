#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPStore
  import Testing

  @testable import HAPHub

  /// Accessories that are added, adopted and removed.
  @Suite("Pairings of a hub") struct PairingTests {
    private func stored(_ bench: HubBench) async throws -> HomeRows {
      await bench.hub.stop()
      let store = try HomeStore(folder: "/hub", files: bench.disk)
      defer { store.close() }
      return try store.load()
    }

    private func addition(_ app: TestApp, _ number: UInt8, code: String = ScriptedPort.code) -> HubRequest {
      .add(AccessoryAddition(home: app.home.id, device: Script.id(number), code: code))
    }

    private func withHome(
      _ devices: [ScriptedDevice] = [Script.lampDevice(1, "Lamp")],
      _ body: @escaping @Sendable (HubBench, TestApp) async throws -> Void
    ) async throws {
      try await withHub(devices) { bench in
        let app = try await bench.attach("a")
        try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        try await body(bench, app)
      }
    }

    @Test("An accessory that is added is in the home, reachable, and connected again after a restart")
    func adding() async throws {
      try await withHome { bench, app in
        let other = try await bench.attach("b")
        guard case .added(let ids, let changes) = try await app.ask(addition(app, 1)) else { return }
        await bench.settle(.seconds(1))
        #expect(ids == app.home.accessories.map(\.id) && other.model == app.model)
        #expect(other.events.contains(.changed(changes, app: "a")))
        #expect(app.link.replica.snapshot?.unreachable == [:])
        #expect(await app.refusal(of: addition(app, 1))?.code == .objectAlreadyAssociatedToHome)
        #expect(await app.refusal(of: addition(app, 9))?.code == .accessoryDiscoveryFailed)
        bench.kill()
        try await bench.start()
        let again = try await bench.attach("a")
        await bench.settle(.seconds(1))
        guard case .values(let values) = try await again.ask(.read([try again.id("Lamp", .on)])) else { return }
        #expect(values[0].value == .bool(false) && bench.devices[0].openCount == 2)
      }
    }

    @Test("Accessories that are added at the same time, first, can all be used after a restart")
    func addingAtOnce() async throws {
      let devices = (1...3).map { Script.lampDevice(UInt8($0), "Lamp \($0)") }
      try await withHome(devices) { bench, app in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in UInt8(1)...3 { group.addTask { try await app.ask(addition(app, number)) } }
          try await group.waitForAll()
        }
        let rows = try await stored(bench)
        #expect(rows.controllers.map(\.id) == ["owner"] && rows.pairings.count == 3)
        #expect(Set(bench.devices.map(\.pairedIdentity)) == Set(rows.controllers.map(\.identifier)))
        try await bench.start()
        let again = try await bench.attach("a")
        await bench.settle(.seconds(1))
        #expect(again.home.accessories.count == 3 && again.link.replica.snapshot?.unreachable == [:])
      }
    }

    @Test("A home to which an accessory is being added is not removed")
    func removingHomeMeanwhile() async throws {
      try await withHome { bench, app in
        let error = await bench.hub.addAndRemove(home: app.home.id, bench.devices[0].description)
        #expect(error?.code == .operationNotSupported)
        await bench.settle()
        #expect(app.home.accessories.count == 1)
      }
    }

    @Test("A wrong code leaves nothing behind")
    func wrongCode() async throws {
      try await withHome { bench, app in
        #expect(await app.refusal(of: addition(app, 1, code: "111-22-333"))?.code == .accessoryPairingFailed)
        let rows = try await stored(bench)
        #expect(rows.pairings.isEmpty && rows.controllers.isEmpty)
      }
    }

    @Test("If the command is refused after the pairing, the accessory is unpaired again")
    func refusedCommand() async throws {
      let twice = ScriptedDevice(Script.id(1), [Script.lamp("Lamp"), Script.lamp("Lamp")])
      try await withHome([twice]) { bench, app in
        #expect(await app.refusal(of: addition(app, 1))?.code == .accessorySentInvalidResponse)
        #expect(bench.devices[0].removed.count == 1 && app.home.accessories.isEmpty)
        let rows = try await stored(bench)
        #expect(rows.pairings.isEmpty)
      }
    }

    @Test("If the pairing can't be stored, the accessory is not used")
    func fullDisk() async throws {
      try await withHome { bench, app in
        bench.disk.fail(.write, isLasting: true, code: 13)  // SQLITE_FULL
        #expect(await app.refusal(of: addition(app, 1))?.code == .unexpectedError)
        #expect(!bench.devices[0].knowsHub && bench.devices[0].openCount == 0)
        bench.disk.clearFaults()
        try await app.ask(addition(app, 1))
        #expect(app.home.accessories.count == 1)
      }
    }

    @Test("A hub that is stopped while an accessory is being paired leaves no pairing behind")
    func stoppedWhilePairing() async throws {
      try await withHome { bench, app in
        bench.port.pairingTime.withLock { $0 = .seconds(3) }
        let (request, refusal) = (addition(app, 1), Guarded<HomeError?>(nil))
        bench.loop.startTask {
          let error = await app.refusal(of: request)
          refusal.withLock { $0 = error }
        }
        await bench.settle(.seconds(1))
        try #require(bench.devices[0].knowsHub)
        let rows = try await stored(bench)
        #expect(!bench.devices[0].knowsHub && rows.pairings.isEmpty && bench.devices[0].openCount == 0)
        #expect(refusal.withLock { $0 }?.code == .noHomeHub)
      }
    }

    @Test("A hub that is killed after the pairing uses the stored pairing when the accessory is added again")
    func killedAfterPairing() async throws {
      try await withHome { bench, app in
        bench.devices[0].isOn = false  // so that the database is not read
        let request = addition(app, 1)
        bench.loop.startTask { await app.refusal(of: request) }
        await bench.settle(.seconds(1))
        bench.kill()
        bench.devices[0].isOn = true
        try await bench.start()
        let again = try await bench.attach("a")
        guard case .status(let status) = try await again.ask(.status) else { return }
        #expect(status.problems.count == 1 && status.problems[0].contains("is in no home"))
        #expect(!bench.devices[0].openConnections.contains(bench.devices[0].openCount), "it is not used")
        // The stored pairing is used, so the code does not matter.
        try await again.ask(addition(again, 1, code: "111-22-333"))
        #expect(again.home.accessories.map(\.name.text) == ["Lamp"])
      }
    }

    @Test("Removing sends Remove Pairing, and forgets the pairing after the answer")
    func removing() async throws {
      try await withHome { bench, app in
        try await app.ask(addition(app, 1))
        let lamp = try app.accessory("Lamp").id
        bench.devices[0].lose()
        #expect(await app.refusal(of: .remove(lamp, forgets: false))?.code == .accessoryNotReachable)
        #expect(app.home.accessories.count == 1)
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        await bench.settle()
        try await app.perform(.removeAccessory(lamp))
        #expect(app.home.accessories.isEmpty && bench.devices[0].removed.count == 1)
        let rows = try await stored(bench)
        #expect(rows.pairings.isEmpty && rows.controllers.map { $0.id } == [HubContents.ownIdentity])
      }
    }

    @Test("A removal that could not be stored after Remove Pairing is completed by the next request")
    func removalNotStored() async throws {
      try await withHome { bench, app in
        try await app.ask(addition(app, 1))
        await bench.settle(.seconds(1))
        let lamp = try app.accessory("Lamp").id
        bench.disk.fail(.write, isLasting: true, code: 13)  // SQLITE_FULL
        #expect(await app.refusal(of: .remove(lamp, forgets: false))?.code == .unexpectedError)
        #expect(app.home.accessories.count == 1 && bench.devices[0].removed.count == 1)
        await bench.settle(.seconds(1))
        #expect(app.link.replica.snapshot?.unreachable[lamp]?.contains("remove the accessory again") == true)
        bench.disk.clearFaults()
        try await app.ask(.remove(lamp, forgets: false))
        #expect(app.home.accessories.isEmpty && bench.devices[0].removed.count == 1)
      }
    }

    @Test("A bridged accessory is not removed alone")
    func bridged() async throws {
      let bridge = ScriptedDevice(
        Script.id(1), [Script.bridge("Bridge"), Script.lamp("Desk", aid: 2)], category: 2)
      try await withHome([bridge]) { bench, app in
        guard case .added(let ids, _) = try await app.ask(addition(app, 1)) else { return }
        #expect(ids == app.home.accessories.map(\.id) && app.home.accessories.map(\.name.text) == ["Bridge", "Desk"])
        let error = await app.refusal(of: .remove(ids[1], forgets: false))
        #expect(error?.code == .cannotRemoveNonBridgeAccessory && bench.devices[0].removed.isEmpty)
        try await app.ask(.remove(ids[0], forgets: false))
        #expect(app.home.accessories.isEmpty)
      }
    }

    // MARK: Adopting

    private func adoption(_ app: TestApp, key: [UInt8]? = nil) -> PairingAdoption {
      PairingAdoption(
        home: app.home.id, device: Script.id(1), accessoryKey: key ?? ScriptedPort.key(of: Script.id(1)),
        controllerID: "other", controllerSeed: Array(repeating: 3, count: 32), addresses: ["192.0.2.1:1"],
        rooms: [1: "Kitchen"], names: [1: "Ceiling"])
    }

    @Test("A pairing of another controller is adopted with its room and name, without pairing again")
    func adopting() async throws {
      try await withHome { bench, app in
        guard case .added(let ids, _) = try await app.ask(.adopt(adoption(app))) else { return }
        let accessory = app.home.accessories[0]
        #expect(ids == [accessory.id] && accessory.name.text == "Ceiling")
        #expect(app.home.rooms.map(\.name.text) == ["Kitchen"] && accessory.room == app.home.rooms[0].id)
        let before = app.model
        bench.kill()
        try await bench.start()
        let again = try await bench.attach("a")
        await bench.settle(.seconds(1))
        #expect(again.model == before && again.link.replica.snapshot?.unreachable == [:])
        try await again.ask(.remove(accessory.id, forgets: false))
        #expect(bench.devices[0].removed == [Array("other".utf8)])
        let rows = try await stored(bench)
        #expect(rows.controllers.isEmpty)
      }
    }

    @Test("An adoption with wrong keys, lengths or rooms, or of an accessory that is off, is refused and forgotten")
    func wrongAdoptions() async throws {
      try await withHome { bench, app in
        var short = adoption(app)
        short.controllerSeed = [1]
        #expect(await app.refusal(of: .adopt(short))?.code == .invalidParameter)
        var room = adoption(app)
        room.rooms = [1: "Kitchen!"]
        bench.devices[0].knowsHub = true
        #expect(await app.refusal(of: .adopt(room))?.rule == .n4)
        #expect(bench.devices[0].removed.isEmpty)
        bench.devices[0].isOn = false
        #expect(await app.refusal(of: .adopt(adoption(app)))?.code == .accessoryNotReachable)
        bench.devices[0].isOn = true
        let wrong = adoption(app, key: Array(repeating: 0, count: 32))
        let error = await app.refusal(of: .adopt(wrong))
        #expect(error?.code == .accessoryPairingFailed, "\(error)")
        #expect(app.home.accessories.isEmpty && app.home.rooms.isEmpty)
        let rows = try await stored(bench)
        #expect(rows.pairings.isEmpty && rows.controllers.isEmpty)
      }
    }
  }

  extension HomeHub {
    /// Begins to add a device, and then to remove its home. Returns why the home is not removed.
    fileprivate func addAndRemove(home: HomeObjectID, _ device: DeviceDescription) async -> HomeError? {
      change(for: nil) { draft throws(HomeError) in try draft.perform(.addDevice(home: home, device)) }
      var error: HomeError?
      do throws(HomeError) {
        _ = try await perform(.removeHome(home), for: clients[0]) { result in
          if case .failure(let failure) = result { error = failure }
        }
      } catch let refusal { error = refusal }
      return error
    }
  }
#endif
