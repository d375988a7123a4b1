#if os(Linux)
  import HAPHome
  import HAPHubLink
  import HAPLoop
  import HAPModel
  import Testing

  @testable import HAPHub

  /// Action sets, writes and reads of apps.
  @Suite("Executions by a hub") struct ExecutionTests {
    private static func lamps(_ count: UInt8) -> [ScriptedDevice] {
      (1...count).map { Script.lampDevice($0, "Lamp \($0)") }
    }

    private func executed(_ answer: HubAnswer) throws -> ExecutionResult {
      guard case .executed(let result) = answer else { throw WrongAnswer() }
      return result
    }

    private struct WrongAnswer: Error {}

    @Test("100 writes over 20 accessories are 20 PUTs, which are sent at once")
    func onePutPerConnection() async throws {
      let devices = (1...20).map { number -> ScriptedDevice in
        let more = (0..<3).map { index -> Service in
          Service(
            iid: 20 + 10 * UInt64(index), type: 0x49,
            characteristics: [
              Characteristic(
                iid: 21 + 10 * UInt64(index), type: .on, format: .bool, perms: [.pairedRead, .pairedWrite, .events],
                value: .bool(false))
            ])
        }
        return ScriptedDevice(Script.id(UInt8(number)), [Script.lamp("Lamp \(number)", more: more)])
      }
      try await withHub(devices) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let writable = app.home.accessories.flatMap(\.services).flatMap(\.characteristics).filter {
          $0.permissions.contains(.pairedWrite)
        }
        let actions = writable.map { HomeAction($0.id, $0.type == .brightness ? .integer(50) : .bool(true)) }
        #expect(actions.count == 100)
        try await app.addSet("All", actions)
        let begin = bench.now
        let result = try executed(try await app.ask(.execute([try app.set("All")])))
        #expect(result.error == nil && result.actions.count == 100)
        #expect(bench.now - begin == .milliseconds(5))
        #expect(bench.devices.allSatisfy { $0.puts.count == 1 && $0.puts[0].entries.count == 5 })
      }
    }

    @Test("[HOME.M10] A scene of three accessories that take 1 s each takes 1 s")
    func atOnce() async throws {
      try await withHub(Self.lamps(3)) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        for device in bench.devices { device.latency = .seconds(1) }
        try await app.addSet("All", (1...3).map { HomeAction(try app.id("Lamp \($0)", .on), .bool(true)) })
        let begin = bench.now
        #expect(try executed(try await app.ask(.execute([try app.set("All")]))).error == nil)
        #expect(bench.now - begin == .seconds(1))
      }
    }

    @Test("[HOME.M11] Each action has its own result: one accessory refuses, one is not reachable")
    func ownResults() async throws {
      try await withHub(Self.lamps(3)) { bench in
        let (app, other) = (try await bench.attach("a"), try await bench.attach("b"))
        try await app.setUp(bench)
        bench.devices[1].statuses[Script.on] = -70404
        bench.devices[2].lose()
        try await app.addSet("All", (1...3).map { HomeAction(try app.id("Lamp \($0)", .on), .bool(true)) })
        other.forget()
        let set = try app.set("All")
        let result = try executed(try await app.ask(.execute([set])))
        #expect(result.error?.code == .actionSetExecutionPartialSuccess)
        #expect(result.actions.map(\.outcome) == [.done, .refused, .notSent])
        #expect(result.actions.map { $0.error?.code } == [nil, .readOnlyCharacteristic, .accessoryNotReachable])
        #expect(result.actions[1].status == -70404)
        await bench.settle()
        #expect(other.events.contains(.executed(result, sets: [set], trigger: nil, app: "a")))
        #expect(!app.events.contains { if case .executed = $0 { true } else { false } })
        // Both have the time of the execution, which the answer does not contain.
        #expect(app.home.actionSets.first { $0.id == set }?.lastExecution != nil && app.model == other.model)
      }
    }

    @Test("A set that is being executed is refused with 65, an empty one with 25, an unknown one with 12")
    func refusedSets() async throws {
      try await withHub(Self.lamps(1)) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        bench.devices[0].latency = .seconds(1)
        try await app.addSet("Evening", [HomeAction(try app.id("Lamp 1", .on), .bool(true))])
        try await app.addSet("Empty", [])
        let (evening, empty) = (try app.set("Evening"), try app.set("Empty"))
        async let first = app.ask(.execute([evening]))
        await bench.settle()
        #expect(await app.refusal(of: .execute([evening]))?.code == .actionSetExecutionInProgress)
        #expect(await app.refusal(of: .execute([empty]))?.code == .noActionsInActionSet)
        #expect(await app.refusal(of: .execute([app.home.id]))?.code == .objectNotAssociatedToAnyHome)
        #expect(try executed(try await first).error == nil && bench.devices[0].puts.count == 1)
      }
    }

    @Test("Without an answer for 10 s, the connection is closed, and a late answer is not used")
    func overdue() async throws {
      try await withHub(Self.lamps(1)) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        bench.devices[0].latency = .seconds(30)
        let other = try await bench.attach("b")
        try await other.ask(.subscribe([try app.id("Lamp 1", .on)]))
        other.forget()
        let write = HubRequest.write(home: app.home.id, [HomeAction(try app.id("Lamp 1", .on), .bool(true))])
        let result = try executed(try await app.ask(write))
        #expect(result.actions.map(\.outcome) == [.unknown] && result.actions[0].error?.code == .operationTimedOut)
        await bench.settle(.seconds(60))
        #expect(!other.events.contains { if case .values(_, isCatchUp: false) = $0 { true } else { false } })
        bench.devices[0].latency = .milliseconds(5)
        #expect(try executed(try await app.ask(write)).error == nil && bench.devices[0].puts.count == 2)
      }
    }

    @Test("Values have the kinds of their formats, also if an accessory writes true as 1")
    func kinds() async throws {
      try await withHub(Self.lamps(1)) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let on = try app.id("Lamp 1", .on)
        bench.devices[0].values[Script.on] = .integer(1)
        guard case .values(let values) = try await app.ask(.read([on])) else { throw WrongAnswer() }
        #expect(values[0].value == .bool(true))
        try await app.ask(.subscribe([on]))
        await bench.settle()
        app.forget()
        bench.devices[0].event(Script.on, .integer(0))
        await bench.settle()
        #expect(app.events == [.values([CharacteristicReading(on, value: .bool(false))], isCatchUp: false)])
      }
    }

    @Test("A second subscriber gets the present values, too")
    func secondSubscriber() async throws {
      try await withHub(Self.lamps(1)) { bench in
        let (app, other) = (try await bench.attach("a"), try await bench.attach("b"))
        try await app.setUp(bench)
        let on = try app.id("Lamp 1", .on)
        try await app.ask(.subscribe([on]))
        await bench.settle()
        app.forget()
        other.forget()
        try await other.ask(.subscribe([on]))
        await bench.settle()
        #expect(other.events == [.values([CharacteristicReading(on, value: .bool(false))], isCatchUp: true)])
        #expect(app.events.isEmpty)
      }
    }

    @Test("Reads are one request for each device, and an accessory that is not reachable gives an error for each value")
    func reading() async throws {
      try await withHub(Self.lamps(2)) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        bench.devices[0].values[Script.brightness] = .integer(40)
        bench.devices[1].lose()
        let ids = [
          try app.id("Lamp 1", .on), try app.id("Lamp 2", .on), try app.id("Lamp 1", .brightness),
          try app.id("Lamp 2", .brightness), app.home.id,
        ]
        let readsBefore = bench.devices[0].reads.count
        guard case .values(let values) = try await app.ask(.read(ids)) else { throw WrongAnswer() }
        #expect(values.map(\.characteristic) == ids)
        #expect(values.map(\.value) == [.bool(false), nil, .integer(40), nil, nil])
        #expect(
          values.map { $0.error?.code } == [
            nil, .accessoryNotReachable, nil, .accessoryNotReachable, .objectNotAssociatedToAnyHome,
          ])
        #expect(bench.devices[0].reads.count == readsBefore + 1)
      }
    }

    @Test("More than 100 characteristics of a device are read in requests of at most 100")
    func manyReads() async throws {
      let services = (0..<150).map { number -> Service in
        Service(
          iid: 100 + 10 * UInt64(number), type: 0x49,
          characteristics: [
            Characteristic(
              iid: 101 + 10 * UInt64(number), type: .on, format: .bool, perms: [.pairedRead], value: .bool(true))
          ])
      }
      try await withHub([ScriptedDevice(Script.id(1), [Script.lamp("Lamp", more: services)])]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let ids = app.home.accessories[0].services.filter { $0.type == 0x49 }.flatMap(\.characteristics).map(\.id)
        let before = bench.devices[0].reads.count
        guard case .values(let values) = try await app.ask(.read(ids)) else { throw WrongAnswer() }
        #expect(values.count == 150 && values.allSatisfy { $0.value == .bool(true) })
        #expect(bench.devices[0].reads[before...].map(\.count) == [100, 50])
      }
    }

    @Test("Events go only to apps that subscribed; the device gets the exact set of all apps")
    func subscriptions() async throws {
      try await withHub(Self.lamps(1)) { bench in
        let (a, b) = (try await bench.attach("a"), try await bench.attach("b"))
        try await a.setUp(bench)
        let (on, brightness) = (try a.id("Lamp 1", .on), try a.id("Lamp 1", .brightness))
        let device = bench.devices[0]
        try await a.ask(.subscribe([on, brightness]))
        try await b.ask(.subscribe([on]))
        await bench.settle()
        #expect(device.subscriptions.last == [Script.on, Script.brightness])
        #expect(await b.refusal(of: .subscribe([try b.id("Lamp 1", .firmware)]))?.code == .notificationNotSupported)
        device.event(Script.brightness, .integer(7))
        await bench.settle()
        let event = HubEvent.values([CharacteristicReading(brightness, value: .integer(7))], isCatchUp: false)
        #expect(a.events.contains(event) && !b.events.contains(event))
        try await a.ask(.unsubscribe([on, brightness]))
        await bench.settle()
        #expect(device.subscriptions.last == [Script.on])
        await b.link.close()
        await bench.settle()
        #expect(device.subscriptions.last == [])
      }
    }

    @Test("A subscription is answered when the device has it, after 2 s, or at once without a connection")
    func answersOfSubscriptions() async throws {
      try await withHub(Self.lamps(2)) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (on, brightness) = (try app.id("Lamp 1", .on), try app.id("Lamp 1", .brightness))
        await bench.settle()
        func time(of request: HubRequest) async throws -> Duration {
          let begin = bench.now
          try await app.ask(request)
          return bench.now - begin
        }
        bench.devices[0].subscriptionTime = .milliseconds(300)
        #expect(try await time(of: .subscribe([on])) == .milliseconds(300))
        #expect(try await time(of: .subscribe([on])) < .milliseconds(10), "the device has it")
        bench.devices[0].subscriptionTime = .seconds(30)
        #expect(try await time(of: .unsubscribe([on])) < .milliseconds(10))
        #expect(try await time(of: .subscribe([brightness])) == .seconds(2))
        // Requests of the app do not wait for a slow answer.
        try await app.ask(.unsubscribe([brightness]))
        await bench.settle(.seconds(40))
        let answers = Guarded<[String]>([])
        let other = try app.id("Lamp 2", .on)
        await bench.hub.take(.subscribe([on, other]), from: app.link.app) { _ in answers.withLock { $0.append("late") }
        }
        await bench.hub.take(.read([other]), from: app.link.app) { _ in answers.withLock { $0.append("read") } }
        await bench.settle()
        #expect(answers.withLock { $0 } == ["read"])
        await bench.settle(.seconds(3))
        #expect(answers.withLock { $0 } == ["read", "late"])
        #expect(
          try await time(of: .subscribe([brightness])) < .milliseconds(10), "it has been silent for more than 2 s")
        bench.devices[0].lose()
        await bench.settle(.seconds(40))
        #expect(try await time(of: .subscribe([on])) < .milliseconds(10))
        bench.devices[0].subscriptionTime = .milliseconds(300)
        bench.devices[0].isOn = true
        bench.devices[0].connect()
        await bench.settle(.milliseconds(1))
        #expect(try await time(of: .subscribe([on])) > .milliseconds(290), "a new connection renews them")
      }
    }

    @Test("An unsubscription during an open request is sent, also if the connection is lost meanwhile")
    func lossDuringSubscription() async throws {
      try await withHub(Self.lamps(1)) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (on, device) = (try app.id("Lamp 1", .on), bench.devices[0])
        await bench.settle()
        device.subscriptionTime = .seconds(30)
        try await app.ask(.subscribe([on]))
        try await app.ask(.unsubscribe([on]))
        #expect(device.subscriptions.last == [Script.on], "the request is open")
        device.lose()
        await bench.settle()
        device.isOn = true
        device.connect()
        await bench.settle(.seconds(70))
        #expect(device.subscriptions.last == [])
      }
    }

    @Test("A value that an app wrote is reported to the other apps, and not to itself")
    func writtenValues() async throws {
      try await withHub(Self.lamps(1)) { bench in
        let (a, b) = (try await bench.attach("a"), try await bench.attach("b"))
        try await a.setUp(bench)
        let on = try a.id("Lamp 1", .on)
        for app in [a, b] { try await app.ask(.subscribe([on])) }
        try await a.ask(.write(home: a.home.id, [HomeAction(on, .bool(true))]))
        await bench.settle()
        let event = HubEvent.values([CharacteristicReading(on, value: .bool(true))], isCatchUp: false)
        #expect(b.events.contains(event) && !a.events.contains(event))
      }
    }
  }
#endif
