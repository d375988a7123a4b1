#if os(Linux)
  import HAPHome
  import HAPHubLink
  import HAPModel
  import Testing

  @testable import HAPHub

  /// Data that authorizes writes: HAP R2 §6.7.2.2, `authData`.
  @Suite("Authorization data of a hub") struct AuthorizationTests {
    /// A lamp with a lock whose characteristic demands data.
    private static func guardedLamp(
      _ permissions: Permissions = .additionalAuthorization, firmware: String = "1.0"
    ) -> Accessory {
      let lock = Service(
        iid: 20, type: 0x49,
        characteristics: [
          Characteristic(
            iid: 21, type: .on, format: .bool, perms: permissions.union([.pairedRead, .pairedWrite]),
            value: .bool(false))
        ])
      return Script.lamp("Lamp", firmware: firmware, more: [lock])
    }

    private static func lockDevice() -> ScriptedDevice { ScriptedDevice(Script.id(1), [guardedLamp()]) }

    private func guarded(_ app: TestApp) throws -> HomeObjectID {
      let ids = app.home.accessories.flatMap(\.services).flatMap(\.characteristics)
      return try #require(ids.first { $0.permissions.contains(.additionalAuthorization) }).id
    }

    @Test("It is sent with each write of its characteristic, by apps and scenes, also after a restart")
    func sent() async throws {
      try await withHub([Self.lockDevice()]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (guarded, free) = (try guarded(app), try app.id("Lamp", .brightness))
        let write = HubRequest.write(
          home: app.home.id, [HomeAction(guarded, .bool(true)), HomeAction(free, .integer(5))])
        _ = try await app.ask(write)
        #expect(bench.devices[0].authorizations == [])
        _ = try await app.ask(.authorize(guarded, [1, 2, 3]))
        _ = try await app.ask(write)
        #expect(bench.devices[0].authorizations == [[guarded: [1, 2, 3]]])
        try await app.addSet("Set", [HomeAction(guarded, .bool(false))])
        bench.kill()
        try await bench.start()
        let second = try await bench.attach("b")
        _ = try await second.ask(.execute([try second.set("Set")]))
        #expect(bench.devices[0].authorizations.count == 2)
        _ = try await second.ask(.authorize(guarded, nil))
        _ = try await second.ask(write)
        #expect(bench.devices[0].authorizations.count == 2)
      }
    }

    @Test("A characteristic without the permission refuses it with 48, an unknown one with 12")
    func refused() async throws {
      try await withHub([Self.lockDevice()]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let free = try app.id("Lamp", .brightness)
        for (id, code) in [(free, HomeError.Code.operationNotSupported), (app.home.id, .objectNotAssociatedToAnyHome)] {
          #expect(await app.refusal(of: .authorize(id, [1]))?.code == code)
        }
      }
    }

    @Test("It has 1 to 1,024 bytes, also without a socket; other lengths are refused with 3")
    func length() async throws {
      try await withHub([Self.lockDevice()]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let guarded = try guarded(app)
        for (count, code) in [(0, HomeError.Code.invalidParameter), (1, nil), (1024, nil), (1025, .invalidParameter)] {
          let error = await app.refusal(of: .authorize(guarded, Array(repeating: 7, count: count)))
          #expect(error?.code == code && error?.message.contains("\(count)") != false)
        }
        #expect(await bench.hub.authorizations[guarded]?.count == 1024)
      }
    }

    @Test("None is stored while its accessory is removed or its characteristic vanishes", arguments: [true, false])
    func concurrent(removes: Bool) async throws {
      // The seed decides which of both is stored first.
      for seed in 1...20 as ClosedRange<UInt64> {
        try await withHub([Self.lockDevice()], seed: seed) { bench in
          let app = try await bench.attach("a")
          let other = try await bench.attach("b")
          try await app.setUp(bench)
          let (guarded, lamp) = (try guarded(app), try app.accessory("Lamp").id)
          if removes {
            bench.loop.startTask { #expect(await other.refusal(of: .remove(lamp, forgets: false)) == nil) }
          } else {
            bench.devices[0].replace([Script.lamp("Lamp")])
          }
          _ = await app.refusal(of: .authorize(guarded, [1]))
          await bench.settle(.seconds(1))
          #expect(await bench.hub.authorizations == [:])
          #expect(await app.refusal(of: .authorize(guarded, [2]))?.code == .objectNotAssociatedToAnyHome)
          bench.kill()
          try await bench.start()
          #expect(await bench.hub.authorizations == [:], "a row stays with the seed \(seed)")
        }
      }
    }

    @Test("It ends when the characteristic vanishes or does not demand it any more", arguments: [true, false])
    func changed(vanishes: Bool) async throws {
      try await withHub([Self.lockDevice()]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (guarded, device) = (try guarded(app), bench.devices[0])
        _ = try await app.ask(.authorize(guarded, [1]))
        let write = HubRequest.write(home: app.home.id, [HomeAction(guarded, .bool(true))])
        device.replace([Self.guardedLamp(firmware: "2.0")])
        await bench.settle()
        #expect(await bench.hub.authorizations == [guarded: [1]], "another change keeps it")
        device.replace([vanishes ? Script.lamp("Lamp") : Self.guardedLamp([])])
        await bench.settle()
        #expect(await bench.hub.authorizations == [:])
        if !vanishes { _ = try await app.ask(write) }
        device.replace([Self.guardedLamp()])
        await bench.settle()
        bench.kill()
        try await bench.start()
        let second = try await bench.attach("b")
        _ = try await second.ask(write)
        #expect(device.authorizations == [])
        #expect(await bench.hub.authorizations == [:])
      }
    }

    @Test("A command that can't be stored keeps it")
    func notStored() async throws {
      try await withHub([Self.lockDevice()]) { bench in
        let app = try await bench.attach("a")
        try await app.setUp(bench)
        let (guarded, lamp) = (try guarded(app), try app.accessory("Lamp").id)
        _ = try await app.ask(.authorize(guarded, [1]))
        for request in [HubRequest.authorize(guarded, [2]), .authorize(guarded, nil), .remove(lamp, forgets: false)] {
          bench.disk.fail(.sync)
          #expect(await app.refusal(of: request)?.code == .unexpectedError)
          #expect(await bench.hub.authorizations == [guarded: [1]])
        }
      }
    }
  }
#endif
