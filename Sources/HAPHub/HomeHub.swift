import HAPAccessoryPort
import HAPAlmanac
import HAPController
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPLoop
import HAPModel
import HAPStore

/// The hub of a folder: it owns the store, the homes, the automations, and the connections with accessories, and serves
/// apps. docs/internals/hub.md describes it.
///
/// An actor on its loop. All state belongs to the loop's thread; only the store is used on other threads.
package actor HomeHub {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  package nonisolated let loop: EventLoop
  let port: any AccessoryPort
  let zoneRules: @Sendable (ZoneName) -> ZoneRules?
  let folder: String
  private let files: any StoreFiles
  private let version: String
  let runsAutomations: Bool

  enum Phase { case new, running, stopping, ended }
  private(set) var phase = Phase.new
  private var isStarting = false
  private(set) var store: HomeStore?
  private var started = Instant.distantPast
  /// What waits for the model, or for the end of the hub.
  private var beginnings: [CheckedContinuation<Void, Never>] = []
  private var startEndings: [CheckedContinuation<Void, Never>] = []
  private var endings: [CheckedContinuation<Void, Never>] = []

  /// The homes: with the changes that the engine recorded, also while they are being stored, and without those of a
  /// command that is being stored.
  var model = HomeModel()
  /// Where the characteristics of the model are.
  var index = HubIndex()
  var journal = HubJournal()

  var engine: HomeEngine
  var automation = HubAutomation()
  var persons: [HomeObjectID: PersonState] = [:]
  /// The data that authorizes writes, by characteristic.
  var authorizations: [HomeObjectID: [UInt8]] = [:]

  /// The tokens of the page, by the user's identifier or `ownersToken`.
  var tokens: [String: String] = [:]
  /// The IDs of the tokens that are being stored, and requests that wait for the end of that.
  var pendingTokens: Set<String> = []
  var tokenWaiters: [CheckedContinuation<Void, Never>] = []
  /// Called when a token is not valid any more.
  var tokenObservers: [@Sendable () -> Void] = []

  var scenes = SceneRun()
  var executions: [SceneTicket: HubExecution] = [:]
  /// The PUTs without an answer, with their execution.
  var puts: [ScenePut.ID: ScenePut] = [:]

  var devices: [DeviceID: HubDevice] = [:]
  var reachability = ReachabilityTracker()
  var violations = ViolationCounter()
  var lastDevice = 0
  /// The devices that are being added, adopted or removed.
  var reserved: [DeviceID: DeviceReservation] = [:]
  /// The pairings of users that devices do not have yet, or still.
  var owed = OwedPairings()
  /// Of the command that is being stored.
  var copyChange = HubCopyChange()
  /// The devices that are being removed without losing their pairings at once.
  var pairingsToRemove: Set<DeviceID> = []
  /// The accessories that have the pairing, and are to lose it.
  var leaving: [DeviceID: LeavingDevice] = [:]
  var reads: [ObjectIdentifier: HubRead] = [:]
  /// The pairings with new accessories that have not ended, by number.
  var openPairings: [Int: Task<Result<DevicePairing, HomeError>, Never>] = [:]

  /// In the order of their connections.
  var clients: [HubClient] = []
  var search: HubSearch?
  /// The devices in the homes.
  var members: Set<DeviceID> = []
  /// Rows of the store that could not be used, for people.
  private var startProblems: [String] = []
  /// The last errors that were no answer to an app, for people.
  private var problems: [String] = []
  private static let mostProblems = 100

  let engineTimer: LoopBound<LoopTimer?>
  let sceneTimer: LoopBound<LoopTimer?>
  let followTimer: LoopBound<LoopTimer?>
  let storeTimer: LoopBound<LoopTimer?>
  /// Closed when the loop ends.
  private let atLoopEnd: LoopBound<ResourceHandle?>

  /// - Parameters:
  ///   - loop: a running loop, which the hub does not stop.
  ///   - folder: the folder of the store. It is created if necessary.
  ///   - files: the disk with the folder.
  ///   - port: the protocol of the accessories.
  ///   - zoneRules: returns the rules of a zone; nil if the machine does not have the zone.
  ///   - runsAutomations: whether triggers fire. A hub that a command embeds for a moment would record timers as
  ///     executed, and end before their writes.
  ///   - version: the version of the program, for `status`.
  package init(
    on loop: EventLoop, folder: String, files: any StoreFiles = SystemFiles(), port: any AccessoryPort,
    zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?, runsAutomations: Bool = true, version: String
  ) {
    self.runsAutomations = runsAutomations
    (self.loop, self.folder, self.files) = (loop, folder, files)
    (self.port, self.zoneRules, self.version) = (port, zoneRules, version)
    engine = HomeEngine(zoneRules: zoneRules)
    engineTimer = LoopBound(loop, nil)
    sceneTimer = LoopBound(loop, nil)
    followTimer = LoopBound(loop, nil)
    storeTimer = LoopBound(loop, nil)
    atLoopEnd = LoopBound(loop, nil)
  }

  // MARK: Life

  /// Opens the store, connects with the accessories, and starts the automations. Call it once.
  /// - Throws: the error of the store; then the hub has ended.
  package func start() async throws(StoreError) {
    precondition(phase == .new && !isStarting, "a hub is started once")
    let (folder, files) = (folder, files)
    isStarting = true
    atLoopEnd.value = ResourceHandle(loop) { [weak self] in self?.assumeIsolated { $0.loopEnds() } }
    let opened = await loop.offload {
      Result { () throws(StoreError) in try HubContents(of: try HomeStore(folder: folder, files: files)) }
    }
    guard case .success(let rows) = opened else {
      startEnds()
      return try opened.map { _ in () }.get()
    }
    guard phase == .new else { return await endStart(rows.store) }
    // The model is read while the connections are made. Their news wait for it.
    for pairing in rows.pairings where !rows.leaving.contains(pairing.device) { open(pairing) }
    let contents = await loop.offload { rows.withModel(folder: folder) }
    guard phase == .new else { return await endStart(contents.store) }
    isStarting = false
    begin(contents)
  }

  /// The hub was stopped while it started, or its loop has ended.
  private func endStart(_ store: HomeStore) async {
    if phase == .ended { return store.close() }
    await loop.offload { store.close() }
    startEnds()
  }

  /// The store is closed. If the hub was stopped meanwhile, `stop` continues.
  private func startEnds() {
    isStarting = false
    if phase == .new { return hasEnded() }
    for ending in startEndings { ending.resume() }
    startEndings = []
  }

  /// Waits for the model, or for the end of the hub.
  func begun() async {
    await withCheckedContinuation { continuation in
      // Checked here, because other code of the hub may run before this closure.
      if phase == .new { beginnings.append(continuation) } else { continuation.resume() }
    }
  }

  private func hasBegun() {
    for beginning in beginnings { beginning.resume() }
    beginnings = []
  }

  private func begin(_ contents: HubContents) {
    phase = .running
    defer { hasBegun() }
    started = wall
    store = contents.store
    model = contents.model
    startProblems = contents.problems
    persons = Dictionary(contents.persons.map { ($0.user, $0) }) { $1 }
    authorizations = contents.authorizations
    tokens = contents.tokens
    journal.identity = contents.identity
    index = HubIndex(model)
    violations = ViolationCounter(blocked: index.blocked)
    engineTimer.value = LoopTimer(loop) { self.engineTimerFired() }
    sceneTimer.value = LoopTimer(loop) { self.sceneTimerFired() }
    followTimer.value = LoopTimer(loop) { self.followTimerFired() }
    storeTimer.value = LoopTimer(loop) { self.storeTimerFired() }
    // A device without a pairing gets no more requests.
    let devices = Set(contents.pairings.map(\.device))
    for pairing in contents.owed where devices.contains(pairing.device) { owed.renew(pairing) }
    let stale = contents.owed.filter { !devices.contains($0.device) }.map(\.removal)
    if !stale.isEmpty, contents.problems.isEmpty { store(stale) { if let error = $0 { self.note("\(error)") } } }
    for pairing in contents.pairings {
      if contents.leaving.contains(pairing.device) {
        leave(pairing)
      } else if index.accessories[pairing.device] == nil {
        journal.unused[pairing.device] = pairing
        if let device = self.devices[pairing.device] { loop.startTask { await self.close(device) } }
      }
    }
    membersChanged()
    engine.hubIs(on: runsAutomations)
    guard runsAutomations else { return }
    perform(engine.start(model.ownHomes, states: contents.states, persons: contents.persons, at: wall))
  }

  /// Ends the hub: requests are refused, what is being stored is completed, connections and links are closed. Returns
  /// when the store is closed. Can be called any number of times.
  package func stop() async {
    switch phase {
    case .new where !isStarting: hasEnded()
    case .new:
      phase = .stopping
      hasBegun()
      let opened = devices.values.sorted { $0.id < $1.id }
      devices = [:]
      for device in opened { await device.connection.close() }
      for client in clients { client.app.end() }
      clients = []
      await withCheckedContinuation { continuation in
        if isStarting, phase != .ended { startEndings.append(continuation) } else { continuation.resume() }
      }
      if phase != .ended { hasEnded() }
    case .running:
      // Set here: `stop` may be called again before `end` begins.
      phase = .stopping
      await end()
    case .stopping: await ended()
    case .ended: return
    }
  }

  /// Waits until the hub has ended: by `stop`, or by the request of an app.
  package func ended() async {
    await withCheckedContinuation { continuation in
      // Checked here, because other code of the hub may run before this closure.
      if phase == .ended { continuation.resume() } else { endings.append(continuation) }
    }
  }

  private func end() async {
    for timer in [engineTimer, sceneTimer, followTimer, storeTimer] {
      timer.value?.close()
      timer.value = nil
    }
    publish(.stopping)
    closeSearch()
    for device in devices.values { device.resumeWaiters() }
    let connections = devices.values.sorted { $0.id < $1.id }.map(\.connection)
    for connection in connections { await connection.close() }
    for id in leaving.keys.sorted() { _ = await endLeaving(id) }
    await storeRest()
    for command in journal.takeCommands() { command.done(.failure(.hubEnds)) }
    for client in clients { client.refuseAll() }
    for client in clients { client.app.end() }
    clients = []
    endRequests()
    devices = [:]
    // An accessory that is being paired would otherwise keep a pairing that no controller has.
    for pairing in openPairings.values { pairing.cancel() }
    for pairing in openPairings.values { _ = await pairing.value }
    if let store { await loop.offload { store.close() } }
    store = nil
    hasEnded()
  }

  /// The loop ends before the hub, because the process was killed in a simulated world. Nothing is stored or sent, and
  /// what waits for the hub gets its end.
  private func loopEnds() {
    guard phase != .ended else { return }
    phase = .stopping
    store = nil
    for record in journal.takeRecords() { record.done(StoreError(.failed, path: folder, detail: "the hub has ended")) }
    for command in journal.takeCommands() { command.done(.failure(.hubEnds)) }
    journal.isChanging = false
    journal.resumeIdle()
    for device in devices.values { device.resumeWaiters() }
    for client in clients { client.refuseAll() }
    for client in clients { client.app.end() }
    clients = []
    endRequests()
    (devices, leaving, search) = ([:], [:], nil)
    for pairing in openPairings.values { pairing.cancel() }
    hasEnded()
  }

  private func hasEnded() {
    phase = .ended
    atLoopEnd.value?.close()
    atLoopEnd.value = nil
    hasBegun()
    for ending in startEndings + endings { ending.resume() }
    (startEndings, endings) = ([], [])
  }

  /// Ends everything that waits for an accessory or for the engine. The apps have their answers.
  private func endRequests() {
    for device in devices.values { device.introduce(.failure(.hubEnds)) }
    for read in reads.values { read.end() }
    // Requests to fire and to place may be among the inputs that wait: they get their end below. Nothing is performed.
    for input in automation.waiting { _ = input() }
    for case .app(_, let done) in executions.values.map(\.origin) { done(.failure(.hubEnds)) }
    for fire in automation.fires.values.joined() { fire.done(.failure(.hubEnds)) }
    for place in automation.places.values { place("the hub ends") }
    executions = [:]
    automation = HubAutomation()
  }

  // MARK: Time

  /// The civil time.
  var wall: Instant { Instant(nanoseconds: 0).advanced(by: loop.readWallClock()) }

  var sceneTime: SceneTime { SceneTime(uptime: .nanoseconds(Int64(loop.readClock())), wall: wall) }

  // MARK: Status

  /// The state for people and programs.
  package var status: HubStatus {
    let list = devices.values.sorted { $0.id < $1.id }.map { device in
      HubStatus.Device(
        device: device.id, isReachable: device.state == .ready, why: device.why, address: device.address,
        subscriptions: device.wanted.count)
    }
    let missing = index.accessories.keys.filter { devices[$0] == nil }.sorted().map {
      HubStatus.Device(
        device: $0, isReachable: false, why: Self.noPairing, address: nil, subscriptions: 0)
    }
    let unused = journal.unused.keys.sorted().map {
      "the pairing with \($0) is stored, but the accessory is in no home: add it again, which uses this pairing, or forget it with 'hapctl home drop \($0)'"
    }
    let removals = leaving.keys.sorted().map {
      "the accessory \($0) was removed while it could not be reached: it loses its pairing when it can be reached; if it does not exist any more, forget it with 'hapctl home drop \($0)'"
    }
    return HubStatus(
      version: version, processID: Int(files.processID), started: started, devices: list + missing,
      apps: clients.compactMap(\.status).sorted { $0.name < $1.name },
      problems: startProblems + problems + unused + removals + owedProblems)
  }

  /// Keeps an error for `status`.
  func note(_ text: String) {
    if problems.contains(text) { return }
    if problems.count == Self.mostProblems { problems.removeFirst() }
    problems.append(text)
  }

  static let noPairing = "its pairing is not stored: restore a backup, or remove the accessory and add it"
}

extension HomeError {
  /// An error of the store. Apple's API has no number for it.
  init(_ error: StoreError) {
    self.init(.unexpectedError, nil, "the hub can't store the change, so it was not made: \(error)")
  }
}
