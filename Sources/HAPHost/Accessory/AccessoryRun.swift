import HAPFrontEnds
import HAPAttributes
import HAPDeviations
import HAPDevices
import HAPDiscovery
import HAPIP
import HAPLoop
import HAPModel
import HAPPreparation
import HAPProfile
import HAPStore

/// One run of an accessory, from one start to the next: front ends, store and device, connected on one loop.
///
/// Belongs to the loop's thread. Other threads enter through `SimulatedAccessory`.
final class AccessoryRun: FrontEndOwner, CharacteristicWriter {
  private enum State {
    case ready
    case serving(Visibility)
    case stopped
  }

  let prepared: PreparedAccessory
  private let parts: FrontEndParts
  /// `nil`: the accessory is not served over IP.
  let ip: IPFrontEnd?
  let frontEnds: [any FrontEnd]
  private let loop: EventLoop
  private(set) var device: any Device
  /// The profile that is being served.
  private var built: BuiltAccessory
  private let sink: (@Sendable (SimulatorEvent) -> Void)?
  /// The sink for events that are not failures; `nil` if no sink receives them.
  private var news: (@Sendable (SimulatorEvent) -> Void)?

  private let clock: SimulationClock
  private var random: SimulationRandom
  private let timers: DeviceTimers
  var peers: [ConnectionID: String] = [:]
  private let changes: StoreQueue
  private var hasValueTrouble = false
  private var state = State.ready
  /// Characteristics whose reads the device does not answer.
  private var stuck: Set<AttributeID> = []

  private let networkRandom: SimulationRandom
  private let attributes: AttributeServer
  private(set) var configurationNumber: UInt16

  var database: AttributeDatabase { attributes.database }
  var pairings: [Pairing] { parts.pairing.pairings }
  var isPaired: Bool { parts.pairing.isPaired }
  /// The defects and faults of this run.
  private var installed: InstalledDefect? { ip?.installed }
  private var isStopped: Bool { if case .stopped = state { true } else { false } }
  private var visibility: Visibility? { if case .serving(let visibility) = state { visibility } else { nil } }
  var hasRadio: Bool { visibility?.hasRadio ?? false }

  /// - Parameters:
  ///   - terms: how the accessory is served. Their `chance` is the initial one.
  ///   - chance: the present state of the random numbers.
  ///   - start: counted from 1.
  ///   - advertiser: of the record of HAP; `nil`: not visible in DNS-SD.
  ///   - makeAdvertiser: returns one for another record.
  ///   - defect: the state of the accessory's defect.
  init(
    _ prepared: PreparedAccessory, on loop: EventLoop, _ terms: ServingTerms, start: Int,
    advertiser: (any Advertiser)?, makeAdvertiser: @escaping () -> (any Advertiser)?, chance: AccessoryChance,
    defect: DefectState?, observer: (any RunObserver)?
  ) throws(LoopError) {
    self.prepared = prepared.running
    self.loop = loop
    sink = terms.sink
    news = terms.tellsAll ? terms.sink : nil
    clock = terms.clock
    random = chance.device
    timers = DeviceTimers(clock)
    changes = StoreQueue(prepared.store, on: loop)
    let (sink, name) = (terms.sink, prepared.name)
    let capture = try terms.makeCapture(of: name, start: start)
    built = prepared.built.withoutDatabase
    let device = prepared.blueprint.makeDevice()
    self.device = device
    let setup = prepared.setup
    let parts = FrontEndParts(setup, on: loop, state: defect, capture: capture)
    self.parts = parts
    attributes = parts.attributes
    attributes.setLive(device.live)
    networkRandom = chance.network
    configurationNumber = prepared.advertisement.configurationNumber
    let makeIP = {
      IPFrontEnd(
        parts, setup,
        IPFrontEnd.Terms(
          advertiser: advertiser, places: terms.places, port: terms.port, capture: capture, observer: observer),
        random: chance.network, state: defect, device: device
      ) { event in sink?(SimulatorEvent(accessory: name, SimulatorEvent.Kind(event))) }
    }
    let place = FrontEndPlace(
      setup: setup, places: terms.places, identifierSeed: terms.chance.identifierSeed, makeAdvertiser: makeAdvertiser,
      capture: capture,
      load: { [store = prepared.store] () throws(LoopError) in
        do throws(StoreError) { return try store.frontEndData() } catch { throw LoopError(.other(0), "\(error)") }
      })
    frontEnds = terms.frontEnds.map { choice in
      switch choice {
      case .ip: makeIP()
      case .other(let make), .matter(let make): make(parts, place)
      }
    }
    ip = frontEnds.lazy.compactMap { $0 as? IPFrontEnd }.first
    parts.performer.owner = self
    setReports(Reporting(all: terms.tellsAll, requests: terms.tellsRequests))
    ip?.snapshotSource = TestCardCamera(in: prepared.database, named: built.names, clock)
    attributes.writer = device.judgesWrites ? self : nil
    timers.onFire = { [unowned self] token in visit(.time) { self.device.timerFired(token, &$0) } }
  }

