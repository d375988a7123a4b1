#if os(Linux)
  import HAPController
  import HAPHome
  import HAPLoop
  import HAPModel
  import Testing

  @testable import HAPAccessoryPort
  @testable import HAPSimulator

  /// Pairing by a port with accessories of hapsim, in simulated worlds.
  @Suite("Pairing by a port") struct PairingTests {
    private static func pair(
      _ it: PortWorld, _ device: DeviceID?, _ code: String,
      store: @escaping @Sendable (DevicePairing) async throws(HomeError) -> Void = { _ in }
    ) async -> HomeError? {
      await homeError { () async throws(HomeError) in
        guard let identity = PortWorld.identity else { throw HomeError(.invalidParameter, nil, "no identity") }
        _ = try await it.port.pair(with: device, code: code, as: identity, own: [], store: store)
      }
    }

    @Test("The pairing is stored before the accessory is used, and works")
    func stored() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let device = try DeviceID(of: door)
        let seen = Guarded<[DevicePairing]>([])
        let pairing = try await it.port.pair(
          with: device, code: "03145154", as: try #require(PortWorld.identity), own: []
        ) { pairing in seen.withLock { $0.append(pairing) } }
        try #require(pairing.device == device && pairing.accessoryID == Array(device.text.utf8))
        try #require(pairing.addresses == ["\(it.home.address):\(door.port)"])
        try #require(seen.withLock { $0.map(\.accessoryKey) } == [pairing.accessoryKey])
        // Nothing but Pair Setup was done before.
        try #require(door.history.allSatisfy { $0.kind != .verified })
        let followed = FollowedDevice(it.port, pairing)
        _ = try await followed.connected()
        await followed.connection.close()
      }
    }

    @Test("If the pairing can't be stored, it is removed from the accessory, and the error of the store is thrown")
    func notStored() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let error = await Self.pair(it, try DeviceID(of: door), door.setupCode) { _ throws(HomeError) in
          throw HomeError(.maximumObjectLimitReached, nil, "the disk is full")
        }
        try #require(error == HomeError(.maximumObjectLimitReached, nil, "the disk is full"))
        try #require(try await door.pairings.isEmpty)
        try await door.expect(.unpaired)
        _ = try await it.pair(door)
      }
    }

    @Test("A pairing that can't be stored is removed even if the task is cancelled, or the connection ends after M6")
    func notStoredCancelled() async throws {
      for isCut in [true, false] {
        try await withPort { it in
          let door = try await it.home.start(Profiles.garage())
          if isCut { try await door.switchOn(fault: "cut-after:message=setup-M6") }
          let device = try DeviceID(of: door)
          let code = door.setupCode
          let task = it.world.startTask {
            await Self.pair(it, device, code) { _ throws(HomeError) in
              withUnsafeCurrentTask { $0?.cancel() }
              throw HomeError(.operationCancelled, nil, "cancelled")
            }
          }
          try #require(try await task.value?.code == .operationCancelled)
          try #require(try await door.pairings.isEmpty)
        }
      }
    }

    @Test("A setup payload finds its accessory without a device ID; a payload of another accessory is refused")
    func payload() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let lamp = try await it.world.addHost("other").start(Profiles.lamp("Lamp"))
        let identity = try #require(PortWorld.identity)
        let error = await Self.pair(it, try DeviceID(of: lamp), door.setupPayload)
        try #require(error?.code == .invalidParameter)
        let pairing = try await it.port.pair(with: nil, code: door.setupPayload, as: identity, own: []) { _ in }
        try #require(pairing.device == (try DeviceID(of: door)))
        try #require(try await lamp.pairings.isEmpty)
        let again = await Self.pair(it, nil, door.setupPayload)
        try #require(again?.code == .accessoryPairingFailed && again?.message.contains("paired with another") == true)
      }
    }

    @Test("Of two accessories with one setup ID, the one without a pairing is meant; with two of them, none is")
    func sameSetupID() async throws {
      func profile(_ name: String) -> ProfileSource {
        .json(
          """
          { "format": "hasaccessory/1", "name": "\(name)", "category": "lightbulb", "setupCode": "031-45-154",
            "setupID": "7OSX", "services": [ { "type": "Lightbulb", "name": "Lamp" } ] }
          """)
      }
      let (one, two) = (profile("One"), profile("Two"))
      try await withPort { it in
        let first = try await it.home.start(one)
        let second = try await it.world.addHost("other").start(two)
        let error = await Self.pair(it, nil, first.setupPayload)
        try #require(error?.code == .accessoryDiscoveryFailed && error?.message.contains("2 accessories") == true)
        _ = try await it.pair(second)
        let pairing = try await it.port.pair(
          with: nil, code: first.setupPayload, as: try #require(PortWorld.identity), own: []
        ) { _ in }
        try #require(pairing.device == (try DeviceID(of: first)))
      }
    }

    @Test("The payload of an accessory in a home of the hub is refused with 13, without the advice to reset it")
    func ownPayload() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let device = try await it.pair(door).device
        let identity = try #require(PortWorld.identity)
        let error = await homeError { () async throws(HomeError) in
          _ = try await it.port.pair(with: nil, code: door.setupPayload, as: identity, own: [device]) { _ in }
        }
        try #require(error?.code == .objectAlreadyAssociatedToHome && error?.message.contains("\(device)") == true)
      }
    }

    @Test("A malformed code, a payload without a code, and a code without a device are refused without a search")
    func malformed() async throws {
      try await withPort { it in
        for code in ["", "1234", "000-00-000", "X-HM://", "X-HM://0071WK4SM7OS", "031-45-154"] {
          let error = await Self.pair(it, nil, code)
          try #require(error?.code == .invalidParameter, "\(code): \(String(describing: error))")
        }
        let noCode = SetupPayload(category: 5, code: nil, setupID: SetupID("7OSX")).uri
        try #require(await Self.pair(it, nil, noCode)?.code == .invalidParameter)
        let bluetooth = SetupPayload(
          category: 5, code: try SetupCode("031-45-154"), setupID: SetupID("7OSX"), supportsIP: false,
          supportsBLE: true
        ).uri
        try #require(await Self.pair(it, nil, bluetooth)?.code == .operationNotSupported)
        try #require(it.world.now == .zero)
      }
    }

    @Test("A wrong code is 18, and the accessory can be paired afterwards; after 100 of them it refuses: 18")
    func wrongCode() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let lamp = try await it.world.addHost("other").start(Profiles.lamp("Lamp"))
        let wrong = await Self.pair(it, try DeviceID(of: door), "031-45-155")
        try #require(wrong?.code == .accessoryPairingFailed && wrong?.message.contains("code is wrong") == true)
        _ = try await it.pair(door)
        for _ in 0..<100 { _ = await Self.pair(it, try DeviceID(of: lamp), "031-45-155") }
        let locked = await Self.pair(it, try DeviceID(of: lamp), lamp.setupCode)
        try #require(locked?.code == .accessoryPairingFailed && locked?.message.contains("too many") == true)
      }
    }

    @Test("An accessory that is being paired by another controller is busy: 14")
    func busy() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        try await door.switchOn(fault: "delay-message:message=setup-M2:by=5s")
        let device = try DeviceID(of: door)
        let code = door.setupCode
        let first = it.world.startTask { await Self.pair(it, device, code) }
        try await it.world.sleep(for: .seconds(3))
        try #require(await Self.pair(it, device, code)?.code == .accessoryIsBusy)
        try #require(try await first.value == nil)
      }
    }

    @Test("An accessory that is not there is 57; one that does not answer is 4; without a network, the error is 78")
    func notFound() async throws {
      try await withPort { it in
        let device = try #require(DeviceID("AA:BB:CC:00:00:01"))
        try #require(await Self.pair(it, device, "031-45-154")?.code == .accessoryDiscoveryFailed)
        let payload = SetupPayload(
          category: 5, code: try SetupCode("031-45-154"), setupID: SetupID("7OSX")
        ).uri
        try #require(await Self.pair(it, nil, payload)?.code == .accessoryDiscoveryFailed)
        let door = try await it.home.start(Profiles.garage())
        let search = it.port.search { _ in }
        try await it.world.sleep(for: .seconds(5))
        it.home.losePower()
        try #require(await Self.pair(it, try DeviceID(of: door), "031-45-154")?.code == .accessoryNotReachable)
        search.close()
        it.hub.setConnected(false)
        try #require(await Self.pair(it, device, "031-45-154")?.code == .networkUnavailable)
      }
    }

    @Test("An accessory without a pairing identifies itself; one with a pairing refuses: 17")
    func identify() async throws {
      try await withPort { it in
        let door = try await it.home.start(Profiles.garage())
        let device = try DeviceID(of: door)
        try await it.port.identifyUnpaired(device)
        try await door.expect(.identified)
        _ = try await it.pair(door)
        let error = await homeError { () async throws(HomeError) in try await it.port.identifyUnpaired(device) }
        try #require(error?.code == .insufficientPrivileges)
        let other = try #require(DeviceID("AA:BB:CC:00:00:01"))
        let missing = await homeError { () async throws(HomeError) in try await it.port.identifyUnpaired(other) }
        try #require(missing?.code == .accessoryDiscoveryFailed)
      }
    }
  }
#endif
