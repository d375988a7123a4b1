import HAPCrypto
import HAPExpectation
import HAPFuzzing
import HAPIP
import HAPLoop
import HAPModel
import HAPSuite
import HAPTarget
import HAPWire

/// The accessory under fuzzing: starts it, brings it into a state, sends messages, checks it, restarts it, and restores its original state.
///
/// An actor on the loop's thread.
actor FuzzGround {
  /// The time without an answer on a new connection after which an accessory counts as hanging.
  static let hangLimit = Duration.seconds(10)
  /// The time that an accessory has to answer again if haptest can't restart it.
  static let returnLimit = Duration.seconds(60)

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let session: FuzzSession
  private let seed: UInt64
  private let start: UInt64
  private let world = CaseWorld()
  private var process: AccessoryProcess?
  private var place: Place?
  private var witness: FuzzWitness?
  private var current = FuzzState.found
  /// Whether Pair Setup was refused because of a pairing, at the last check.
  private(set) var wasPaired = false
  /// Whether another controller is paired with the accessory.
  private(set) var isForeign = false
  private var facts = FuzzFacts()
  /// Characteristics that any message may have written.
  private var written: Set<AttributeID> = []
  /// Whether the accessory has passed all checks since it was prepared.
  private var isGood = false
  /// Slowest answer on new connections, decaying.
  private var slowest = Duration.milliseconds(20)
  private(set) var tally = FuzzTally()

  private struct Place {
    var device: TestedAccessory
    var manager: PairingManager
  }

  init(_ session: FuzzSession, seed: UInt64, on loop: EventLoop) {
    self.session = session
    self.seed = seed
    self.loop = loop
    start = loop.readClock()
  }

  typealias Failure = ConformanceSession.Failure

  // MARK: Start

  /// Starts the accessory if needed, finds it, and checks its state.
  func begin() async throws {
    let former = place?.device
    try await launch()
    let (addresses, code) = try await whereabouts()
    let device = TestedAccessory(on: loop, addresses: addresses, code: code, random: .seeded(seed), start: start)
    if let former {
      device.identity = former.identity
      device.keepOriginals(of: former)
    }
    let manager = PairingManager(device: device, world: world, seed: seed)
    place = Place(device: device, manager: manager)
    do throws(PairingManager.Refusal) {
      try await manager.isAlive()
      wasPaired = try await manager.isPairedWithSomebody()
    } catch { throw Failure(message: "\(device.address) can't be reached: \(error.message)") }
    isForeign = wasPaired
    guard wasPaired else { return }
    // An earlier run with this seed may have been aborted and have left its pairing.
    do throws(PairingManager.Refusal) {
      try await manager.verify()
      device.owner = device.admin
      isForeign = false
    } catch {}
  }

  private func launch() async throws {
    guard let command = session.command else { return }
    let started = AccessoryProcess(command, on: loop)
    let sign: AccessoryProcess.Sign
    if case .address(let address) = session.target {
      sign = .address(address, within: session.readyLimit)
    } else {
      sign = .readyLine(within: session.readyLimit)
    }
    do throws(AccessoryProcess.Failure) { try await started.start(until: sign) } catch {
      throw Failure(message: "the accessory doesn't start: \(error.message)", details: error.lastLines)
    }
    process = started
  }

  private func whereabouts() async throws -> (addresses: [SocketAddress], code: String?) {
    switch session.target {
    case .address(let address): return ([address], session.code)
    case .child:
      guard let ready = await process?.accessories.first, let host = try? IPAddress(ready.address) else {
        throw Failure(message: "the command printed no ready line with an accessory and its address")
      }
      return ([SocketAddress(host: host, port: ready.port)], session.code ?? ready.setupCode)
    case .name(let name):
      let observer = MDNSObserver(on: loop, interfaces: session.interfaces)
      if let absence = await observer.open() {
        await observer.close()
        throw Failure(message: "can't search for \(name): no multicast: \(absence)")
      }
      let wanted = ServiceTarget(called: name)
      let service = try? await observer.find(wanted, within: .seconds(8), after: MDNSObserver.start)
      await observer.close()
      guard let service, !service.socketAddresses.isEmpty else {
        throw Failure(message: "no accessory named \(name) was found on the network")
      }
      return (service.socketAddresses, session.code)
    }
  }

  /// The accessory's address, such as "192.0.2.7:51826"; empty if it is not known.
  var address: String { place.map { "\($0.device.address)" } ?? "" }
  var hasCode: Bool { place?.device.code != nil }

  // MARK: States

  /// Whether the accessory is already in a state, with an open witness session if the state needs one.
  func isReady(for state: FuzzState) -> Bool {
    isGood && current == state && (state != .paired || witness != nil)
  }

  /// Marks the accessory as unusable for the next trial.
  func distrust() { isGood = false }

  /// Brings the accessory into a state, and returns the facts for creating messages.
  func prepare(_ state: FuzzState) async throws -> FuzzFacts {
    guard let place else { preconditionFailure("begin() was called") }
    await closeWitness()
    do throws(PairingManager.Refusal) {
      switch state {
      case .found: break
      case .unpaired: try await place.manager.unpair()
      case .paired:
        do throws(PairingManager.Refusal) { try await place.manager.pair() } catch {
          // With some stacks, one Pair Setup in 256 fails.
          try await place.manager.pair()
        }
      }
    } catch { throw Failure(message: "it can't be brought into the state \(state.rawValue): \(error.message)") }
    current = state
    isGood = true
    facts = FuzzFacts(state == .paired ? place.device.database : nil) { place.device.originals[$0] != nil }
    facts.state = state
    facts.hasCode = place.device.code != nil
    facts.proofLimit = session.proofLimit
    facts.identifier = place.device.admin.credentials.identifier
    facts.publicKey = place.device.admin.credentials.key.publicKey
    written.formUnion(facts.targets.map(\.id))
    if state == .paired {
      let run = helper()
      do { witness = try await FuzzWitness(run, facts: facts) } catch let failure as CaseFailure {
        await run.close()
        throw Failure(message: "no session: \(failure.message)")
      }
    }
    return facts
  }

  private func helper() -> CaseRun {
    guard let place else { preconditionFailure("begin() was called") }
    return CaseRun(
      PairingManager.definition, on: place.device, world: world, recorder: Recorder(on: loop, start: start),
      expectations: NamedExpectations(),
      random: .seeded(place.device.nextSeed(seed)))
  }

  private func closeWitness() async {
    if let witness { await witness.close() }
    witness = nil
  }

  // MARK: Messages

  /// Sends messages, one after the other, and then checks the accessory.
  /// - Parameters:
  ///   - thoroughly: whether to make the slow checks too.
  /// - Returns: the finding, and the sent messages, up to the end of the accessory's process if it ended.
  func feed(
    _ messages: [FuzzMessage], thoroughly: Bool
  ) async throws -> (finding: FuzzFinding?, sent: [FuzzMessage]) {
    let run = helper()
    if !messages.isEmpty { tally.rounds += 1 }
    var sent: [FuzzMessage] = []
    var interruption: (any Error)?
    do {
      for message in messages {
        if Task.isCancelled { throw CaseInterrupted() }
        sent.append(message)
        // A step of a procedure is answered, but may take longer.
        let patience = message.way.isOnce ? max(patience, .seconds(2)) : patience
        count(try await run.deliver(message, patience: patience), message)
        if await process?.exit != nil { break }
        // A changed M5 can still be valid and create a pairing. If unpairing fails here, the check afterwards reports
        // it.
        if current != .paired, let place, place.device.owner != nil { try? await place.manager.unpair() }
      }
    } catch { interruption = error }
    await run.abandon()
    if let interruption { throw interruption }
    return (try await look(thoroughly: thoroughly), sent)
  }

  /// Time within which a responsive accessory would have answered.
  private var patience: Duration { min(max(slowest * 4, .milliseconds(100)), .seconds(1)) }

  private func count(_ echo: CaseRun.FuzzEcho, _ message: FuzzMessage) {
    guard echo != .unprepared else {
      tally.unprepared += 1
      return
    }
    tally.messages += 1
    tally.bytes += message.bytes.count
    switch echo {
    case .answer(let status): tally.answers[status, default: 0] += 1
    case .garbage: tally.garbage += message.way.isSecured ? 1 : 0
    case .closed(let reset): if reset { tally.resets += 1 } else { tally.closed += 1 }
    case .silence, .unprepared: tally.silences += 1
    }
  }

  // MARK: Checks

  private func look(thoroughly: Bool) async throws -> FuzzFinding? {
    if let finding = await ended(waits: false) { return finding }
    let silence = try await unreachable()
    // The accessory may be silent because its process is about to end.
    if let finding = await ended(waits: silence != nil) ?? silence { return finding }
    guard let place else { preconditionFailure("begin() was called") }
    if current != .paired, place.device.owner != nil {
      // A valid M5 was accepted, as it should be.
      do throws(PairingManager.Refusal) { try await place.manager.unpair() } catch {
        return await ended() ?? FuzzFinding(kind: .pairing, message: "its pairing can't be removed: \(error.message)")
      }
    }
    if let witness, let finding = try await witness.finding(thoroughly: thoroughly) {
      if await isUnpaired() {
        return FuzzFinding(kind: .pairing, message: "the pairing is gone, although it was not removed")
      }
      return await ended() ?? finding
    }
    guard thoroughly else { return nil }
    if current == .paired {
      do throws(PairingManager.Refusal) { try await place.manager.removeOthers(added: []) } catch {
        return await ended() ?? FuzzFinding(kind: .session, message: "a new session isn't served: \(error.message)")
      }
    }
    return try await pairingFinding(place)
  }

  private func pairingFinding(_ place: Place) async throws -> FuzzFinding? {
    let isPaired: Bool
    do throws(PairingManager.Refusal) { isPaired = try await place.manager.isPairedWithSomebody() } catch {
      if Task.isCancelled { throw CaseInterrupted() }
      // An unusual answer to Pair Setup is not a finding.
      return await ended(waits: false)
    }
    let wanted = current == .paired || (current == .found && wasPaired)
    guard isPaired != wanted else { return nil }
    if isPaired, current == .unpaired {
      // The accessory may have accepted an M5 whose answer was not awaited.
      do throws(PairingManager.Refusal) {
        try await place.manager.verify()
        place.device.owner = place.device.admin
        try await place.manager.unpair()
        return nil
      } catch {}
    }
    return FuzzFinding(
      kind: .pairing,
      message: isPaired ? "it is paired without an accepted M5" : "it is unpaired without a removed pairing")
  }

  private func isUnpaired() async -> Bool {
    guard let place, current == .paired else { return false }
    do throws(PairingManager.Refusal) { return try await !place.manager.isPairedWithSomebody() } catch { return false }
  }

  /// - Parameter waits: whether to wait for the end of the process. After another finding, the process may be about to
  ///   end.
  private func ended(waits: Bool = true) async -> FuzzFinding? {
    guard let process else { return nil }
    for _ in 0..<(waits ? 15 : 1) {
      if let exit = await process.exit {
        return FuzzFinding(
          kind: .ended, message: "the accessory's process ended \(exit)", details: await process.lastLines.suffix(10))
      }
      if waits { try? await loop.sleep(for: .milliseconds(20)) }
    }
    return nil
  }

  private func unreachable() async throws -> FuzzFinding? {
    let deadline = loop.readClock() &+ UInt64(Self.hangLimit / .nanoseconds(1))
    var reason = ""
    repeat {
      let begun = loop.readClock()
      guard begun < deadline else { break }
      do throws(ProbeFailure) {
        try await probe(within: .nanoseconds(Int64(clamping: deadline &- begun)))
        slowest = max(slowest * 9 / 10, .nanoseconds(Int64(clamping: loop.readClock() &- begun)))
        return nil
      } catch { reason = error.message }
      if Task.isCancelled { throw CaseInterrupted() }
      if await process?.exit != nil { return nil }
      try? await loop.sleep(for: .milliseconds(200))
    } while loop.readClock() < deadline
    return FuzzFinding(
      kind: .unreachable, message: "it doesn't answer on new connections within \(Self.hangLimit.roundText): \(reason)")
  }

  private struct ProbeFailure: Error { var message: String }

  /// Sends one request on a separate connection.
  private func probe(within limit: Duration) async throws(ProbeFailure) {
    guard let place else { preconditionFailure("begin() was called") }
    let recorder = Recorder(on: loop, start: start)
    let outcome = await WireConnection.connect(
      "probe", to: place.device.address, within: limit, recorder: recorder, on: loop)
    guard case .connected(let connection) = outcome else {
      if case .refused(let error) = outcome { throw ProbeFailure(message: "\(error)") }
      throw ProbeFailure(message: "no connection")
    }
    connection.write(ControllerRequest.accessories.encoded(host: "\(place.device.address)"))
    let arrival = await connection.next(within: limit)
    connection.close(.fin)
    guard case .message = arrival else {
      throw ProbeFailure(message: AnswerView(arrival: arrival, took: .zero).summary)
    }
  }

  // MARK: Restart and end

  /// Restarts the accessory, or waits until it is back.
  /// - Returns: whether it is up.
  func again() async -> Bool {
    await closeWitness()
    if session.command != nil {
      await stop()
      do {
        try await begin()
        return true
      } catch { return false }
    }
    let deadline = loop.readClock() &+ UInt64(Self.returnLimit / .nanoseconds(1))
    repeat {
      do { if try await unreachable() == nil { return true } } catch { return false }
    } while loop.readClock() < deadline && !Task.isCancelled
    return false
  }

  /// Restores the accessory's original state.
  /// - Returns: why the cleanup is incomplete.
  func end(after finding: FuzzFinding?) async -> String? {
    await closeWitness()
    defer { place = nil }
    guard place != nil else {
      await stop()
      return nil
    }
    if finding != nil, place?.device.owner != nil, await !again() {
      await stop()
      return "the accessory didn't come back; pairings and values are as they were at the failure"
    }
    var problem: String?
    if let place, place.device.owner != nil {
      do throws(PairingManager.Refusal) {
        try await place.manager.pair()
        try await place.manager.restore(written)
        try await place.manager.removeOthers(added: [])
        try await place.manager.unpair()
      } catch { problem = "cleanup was incomplete: \(error.message)" }
    }
    await stop()
    return problem
  }

  private func stop() async {
    if let process { _ = await process.stop(grace: .seconds(2)) }
    process = nil
  }
}
