import HAPAttributes
import HAPCapture
import HAPDefects
import HAPDevices
import HAPDiscovery
import HAPIP
import HAPLoop
import HAPModel
import HAPProfile
import HAPStore
import HAPTransport

/// One accessory while it is served: core, server, store, device and advertisement, tied together on one loop.
///
/// Belongs to the loop's thread; `SimulatedAccessory` is the way in from elsewhere.
final class AccessoryRun: AccessoryServerOwner, CharacteristicWriter {
  let prepared: PreparedAccessory
  let core: AccessoryCore
  let server: AccessoryServer
  private let loop: EventLoop
  private(set) var device: any Device
  /// The profile that is served now.
  private var built: BuiltAccessory
  private let advertiser: (any Advertiser)?
  private let sink: (@Sendable (SimulatorEvent) -> Void)?
  /// The same, for what is no trouble; nil where nobody hears it.
  private var news: (@Sendable (SimulatorEvent) -> Void)?

  private let clock: SimulationClock
  private var random: SimulationRandom
  private let timers: DeviceTimers
  var peers: [ConnectionID: String] = [:]
  private let changes: StoreQueue
  private var hasValueTrouble = false
  private var isStopped = false
  private var places: [ListeningPlace] = []
  private var port: UInt16 = 0
  /// Whether it is on the network.
  private(set) var hasRadio = true
  /// Whether it tells its record there.
  private var isAnnounced = true
  private let capture: CaptureWriter?
  /// Judges the controllers; nil: nobody does.
  let observer: AccessoryObserver?
  /// Characteristics whose reads the device leaves without an answer.
  private var stuck: Set<AttributeID> = []
  /// What is wrong on purpose.
  private let installed: InstalledDefect
  /// Whether a fault is on.
  private var isHindered = false

  /// - Parameters:
  ///   - clock: what the device's time is; the protocol's is the loop's.
  ///   - advertiser: nil: not visible in DNS-SD.
  ///   - sink: is told what happens, on the loop; nil: nothing is told, and a request costs less.
  ///   - device: what stands behind the core; nil: what the profile says.
  init(
    _ prepared: PreparedAccessory, on loop: EventLoop, clock: SimulationClock, advertiser: (any Advertiser)?,
    chance: AccessoryChance, device: (any Device)? = nil, capturePath: String? = nil,
    defect: DefectState? = nil, observer: AccessoryObserver? = nil, sink: (@Sendable (SimulatorEvent) -> Void)?,
    tellsAll: Bool = true, tellsRequests: Bool = false
  ) throws(LoopError) {
    self.observer = observer
    self.prepared = prepared.running
    self.loop = loop
    self.advertiser = advertiser
    self.sink = sink
    news = tellsAll ? sink : nil
    self.clock = clock
    random = chance.device
    timers = DeviceTimers(clock)
    changes = StoreQueue(prepared.store, on: loop)
    let name = prepared.name
    let capture = try capturePath.map { (path) throws(LoopError) in
      try CaptureWriter(path) { sink?(SimulatorEvent(accessory: name, .trouble($0))) }
    }
    self.capture = capture
    core = AccessoryCore(
      identity: prepared.identity, advertisement: prepared.advertisement, database: prepared.database,
      pairings: prepared.pairings, failedAttempts: prepared.failedAttempts, quirks: prepared.conduct.ip,
      attributeQuirks: prepared.conduct.attributes, pairingQuirks: prepared.conduct.pairing,
      random: capture.map { loop.random.noted(by: LoopBound(here: loop, $0)) } ?? defect?.random(on: loop)
        ?? loop.random)
    core.makesReports = news != nil || observer != nil
    core.reportsRequests = tellsRequests
    built = prepared.built.withoutDatabase
    self.device = device ?? prepared.blueprint.makeDevice()
    server = AccessoryServer(core, on: loop, openFiles: prepared.openFiles)
    core.attributes.setLive(self.device.live)
    core.snapshotSource = TestCardCamera(in: prepared.database, named: built.names, clock)
    capture?.begin(
      CaptureHead(
        name: prepared.name, identity: prepared.identity, advertisement: prepared.advertisement,
        accessories: prepared.database.accessories, pairings: prepared.pairings,
        failedAttempts: prepared.failedAttempts,
        conduct: prepared.conduct, live: Array(self.device.live), judges: self.device.judgesWrites))
    server.recorder = capture
    installed = InstalledDefect(
      defect, own: prepared.defect, setupCode: prepared.setupCode, networkRandom: chance.network, server,
      beside: observer)
    server.owner = self
    core.attributes.writer = self.device.judgesWrites ? self : nil
    installed.onIdentify = { [unowned self] in identify(aid: $0) }
    installed.onAdvertise = { [unowned self] in advertiseAnew(with: $0) }
    observer?.watch(core)
    timers.onFire = { [unowned self] token in visit(.time) { self.device.timerFired(token, &$0) } }
  }

