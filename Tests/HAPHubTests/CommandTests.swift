#if os(Linux)
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPStore
  import HAPWorld
  import Testing

  @testable import HAPHub

  /// Commands of apps: their answers, events, order and durability.
  @Suite("Commands to a hub") struct CommandTests {
    @Test("[HOME.M2] The first home is primary, and the next one after its removal; both survive a restart")
    func primaryHome() async throws {
      try await withHub { bench in
        var app = try await bench.attach("a")
        for name in ["One", "Two"] {
          try await app.perform(.addHome(name: name, zone: .utc, location: nil, owner: "Ann"))
        }
        let (one, two) = (app.model.homes[0].id, app.model.homes[1].id)
        try #require(app.model.primaryHome == one)
        try await app.perform(.removeHome(one))
        try #require(app.model.primaryHome == two)
        let before = app.model
        bench.kill()
        try await bench.start()
        app = try await bench.attach("a")
        #expect(app.model == before)
      }
    }

    @Test("[M3] Identifiers and order are equal after the process of the hub was killed")
    func restart() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        var app = try await bench.attach("a")
        try await app.setUp(bench)
        for name in ["Hall", "Kitchen", "Bath"] { try await app.perform(.addRoom(home: app.home.id, name: name)) }
        try await app.perform(.rename(app.home.rooms[0].id, "Lobby"))
        let before = app.model
        bench.kill()
        try await bench.start()
        app = try await bench.attach("a")
        #expect(app.model == before && app.home.rooms.map(\.name.text) == ["Lobby", "Kitchen", "Bath"])
      }
    }

    @Test("The persons of a removed home are forgotten")
    func personsOfRemovedHome() async throws {
      try await withHub { bench in
        let app = try await bench.attach("a")
        for (home, owner) in [("Home", "Ann"), ("Cabin", "Bob")] {
          try await app.perform(.addHome(name: home, zone: .utc, location: nil, owner: owner))
        }
        let users = app.model.homes.map { $0.users[0].id }
        for user in users { try await app.ask(.place(PersonState(user, .home))) }
        try await app.perform(.removeHome(app.model.homes[0].id))
        #expect(await bench.hub.persons.keys.sorted() == [users[1]])
      }
    }

    @Test("A hub whose store can't be opened, or that is stopped before its start, has ended for those who wait")
    func endWithoutStart() async throws {
      for isStopped in [false, true] {
        try await withHub { bench in
          let hub = HomeHub(
            on: bench.loop, folder: "/hub", files: bench.disk, port: bench.port, zoneRules: { _ in nil }, version: "1")
          let hasEnded = Guarded(false)
          bench.loop.startTask {
            await hub.ended()
            hasEnded.withLock { $0 = true }
          }
          await bench.settle()
          if isStopped {
            await hub.stop()
          } else {
            // The other hub has the folder.
            await #expect(throws: StoreError.self) { try await hub.start() }
          }
          await bench.settle()
          #expect(hasEnded.withLock { $0 })
        }
      }
    }

    @Test("[M5] The app that sent a command gets its answer, and each other app gets the event")
    func originAndOthers() async throws {
      try await withHub { bench in
        let (a, b) = (try await bench.attach("a"), try await bench.attach("b"))
        let changes = try await a.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        await bench.settle()
        #expect(!changes.isEmpty && a.events.isEmpty && b.events == [.changed(changes, app: "a")])
        let refused = await a.refusal(of: .perform(.addHome(name: "home", zone: .utc, location: nil, owner: "Ann")))
        await bench.settle()
        #expect(refused?.code == .homeWithSimilarNameExists && a.events.isEmpty && b.events.count == 1)
      }
    }

    @Test("Two apps that send commands at once have the hub's model after all answers and events")
    func sameModel() async throws {
      try await withHub { bench in
        let (a, b) = (try await bench.attach("a"), try await bench.attach("b"))
        try await a.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        await bench.settle()
        async let first: Void = {
          for number in 0..<20 { try await a.perform(.addRoom(home: a.home.id, name: "A\(number)")) }
        }()
        async let second: Void = {
          for number in 0..<20 { try await b.perform(.addRoom(home: b.home.id, name: "B\(number)")) }
        }()
        _ = try await (first, second)
        await bench.settle()
        let late = try await bench.attach("late")
        #expect(a.model == b.model && a.model == late.model && late.home.rooms.count == 40)
      }
    }

    @Test("A full disk refuses a command with its reason, and the hub continues")
    func fullDisk() async throws {
      try await withHub { bench in
        let (a, b) = (try await bench.attach("a"), try await bench.attach("b"))
        try await a.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        await bench.settle()
        let before = a.model
        bench.disk.fail(.write, isLasting: true, code: 13)  // SQLITE_FULL
        let error = await a.refusal(of: .perform(.addRoom(home: a.home.id, name: "Hall")))
        #expect(error?.code == .unexpectedError && error?.message.contains("no room left") == true)
        await bench.settle()
        #expect(a.model == before && b.model == before)
        bench.disk.clearFaults()
        try await a.perform(.addRoom(home: a.home.id, name: "Hall"))
        await bench.settle()
        #expect(b.home.rooms.map(\.name.text) == ["Hall"])
      }
    }

    @Test("An app that reads too slowly loses events, gets one notice, and attaches again")
    func slowApp() async throws {
      try await withHub { bench in
        let a = try await bench.attach("a")
        try await a.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        let link = try await bench.hub.attach(app: "slow")
        var events = link.events.makeAsyncIterator()
        for number in 0...HubEventQueue.limit {
          let name = number.isMultiple(of: 2) ? "Even" : "Odd"
          try await a.perform(.rename(a.home.id, name))
        }
        try await a.perform(.rename(a.home.id, "Last"))
        for _ in 0..<HubEventQueue.limit { _ = await events.next() }
        #expect(await events.next() == .missed)
        guard case .status(let status) = try await a.ask(.status) else { return }
        #expect(status.apps.first { $0.name == "slow" }?.gaps == 1)
        guard case .attached(let snapshot) = try await link.ask(.attach(app: "slow")) else { return }
        #expect(snapshot.model == a.model)
        let changes = try await a.perform(.rename(a.home.id, "Home"))
        #expect(await events.next() == .changed(changes, app: "a"))
      }
    }

    @Test("Only the hub describes accessories, and a home with accessories is not removed")
    func refusedCommands() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let description = bench.devices[0].description
        for command in [HomeCommand.addDevice(home: app.home.id, description), .removeHome(app.home.id)] {
          #expect(await app.refusal(of: .perform(command))?.code == .operationNotSupported)
        }
        #expect(app.home.accessories.count == 1)
      }
    }

    @Test("A stopped hub ends its links and refuses requests, and its store can be opened again")
    func stopping() async throws {
      try await withHub { bench in
        let app = try await bench.attach("a")
        try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        try await app.ask(.stop)
        await bench.hub.ended()
        await bench.settle()
        #expect(app.events == [.stopping] && app.link.replica.snapshot == nil)
        #expect(await app.refusal(of: .status)?.code == .noHomeHub)
        try await bench.start()
        #expect(try await bench.attach("a").home.name.text == "Home")
      }
    }

    @Test("A stopped hub refuses the requests that wait for accessories")
    func stoppingWithOpenRequests() async throws {
      try await withHub([Script.lampDevice(1, "Lamp")]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        bench.devices[0].latency = .seconds(5)
        let on = try app.id("Lamp", .on)
        async let write = app.refusal(of: .write(home: app.home.id, [HomeAction(on, .bool(true))]))
        async let read = app.refusal(of: .read([on]))
        await bench.settle()
        await bench.hub.stop()
        let errors = await [write, read].map { $0?.code }
        #expect(errors == [.noHomeHub, .noHomeHub])
      }
    }

    @Test("Damaged rows are listed, a copy of the store is kept, and other rows are used")
    func damagedRows() async throws {
      try await withHub { bench in
        var app = try await bench.attach("a")
        try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        for name in ["Hall", "Bath"] { try await app.perform(.addRoom(home: app.home.id, name: name)) }
        let hall = app.home.rooms[0].id
        await bench.hub.stop()
        try bench.damage(hall)
        try await bench.start()
        app = try await bench.attach("a")
        #expect(app.home.rooms.map(\.name.text) == ["Bath"])
        guard case .status(let status) = try await app.ask(.status) else { return }
        #expect(status.problems.contains { $0.contains(hall.description) })
        #expect(bench.disk.contents(of: "/hub/" + HubContents.copyName) != nil)
      }
    }
  }

  extension HubBench {
    /// Replaces the JSON of an object by an invalid text.
    func damage(_ id: HomeObjectID) throws {
      let store = try HomeStore(folder: "/hub", files: disk)
      defer { store.close() }
      var row = try #require(try store.load().objects.first { $0.id == id.description })
      row.json = "{"
      try store.commit([.keep(.object(row))])
    }
  }
#endif
