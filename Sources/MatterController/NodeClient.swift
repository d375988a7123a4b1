import HAPCrypto
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire

/// A controller of one node: its sessions, the commissioning, requests and subscriptions. It has no I/O: datagrams,
/// results and the time are its inputs. After each input the caller takes actions until `nextAction` returns nil.
///
/// Confined to one loop. `now` must not decrease.
package final class NodeClient {
  /// What the caller does, in order.
  package enum Action {
    case send([UInt8], to: PeerAddress)
    /// Calls `HandshakeWork.perform`, which can take a millisecond, and passes its result to `computed`.
    case compute(HandshakeWork)
    /// Finds the node by mDNS and calls `connect`. It follows `commission` only.
    case findNode(compressedFabric: [UInt8], node: NodeID)
    case report(Report)
  }

  /// The number of a request, from 1.
  package typealias RequestNumber = Int

  package enum Report {
    case commissioned
    /// A session is established.
    case connected(isResumed: Bool)
    /// The commissioning, or `connect`, has failed.
    case failed(ClientFailure)
    case answered(RequestNumber, InteractionResult)
    /// The node has not answered a request.
    case unanswered(RequestNumber)
    /// What has changed since the last report of a subscription.
    case changed(ReportCollector)
    /// The node has not reported within the maximum interval.
    case subscriptionEnded(UInt32)
    case sessionEnded(SessionEnd)
  }

  private struct HandshakeInProgress {
    let exchange: ExchangeHandle
    /// nil while a step is being computed.
    var handshake: (any Handshake)?
  }

  private struct RequestInProgress {
    /// nil: of the commissioning.
    let number: RequestNumber?
    var interaction: ClientInteraction
  }

  private struct Subscribed {
    let maximum: Duration
    var deadline: Duration
  }

  package let fabric: ControllerFabric
  package let node: NodeID
  private let random: RandomSource
  /// The time at which the certificates of devices must not have ended, in seconds since 2000-01-01; nil: there is no
  /// clock.
  package var certificateTime: UInt32?
  private var layer: MessageLayer
  private var session: SessionHandle?
  private var handshake: HandshakeInProgress?
  private var isPasscodeHandshake = false
  private var authorities: [AttestationCertificate] = []
  private var commissioning: Commissioning?
  /// When the commissioning fails at the latest.
  private var commissioningDeadline: Duration?
  private var resumable: ResumableSession?
  private var requestCount = 0
  private var requests: [ExchangeHandle: RequestInProgress] = [:]
  private var reports: [ExchangeHandle: ClientReport] = [:]
  private var subscriptions: [UInt32: Subscribed] = [:]
  private var actions: [Action] = []
  private var actionsTaken = 0

  /// How long a report may be late, for its repetitions.
  private static let patience = Duration.seconds(15)
  /// The longest time of a commissioning after PASE. The node waits for 60 s.
  private static let commissioningTime = Duration.seconds(75)

  /// - Parameter node: the identifier that the node has, or gets, in the fabric.
  package init(
    _ fabric: ControllerFabric, node: NodeID, random: RandomSource, settings: MessageLayer.Settings = .init()
  ) {
    (self.fabric, self.node, self.random) = (fabric, node, random)
    layer = MessageLayer(random: random, settings: settings)
  }

  // MARK: Tasks

  /// Adds the node to the fabric.
  /// - Parameter authorities: of attestation, the trusted ones.
  package func commission(
    at peer: PeerAddress, passcode: UInt32, authorities: [AttestationCertificate], at now: Duration
  ) {
    precondition(!isConnecting && commissioning == nil, "one task at a time")
    (isPasscodeHandshake, self.authorities) = (true, authorities)
    let initiator = PASEInitiator(passcode: passcode, localSession: layer.allocateSessionID(), random: random)
    begin(initiator, initiator.request, with: peer, at: now)
  }

  /// Establishes a session with CASE, or resumes the last one.
  package func connect(to peer: PeerAddress, at now: Duration) {
    precondition(!isConnecting, "one task at a time")
    isPasscodeHandshake = false
    let initiator = CASEInitiator(
      fabric: fabric.credentials, peer: node, resumable: resumable, localSession: layer.allocateSessionID(),
      random: random)
    begin(initiator, initiator.request, with: peer, at: now)
  }

  /// Begins a request in the session. `Report.answered` or `.unanswered` has its number.
  package func request(_ request: InteractionRequest, at now: Duration) -> RequestNumber {
    requestCount += 1
    start(RequestInProgress(number: requestCount, interaction: ClientInteraction(request)), at: now)
    finish(at: now)
    return requestCount
  }

  /// Ends the session. The next `connect` can resume it.
  package func disconnect(notifyingPeer: Bool = true, at now: Duration) {
    if let session { layer.removeSession(session, notifyingPeer: notifyingPeer) }
    finish(at: now)
  }

  /// Forgets the session that could be resumed.
  package func forgetResumption() { resumable = nil }

  package var isConnecting: Bool { handshake != nil }
  package var isConnected: Bool { session != nil }

  // MARK: Inputs

  package func receive(_ datagram: [UInt8], from peer: PeerAddress, at now: Duration) {
    layer.receive(datagram, from: peer, at: now)
    finish(at: now)
  }

  /// Takes the result of a computation.
  package func computed(_ result: HandshakeWork.Result, at now: Duration) {
    guard handshake?.exchange == result.exchange else { return }
    handshake?.handshake = result.handshake
    take(result, at: now)
    finish(at: now)
  }

  package func advance(to now: Duration) {
    layer.advance(to: now)
    for (id, subscription) in subscriptions where subscription.deadline <= now {
      subscriptions[id] = nil
      act(.report(.subscriptionEnded(id)))
    }
    if let deadline = commissioningDeadline, deadline <= now { fail("the commissioning takes too long\(missing)") }
    finish(at: now)
  }

  /// When `advance` has to be called; nil: not before another input.
  package var nextDeadline: Duration? {
    (subscriptions.values.map(\.deadline) + [layer.nextDeadline, commissioningDeadline].compactMap(\.self)).min()
  }

  // MARK: Outputs

  /// Removes the first action; nil: there are no more.
  package func nextAction() -> Action? {
    guard actionsTaken < actions.count else {
      actions = []
      actionsTaken = 0
      return nil
    }
    defer { actionsTaken += 1 }
    return actions[actionsTaken]
  }

  private func act(_ action: Action) { actions.append(action) }

  private func finish(at now: Duration) {
    while let action = layer.nextAction() {
      switch action {
      case .send(let datagram, let peer): act(.send(datagram, to: peer))
      case .deliver(let message): deliver(message, at: now)
      case .exchangeFailed(let exchange): failed(exchange)
      case .sessionEnded(let ended, let reason): self.ended(ended, reason)
      }
    }
  }

  private func failed(_ exchange: ExchangeHandle) {
    reports[exchange] = nil
    if handshake?.exchange == exchange { fail("the node does not answer") }
    if let request = requests.removeValue(forKey: exchange) { unanswered(request) }
  }

  private func ended(_ ended: SessionHandle, _ reason: SessionEnd) {
    if handshake?.exchange.session == ended { fail("the handshake was given up") }
    reports = reports.filter { $0.key.session != ended }
    let unfinished = requests.filter { $0.key.session == ended }.sorted { $0.key.number < $1.key.number }
    for (exchange, request) in unfinished {
      requests[exchange] = nil
      unanswered(request)
    }
    guard ended == session else { return }
    (session, subscriptions) = (nil, [:])
    act(.report(.sessionEnded(reason)))
    if commissioning != nil, handshake == nil { fail("the node has ended the session\(missing)") }
  }

  /// What a commissioning waits for, for messages.
  private var missing: String { commissioning.map { ": \($0.missing)" } ?? "" }

  private func unanswered(_ request: RequestInProgress) {
    guard let number = request.number else { return fail("the node does not answer\(missing)") }
    act(.report(.unanswered(number)))
  }

  private func fail(_ reason: String) {
    handshake = nil
    // The node undoes a commissioning whose session ends.
    if commissioning != nil, let session { layer.removeSession(session) }
    (commissioning, commissioningDeadline) = (nil, nil)
    act(.report(.failed(ClientFailure(reason))))
  }
}

