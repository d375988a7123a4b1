import HAPAttributes
import HAPCrypto
import HAPDeviations
import HAPFrontEnds
import HAPLoop
import HAPModel
import HAPTransport
import MatterBridge
import MatterModel
import MatterProtocol
import MatterWire

/// Matter over IP for a hosted accessory: its node, its sockets, its records on the network, and what it stores.
///
/// Belongs to the loop's thread.
package final class MatterFrontEnd: FrontEnd {
  let parts: FrontEndParts
  let place: FrontEndPlace
  private let settings: MatterSettings
  let sockets: MatterSockets
  private let records: MatterRecords
  private let timer: LoopTimer
  private lazy var network = FaultyNetwork(parts.loop, now: { [unowned self] in now }) { [unowned self] in arrived($0) }
  private var armed: Duration?
  private(set) var node: RunningNode?
  private var visibility = Visibility()
  /// The actions that wait until a change is stored.
  private(set) var waiting: [Step] = []
  /// If more actions wait for a slow disk, datagrams and reports are lost. Peers repeat their requests.
  static let mostWaiting = 1000
  private var isStoring = false
  /// The data that could not be stored, by its name. The next input stores it again, before its answer.
  private var unstored: [String: FrontEndData] = [:]
  private var isReceiving = false
  /// Changes of the device while a request was executed.
  private var changesOfRequest: [AttributePath] = []
  private var outbox: [(bytes: [UInt8], peer: PeerAddress)] = []
  private var isStopped = false
  /// Whether each message is reported.
  private(set) var reportsMessages = false
  /// The connection of all sessions of Matter in reports.
  let connection: ConnectionID
  lazy var session = AttributeSession(controller: Array("Matter".utf8), connection: self, frontEnd: self)

  /// Returns the maker of front ends for a simulation.
  package static func choice(_ settings: MatterSettings) -> FrontEndChoice {
    .matter { parts, place in MatterFrontEnd(parts, place, settings) }
  }

  init(_ parts: FrontEndParts, _ place: FrontEndPlace, _ settings: MatterSettings) {
    (self.parts, self.place, self.settings) = (parts, place, settings)
    connection = ConnectionID(number: parts.newConnection())
    sockets = MatterSockets(parts.loop)
    records = MatterRecords(place.makeAdvertiser) { _ in }
    timer = LoopTimer(parts.loop)
    parts.performer.add(self)
    timer.onFire = { [unowned self] in
      armed = nil
      advance()
    }
    sockets.onDatagram = { [unowned self] in network.pass(.init($0, $1, .inbound)) }
  }

  package var servedProtocol: ServedProtocol? { .matter }
  var now: Duration { parts.performer.now }

  /// The data with which a person adds the node to a fabric; nil before the start.
  package var invitation: MatterInvitation? {
    node.map { node in
      MatterInvitation(
        port: sockets.port, payload: node.label.payload, trustAnchor: node.trustAnchor)
    }
  }

  /// The number of actions that wait until a change is stored.
  package var waitingCount: Int { waiting.count }

  // MARK: Starting and stopping

  package func start(_ visibility: Visibility) throws(LoopError) {
    self.visibility = visibility
    // Subscriptions of Matter have intervals of their own.
    session.getsEventsAtOnce = true
    parts.attributes.open(session)
    let node = try RunningNode(settings, in: self, stored: try place.load())
    self.node = node
    record(node)
    node.server.reportsMessages = isObserved
    // Its timer is one of the handles of a running accessory, also before the first datagram.
    _ = network
    waiting = node.takeNewData().map { .store($0) }
    if visibility.hasRadio { try sockets.open(at: place.places, port: settings.port) }
    act()
  }

  package func announce() { updateRecords() }

  package func stop(_ ending: RunEnding) {
    if ending != .powerCut, let node {
      node.server.change(at: now) { $0.shutDown() }
      act()
    }
    isStopped = true
    timer.close()
    network.close()
    for case .answer(let done) in waiting { done(.unknown) }
    waiting = []
    switch ending {
    case .orderly, .forRestart: records.set([])
    case .powerCut: records.abandon()
    }
    if ending != .powerCut { send() }
    sockets.close()
    parts.attributes.close(session)
  }

  package func gainRadio() throws(LoopError) {
    try sockets.open(at: place.places, port: settings.port)
    visibility.hasRadio = true
    updateRecords()
  }

  package func loseRadio() {
    visibility.hasRadio = false
    updateRecords()
    sockets.close()
  }

  package func setAnnounced(_ isAnnounced: Bool) {
    visibility.isAnnounced = isAnnounced
    updateRecords()
  }

  // MARK: The accessory

  package func databaseWasReplaced(_ replacement: DatabaseReplacement) {
    change { node in
      let endpoints = node.accessory.endpoints
      let overrides = MappingOverrides(replacement.matter, in: parts.attributes.database)
      let paths = node.accessory.databaseWasReplaced(overrides)
      if endpoints != node.accessory.endpoints { node.server.partsChanged(at: now) }
      return paths
    }
  }

  package func reachabilityChanged(aid: UInt64) { change { $0.accessory.reachabilityChanged(aid: aid) } }

  /// Notes changes that no request of Matter has caused.
  func change(_ body: (RunningNode) -> [AttributePath]) {
    guard let node, !isStopped else { return }
    let now = now
    storeAgain()
    node.accessory.now = now
    let paths = body(node)
    // A device can change a value while the node executes a request. The node takes the changes at its end.
    if isReceiving { return changesOfRequest += paths }
    node.server.changed(.init(attributes: paths, events: node.takeEvents()), at: now)
    act()
  }

  // MARK: Connections

  package var connections: [HAPFrontEnds.ControllerConnection] {
    node?.connections(of: session) { parts.newConnection() } ?? []
  }

  package func disconnect(where isMeant: (HAPFrontEnds.ControllerConnection) -> Bool) -> Int {
    guard let node else { return 0 }
    let meant = Set(connections.filter(isMeant).map(\.number))
    node.endSessions(meant, at: now)
    act()
    return meant.count
  }

  // MARK: Inputs

  package func setReports(all: Bool, requests: Bool) {
    reportsMessages = all && requests
    node?.server.reportsMessages = isObserved
  }

  /// Whether the messages have a reader.
  private var isObserved: Bool { reportsMessages || place.capture != nil }

  package func apply(_ faults: AccessoryFaults) {
    node?.apply(faults)
    network.apply(faults)
  }

  /// Takes a datagram that the network lets pass.
  private func arrived(_ datagram: FaultyNetwork.Datagram) {
    switch datagram.direction {
    case .inbound: receive(datagram.bytes, from: datagram.peer)
    case .outbound: sockets.send(datagram.bytes, to: datagram.peer)
    }
  }

  private func receive(_ datagram: [UInt8], from source: SocketAddress) {
    guard let node, !isStopped else { return }
    let now = now
    storeAgain()
    node.accessory.now = now
    if node.accessory.askDevice() { parts.perform() }
    isReceiving = true
    node.server.receive(datagram, from: PeerAddress(source), at: now)
    isReceiving = false
    if !changesOfRequest.isEmpty {
      node.server.changed(.init(attributes: changesOfRequest, events: node.takeEvents()), at: now)
      changesOfRequest = []
    }
    act()
    parts.perform()
  }

  private func advance() {
    guard let node, !isStopped else { return }
    let now = now
    storeAgain()
    let paths = node.accessory.advance(to: now)
    node.server.changed(.init(attributes: paths, events: node.takeEvents()), at: now)
    node.server.advance(to: now)
    act()
    parts.perform()
  }

  // MARK: Actions

  /// Performs what the node asks for.
  func act() { act(last: []) }

  /// - Parameter last: steps that follow.
  private func act(last: [Step]) {
    guard let node, !isStopped else {
      for case .answer(let done) in last { done(.unknown) }
      return
    }
    // Changes by a request are stored before its answer leaves.
    for data in node.changedData() {
      unstored[data.name] = nil
      waiting.append(.store(data))
    }
    while let action = node.server.nextAction() {
      if waiting.count < Self.mostWaiting || !action.canBeLost { waiting.append(.action(action)) }
    }
    waiting += last
    performWaiting()
    arm(node)
  }

  /// Performs what the node asks for.
  /// - Parameter done: called when all of it is stored or has failed, or when the accessory stops.
  func act(whenStored done: @escaping (StoreOutcome) -> Void) { act(last: [.answer(done)]) }

  private func performWaiting() {
    while !isStoring, !waiting.isEmpty {
      switch waiting.removeFirst() {
      case .store(let data): wait(for: data)
      case .action(let action): perform(action)
      case .answer(let done): done(.stored)
      }
    }
  }

  private func perform(_ action: NodeServer.Action) {
    switch action {
    case .store(let bytes):
      wait(for: FrontEndData(name: RunningNode.stateName, bytes: bytes.withBytes { Array($0) }, survivesReset: false))
    case .send(let bytes, let peer):
      outbox.append((bytes, peer))
      parts.performer.ask()
    case .compute(let work): compute(work)
    case .advertisementsChanged: updateRecords()
    case .report(let report): tell(report)
    }
  }

  /// Stores data, and performs the following actions afterwards. If it can't be stored, the answer that depends on it is
  /// dropped, so that the peer does not rely on it; the accessory has reported the failure.
  private func wait(for data: FrontEndData) {
    guard let owner = parts.performer.owner else { return }
    isStoring = true
    owner.store(.frontEnd(data)) { [weak self] isStored in
      guard let self else { return }
      isStoring = false
      guard !isStopped else { return }
      if !isStored { failed(data) }
      act()
    }
  }

  private func failed(_ data: FrontEndData) {
    let isReplaced = waiting.contains { if case .store(let later) = $0 { later.name == data.name } else { false } }
    // The node itself stores its state again.
    if data.name != RunningNode.stateName, !isReplaced { unstored[data.name] = data }
    dropWaitingDatagrams()
    failWaitingAnswers()
  }

  private func storeAgain() {
    waiting += unstored.sorted { $0.key < $1.key }.map { .store($0.value) }
    unstored = [:]
  }

  private func dropWaitingDatagrams() {
    let datagrams = waiting.compactMap { if case .action(.send(let bytes, _)) = $0 { bytes } else { nil } }
    waiting.removeAll { step in
      switch step {
      case .action(.send), .action(.report(.message)): true
      default: false
      }
    }
    node?.server.dropped(datagrams, at: now)
  }

  /// Fails the answers that have waited for what could not be stored. If the state of the node is stored again, it has
  /// their changes, too, and they wait for it.
  private func failWaitingAnswers() {
    let next = waiting.firstIndex(where: \.storesState)
    let early = waiting[..<(next ?? waiting.endIndex)]
    let answers = early.filter(\.isAnswer)
    waiting = early.filter { !$0.isAnswer } + waiting[early.endIndex...]
    if let next { return waiting.insert(contentsOf: answers, at: next - answers.count + 1) }
    for case .answer(let done) in answers { done(.failed) }
  }

  private func compute(_ work: HandshakeWork) {
    parts.loop.offload {
      work.perform()
    } then: { [weak self] result in
      guard let self, !isStopped, let node else { return }
      node.server.computed(result, at: now)
      act()
    }
  }

  private func arm(_ node: RunningNode) {
    // If nothing is due as early as that, the timer fires without an effect, and is started again. A message would
    // otherwise start it twice.
    guard let deadline = earlier(node.server.nextDeadline, node.accessory.nextDeadline) else { return }
    if let armed, armed <= deadline { return }
    armed = deadline
    timer.start(after: deadline - now)
  }

  private func updateRecords() {
    guard let node, visibility.hasRadio, visibility.isAnnounced, sockets.port != 0 else { return records.set([]) }
    records.set(node.records(port: sockets.port, places: place.places))
  }
}

