import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPWeb
import HAPWire

/// Answers HTTP requests about the homes of a hub.
///
/// Each change is a request of an app to the hub, as through its socket, so it has the same rules. An actor on the loop of the hub.
package actor HomeAPI: WebAPI {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private static let page = WebPage(EmbeddedHomePage.files + CommonPage.files)

  let hub: any HubServing
  let journal: HomeJournal
  let zoneRules: @Sendable (ZoneName) -> ZoneRules?
  private let version: String
  /// Send the requests of clients, by their user; nil: the owner of the hub.
  private var requesters: [HomeObjectID?: HubListener] = [:]
  /// Gets all events, also those about the requests of `requesters`.
  private var listener: HubListener?
  let replica = HomeReplica()
  /// The last known values.
  var values: [HomeObjectID: CharacteristicReading] = [:]
  var subscribed: Set<HomeObjectID> = []
  /// The last evaluation of each trigger that was evaluated since the start of the hub.
  var evaluations: [HomeObjectID: EvaluationReport] = [:]
  let readerPatience: Duration
  /// Runs while values are reported.
  var readerTimer: LoopTimer?
  /// The accessories that can be added; nil: they are not searched.
  var found: [DeviceID: NewAccessory]?
  /// The homes of all characteristics that are subscribed or read.
  var homeOfCharacteristic: [HomeObjectID: HomeObjectID] = [:]
  /// Called when a token is not valid any more.
  let onTokensChange: () -> Void
  var setups: [Int: SetupRun] = [:]
  var lastSetup = 0

  /// Must be called on the loop.
  /// - Parameters:
  ///   - version: the version of the program, for the index.
  ///   - readerPatience: time without a reader of events after which values are not subscribed any more.
  ///   - onTokensChange: called on the loop when a token is not valid any more.
  package init(
    _ hub: any HubServing, _ journal: LoopBound<HomeJournal>, zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?,
    version: String, readerPatience: Duration = .seconds(600), onTokensChange: LoopBound<() -> Void>, on loop: EventLoop
  ) {
    self.onTokensChange = onTokensChange.value
    (self.hub, self.journal, self.loop) = (hub, journal.value, loop)
    (self.zoneRules, self.version, self.readerPatience) = (zoneRules, version, readerPatience)
  }

  private var processID: Int { Int(loop.localSocketFiles.processID) }

  /// Attaches to the hub. Called once, before the first request.
  package func start() async throws(HomeError) {
    let listener = HubListener(processID: processID) { [weak self] event in
      self?.assumeIsolated { $0.hear(event) }
    }
    self.listener = listener
    await hub.connect(listener)
    await hub.whenTokenEnds { [weak self] in self?.assumeIsolated { $0.onTokensChange() } }
    let answer = try await ask(.attach(app: "page of homes"), as: listener)
    replica.receive(answer)
    for trigger in replica.snapshot?.model.homes.flatMap(\.triggers) ?? [] {
      guard case .explained(let reports)? = await askAsListener(.explain(trigger.id)) else { continue }
      evaluations[trigger.id] = reports.last
    }
  }

  /// Ends all setups and subscriptions. Called on the loop, before it ends.
  package func close() async {
    readerTimer?.close()
    readerTimer = nil
    for id in Array(setups.keys) { await forget(id) }
    if let listener { await hub.disconnect(listener) }
    for requester in requesters.values { await hub.disconnect(requester) }
    (requesters, listener) = ([:], nil)
  }

  // MARK: The hub

  /// Sends a request to the hub, and waits for its answer.
  func ask(_ request: HubRequest, as app: HubListener) async throws(HomeError) -> HubAnswer {
    let hub = hub
    let result = await withCheckedContinuation { continuation in
      _ = loop.startTask { await hub.take(request, from: app) { continuation.resume(returning: $0) } }
    }
    return try result.get()
  }

  func ask(_ request: HubRequest, for call: HomeCall) async throws(WebProblem) -> HubAnswer {
    let requester: HubListener
    if let known = requesters[call.user] {
      requester = known
    } else {
      requester = HubListener(processID: processID, user: call.user)
      requesters[call.user] = requester
      await hub.connect(requester)
    }
    do throws(HomeError) { return try await ask(request, as: requester) } catch { throw WebProblem(error) }
  }

  /// Subscribes as the app that gets the events.
  @discardableResult
  func askAsListener(_ request: HubRequest) async -> HubAnswer? {
    guard let listener else { return nil }
    return try? await ask(request, as: listener)
  }

  /// Traps: the hub of this process gave the answer of another request.
  var wrongAnswer: Never { preconditionFailure("the hub of this process gave the answer of another request") }

  private func hear(_ event: HubEvent) {
    replica.receive(event)
    switch event {
    case .values(let readings, isCatchUp: _):
      for reading in readings where reading.value != nil { values[reading.characteristic] = reading }
    case .found(let accessory): found?[accessory.device] = accessory
    case .gone(let device): found?[device] = nil
    case .evaluated(let report): evaluations[report.trigger] = report
    default: break
    }
    for (part, home) in event.parts(in: replica.snapshot?.model ?? HomeModel(), homeOfCharacteristic) {
      journal.append(.hub(part, home: home))
    }
    if case .changed(let changes, app: _) = event { changed(changes) }
  }

  private func changed(_ changes: [HomeChange]) {
    if changes.contains(where: \.detail.movesCharacteristics) { followChangedValues() }
    var (removesUsers, removesTriggers) = (false, false)
    for change in changes {
      switch change.detail {
      case .userRemoved: removesUsers = true
      case .triggerRemoved: removesTriggers = true
      case .homeRemoved: (removesUsers, removesTriggers) = (true, true)
      default: continue
      }
    }
    let homes = replica.snapshot?.model.homes ?? []
    if removesTriggers {
      let triggers = Set(homes.flatMap(\.triggers).map(\.id))
      evaluations = evaluations.filter { triggers.contains($0.key) }
    }
    guard removesUsers else { return }
    let users = Set(homes.flatMap(\.users).map(\.id))
    for (id, setup) in setups {
      guard let user = setup.app.user, !users.contains(user) else { continue }
      drop(id)
    }
    let removed = requesters.filter { user, _ in user.map { !users.contains($0) } ?? false }
    let hub = hub
    for (user, requester) in removed {
      requesters[user] = nil
      loop.startTask { await hub.disconnect(requester) }
    }
  }

  var snapshot: HubSnapshot {
    get throws(WebProblem) {
      guard let snapshot = replica.snapshot else { throw WebProblem(.hubEnds) }
      return snapshot
    }
  }

  var now: Instant {
    let time = loop.readWallClock().components
    return Instant(seconds: time.seconds, nanosecond: time.attoseconds / 1_000_000_000)
  }

  // MARK: Requests

  /// Answers any request.
  package func answer(_ request: WebRequest) async -> WebAnswer {
    do throws(WebProblem) {
      if request.path.first != "v1" { return try Self.page.answer(request) }
      guard let holder = request.token.flatMap({ token in hub.assumeIsolated { $0.holder(ofToken: token) } }) else {
        throw .wrongToken
      }
      return try await answer(
        try await parsed(request) { () throws(WebProblem) in try HomeCall(request, user: holder.user) })
    } catch { return error.answer }
  }

  private func answer(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    switch call.operation {
    case .showIndex: try index(call)
    case .showDescription:
      WebAnswer(200, contentType: "application/json", body: Array(HomeDescription.text.utf8))
    case .listHomes: try listHomes(call)
    case .addHome: try await addHome(call)
    case .showHome: try await showHome(call)
    case .showFile: try await showFile(call)
    case .performCommand: try await performCommand(call)
    case .readCharacteristic: try await readCharacteristic(call)
    case .writeCharacteristic: try await writeCharacteristic(call)
    case .writeCharacteristics: try await writeCharacteristics(call)
    case .executeScene: try await executeScene(call)
    case .fireTrigger: try await fireTrigger(call)
    case .listEvaluations: try await listEvaluations(call)
    case .addAccessory: try await addAccessory(call)
    case .removeAccessory: try await removeAccessory(call)
    case .identifyAccessory: try await identifyAccessory(call)
    case .listNewAccessories: try await listNewAccessories(call)
    case .identifyNewAccessory: try await identifyNewAccessory(call)
    case .startSetup: try await startSetup(call)
    case .showSetup: try showSetup(call)
    case .answerSetup: try answerSetup(call)
    case .cancelSetup: try cancelSetup(call)
    case .placeUser: try await placeUser(call)
    case .shareHome: try await shareHome(call)
    case .renewShare: try await renewShare(call)
    case .requestShare: try await requestShare(call)
    case .acceptShare: try await acceptShare(call)
    case .showToken: try await showToken(call)
    case .showStatus: try await showStatus(call)
    case .showLog: try await showLog(call)
    case .followEvents: try await followEvents(call)
    }
  }

  private func index(_ call: HomeCall) throws(WebProblem) -> WebAnswer {
    .node(
      .members(
        ("version", .text(version)), ("run", .text(journal.run)), ("lastEvent", .integer(journal.lastNumber)),
        ("isOwner", .flag(call.user == nil)),
        ("homes", .integer(try homes(call).count))))
  }

  // MARK: Objects of the path

  /// The homes that the client may see: all, or the one of the user.
  func homes(_ call: HomeCall) throws(WebProblem) -> [Home] {
    let homes = try snapshot.model.homes
    guard let user = call.user else { return homes }
    return homes.filter { $0.copy == nil && $0.users.find(user) != nil }
  }

  /// Returns the home that the path names by its identifier or its name.
  func home(_ call: HomeCall) throws(WebProblem) -> Home {
    try find(call.parameter("home"), "home", in: homes(call), \.id, \.name.text)
  }

  /// The home whose events the client gets; nil: it gets all.
  func eventHome(_ call: HomeCall) throws(WebProblem) -> HomeObjectID? {
    guard call.user != nil else { return nil }
    guard let home = try homes(call).first else { throw .wrongToken }
    return home.id
  }

  /// The user whom the client is in a home.
  func user(_ call: HomeCall, of home: Home) -> HomeUser { call.user.flatMap { home.users.find($0) } ?? home.ownUser }

  /// Finds an object by its identifier or its name.
  func find<Object>(
    _ text: String, _ kind: String, in objects: [Object], _ id: (Object) -> HomeObjectID, _ name: (Object) -> String
  ) throws(WebProblem) -> Object {
    if let wanted = HomeObjectID(text), let found = objects.first(where: { id($0) == wanted }) { return found }
    let key = HomeName(text).key
    if let found = objects.first(where: { HomeName(name($0)).key == key }) { return found }
    let hint = nearestName(to: text, in: objects.map(name)).map { ": did you mean \"\($0)\"?" } ?? ""
    throw .unknown(kind, text, hint)
  }

  func accessory(_ call: HomeCall, in home: Home) throws(WebProblem) -> HomeAccessory {
    try find(call.parameter("accessory"), "accessory", in: home.accessories, \.id, \.name.text)
  }

  func trigger(_ call: HomeCall, in home: Home) throws(WebProblem) -> Trigger {
    try find(call.parameter("trigger"), "trigger", in: home.triggers, \.id, \.name.text)
  }

  func user(_ call: HomeCall, in home: Home) throws(WebProblem) -> HomeUser {
    try find(call.parameter("user"), "user", in: home.users, \.id, \.name)
  }
}

extension WebAnswer {
  static func node(_ node: JSONNode, _ status: Int = 200) -> WebAnswer { .json(status) { json in json.node(node) } }

  static func changes(_ changes: [HomeChange]) -> WebAnswer {
    .node(.object([("changes", .list(changes.map(\.node)))]))
  }
}