// MARK: - Handshakes

extension NodeClient {
  private func begin(_ initiator: any Handshake, _ request: HandshakeMessage, with peer: PeerAddress, at now: Duration)
  {
    let session = layer.addUnsecuredSession(to: peer, at: now)
    guard let exchange = layer.openExchange(on: session) else { preconditionFailure("a new session has no exchange") }
    handshake = HandshakeInProgress(exchange: exchange, handshake: initiator)
    layer.send(request, on: exchange, at: now)
    finish(at: now)
  }

  private func receiveHandshake(_ received: ReceivedMessage, at now: Duration) {
    guard received.exchange == handshake?.exchange, let present = handshake?.handshake,
      let message = received.handshakeMessage
    else { return layer.closeExchange(received.exchange, at: now) }
    handshake?.handshake = nil
    act(.compute(HandshakeWork(exchange: received.exchange, handshake: present, message: message)))
  }

  private func take(_ result: HandshakeWork.Result, at now: Duration) {
    switch result.step {
    case .send(let message): layer.send(message, on: result.exchange, at: now)
    case .establish(let established, let message):
      if let message { layer.send(message, on: result.exchange, at: now) }
      let peer = layer.peer(of: result.exchange.session)
      end(result.exchange, at: now)
      if let peer { establish(established, peer: peer, isResumed: message != nil, at: now) }
    case .fail(let failure, let message):
      if let message { layer.send(message, on: result.exchange, at: now) }
      end(result.exchange, at: now)
      fail(failure.reason)
    }
  }