  /// As far as it has been drawn.
  var chance: AccessoryChance { AccessoryChance(device: random, network: installed.networkRandom) }

  /// What is wrong with the accessory and its network from now on.
  /// - Parameter base: of the accessory's own defect.
  func apply(_ faults: AccessoryFaults, base: DefectState?) {
    isHindered = !faults.isEmpty
    observer?.serves = hasRadio && !isHindered
    installed.apply(faults, base: base)
  }

  /// Sets which events the sink receives from now on. Failures are always reported.
  func setReporting(_ reporting: Reporting) {
    news = reporting.all ? sink : nil
    core.makesReports = news != nil || observer != nil
    core.reportsRequests = reporting.requests
    // Without reports, disconnected peers would stay here.
    if !core.makesReports { peers = [:] }
  }

  /// Takes the record back with everything else as it is, or tells it again.
  func setAnnounced(_ isTold: Bool) {
    guard isTold != isAnnounced else { return }
    isAnnounced = isTold
    tell { _ in .announced(isTold) }
    guard hasRadio else { return }
    if isTold { publish() } else { advertiser?.withdraw() }
  }

  /// How long an accessory identifies itself. HomeKitADK's comments ask for no more than five seconds.
  private static let identifying = Duration.seconds(3)

  // MARK: Life

  /// Listens, starts the device, and becomes visible.
  /// - Parameters:
  ///   - hasRadio: otherwise it does so when it gets its radio back.
  ///   - isKnown: the network has the record still, and nobody took it back.
  func start(
    on places: [ListeningPlace], port: UInt16, hasRadio: Bool = true, isAnnounced: Bool = true, isKnown: Bool = false
  ) throws(LoopError) {
    self.isAnnounced = isAnnounced
    self.places = places
    self.port = port
    self.hasRadio = hasRadio
    if hasRadio {
      try server.listen(on: places, port: port)
      self.port = server.port
    }
    observer?.serves = hasRadio && !isHindered
    visit(.start) { device.start(&$0) }
    if isKnown {
      advertise(core.advertisement)
    } else if hasRadio {
      publish()
    }
  }

  /// How an accessory goes.
  enum Ending {
    /// Says goodbye and sends what is answered.
    case orderly
    /// The same, and it will come back under the same advertiser.
    case forRestart
    /// No word to anybody, and connections are cut off.
    case powerCut
  }

  func stop(_ ending: Ending = .orderly) {
    guard !isStopped else { return }
    isStopped = true
    observer?.runEnded()
    timers.close()
    switch ending {
    case .orderly: advertiser?.close()
    case .forRestart: advertiser?.withdraw()
    case .powerCut: break
    }
    installed.stop()
    server.stop(withReset: ending == .powerCut)
  }

  /// Calls `body` when every change that was handed over is stored, or failed: perhaps at once.
  func whenStored(_ body: @escaping () -> Void) {
    precondition(isStopped, "a run that has not stopped takes more changes")
    changes.whenEmpty(body)
  }

  // MARK: The world around it

  /// Takes it off the network, with a goodbye and every connection cut off, or brings it back at the same port.
  func setRadio(_ isOn: Bool) throws(LoopError) {
    guard isOn != hasRadio else { return }
    if isOn {
      try server.listen(on: places, port: port)
      port = server.port
      hasRadio = true
      publish()
    } else {
      hasRadio = false
      advertiser?.withdraw()
      server.vanish()
    }
    observer?.serves = hasRadio && !isHindered
    tell { _ in .radio(isOn: isOn) }
  }

  /// An accessory behind the bridge is lost, or found again.
  func setReachable(_ isReachable: Bool, aid: UInt64) {
    server.setReachable(isReachable, aid: aid)
    tell { .reachable(aid: aid, name: $0.accessoryName(aid), isReachable) }
  }

  /// Serves another profile from now on. Controllers stay connected and subscribed. Behaviours of unchanged services continue; others start.
  func replace(by replacement: Replacement) {
    guard !isStopped else { return }
    // Behaviours that start read the values of those that continue, such as a countdown.
    let current = core.attributes.database.updated(by: device, now: clock.now, random: random)
    let database = replacement.database(from: current)
    built = replacement.built.withoutDatabase
    stuck = []
    device = replacement.blueprint.makeDevice(for: database, inPlaceOf: device, for: current)
    timers.handOver(device.token(continuing:))
    core.attributes.writer = device.judgesWrites ? self : nil
    core.snapshotSource = TestCardCamera(in: database, named: built.names, clock)
    server.replace(
      database, model: built.shownModel(prepared.conduct), configurationNumber: replacement.configurationNumber,
      live: device.live)
    tell { _ in .reconfigured(configurationNumber: replacement.configurationNumber) }
    visit(.start) { device.start(&$0) }
  }

