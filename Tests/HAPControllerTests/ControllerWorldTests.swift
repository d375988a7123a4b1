#if os(Linux)
  import HAPController
  import HAPModel
  import Testing

  @testable import HAPSimulator
  @testable import HAPSimulatorCore

  /// The public API of HAPController against hapsim, in a simulated world.
  @Suite("A controller in a simulated world") struct ControllerWorldTests {
    private let code = "031-45-154"

    private func garage(_ name: String = "Garage", extra: String = "") -> ProfileSource {
      .json(
        """
        { "format": "hasaccessory/1", "name": "\(name)", "category": "garage-door-opener", "setupCode": "031-45-154",
          "services": [
            { "type": "GarageDoorOpener", "name": "Door", "behaviour": { "travelTime": "12s" } }\(extra) ] }
        """)
    }

    /// Serves a garage door on one host, and runs `body` with a controller on another one.
    private func withGarage(
      storage: any PairingStorage = PairingMemory(),
      _ body: @escaping @Sendable (World, World.Host, RunningAccessory, Controller) async throws -> Void
    ) async throws {
      let profile = garage()
      try await withSimulatedWorld { world in
        let (home, phone) = (world.addHost("home"), world.addHost("phone"))
        let door = try await home.start(profile)
        let controller = Controller(
          on: try phone.runningAppLoop(), storage: storage, interfaces: ["eth0"], timeout: .seconds(10))
        try await body(world, home, door, controller)
      }
    }

    /// The next change for which `isWanted` is true.
    private func next<T>(
      _ changes: inout AsyncStream<SessionChange>.Iterator, _ isWanted: (SessionChange) -> T?
    ) async throws -> T {
      while let change = await changes.next() { if let wanted = isWanted(change) { return wanted } }
      throw Ended()
    }

    private struct Ended: Error {}

    @Test("An accessory is found, paired, read, written, watched and unpaired through the public API")
    func wholeLife() async throws {
      let storage = PairingMemory()
      try await withGarage(storage: storage) { [code] world, _, door, controller in
        let found = try await controller.findAccessories()
        try #require(
          found.map(\.name) == ["Garage"] && found[0].isPaired == false && found[0].deviceID == door.deviceID)

        let pairing = try await controller.pair(with: "Garage", code: code)
        try #require(pairing.name == "garage" && pairing.accessoryID == door.deviceID)
        try #require(try controller.pairings().map(\.name) == ["garage"])

        let session = try await controller.session(with: "garage")
        let snapshot = session.snapshot
        let target = try #require(snapshot.characteristic(named: "Target Door State"))
        let current = try #require(snapshot.characteristic(named: "Current Door State"))
        let read = try await session.read([target, current])
        try #require(read.map(\.id) == [target, current] && read.map(\.value) == [.integer(1), .integer(1)])

        var changes = session.changes().makeAsyncIterator()
        try #require(try await session.subscribe(to: [current]).isEmpty)
        let written = try await session.write([CharacteristicWrite(target, .integer(0))])
        try #require(written == [CharacteristicResult(id: target, value: .integer(0), status: 0)])
        let opening = try await next(&changes) { change -> [CharacteristicResult]? in
          if case .values(let values, isCatchUp: false) = change { values } else { nil }
        }
        try #require(opening.map(\.id) == [current] && opening[0].value == .integer(2))
        let open = try await next(&changes) { change -> [CharacteristicResult]? in
          if case .values(let values, isCatchUp: false) = change { values } else { nil }
        }
        try #require(open[0].value == .integer(0))
        try #require(session.snapshot.database[current] == .integer(0))

        try await session.identify()
        let controllers = try await session.pairings()
        try #require(controllers.map(\.identifier) == [Array(pairing.identity.identifier.utf8)])
        await session.close()
        try #require(await changes.next() == nil)
        try await controller.unpair("garage")
        try #require(try controller.pairings().isEmpty)
        try #require(try await controller.findAccessories().first?.isPaired == false)
      }
    }

    @Test("A changed c# makes the session read the database again, and the snapshot has the new number")
    func configurationNumber() async throws {
      let other = garage(extra: #", { "type": "Switch", "name": "Lamp" }"#)
      try await withGarage { [code] world, _, door, controller in
        _ = try await controller.pair(with: door.deviceID, code: code, name: "door")
        let session = try await controller.session(with: "door")
        var changes = session.changes().makeAsyncIterator()
        // The record is observed after the start of the session.
        while session.snapshot.configurationNumber == nil { try await world.sleep(for: .seconds(1)) }
        let number = try #require(session.snapshot.configurationNumber)
        try #require(session.snapshot.characteristic(named: "On") == nil)
        let newNumber = try await door.replace(by: other)
        try #require(newNumber > number)
        let snapshot = try await next(&changes) { change -> DatabaseSnapshot? in
          if case .database(let snapshot) = change { snapshot } else { nil }
        }
        try #require(snapshot.configurationNumber == UInt32(newNumber))
        try #require(snapshot.characteristic(named: "On") != nil)
        await session.close()
      }
    }

    @Test("A session outlives a loss of power, and reports the loss, the connection and the missed changes")
    func powerLoss() async throws {
      let profile = garage()
      try await withGarage { [code] world, home, door, controller in
        _ = try await controller.pair(with: "Garage", code: code, name: "door")
        let session = try await controller.session(with: "door")
        let target = try #require(session.snapshot.characteristic(named: "Target Door State"))
        _ = try await session.subscribe(to: [target])
        var changes = session.changes().makeAsyncIterator()
        home.losePower()
        try await world.sleep(for: .seconds(300))
        home.restorePower()
        let again = try await home.start(profile)
        let error = try await next(&changes) { change -> ControllerError? in
          if case .disconnected(let error, _) = change { error } else { nil }
        }
        try #require([.timedOut, .connectionLost, .unreachable].contains(error.kind) && error.subject == "door")
        try await next(&changes) { change -> Void? in if case .connected = change { () } else { nil } }
        try await again.set("TargetDoorState", to: .integer(0))
        let values = try await next(&changes) { change -> [CharacteristicResult]? in
          if case .values(let values, isCatchUp: false) = change { values } else { nil }
        }
        try #require(values.first?.value == .integer(0))
        await session.close()
      }
    }

    @Test("A setup payload pairs without the accessory's name")
    func payload() async throws {
      try await withGarage { _, _, door, controller in
        let steps = Steps()
        let pairing = try await controller.pair(code: door.setupPayload, name: "door") { steps.take($0) }
        try #require(pairing.accessoryID == door.deviceID)
        try #require(
          steps.all == [
            .searching, .found("Garage"), .connecting(pairing.addresses), .pairing, .stored("door"),
          ])
      }
    }

    @Test("One identity can pair with several accessories; without one, each pairing has its own keys")
    func identities() async throws {
      let second = garage("Shed")
      try await withGarage { [code] world, _, _, controller in
        let other = try await world.addHost("shed").start(second)
        let identity = controller.makeIdentity()
        let first = try await controller.pair(with: "Garage", code: code, as: identity)
        let shed = try await controller.pair(with: "Shed", code: other.setupCode, as: identity)
        try #require(first.identity.publicKey == identity.publicKey && shed.identity.publicKey == identity.publicKey)
        try await controller.unpair("shed")
        let own = try await controller.pair(with: "Shed", code: other.setupCode)
        try #require(own.identity.publicKey != identity.publicKey)
        try #require(own.identity.identifier != identity.identifier)
      }
    }

    @Test("An error has a kind, its accessory, and advice")
    func errors() async throws {
      try await withGarage { [code] _, _, _, controller in
        func error(_ body: () async throws -> Void) async -> ControllerError? {
          do { try await body() } catch { return error as? ControllerError }
          return nil
        }
        let missing = await error { _ = try await controller.pair(with: "Garge", code: code) }
        try #require(missing?.kind == .notFound && missing?.advice == #"a similar name is "Garage""#)
        let wrong = await error { _ = try await controller.pair(with: "Garage", code: "031-45-155") }
        try #require(wrong?.kind == .wrongSetupCode && wrong?.subject == "Garage")
        try #require(await error { _ = try await controller.pair(with: "Garage", code: "x") }?.kind == .malformed)
        try #require(await error { _ = try await controller.pair(code: code) }?.kind == .malformed)
        try #require(await error { _ = try await controller.pair(with: "1.2.3:80", code: code) }?.kind == .malformed)
        try #require(await error { _ = try await controller.session(with: "Garage") }?.kind == .notPaired)
        try #require(await error { try controller.forget("door") }?.kind == .notPaired)
        try await controller.identifyUnpaired("Garage")
        _ = try await controller.pair(with: "Garage", code: code, name: "door")
        try #require(
          await error { _ = try await controller.pair(with: "x", code: code, name: "door") }?.kind == .nameTaken)
        let again = await error { _ = try await controller.pair(with: "Garage", code: code, name: "again") }
        try #require(again?.kind == .alreadyPaired && again?.reason.contains("as \"door\"") == true)
        try controller.forget("door")
        let stranger = await error { _ = try await controller.pair(with: "Garage", code: code) }
        try #require(stranger?.kind == .alreadyPaired && stranger?.reason.contains("another controller") == true)
        try #require(await error { try await controller.identifyUnpaired("Garage") }?.kind == .alreadyPaired)
      }
    }

    @Test("A watch reports an accessory that appears, changes and disappears")
    func watching() async throws {
      try await withGarage { [code] _, _, door, controller in
        let watch = controller.watchAccessories()
        var sightings = watch.makeAsyncIterator()
        guard case .appeared(let found)? = await sightings.next() else { throw Ended() }
        try #require(found.isPaired == false)
        _ = try await controller.pair(with: "Garage", code: code)
        var isPaired = false
        while !isPaired {
          guard case .changed(let found)? = await sightings.next() else { throw Ended() }
          isPaired = found.isPaired == true
        }
        await door.stop()
        guard case .gone(let gone)? = await sightings.next() else { throw Ended() }
        try #require(gone.name == "Garage")
        watch.close()
        try #require(await sightings.next() == nil)
      }
    }
  }

  /// The steps of one operation.
  private final class Steps: @unchecked Sendable {  // confined to the world's thread
    private(set) var all: [ControllerProgress] = []
    func take(_ step: ControllerProgress) { all.append(step) }
  }
#endif
