#if os(Linux)
  import HAPAccessoryPort
  import HAPController
  import HAPCrypto
  import HAPHome
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPStore
  import Testing

  @testable import HAPHub

  /// The owner's hub shares a home. home.md §12.
  @Suite("A hub that shares a home") struct SharingTests {
    /// The identity of a user's hub.
    private static func identity(_ number: UInt8) -> ControllerIdentity {
      ControllerIdentity(identifier: "user-\(number)", seed: Array(repeating: number, count: 32))!
    }

    private static func request(
      _ name: String = "Ben", _ number: UInt8 = 1, in app: TestApp, role: HomeUser.Role = .guest
    ) -> HubRequest {
      .share(HomeSharing(home: app.home.id, request: ShareRequest.text(name: name, identity(number)), role: role))
    }

    private static func withLamps(
      _ count: UInt8 = 3, seed: UInt64 = 1, _ body: @escaping @Sendable (HubBench, TestApp) async throws -> Void
    ) async throws {
      let lamps = (1...count).map { Script.lampDevice($0, "Lamp \($0)") }
      try await withHub(lamps, seed: seed) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        try await body(bench, app)
      }
    }

    private static func shared(_ answer: HubAnswer) throws -> SharedHome {
      guard case .shared(let shared) = answer else { throw Missing() }
      return shared
    }
    private struct Missing: Error {}

    /// The rights of a user at each device.
    private static func rights(_ bench: HubBench, _ number: UInt8 = 1) -> [Bool?] {
      bench.devices.map { $0.users["user-\(number)"] }
    }

    private static func stored(_ bench: HubBench) async throws -> HomeRows {
      await bench.hub.stop()
      let store = try HomeStore(folder: "/hub", files: bench.disk)
      defer { store.close() }
      return try store.load()
    }

    @Test("Each accessory gets the pairing of the user, with the right of the role", arguments: [false, true])
    func sharing(isAdministrator: Bool) async throws {
      try await Self.withLamps { bench, app in
        let role: HomeUser.Role = isAdministrator ? .administrator : .guest
        let other = try await bench.attach("b")
        let shared = try Self.shared(try await app.ask(Self.request(in: app, role: role)))
        #expect(shared.later.isEmpty && Self.rights(bench) == [isAdministrator, isAdministrator, isAdministrator])
        let user = try #require(app.home.users.last)
        #expect(user.id == shared.user && user.name == "Ben" && user.role == role)
        #expect(user.controller == Self.identity(1).controller)
        await bench.settle()
        #expect(other.model == app.model)
        let document = try ShareDocument(shared.document ?? "", openedBy: Self.identity(1))
        #expect(document.home.ownUser.id == user.id && document.devices.map(\.id) == bench.devices.map(\.id))
        #expect(document.home.users[0].controller != nil)
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test(
      "Accessories that can't be reached learn of the user when they return, also after a restart",
      arguments: [false, true])
    func later(isRestarted: Bool) async throws {
      try await Self.withLamps { bench, app in
        bench.devices[1].lose()
        await bench.settle()
        let shared = try Self.shared(try await app.ask(Self.request(in: app)))
        let second = try app.accessory("Lamp 2").id
        #expect(shared.later == [second] && Self.rights(bench) == [false, nil, false])
        if isRestarted {
          bench.kill()
          try await bench.start()
        }
        #expect(await bench.hub.status.problems.map { $0.contains("\"Lamp 2\" does not know \"Ben\"") } == [true])
        bench.devices[1].isOn = true
        bench.devices[1].connect()
        await bench.settle(.seconds(1))
        #expect(Self.rights(bench) == [false, false, false])
        #expect(await bench.hub.status.problems.isEmpty)
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test(
      "An accessory without room for a pairing stops the sharing: no accessory keeps the user, and the error names it")
    func outOfPairings() async throws {
      try await Self.withLamps { bench, app in
        bench.devices[1].additionError = HomeError(.accessoryOutOfResources, nil, "16 pairings")
        bench.devices[2].lose()
        await bench.settle()
        let error = await app.refusal(of: Self.request(in: app))
        #expect(error?.code == .accessoryOutOfResources && error?.message.contains("\"Lamp 2\"") == true)
        #expect(Self.rights(bench) == [nil, nil, nil] && app.home.users.count == 1)
        #expect(bench.devices.filter { !$0.knowsHub }.isEmpty)
        bench.devices[2].isOn = true
        bench.devices[2].connect()
        await bench.settle(.seconds(1))
        #expect(Self.rights(bench) == [nil, nil, nil])
        bench.devices[1].additionError = nil
        let shared = try Self.shared(try await app.ask(Self.request(in: app)))
        #expect(shared.later.isEmpty)
        #expect(Self.rights(bench) == [false, false, false])
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test("A hub that is killed while it shares either has the user, or takes the pairings back")
    func killed() async throws {
      for moment in 1...12 {
        try await Self.withLamps { bench, app in
          let request = Self.request(in: app)
          let task = bench.loop.startTask { await app.refusal(of: request) }
          await bench.settle(.milliseconds(moment))
          bench.kill()
          _ = await task.value
          try await bench.start()
          let again = try await bench.attach("b")
          await bench.settle(.seconds(2))
          let isUser = again.home.users.count == 2
          #expect(Self.rights(bench) == Array(repeating: isUser ? false : nil, count: 3), "after \(moment) ms")
          #expect(bench.devices.filter { !$0.knowsHub }.isEmpty)
          let rows = try await Self.stored(bench)
          #expect(rows.owedPairings.isEmpty)
        }
      }
    }

    @Test("A removed user loses all pairings: at once, or when an accessory returns")
    func removal() async throws {
      try await Self.withLamps { bench, app in
        let shared = try Self.shared(try await app.ask(Self.request(in: app, role: .administrator)))
        bench.devices[0].lose()
        await bench.settle()
        try await app.perform(.removeUser(shared.user))
        await bench.settle(.seconds(1))
        #expect(Self.rights(bench) == [true, nil, nil] && app.home.users.count == 1)
        #expect(await bench.hub.status.problems.map { $0.contains("still knows the removed user user-1") } == [true])
        bench.kill()
        try await bench.start()
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        await bench.settle(.seconds(1))
        #expect(Self.rights(bench) == [nil, nil, nil] && bench.devices.filter { !$0.knowsHub }.isEmpty)
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test("A new role changes the right at each accessory")
    func role() async throws {
      try await Self.withLamps { bench, app in
        let shared = try Self.shared(try await app.ask(Self.request(in: app)))
        try await app.perform(.setRole(user: shared.user, .administrator))
        await bench.settle(.seconds(1))
        #expect(Self.rights(bench) == [true, true, true])
        try await app.perform(.setRole(user: shared.user, .guest))
        await bench.settle(.seconds(1))
        #expect(Self.rights(bench) == [false, false, false])
      }
    }

    @Test("A new accessory gets the pairings of all users, and a removed one loses them before that of the hub")
    func accessories() async throws {
      try await withHub([Script.lampDevice(1, "Lamp"), Script.lampDevice(2, "New")]) { bench in
        let app = try await bench.attach("a")
        try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        func add(_ number: UInt8) async throws {
          try await app.ask(
            .add(AccessoryAddition(home: app.home.id, device: Script.id(number), code: ScriptedPort.code)))
        }
        try await add(1)
        try await app.ask(Self.request("Ben", 1, in: app))
        try await app.ask(Self.request("Carl", 2, in: app, role: .administrator))
        try await add(2)
        await bench.settle(.seconds(1))
        #expect(bench.devices[1].users == ["user-1": false, "user-2": true])
        try await app.ask(.remove(try app.accessory("New").id, forgets: false))
        #expect(bench.devices[1].users.isEmpty && bench.devices[1].removed.count == 1)
        #expect(bench.devices[0].users.count == 2)
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test("An accessory that is removed while it can't be reached loses the pairings of users later")
    func forgetting() async throws {
      try await Self.withLamps(1) { bench, app in
        try await app.ask(Self.request(in: app, role: .administrator))
        bench.devices[0].lose()
        await bench.settle()
        try await app.ask(.remove(try app.accessory("Lamp 1").id, forgets: true))
        bench.kill()
        try await bench.start()
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        await bench.settle(.seconds(1))
        #expect(bench.devices[0].users.isEmpty && bench.devices[0].removed.count == 1)
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test("An accessory that keeps the hub's pairing keeps those of the users")
    func failedRemoval() async throws {
      try await Self.withLamps(1) { bench, app in
        try await app.ask(Self.request(in: app))
        let device = bench.devices[0]
        device.onUser = { [unowned device] in device.removalError = HomeError(.accessoryIsBusy, nil, "busy") }
        let lamp = try app.accessory("Lamp 1").id
        #expect(await app.refusal(of: .remove(lamp, forgets: false))?.code == .accessoryIsBusy)
        await bench.settle(.seconds(1))
        #expect(Self.rights(bench) == [false])
      }
    }

    @Test("A user who is removed while an accessory gets the pairing is not known in the end")
    func removalMeanwhile() async throws {
      try await Self.withLamps(1) { bench, app in
        bench.devices[0].lose()
        await bench.settle()
        let shared = try Self.shared(try await app.ask(Self.request(in: app)))
        bench.devices[0].latency = .seconds(1)
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        await bench.settle(.milliseconds(500))
        try await app.perform(.removeUser(shared.user))
        await bench.settle(.seconds(5))
        #expect(Self.rights(bench) == [nil])
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test("A device that refused a change is asked again after a minute, once")
    func refusedChange() async throws {
      try await Self.withLamps(1) { bench, app in
        let shared = try Self.shared(try await app.ask(Self.request(in: app)))
        let requests = Guarded(0)
        bench.devices[0].onUser = { requests.withLock { $0 += 1 } }
        bench.devices[0].additionError = HomeError(.accessoryIsBusy, nil, "busy")
        try await app.perform(.setRole(user: shared.user, .administrator))
        for _ in 0..<10 {
          bench.devices[0].lose()
          await bench.settle()
          bench.devices[0].isOn = true
          bench.devices[0].connect()
          await bench.settle()
        }
        #expect(Self.rights(bench) == [false])
        #expect(await bench.hub.status.problems.contains { $0.contains("it refuses this, and is asked again (busy") })
        requests.withLock { $0 = 0 }
        await bench.settle(.seconds(300))
        #expect((4...6).contains(requests.withLock { $0 }))
        bench.devices[0].additionError = nil
        await bench.settle(.seconds(61))
        #expect(Self.rights(bench) == [true])
        #expect(await bench.hub.status.problems.isEmpty)
      }
    }

    @Test("A request in the name of a controller that an accessory knows takes no pairing away")
    func foreignIdentifier() async throws {
      try await Self.withLamps(2) { bench, app in
        // A phone has a pairing of its own with the first lamp, which therefore refuses another key for it.
        bench.devices[0].know("phone")
        bench.devices[1].lose()
        await bench.settle()
        bench.devices[0].additionError = HomeError(.accessorySentInvalidResponse, nil, "unknown")
        let request = ShareRequest.text(
          name: "Eve", ControllerIdentity(identifier: "phone", seed: Array(repeating: 9, count: 32))!)
        let sharing = HubRequest.share(HomeSharing(home: app.home.id, request: request, role: .guest))
        #expect(await app.refusal(of: sharing)?.code == .accessorySentInvalidResponse)
        bench.devices[1].know("phone")
        bench.devices[1].isOn = true
        bench.devices[1].connect()
        await bench.settle(.seconds(100))
        #expect(bench.devices.map { $0.users["phone"] } == [true, true])
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty)
      }
    }

    @Test("An accessory that is removed while a user's removal is open loses this user, too")
    func removalOfBoth() async throws {
      try await Self.withLamps(1) { bench, app in
        let shared = try Self.shared(try await app.ask(Self.request(in: app, role: .administrator)))
        bench.devices[0].lose()
        await bench.settle()
        try await app.perform(.removeUser(shared.user))
        bench.devices[0].latency = .seconds(2)
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        try await app.ask(.remove(try app.accessory("Lamp 1").id, forgets: false))
        #expect(bench.devices[0].users.isEmpty && bench.devices[0].removed.count == 1)
        let rows = try await Self.stored(bench)
        #expect(rows.owedPairings.isEmpty && rows.pairings.isEmpty)
      }
    }

    @Test("Requests that are damaged, of this hub itself, of a known user, or with a taken name are refused")
    func refusals() async throws {
      try await Self.withLamps(1) { bench, app in
        func code(_ text: String, _ role: HomeUser.Role = .guest) async -> HomeError.Code? {
          await app.refusal(of: .share(HomeSharing(home: app.home.id, request: text, role: role)))?.code
        }
        let text = ShareRequest.text(name: "Ben", Self.identity(1))
        #expect(await code("{") == .invalidParameter)
        #expect(await code("{}") == .invalidParameter)
        #expect(await code(text.replacing("Ben", with: "Bea")) == .invalidParameter)
        #expect(await code(text.replacing("user-1", with: "user-2")) == .invalidParameter)
        guard case .document(let own) = try await app.ask(.requestShare(name: "Carl")) else { throw Missing() }
        #expect(await code(own) == .invalidParameter)
        #expect(await code(ShareRequest.text(name: "Ann", Self.identity(3))) == .alreadyExists)
        #expect(await code(ShareRequest.text(name: "-", Self.identity(3))) != nil)
        #expect(await code(text, .owner) == .operationNotSupported)
        #expect(bench.devices[0].users.isEmpty)
        try await app.ask(.share(HomeSharing(home: app.home.id, request: text, role: .guest)))
        #expect(await code(text) == .alreadyExists)
        let unknown = HomeSharing(home: .init("00000000-0000-4000-8000-000000000000")!, request: text, role: .guest)
        #expect(await app.refusal(of: .share(unknown))?.code == .notFound)
      }
    }

    @Test("A share is written again with the present home; a user without an own hub has none")
    func renewal() async throws {
      try await Self.withLamps(1) { _, app in
        let shared = try Self.shared(try await app.ask(Self.request(in: app)))
        try await app.perform(.addRoom(home: app.home.id, name: "Kitchen"))
        try await app.ask(Self.request("Carl", 2, in: app))
        guard case .document(let text) = try await app.ask(.renewShare(user: shared.user)) else { throw Missing() }
        let document = try ShareDocument(text, openedBy: Self.identity(1))
        #expect(document.home.rooms.map(\.name.text) == ["Kitchen"])
        // Of the users, only Ann and Ben have their identities.
        #expect(document.home.users.map { $0.controller != nil } == [true, true, false])
        try await app.perform(.addUser(home: app.home.id, name: "Dora", role: .guest))
        let dora = try #require(app.home.users.last)
        #expect(await app.refusal(of: .renewShare(user: dora.id))?.code == .operationNotSupported)
      }
    }
  }
#endif
