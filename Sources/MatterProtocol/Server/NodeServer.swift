import HAPCrypto
import MatterInteraction
import MatterModel
import MatterWire

/// A Matter node with its sessions: messages, handshakes, the interaction model, and the state of the node. It has no
/// I/O: datagrams, results and the time are its inputs. After each input the caller takes actions until `nextAction`
/// returns nil.
///
/// Confined to one loop. `now` must not decrease.
package final class NodeServer {
  /// What the caller does, in order. All actions after a `store` wait until that is done.
  package enum Action {
    /// Stores the state of the node, with private keys.
    case store(SecretBytes)
    case send([UInt8], to: PeerAddress)
    /// Calls `HandshakeWork.perform`, which can take a millisecond, and passes its result to `computed`.
    case compute(HandshakeWork)
    /// Announces what `advertisements` returns now.
    case advertisementsChanged
    case report(NodeReport)
  }

  /// An event of an endpoint of the application.
  package struct ApplicationEvent {
    package var path: EventPath
    package var priority: EventPriority
    package var fields: [Element]

    package init(_ path: EventPath, _ priority: EventPriority, _ fields: [Element]) {
      (self.path, self.priority, self.fields) = (path, priority, fields)
    }
  }

  /// What has changed in the application.
  package struct ApplicationChanges {
    package var attributes: [AttributePath]
    package var events: [ApplicationEvent]

    package init(attributes: [AttributePath] = [], events: [ApplicationEvent] = []) {
      (self.attributes, self.events) = (attributes, events)
    }
  }

  var node: MatterNode
  var layer: MessageLayer
  var interaction: InteractionServer
  var handshakes = HandshakeTable()
  /// The computations that were requested and have no result yet.
  var computationCount = 0
  let random: RandomSource
  /// Returns what requests have changed in the application since the last call.
  package var takeApplicationChanges: () -> ApplicationChanges = { ApplicationChanges() }
  /// The exchanges of the interaction model that are open.
  private var exchanges: [InteractionExchange: ExchangeHandle] = [:]
  private var passcodeSession: SessionHandle?
  /// The peer of the last session of PASE, for reports, until its commissioning has ended.
  private var commissioner: PeerAddress?
  /// The session of the message that is being answered.
  private var answeredSession: SessionHandle?
  /// Sessions of removed fabrics that end with their last answer.
  private var endingSessions: Set<SessionHandle> = []
  /// How often all sessions of a fabric were ended.
  private(set) var endingCount = 0
  /// The number of the last such ending of each fabric, from 1.
  private var lastEnding: [FabricIndex: Int] = [:]
  private var actions: [Action] = []
  private var actionsTaken = 0
  private let start: Duration

  /// - Parameter now: since any epoch.
  package init(
    _ node: MatterNode, random: RandomSource, settings: MessageLayer.Settings = .init(), at now: Duration
  ) {
    (self.node, self.random, start) = (node, random, now)
    layer = MessageLayer(random: random, settings: settings)
    interaction = InteractionServer(
      log: EventLog(next: node.state.eventNumber), seed: random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) })
    finish(at: now)
  }

  // MARK: Inputs

  package func receive(_ datagram: [UInt8], from peer: PeerAddress, at now: Duration) {
    node.advance(to: now)
    layer.receive(datagram, from: peer, at: now)
    finish(at: now)
  }

  /// Notes changes of the application that no request has caused.
  package func changed(_ changes: ApplicationChanges, at now: Duration) {
    node.advance(to: now)
    note(changes, at: now)
    finish(at: now)
  }

  /// Notes that the application has other endpoints.
  package func partsChanged(at now: Duration) {
    node.partsChanged()
    finish(at: now)
  }

  /// Notes that the caller has dropped datagrams because it could not store what comes before them. They are not
  /// repeated: their peers get no answer.
  package func dropped(_ datagrams: [[UInt8]], at now: Duration) {
    layer.abandon(datagrams)
    // The next input stores the state again, before its answer. At once, it would fail again, without end.
    node.needsStore = false
    finish(at: now)
    node.needsStore = true
  }

  package func advance(to now: Duration) {
    node.advance(to: now)
    layer.advance(to: now)
    for exchange in handshakes.expire(at: now) {
      report(HandshakeFailure("the peer did not continue in time"), on: exchange)
      layer.closeExchange(exchange, at: now)
      layer.removeSession(exchange.session, afterExchanges: true)
    }
    finish(at: now)
  }

  /// When `advance` has to be called; nil: not before another input.
  package var nextDeadline: Duration? {
    let ofNode = earlier(node.nextDeadline, handshakes.nextDeadline)
    return earlier(ofNode, earlier(layer.nextDeadline, interaction.nextDeadline))
  }

  /// Changes the node as its user does, for example `openWindow`.
  package func change<Result, Failure: Error>(
    at now: Duration, _ body: (inout MatterNode) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    node.advance(to: now)
    defer { finish(at: now) }
    return try body(&node)
  }

  // MARK: Outputs

  /// Removes the first action; nil: there are no more.
  package func nextAction() -> Action? {
    guard actionsTaken < actions.count else {
      actions.removeAll(keepingCapacity: actions.capacity <= 64)
      actionsTaken = 0
      return nil
    }
    defer { actionsTaken += 1 }
    return actions[actionsTaken]
  }

  /// What discovery announces now.
  package var advertisements: NodeAdvertisements { node.advertisements }
  /// With the one that is being added.
  package var fabrics: [Fabric] { node.state.fabrics }
  /// Those whose commissioning is complete.
  package var durableFabrics: [Fabric] { node.durableState.fabrics }
  package var window: NodeWindow? { node.openedWindow }
  package var subscriptionCount: Int { interaction.subscriptionCount }

  /// Faults: see `MessageLayer` and `InteractionServer`.
  package var withholdsAcknowledgement: (() -> Bool)? {
    get { layer.withholdsAcknowledgement }
    set { layer.withholdsAcknowledgement = newValue }
  }
  /// Whether `NodeReport.message` reports what is received and sent from now on. Without it, a message does no reporting
  /// work.
  package var reportsMessages: Bool {
    get { layer.isObserved }
    set { layer.isObserved = newValue }
  }
  /// Called with each message when it is received, before it is executed, or made. With it, received ones are not
  /// reported; reports of others come with their datagrams, after what has to be stored before.
  package var onObserved: ((ObservedMessage) -> Void)?
  package var withheldReports: WithheldReports {
    get { interaction.withheldReports }
    set { interaction.withheldReports = newValue }
  }

  /// Sees the messages of the node; nil: none does.
  package var tap: (any NodeTap)? {
    get { layer.tap }
    set { layer.tap = newValue }
  }

  func act(_ action: Action) { actions.append(action) }
  func report(_ report: NodeReport) { act(.report(report)) }
  func report(_ failure: HandshakeFailure, on exchange: ExchangeHandle) {
    report(.handshakeFailed(failure, peer: layer.peer(of: exchange.session)))
  }

  // MARK: The end of an input

  /// Performs what the parts ask of each other until nothing is left.
  func finish(at now: Duration) {
    repeat {
      for access in handshakes.takeFailedAttempts() where access.window == node.window?.instance {
        node.passcodeAttemptFailed()
      }
      // Events with new numbers follow in this list of actions, so they leave after the number is stored.
      if interaction.log.storedNumber != node.state.eventNumber {
        node.storeEventNumber(interaction.log.storedNumber)
      }
      take(node.takeEffects(), at: now)
      // Passing the node copies it.
      if let due = interaction.nextDeadline, due <= now {
        perform(interaction.advance(to: now, target: node), at: now)
      }
    } while takeLayerActions(at: now)
    for change in interaction.takeSubscriptionChanges() { report(.subscription(change)) }
    // A subscription ends if its last report is not acknowledged, so the exchange of that is still of interest.
    for (exchange, handle) in exchanges where layer.find(handle) == nil { interaction.exchangeEnded(exchange) }
    if !exchanges.isEmpty { exchanges = exchanges.filter { handle in interaction.isWatched(handle.key) } }
  }

  /// - Returns: whether there were actions.
  private func takeLayerActions(at now: Duration) -> Bool {
    var hasActed = false
    reportMessages()
    while let action = layer.nextAction() {
      hasActed = true
      switch action {
      case .send(let datagram, let peer): act(.send(datagram, to: peer))
      case .deliver(let message): deliver(message, at: now)
      case .exchangeFailed(let exchange): failed(exchange, at: now)
      case .sessionEnded(let session, let reason): ended(session, reason)
      }
      reportMessages()
    }
    return hasActed
  }

  /// Reports the messages before they leave.
  private func reportMessages() {
    guard layer.isObserved else { return }
    for message in layer.takeObserved() {
      onObserved?(message)
      if !message.isReceived || onObserved == nil { report(.message(message)) }
    }
  }

  private func deliver(_ message: ReceivedMessage, at now: Duration) {
    if let tap, isAnswered(message, by: tap, at: now) { return }
    guard let subject = message.subject else { return receiveHandshake(message, at: now) }
    guard message.protocolID == .interactionModel, !endingSessions.contains(message.session) else {
      return layer.closeExchange(message.exchange, at: now)
    }
    answeredSession = message.session
    defer { answeredSession = nil }
    let exchange =
      exchanges.first { $0.value == message.exchange }?.key ?? InteractionExchange.peer(message.exchange.number)
    exchanges[exchange] = message.exchange
    node.attestationChallenge = layer.attestationChallenge(of: message.session)
    let answers = interaction.receive(
      message.opcode, message.payload, on: exchange,
      from: InteractionPeer(session: message.session.number, subject: subject), at: now, target: &node)
    let effects = node.takeEffects()
    // The state is durable before the answer leaves; all else follows the answer.
    let isStored = { (effect: NodeEffect) in if case .store = effect { true } else { false } }
    take(effects.filter(isStored), at: now)
    perform(answers, at: now)
    take(effects.filter { !isStored($0) }, at: now)
    note(takeApplicationChanges(), at: now)
  }

  private func note(_ changes: ApplicationChanges, at now: Duration) {
    for path in changes.attributes { interaction.attributeChanged(path) }
    for event in changes.events { interaction.record(event.path, event.priority, at: time(now), event.fields) }
  }

  private func time(_ now: Duration) -> EventTime {
    .start(milliseconds: UInt64(max(0, (now - start) / .milliseconds(1))))
  }

  private func perform(_ actions: [InteractionAction], at now: Duration) {
    for action in actions {
      switch action {
      case .begin(let exchange, let session):
        exchanges[exchange] = layer.openExchange(on: SessionHandle(number: session))
      case .send(let message, let exchange, let expectsAnswer):
        guard let handle = exchanges[exchange],
          layer.send(
            message.payload, opcode: message.opcode.rawValue, protocolID: .interactionModel, on: handle, at: now)
        else {
          exchanges[exchange] = nil
          interaction.exchangeFailed(exchange)
          continue
        }
        if !expectsAnswer { close(exchange, at: now) }
      case .close(let exchange): close(exchange, at: now)
      }
    }
  }

  private func close(_ exchange: InteractionExchange, at now: Duration) {
    if let handle = exchanges[exchange] { layer.closeExchange(handle, at: now) }
  }

  private func failed(_ handle: ExchangeHandle, at now: Duration) {
    if handshakes.fail(handle) {
      report(HandshakeFailure("the peer does not answer"), on: handle)
      layer.removeSession(handle.session, afterExchanges: true)
    }
    forget(handle)
  }

  /// Forgets an exchange that has failed, or that a tap has answered.
  func forget(_ handle: ExchangeHandle) {
    guard let exchange = exchanges.first(where: { $0.value == handle })?.key else { return }
    exchanges[exchange] = nil
    interaction.exchangeFailed(exchange)
  }

  private func ended(_ session: SessionHandle, _ reason: SessionEnd) {
    handshakes.fail(of: session)
    endingSessions.remove(session)
    exchanges = exchanges.filter { $0.value.session != session }
    interaction.sessionEnded(session.number)
    guard session == passcodeSession else { return }
    passcodeSession = nil
    node.passcodeSessionEnded()
  }

  private func take(_ effects: [NodeEffect], at now: Duration) {
    for effect in effects {
      switch effect {
      case .store(let bytes): act(.store(bytes))
      case .attributeChanged(let path): interaction.attributeChanged(path)
      case .event(let event):
        interaction.record(
          event.path, event.priority, at: time(now), event.fields, fabric: event.fabric)
      case .moveSession(let fabric):
        if let passcodeSession { layer.setSubject(.passcode(fabric: fabric), of: passcodeSession) }
      case .endPasscodeSession:
        guard let session = passcodeSession else { continue }
        passcodeSession = nil
        layer.removeSession(session, afterExchanges: true)
      case .endSessions(let fabric): endSessions(of: fabric, at: now)
      case .advertisementsChanged: act(.advertisementsChanged)
      case .report(.commissioningFailed(let reason, _)):
        report(.commissioningFailed(reason: reason, peer: commissioner))
        commissioner = nil
      case .report(let report):
        if case .fabricAdded = report { commissioner = nil }
        self.report(report)
      }
    }
  }

  // MARK: Sessions

  /// Ends all that a fabric has at this node. Its index can belong to another fabric afterwards, so nothing of it may
  /// act any more: no session, no handshake, no event. Only the session that carries the answer to the removal stays
  /// until that is acknowledged.
  private func endSessions(of fabric: FabricIndex, at now: Duration) {
    handshakes.forget(fabric)
    // A handshake does not show its fabric before its end. Then `add` refuses those that began before.
    endingCount += 1
    lastEnding[fabric] = endingCount
    for session in layer.sessions(where: { if case .node(_, fabric, _) = $0 { true } else { false } }) {
      interaction.sessionEnded(session.number)
      endingSessions.insert(session)
      layer.removeSession(session, afterExchanges: session == answeredSession)
    }
    if node.state[fabric] == nil { interaction.forgetEvents(of: fabric) }
  }

  /// The secured sessions, in the order in which they were made.
  package var sessions: [(handle: SessionHandle, subject: Subject, peer: PeerAddress)] {
    layer.sessions { _ in true }.compactMap { handle in
      guard let subject = layer.subject(of: handle), let peer = layer.peer(of: handle) else { return nil }
      return (handle, subject, peer)
    }
  }

  /// Ends a session without a message to the peer.
  package func endSession(_ session: SessionHandle, at now: Duration) {
    layer.removeSession(session, notifyingPeer: false)
    finish(at: now)
  }

  /// Adds the session of a handshake.
  /// - Returns: false if the node no longer accepts it.
  func add(
    _ session: EstablishedSession, _ kind: HandshakeTable.Kind, peer: PeerAddress, at now: Duration
  ) -> Bool {
    switch kind {
    case .passcode(let access):
      guard node.passcodeSessionEstablished(with: access) else { return false }
      passcodeSession = layer.addSession(session, peer: peer, at: now)
      commissioner = peer
    case .node(let endings):
      let fabric = session.subject.fabric
      guard node.state[fabric] != nil, lastEnding[fabric, default: 0] <= endings else { return false }
      _ = layer.addSession(session, peer: peer, at: now)
    }
    report(.sessionEstablished(session.subject))
    return true
  }
}