  /// The present state of the random numbers.
  var chance: AccessoryChance {
    AccessoryChance(device: random, network: installed?.networkRandom ?? networkRandom)
  }

  var servedProtocols: [ServedProtocol] { frontEnds.compactMap(\.servedProtocol) }

  func frontEnd<Kind: FrontEnd>(_ kind: Kind.Type) -> Kind? { frontEnds.lazy.compactMap { $0 as? Kind }.first }

  /// Sets which events the sink receives from now on. Failures are always reported.
  func setReporting(_ reporting: Reporting) {
    news = reporting.all ? sink : nil
    setReports(reporting)
    // Without reports, disconnected peers would stay here.
    if !parts.performer.makesReports { peers = [:] }
  }

  private func setReports(_ reporting: Reporting) {
    parts.performer.makesReports = news != nil
    for frontEnd in frontEnds { frontEnd.setReports(all: news != nil, requests: reporting.requests) }
  }

  /// Withdraws the record without any other change, or announces it again.
  func setAnnounced(_ isTold: Bool) {
    guard var visibility, isTold != visibility.isAnnounced else { return }
    visibility.isAnnounced = isTold
    state = .serving(visibility)
    tell { _ in .announced(isTold) }
    for frontEnd in frontEnds { frontEnd.setAnnounced(isTold) }
  }

  /// How long an accessory identifies itself. HomeKitADK's comments ask for no more than five seconds.
  private static let identifying = Duration.seconds(3)

  // MARK: Starting and stopping

  /// Listens, starts the device, and makes the accessory visible.
  func start(_ visibility: Visibility) throws(LoopError) {
    for frontEnd in frontEnds { try frontEnd.start(visibility) }
    state = .serving(visibility)
    visit(.start) { device.start(&$0) }
    for frontEnd in frontEnds { frontEnd.announce() }
  }

  func stop(_ ending: RunEnding = .orderly) {
    guard !isStopped else { return }
    state = .stopped
    for frontEnd in frontEnds { frontEnd.runEnds() }
    timers.close()
    parts.performer.stop(withReset: ending == .powerCut) { for frontEnd in frontEnds { frontEnd.stop(ending) } }
  }

  /// Calls `body` when every accepted change is stored or has failed, which may be immediately.
  func whenStored(_ body: @escaping () -> Void) {
    precondition(isStopped, "a run that has not stopped accepts more changes")
    changes.whenEmpty(body)
  }

  // MARK: The environment

  /// Disconnects the accessory from the network, with a goodbye and by cutting every connection, or connects it again
  /// at the same port.
  /// - Throws: if a front end could not enable its radio. Then every front end's radio is off.
  func setRadio(_ isOn: Bool) throws(LoopError) {
    guard var visibility, isOn != visibility.hasRadio else { return }
    visibility.hasRadio = isOn
    if isOn {
      try gainRadio()
    } else {
      for frontEnd in frontEnds { frontEnd.loseRadio() }
    }
    state = .serving(visibility)
    tell { _ in .radio(isOn: isOn) }
  }

