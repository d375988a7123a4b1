#if os(Linux)
  import HAPAccessoryPort
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import HAPStore
  import HAPWire
  import HAPWorld
  import Testing

  @testable import HAPHub

  /// Errors of the disk, and the order in which the hub stores and tells.
  @Suite("Disk and order of a hub") struct DiskTests {
    enum Recovery: CaseIterable {
      /// The hub tries again, and is killed afterwards.
      case laterAttempt
      /// The hub ends before its next attempt.
      case end
    }

    @Test(
      "A record that could not be stored is stored when the disk works again, without another change",
      arguments: Recovery.allCases, [DiskOperation.write, .sync])
    func record(_ recovery: Recovery, _ operation: DiskOperation) async throws {
      try await withHub { bench in
        let app = try await bench.attach("a")
        try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
        let place = PersonState(app.home.users[0].id, .home)
        bench.disk.fail(operation, isLasting: true)
        #expect(await app.refusal(of: .place(place))?.code == .unexpectedError)
        await bench.settle(.seconds(25))
        bench.disk.clearFaults()
        if recovery == .end { await bench.hub.stop() } else { await bench.settle(.seconds(11)) }
        bench.kill()
        try await bench.start()
        let again = try await bench.attach("a")
        #expect(again.link.replica.snapshot?.persons == [place])
      }
    }

    @Test(
      "A record that could not be stored is stored at the end of the hub, which begins while records are being stored")
    func recordAtEnd() async throws {
      // Depending on the count, the last record fails before the end waits for it, at that moment, or later.
      let waits = Guarded<Set<Bool>>([])
      for count in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50] {
        try await withHub(seed: UInt64(count)) { bench in
          let app = try await bench.attach("a")
          try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
          let place = PersonState(app.home.users[0].id, .home)
          bench.disk.fail(.sync, isLasting: true)
          let isWaiting = await bench.hub.stop(storing: place, times: count, bench.disk)
          waits.withLock { _ = $0.insert(isWaiting) }
          bench.kill()
          try await bench.start()
          let again = try await bench.attach("a")
          #expect(again.link.replica.snapshot?.persons == [place], "\(count) records")
        }
      }
      #expect(waits.withLock { $0 } == [true, false])
    }

    @Test("A command whose fsync failed is refused, and is not there after the hub is killed")
    func command() async throws {
      for isLasting in [false, true] {
        try await withHub { bench in
          let app = try await bench.attach("a")
          try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
          let before = app.model
          bench.disk.fail(.sync, isLasting: isLasting)
          let command = HubRequest.perform(.addRoom(home: app.home.id, name: "Hall"))
          #expect(await app.refusal(of: command)?.code == .unexpectedError)
          bench.kill()
          bench.disk.clearFaults()
          try await bench.start()
          #expect(try await bench.attach("a").model == before)
        }
      }
    }

    @Test("An app gets the value, the fired trigger and its execution in this order", arguments: [true, false])
    func order(isReachable: Bool) async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        let trigger = try app.trigger("arrived").id
        try await app.ask(.subscribe([try app.id("Lock", .lockCurrent)]))
        if !isReachable { bench.devices[1].send(.gaveUp(why: "reset")) }
        await bench.settle()
        app.forget()
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle()
        let words = app.events.compactMap { event -> String? in
          switch event {
          case .values: "value"
          case .changed(let changes, app: nil):
            changes.contains { if case .triggerFired(trigger, at: _) = $0.detail { true } else { false } }
              ? "fired" : nil
          case .evaluated(let report): report.outcome
          case .executed: "result"
          default: nil
          }
        }
        #expect(words == ["value", "executing", "fired", "result", "executed"], "\(words)")
      }
    }
  }

  extension HomeHub {
    /// Begins to store the place of a person, several times, and ends the hub. The disk works again when the last record has
    /// failed.
    /// - Returns: whether the end waited for the last record.
    fileprivate func stop(storing person: PersonState, times count: Int, _ disk: SimulatedDisk) async -> Bool {
      let row = HomeRowChange.keep(
        .person(HomeStateRow(id: person.user.description, json: person.json.compactText)))
      let waits = Guarded(false)
      for number in 1...count {
        record([], with: [row]) { [self] _ in
          guard number == count else { return }
          disk.clearFaults()
          waits.withLock { $0 = !journal.idle.isEmpty }
        }
      }
      await stop()
      return waits.withLock { $0 }
    }
  }
#endif