// MARK: The end of a turn

/// Datagrams leave at the end of a turn, when the values that were written in it are stored.
extension MatterFrontEnd: TurnServer {
  package var hasUnsent: Bool { !outbox.isEmpty }

  package func send() {
    let datagrams = outbox
    outbox.removeAll(keepingCapacity: true)
    for (bytes, peer) in datagrams {
      if let address = peer.socketAddress { network.pass(.init(bytes, address, .outbound)) }
    }
  }
}

// MARK: The attributes

extension MatterFrontEnd: AttributeFrontEnd {
  /// The access control list of the node decides.
  package func isAdmin(_ session: AttributeSession) -> Bool { true }

  package func sendEvents(of session: AttributeSession, at now: Duration) {
    let events = session.waitingEvents
    session.didSendEvents(at: now)
    change { $0.accessory.mark(events: events) }
  }

  package func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {
    switch request {
    case .read(let failures): node?.accessory.deviceAnswered(failures: failures)
    case .write(let transaction): change { $0.accessory.finished(transaction) }
    }
  }

  package func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {
    // The device can refuse a write after its answer, when the controller is no longer known.
    let peer = session.reportedName ?? "a Matter controller"
    parts.performer.owner?.report(
      .refusedPeer(peer, request: "Matter: write \(id)", reason: "\(status.rawValue): \(reason)"))
  }

  package func reportMissing(_ id: AttributeID, in session: AttributeSession) {}
}