  private func gainRadio() throws(LoopError) {
    for (index, frontEnd) in frontEnds.enumerated() {
      do throws(LoopError) { try frontEnd.gainRadio() } catch {
        for other in frontEnds[..<index] { other.loseRadio() }
        throw error
      }
    }
  }

  /// Makes a bridged accessory unreachable, or reachable again.
  func setReachable(_ isReachable: Bool, aid: UInt64) {
    parts.performer.setReachable(isReachable, aid: aid)
    for frontEnd in frontEnds { frontEnd.reachabilityChanged(aid: aid) }
    tell { .reachable(aid: aid, name: $0.accessoryName(aid), isReachable) }
  }

  /// Serves another profile from now on. Controllers stay connected and subscribed. Behaviours of unchanged services
  /// continue; others start.
  func replace(by replacement: Replacement) {
    guard !isStopped else { return }
    // When a behaviour starts, it reads values of the behaviours that continue, such as a countdown.
    let current = self.database.updated(by: device, now: clock.now, random: random)
    let database = replacement.database(from: current)
    built = replacement.built.withoutDatabase
    stuck = []
    device = replacement.blueprint.makeDevice(for: database, inPlaceOf: device, for: current)
    timers.handOver(device.token(continuing:))
    attributes.writer = device.judgesWrites ? self : nil
    ip?.snapshotSource = TestCardCamera(in: database, named: built.names, clock)
    let (model, number) = (built.shownModel(prepared.quirks), replacement.configurationNumber)
    configurationNumber = number
    let news = DatabaseReplacement(model: model, configurationNumber: number, matter: replacement.built.matter)
    parts.performer.replace(
      database, model: model, configurationNumber: number, live: device.live, matter: news.matter
    ) {
      for frontEnd in frontEnds { frontEnd.databaseWasReplaced(news) }
    }
    tell { _ in .reconfigured(configurationNumber: replacement.configurationNumber) }
    visit(.start) { device.start(&$0) }
  }

  /// Makes the device not answer reads of a characteristic, so that they time out with -70408, or answer them again.
  func setStuck(_ isStuck: Bool, _ id: AttributeID) {
    if isStuck { stuck.insert(id) } else { stuck.remove(id) }
    attributes.setLive(Set(device.live).union(stuck))
  }

  // MARK: Connections

  var connectionCount: Int { frontEnds.reduce(0) { $0 + $1.connectionCount } }

  /// Closes connections as if the network had failed.
  /// - Returns: the number of closed connections.
  func disconnect(where isMeant: (ControllerConnection) -> Bool) -> Int {
    frontEnds.reduce(0) { $0 + $1.disconnect(where: isMeant) }
  }

  /// Removes pairings without a controller; see `PairingServer.unpair`.
  func unpair(_ identifiers: [[UInt8]], done: @escaping (Bool) -> Void) {
    parts.performer.unpair(identifiers, done: done)
  }

  // MARK: Commands of a person at the device