  /// The device leaves reads of a characteristic without an answer, so that they end with -70408 in time, or answers them again.
  func setStuck(_ isStuck: Bool, _ id: AttributeID) {
    if isStuck { stuck.insert(id) } else { stuck.remove(id) }
    core.attributes.setLive(Set(device.live).union(stuck))
  }

  // MARK: The person at the device

  func perform(_ command: DeviceCommand) throws(CommandError) {
    var failure: CommandError?
    visit(.hand) { context in
      do throws(CommandError) {
        try device.command(command, &context)
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Identifies as a controller's Identify would.
  func identifyByHand(aid: UInt64) { identify(aid: aid) }

  /// Lets the device look and act, and does what it asks for.
  private func visit(_ cause: DeviceChange.Cause, _ body: (inout DeviceContext) -> Void) {
    var context = DeviceContext(now: clock.now, random: random) { [core] id in
      core.attributes.database.slot(of: id).map { core.attributes.database.characteristics[$0] }
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
    if let altered = installed.alteration?.altered(changes, by: cause, core.attributes.database) {
      changes = altered.filter { $0.delay == .zero }.map(\.change)
      for (change, delay) in altered where delay > .zero { installed.after(delay) { [unowned self] in tell([change]) } }
    }
    tell(changes)
    for (id, result, ticket) in reads { server.answerRead(id, result, ticket: ticket) }
    for (number, verdict) in verdicts { server.answerWrite(number, verdict) }
  }

  /// Applies changes of the device. A change can be late: it is dropped if a new profile removed the characteristic.
  private func tell(_ changes: [(id: AttributeID, value: Value)]) {
    var applicable: [(id: AttributeID, value: Value)] = []
    for (id, value) in changes {
      guard let slot = core.attributes.database.slot(of: id) else { continue }
      applicable.append((id, value))
      tell { .changed($0.named(slot, value)) }
    }
    if !applicable.isEmpty { server.change(applicable) }
  }

  // MARK: What the server leaves to us

  func store(_ change: StoredChange, done: @escaping (Bool) -> Void) {
    if installed.isSuppressed(.store) {
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
      // Once, not at every write: the accessory goes on, and what it said stays true until it ends.
      if !hasValueTrouble { tellTrouble("values are not kept: \(error)") }
      hasValueTrouble = true
    }
  }

  func identify(aid: UInt64) {
    if installed.isSuppressed(.identify) { return }
    let duration = installed.identifying ?? Self.identifying
    tell { _ in .identified(aid: aid, for: duration) }
  }

  func wrote(_ write: ServiceWrite) {
    if installed.isSuppressed(.wrote) { return }
    guard let altered = installed.alteration?.altered(write, core.attributes.database) else { return take(write) }
    if let write = altered.write {
      take(write)
      if altered.isTwice { take(write) }
    }
    tell(altered.changes)
  }

  private func take(_ write: ServiceWrite) {
    for entry in write.entries {
      if let slot = core.attributes.database.slot(of: entry.id),
        core.attributes.database.characteristics[slot].type == CharacteristicDefinition.identify.type
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
    capture?.note(.verdict(verdict), at: server.now)
    return verdict
  }

  func advertise(_ advertisement: Advertisement) {
    if installed.isSuppressed(.advertise) { return }
    advertiser?.update(txt: advertisement.txt)
  }

  /// Tells the record with other values, until it changes for another reason.
  private func advertiseAnew(with members: [(name: String, value: String?)]) {
    var txt = core.advertisement.txt
    for (name, value) in members {
      txt.removeAll { $0.key == name }
      if let value { txt.append((name, value)) }
    }
    advertiser?.update(txt: txt)
  }

  func tell(_ kind: (AttributeDatabase) -> SimulatorEvent.Kind) {
    news?(SimulatorEvent(accessory: prepared.name, kind(core.attributes.database)))
  }

  private func tellTrouble(_ text: String) { sink?(SimulatorEvent(accessory: prepared.name, .trouble(text))) }

  // MARK: Visibility

  private func publish() {
    guard let advertiser, isAnnounced else { return }
    // Listening everywhere, each interface tells its own addresses.
    let addresses = places.contains(where: \.host.isUnspecified) ? [] : places.map(\.host)
    let record = ServiceRecord(
      name: prepared.instanceName, port: port, txt: core.advertisement.txt, host: prepared.hostName,
      addresses: addresses)
    // Not this run: behind a power cut the record stays, and another run serves it.
    advertiser.publish(record) { [sink, name = prepared.name] event in
      sink?(SimulatorEvent(accessory: name, SimulatorEvent.Kind(event)))
    }
  }
}
