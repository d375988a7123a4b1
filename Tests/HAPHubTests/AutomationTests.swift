#if os(Linux)
  import HAPAccessoryPort
  import HAPAlmanac
  import HAPHome
  import HAPHomeEngine
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub

  /// Triggers on a running hub.
  @Suite("Automations of a hub") struct AutomationTests {
    private func timer(_ bench: HubBench, after time: Duration, every period: CivilPeriod? = nil) -> Trigger.Kind {
      let begin = Instant(nanoseconds: 0).advanced(by: bench.host.wallClock)
      let date = begin.advanced(by: time)
      return .timer(TimerTrigger(fireDate: Instant(seconds: date.seconds / 60 * 60), recurrence: period))
    }

    @Test("[M12] A trigger fires without an app, after a restart of the hub too")
    func withoutApps() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        await app.link.close()
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle()
        #expect(bench.devices[1].puts.map(\.entries) == [[Script.on: .bool(true)]])
        bench.devices[0].event(Script.on, .integer(1))
        bench.kill()
        try await bench.start()
        await bench.settle(.seconds(1))
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle()
        #expect(bench.devices[1].puts.count == 2)
      }
    }

    @Test("A fired trigger has no origin: each app gets its changes, evaluation and result")
    func noOrigin() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        let trigger = try app.trigger("arrived").id
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle()
        #expect(app.changes.contains { if case .triggerFired(trigger, at: _) = $0 { true } else { false } })
        #expect(app.events.contains { if case .executed(_, sets: _, trigger, app: nil) = $0 { true } else { false } })
        let words = app.events.compactMap { if case .evaluated(let report) = $0 { report.outcome } else { nil } }
        #expect(words == ["executing", "executed"])
        let last = try #require(try await app.explanations("arrived").last)
        #expect(last.outcome == "executed" && last.text.contains("Lock/Lock Current State became unsecured"))
        #expect(last.detail.contains("\"outcome\":\"executed\""))
        let late = try await bench.attach("late")
        #expect(late.model == app.model)
      }
    }

    @Test("A value that the hub wrote activates a trigger, because the accessory sends no event for it")
    func ownWrites() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        try await app.addSet("Dim", [HomeAction(try app.id("Lamp", .brightness), .integer(30))])
        let event = HomeEvent.characteristic(try app.id("Lamp", .on), equals: .bool(true))
        try await app.addTrigger("lit", .event(EventTrigger(events: [event])), runs: "Dim")
        await bench.settle()
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle()
        #expect(
          bench.devices[1].puts.map(\.entries) == [
            [Script.on: .bool(true)], [Script.brightness: .integer(30)],
          ])
      }
    }

    @Test("The engine gets exactly its characteristics; values after a lost connection are read")
    func engineSubscriptions() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        #expect(bench.devices[0].subscriptions.last == [Script.on] && bench.devices[1].subscriptions.isEmpty)
        bench.devices[0].lose()
        await bench.settle(.seconds(5))
        bench.devices[0].isOn = true
        bench.devices[0].values[Script.on] = .integer(0)
        bench.devices[0].connect()
        await bench.settle()
        #expect(bench.devices[1].puts.count == 1)
        let text = try #require(try await app.explanations("arrived").last).text
        #expect(text.contains("(while there was no session)"))
        try await app.perform(.disableTrigger(try app.trigger("arrived").id))
        await bench.settle()
        #expect(bench.devices[0].subscriptions.last == [])
      }
    }

    @Test("An event that arrives while the value is read is not replaced by the older answer")
    func overtakenRead() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        _ = try await ArrivalHome.prepare(bench)
        let lock = bench.devices[0]
        lock.lose()
        await bench.settle(.seconds(1))
        lock.isOn = true
        lock.latency = .seconds(1)
        lock.connect()
        await bench.settle()
        // The answer has been determined: secured. Then the lock is opened, and its event comes first.
        lock.send(.values([DeviceValue(id: Script.on, value: .integer(0))], isCatchUp: false))
        await bench.settle(.seconds(2))
        lock.send(.values([DeviceValue(id: Script.on, value: .integer(0))], isCatchUp: false))
        await bench.settle()
        #expect(bench.devices[1].puts.count == 1)
      }
    }

    @Test("A trigger that is fired by hand answers with its evaluation after the writes")
    func fireByHand() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(
          bench, condition: nil)
        let trigger = try app.trigger("arrived").id
        bench.devices[1].latency = .seconds(1)
        guard case .evaluated(let report) = try await app.ask(.fire(trigger)) else { return }
        #expect(report.outcome == "executed" && bench.devices[1].puts.count == 1)
        try await app.perform(.disableTrigger(trigger))
        guard case .evaluated(let refused) = try await app.ask(.fire(trigger)) else { return }
        #expect(refused.outcome == "disabled" && bench.devices[1].puts.count == 1)
        #expect(await app.refusal(of: .fire(app.home.id))?.code == .objectNotAssociatedToAnyHome)
      }
    }

    @Test("A trigger that is fired by hand and removed meanwhile answers with 12")
    func fireAndRemove() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        let trigger = try app.trigger("arrived").id
        bench.devices[1].latency = .seconds(3)
        async let answer = app.refusal(of: .fire(trigger))
        await bench.settle()
        try await app.perform(.removeTrigger(trigger))
        #expect(await answer?.code == .objectNotAssociatedToAnyHome)
      }
    }

    @Test("A condition whose accessory does not answer is unknown, and says why")
    func unknownCondition() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let condition = Condition.characteristic(try app.id("Lamp", .brightness), .less, .integer(50))
        bench.devices[1].lose()
        let other = try await ArrivalHome.prepareOnly(bench, app, condition)
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle(.seconds(10))
        let report = try #require(try await other.explanations("arrived").last)
        #expect(report.outcome == "condition-unknown" && report.text.contains("can't be reached"))
        #expect(bench.devices[1].puts.isEmpty)
      }
    }

    // MARK: Crashes

    @Test("A hub that is killed after the record and before the PUT does not execute, and explains it")
    func killedBeforePut() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        _ = try await ArrivalHome.prepare(bench)
        bench.devices[1].onWrite = {
          bench.kill()
          return false
        }
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle(.seconds(1))
        #expect(bench.devices[1].puts.isEmpty)
        try await expectNotConfirmed(bench)
      }
    }

    @Test("A hub that is killed between the PUT and its result does not execute again, and explains it")
    func killedAfterPut() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        _ = try await ArrivalHome.prepare(bench)
        bench.devices[1].latency = .seconds(2)
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle(.seconds(1))
        #expect(bench.devices[1].puts.count == 1)
        bench.kill()
        try await expectNotConfirmed(bench)
      }
    }

    private func expectNotConfirmed(_ bench: HubBench) async throws {
      let lamp = bench.devices[1]
      lamp.onWrite = nil
      lamp.latency = .milliseconds(5)
      let count = lamp.puts.count
      await bench.settle(.seconds(5))
      try await bench.start()
      let app = try await bench.attach("a")
      await bench.settle(.seconds(120))
      #expect(lamp.puts.count == count)
      let reports = try await app.explanations("arrived")
      #expect(reports.map(\.outcome) == ["not-confirmed"])
      #expect(reports[0].text.contains("is not confirmed after a crash"))
    }

    @Test("A full disk keeps a trigger from executing, and the next event executes it")
    func fullDisk() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await ArrivalHome.prepare(bench)
        bench.disk.fail(.write, isLasting: true, code: 13)  // SQLITE_FULL
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle()
        #expect(bench.devices[1].puts.isEmpty)
        #expect(try await app.explanations("arrived").last?.outcome == "not-recorded")
        bench.disk.clearFaults()
        for value in [1, 0] { bench.devices[0].event(Script.on, .integer(Int128(value))) }
        await bench.settle()
        #expect(bench.devices[1].puts.count == 1)
        #expect(try await app.explanations("arrived").last?.outcome == "executed")
      }
    }

    @Test("The place of a person that could not be stored is stored with the next change, and by the same request")
    func personAfterFullDisk() async throws {
      for isRepeated in [false, true] {
        try await withHub { bench in
          var app = try await bench.attach("a")
          try await app.perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
          let (user, other) = (app.home.users[0].id, try await bench.attach("b"))
          let place = HubRequest.place(PersonState(user, .home))
          bench.disk.fail(.write, isLasting: true, code: 13)  // SQLITE_FULL
          // The place is as before in the second request, and still not stored.
          for _ in 0..<2 { #expect(await app.refusal(of: place)?.code == .unexpectedError) }
          await bench.settle()
          #expect(other.events.contains(.person(PersonState(user, .home))))
          bench.disk.clearFaults()
          if isRepeated {
            try await app.ask(place)
          } else {
            try await app.perform(.addRoom(home: app.home.id, name: "Hall"))
          }
          bench.kill()
          try await bench.start()
          app = try await bench.attach("a")
          #expect(app.link.replica.snapshot?.persons == [PersonState(user, .home)])
          let unknown = PersonState(app.home.id, .home)
          #expect(await app.refusal(of: .place(unknown))?.code == .objectNotAssociatedToAnyHome)
        }
      }
    }

    // MARK: Time

    @Test("A timer fires at its minute, each period")
    func timer() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
        let kind = timer(bench, after: .seconds(600), every: CivilPeriod(minutes: 5))
        try await app.addTrigger("blink", kind, runs: "Light")
        let begin = bench.now
        await bench.settle(.seconds(1790) - begin)
        let seconds = bench.devices[1].puts.map { $0.time.components.seconds }
        #expect(seconds == [600, 900, 1200, 1500])
      }
    }

    @Test("[M21] A clock that is set ahead is noticed within 10 s: a late time is executed, an old one is missed")
    func clockAhead() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
        try await app.addTrigger("late", timer(bench, after: .seconds(3600)), runs: "Light")
        bench.host.clockOffset += .seconds(3600) - bench.now + .seconds(5)
        await bench.settle(.seconds(11))
        #expect(bench.devices[1].puts.count == 1)
        try await app.addTrigger("old", timer(bench, after: .seconds(3600)), runs: "Light")
        bench.host.clockOffset += .seconds(24 * 3600)
        await bench.settle(.seconds(11))
        #expect(bench.devices[1].puts.count == 1)
        #expect(try await app.explanations("old").last?.outcome == "missed")
      }
    }

    @Test("[M21] A clock that is set ahead does not end an effect early, and a sleep counts")
    func clockAheadInEffect() async throws {
      for sleeps in [false, true] {
        try await withHub(ArrivalHome.devices()) { bench in
          let app = try await bench.attach("a")
          try await app.setUp(bench)
          try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
          let event = HomeEvent.characteristic(try app.id("Lock", .lockCurrent), equals: .integer(0))
          let trigger = EventTrigger(events: [event], endEvents: [.duration(seconds: 600)])
          try await app.addTrigger("arrived", .event(trigger), runs: "Light")
          await bench.settle()
          let begin = bench.now
          bench.devices[0].event(Script.on, .integer(0))
          await bench.settle(.seconds(1))
          try #require(bench.devices[1].puts.count == 1)
          if sleeps {
            bench.process?.freeze()
            await bench.settle(.seconds(590))
            bench.process?.thaw()
          } else {
            bench.host.clockOffset += .seconds(3600)
            await bench.settle(.seconds(590))
          }
          #expect(bench.devices[1].puts.count == 1)
          await bench.settle(.seconds(20))
          try #require(bench.devices[1].puts.count == 2)
          let length = bench.devices[1].puts[1].time - begin
          #expect(length >= .seconds(600) && length < .seconds(601))
        }
      }
    }

    @Test("[M21] A clock that is set back does not repeat a time that was executed")
    func clockBack() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
        let kind = timer(bench, after: .seconds(600), every: CivilPeriod(days: 1))
        try await app.addTrigger("daily", kind, runs: "Light")
        await bench.settle(.seconds(700))
        #expect(bench.devices[1].puts.count == 1)
        bench.host.clockOffset -= .seconds(3600)
        await bench.settle(.seconds(2 * 3600))
        #expect(bench.devices[1].puts.count == 1)
        #expect(try await app.explanations("daily").contains { $0.outcome == "settled-before" })
      }
    }

    @Test("[M21] After a sleep of 8 h, times in it are missed, and the next one is executed")
    func sleep() async throws {
      try await withHub(ArrivalHome.devices()) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        try await app.addSet("Light", [HomeAction(try app.id("Lamp", .on), .bool(true))])
        let kind = timer(bench, after: .seconds(1800), every: CivilPeriod(hours: 3))
        try await app.addTrigger("nap", kind, runs: "Light")
        bench.process?.freeze()
        await bench.settle(.seconds(8 * 3600))
        bench.process?.thaw()
        await bench.settle(.seconds(30))
        #expect(bench.devices[1].puts.isEmpty)
        #expect(try await app.explanations("nap").last?.outcome == "missed")
        await bench.settle(.seconds(2 * 3600))
        #expect(bench.devices[1].puts.map { $0.time.components.seconds } == [1800 + 3 * 3 * 3600])
      }
    }
  }
#endif