  func perform(_ command: DeviceCommand) throws(CommandError) {
    var failure: CommandError?
    visit(.hand) { context in
      do throws(CommandError) {
        try device.command(command, &context)
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Identifies as if a controller had written Identify.
  func identifyByHand(aid: UInt64) { identify(aid: aid) }

  /// Calls the device, and performs the actions that it requests.
  private func visit(_ cause: DeviceChange.Cause, _ body: (inout DeviceContext) -> Void) {
    var context = DeviceContext(now: clock.now, random: random) { [attributes] id in
      attributes.database.slot(of: id).map { attributes.database.characteristics[$0] }
    }
    body(&context)
    random = context.random
    var changes: [(id: AttributeID, value: Value)] = []
    var reads: [(AttributeID, Result<Value, HAPStatus>, Ticket)] = []
    var verdicts: [(UInt64, WriteVerdict)] = []
    for action in context.actions {
      switch action {
      case .set(let id, let value): changes.append((id, value))
      case .schedule(let token, let delay): timers.start(token, after: delay)
      case .cancel(let token): timers.cancel(token)
      case .answerRead(let id, let result, let ticket): reads.append((id, result, ticket))
      case .answerWrite(let number, let verdict): verdicts.append((number, verdict))
      }
    }
    if let altered = installed?.alteration?.altered(changes, by: cause, attributes.database) {
      changes = altered.filter { $0.delay == .zero }.map(\.change)
      for (change, delay) in altered where delay > .zero {
        installed?.after(delay) { [unowned self] in tell([change]) }
      }
    }
    tell(changes)
    for (id, result, ticket) in reads { parts.performer.answerRead(id, result, ticket: ticket) }
    for (number, verdict) in verdicts { parts.performer.answerWrite(number, verdict) }
  }

  /// Applies changes of the device. A late change is dropped if a new profile removed the characteristic.
  private func tell(_ changes: [(id: AttributeID, value: Value)]) {
    var applicable: [(id: AttributeID, value: Value)] = []
    for (id, value) in changes {
      guard let slot = attributes.database.slot(of: id) else { continue }
      applicable.append((id, value))
      tell { .changed($0.named(slot, value)) }
    }
    if !applicable.isEmpty { parts.performer.change(applicable) }
  }

  // MARK: Requests of the server

  func store(_ change: StoredChange, done: @escaping (Bool) -> Void) {
    if installed?.isSuppressed(.store) == true {
      return loop.offload {
      } then: {
        done(true)
      }
    }
    changes.add(change) { [self] error in
      if let error { tellTrouble("\(error)") }
      done(error == nil)
    }
  }

  func keep(_ changes: [(id: AttributeID, value: Value)]) {
    do throws(StoreError) {
      try prepared.store.values.commit(changes)
      hasValueTrouble = false
    } catch {
      // Reported once, not at every write: the accessory continues, and the report stays valid until the run ends.
      if !hasValueTrouble { tellTrouble("values are not stored: \(error)") }
      hasValueTrouble = true
    }
  }

  func identify(aid: UInt64) {
    if installed?.isSuppressed(.identify) == true { return }
    let duration = installed?.identifying ?? Self.identifying
    tell { _ in .identified(aid: aid, for: duration) }
  }

  func wrote(_ write: ServiceWrite) {
    if installed?.isSuppressed(.wrote) == true { return }
    guard let altered = installed?.alteration?.altered(write, attributes.database) else { return take(write) }
    if let write = altered.write {
      take(write)
      if altered.isTwice { take(write) }
    }
    tell(altered.changes)
  }

  private func take(_ write: ServiceWrite) {
    for entry in write.entries {
      if let slot = attributes.database.slot(of: entry.id),
        attributes.database.characteristics[slot].type == CharacteristicDefinition.identify.type
      {
        identify(aid: entry.id.aid)
      }
    }
    visit(.write) { device.written(write, &$0) }
  }

  func read(_ ids: [AttributeID], ticket: Ticket) {
    let answered = stuck.isEmpty ? ids : ids.filter { !stuck.contains($0) }
    if !answered.isEmpty { visit(.time) { device.read(answered, ticket: ticket, &$0) } }
  }

  func judge(_ write: CharacteristicWrite) -> WriteVerdict {
    var verdict = WriteVerdict.accepted()
    visit(.write) { verdict = device.judge(write, &$0) }
    ip?.note(verdict)
    return verdict
  }

  func tell(_ kind: (AttributeDatabase) -> SimulatorEvent.Kind) {
    news?(SimulatorEvent(accessory: prepared.name, kind(database)))
  }

  private func tellTrouble(_ text: String) { sink?(SimulatorEvent(accessory: prepared.name, .trouble(text))) }
}

extension PreparedAccessory {
  fileprivate var setup: RunSetup {
    RunSetup(
      name: name, instanceName: instanceName, hostName: hostName, identity: identity, setupCode: setupCode,
      advertisement: advertisement, database: database, matter: built.matter, pairings: pairings,
      failedAttempts: failedAttempts,
      quirks: quirks.ip, attributeQuirks: quirks.attributes, pairingQuirks: quirks.pairing, defect: defect,
      openFiles: openFiles, frontEndSecret: frontEndSecret)
  }
}