  private func end(_ exchange: ExchangeHandle, at now: Duration) {
    handshake = nil
    layer.closeExchange(exchange, at: now)
    layer.removeSession(exchange.session, afterExchanges: true)
  }

  private func establish(
    _ established: EstablishedSession, peer: PeerAddress, isResumed: Bool, at now: Duration
  ) {
    let old = session
    let new = layer.addSession(established, peer: peer, at: now)
    session = new
    if let kept = ResumableSession(established) { resumable = kept }
    if isPasscodeHandshake {
      let commissioning = Commissioning(
        fabric, node: node, authorities: authorities, challenge: established.attestationChallenge,
        time: certificateTime, random: random)
      (self.commissioning, commissioningDeadline) = (commissioning, now + Self.commissioningTime)
      start(RequestInProgress(number: nil, interaction: ClientInteraction(commissioning.start)), at: now)
    } else if let request = commissioning?.connected() {
      // The node ends the passcode session when the commissioning is complete.
      start(RequestInProgress(number: nil, interaction: ClientInteraction(request)), at: now)
    } else {
      if let old { layer.removeSession(old, afterExchanges: true) }
      act(.report(.connected(isResumed: isResumed)))
    }
  }
}

// MARK: - Requests and reports

extension NodeClient {
  private func start(_ request: RequestInProgress, at now: Duration) {
    guard let session, let exchange = layer.openExchange(on: session) else { return unanswered(request) }
    requests[exchange] = request
    send(request.interaction.start, on: exchange, at: now)
  }

  private func send(_ message: InteractionMessage, on exchange: ExchangeHandle, at now: Duration) {
    layer.send(
      message.payload, opcode: message.opcode.rawValue, protocolID: .interactionModel, on: exchange, at: now)
  }

  private func deliver(_ received: ReceivedMessage, at now: Duration) {
    guard received.subject != nil else { return receiveHandshake(received, at: now) }
    let exchange = received.exchange
    guard received.protocolID == .interactionModel, let opcode = InteractionOpcode(rawValue: received.opcode) else {
      layer.closeExchange(exchange, at: now)
      return failed(exchange)
    }
    let message = InteractionMessage(opcode, received.payload)
    if let request = requests[exchange] {
      receive(message, of: request, on: exchange, at: now)
    } else {
      receiveReport(message, on: exchange, at: now)
    }
  }

  private func receive(
    _ message: InteractionMessage, of request: RequestInProgress, on exchange: ExchangeHandle, at now: Duration
  ) {
    var request = request
    switch request.interaction.receive(message) {
    case .send(let next):
      requests[exchange] = request
      send(next, on: exchange, at: now)
    case .finish(let result):
      requests[exchange] = nil
      layer.closeExchange(exchange, at: now)
      if case .subscription(let response, _) = result {
        let maximum = Duration.seconds(response.maximum) + Self.patience
        subscriptions[response.id] = Subscribed(maximum: maximum, deadline: now + maximum)
      }
      guard let number = request.number else { return continueCommissioning(result, at: now) }
      act(.report(.answered(number, result)))
    }
  }

  private func continueCommissioning(_ result: InteractionResult, at now: Duration) {
    do throws(ClientFailure) {
      switch try commissioning?.receive(result) {
      case .request(let next):
        start(RequestInProgress(number: nil, interaction: ClientInteraction(next)), at: now)
      case .connect: act(.findNode(compressedFabric: fabric.credentials.compressedID, node: node))
      case .finish:
        (commissioning, commissioningDeadline) = (nil, nil)
        act(.report(.commissioned))
      case nil: break
      }
    } catch { fail(error.reason) }
  }

  private func receiveReport(_ message: InteractionMessage, on exchange: ExchangeHandle, at now: Duration) {
    var report = reports[exchange] ?? ClientReport(subscriptions: Set(subscriptions.keys))
    switch report.receive(message) {
    case .answer(let answer):
      reports[exchange] = report
      return send(answer, on: exchange, at: now)
    case .finish(let collected, let answer):
      if let answer { send(answer, on: exchange, at: now) }
      if let id = collected.subscription, let maximum = subscriptions[id]?.maximum {
        subscriptions[id]?.deadline = now + maximum
      }
      act(.report(.changed(collected)))
    case .fail(_, let answer): send(answer, on: exchange, at: now)
    }
    reports[exchange] = nil
    layer.closeExchange(exchange, at: now)
  }
}
