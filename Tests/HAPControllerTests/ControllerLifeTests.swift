#if os(Linux)
  import HAPController
  import HAPLoop
  import HAPModel
  import Testing

  @testable import HAPSimulator

  /// The ends of sessions and controllers.
  /// Checked: these tests fail without the `deinit` of `AccessorySession`; without `calls.close()` in
  /// `Controller.close()`; without the test for `isClosed` in `AccessorySession.perform`.
  @Suite("The end of sessions and controllers") struct ControllerLifeTests {
    private static let profile = ProfileSource.json(
      """
      { "format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "setupCode": "031-45-154",
        "services": [ { "type": "Lightbulb", "name": "Lamp" } ] }
      """)

    private func withLamp(
      _ body: @escaping @Sendable (World, World.Host, RunningAccessory, Controller) async throws -> Void
    ) async throws {
      let profile = Self.profile
      try await withSimulatedWorld { world in
        let (home, phone) = (world.addHost("home"), world.addHost("phone"))
        let lamp = try await home.start(profile)
        let controller = Controller(
          on: try phone.runningAppLoop(), storage: PairingMemory(), interfaces: ["eth0"], timeout: .seconds(10))
        _ = try await controller.pair(with: "Lamp", code: "031-45-154", name: "lamp")
        try await body(world, home, lamp, controller)
      }
    }

    private static func error(_ body: () async throws -> Void) async -> ControllerError? {
      do { try await body() } catch { return error as? ControllerError }
      return nil
    }

    @Test("A session that is released without close() ends its connection, its changes and its tasks")
    func released() async throws {
      try await withLamp { world, _, lamp, controller in
        var session: AccessorySession? = try await controller.session(with: "lamp")
        weak let watched = session
        let changes = try #require(session?.changes())
        #expect(await session?.isConnected == true)
        lamp.forgetEvents()
        session = nil
        for await _ in changes {}
        #expect(watched == nil)
        try await lamp.expect(.disconnected)
      }
    }

    @Test("After the end of a session, its calls throw .closed, and its changes end")
    func closedSession() async throws {
      try await withLamp { _, _, _, controller in
        let session = try await controller.session(with: "lamp")
        let changes = session.changes()
        await session.close()
        await session.close()
        for await _ in changes {}
        for await _ in session.changes() {}
        let on = try #require(session.snapshot.characteristic(named: "On"))
        let error = await Self.error { _ = try await session.read([on]) }
        #expect(error?.kind == .closed)
        #expect(error?.description == "lamp: the session is closed; make a new session")
        #expect(await Self.error { _ = try await session.subscribe(to: [on]) }?.kind == .closed)
        #expect(await session.isConnected == false)
      }
    }

    @Test("A call that waits when the session is closed throws .closed")
    func closedDuringCall() async throws {
      try await withLamp { world, home, _, controller in
        let session = try await controller.session(with: "lamp")
        let on = try #require(session.snapshot.characteristic(named: "On"))
        home.losePower()
        async let read = Self.error { _ = try await session.read([on]) }
        try await world.sleep(for: .seconds(1))
        await session.close()
        #expect(await read?.kind == .closed)
      }
    }

    @Test("Closing the controller ends its sessions and all calls, including later ones, with .closed")
    func closedController() async throws {
      try await withLamp { world, home, lamp, controller in
        let session = try await controller.session(with: "lamp")
        let changes = session.changes()
        let on = try #require(session.snapshot.characteristic(named: "On"))
        home.losePower()
        async let read = Self.error { _ = try await session.read([on]) }
        async let search = Self.error { _ = try await controller.findAccessories(for: .seconds(60)) }
        try await world.sleep(for: .milliseconds(10))
        controller.close()
        #expect(await read?.kind == .closed)
        #expect(await search?.kind == .closed)
        for await _ in changes {}
        let late = await Self.error { _ = try await session.read([on]) }
        #expect(late?.kind == .closed)
        #expect(await Self.error { _ = try await controller.session(with: "lamp") }?.kind == .closed)
        #expect(await Self.error { _ = try await controller.pair(with: "Lamp", code: "031-45-154") }?.kind == .closed)
        #expect(await Self.error { try await controller.unpair("lamp") }?.kind == .closed)
        #expect(await Self.error { try await controller.identifyUnpaired("Lamp") }?.kind == .closed)
        await session.close()
        controller.close()
      }
    }

    @Test("After the end of a controller with its own loop, calls throw instead of waiting forever")
    func ownLoop() async {
      let controller = Controller(storage: PairingMemory(), interfaces: ["lo"])
      controller.close()
      controller.close()
      let error = await Self.error { _ = try await controller.findAccessories() }
      #expect(error?.kind == .closed)
      #expect(error?.description == "accessories: the controller is closed; make a new controller")
      for await _ in controller.watchAccessories() {}
    }

    @Test("A cancelled call throws .cancelled")
    func cancelled() async throws {
      try await withLamp { world, home, _, controller in
        let session = try await controller.session(with: "lamp")
        let on = try #require(session.snapshot.characteristic(named: "On"))
        home.losePower()
        for isRead in [true, false] {
          let call = world.startTask {
            await Self.error {
              _ = try await isRead ? session.read([on]) : session.subscribe(to: [on])
            }
          }
          try await world.sleep(for: .seconds(1))
          call.cancel()
          #expect(try await call.value?.kind == .cancelled)
        }
        await session.close()
      }
    }
  }
#endif
