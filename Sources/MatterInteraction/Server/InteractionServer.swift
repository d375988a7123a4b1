import HAPWire
import MatterModel
import MatterWire

/// An exchange of the interaction model.
package enum InteractionExchange: Hashable, Sendable, Comparable {
  /// One that a peer has begun. The caller chooses the number; it must be unique over all sessions.
  case peer(UInt64)
  /// One that the server has begun for a report of a subscription.
  case own(UInt64)

  var isOfPeer: Bool { if case .peer = self { true } else { false } }
}

/// The sender of a message.
package struct InteractionPeer: Hashable, Sendable {
  /// The number of the session, which the caller chooses.
  package var session: UInt64
  package var subject: Subject

  package init(session: UInt64, subject: Subject) { (self.session, self.subject) = (session, subject) }
}

/// An action of the caller. Actions are done in their order.
package enum InteractionAction: Hashable, Sendable {
  /// Begins an exchange on a session. The message for it follows.
  case begin(InteractionExchange, session: UInt64)
  /// Sends a message. If no answer is expected, the exchange ends when the message is acknowledged, and the caller calls
  /// `exchangeEnded`, because the next report can depend on it. If it never is, the caller calls `exchangeFailed`,
  /// because a subscription ends then.
  case send(InteractionMessage, on: InteractionExchange, expectsAnswer: Bool)
  /// Ends an exchange without a message. The caller calls `exchangeEnded` when the peer has acknowledged those before.
  case close(InteractionExchange)
}

/// The limits of a server.
package struct InteractionLimits: Hashable, Sendable {
  /// The most bytes of a message, without headers.
  package var payloadBytes = 1180
  /// The most paths of a read or subscription, and the most version filters. More do not fit into one packet.
  package var paths = 256
  /// The most attributes that one write can change. Their statuses must fit into one message.
  package var writes = 32
  /// The most exchanges that wait for a message of the peer.
  package var exchanges = 64
  package var exchangesOfSession = 16
  /// Matter asks for at least 3. Matter 1.4 §2.11.2.2.
  package var subscriptionsOfFabric = 16
  /// How long the server waits for a message of the peer.
  package var answerTimeout = Duration.seconds(30)

  package init() {}
}

/// The reports of changes that a server withholds on purpose. Subscriptions stay alive by empty reports.
package enum WithheldReports: Hashable, Sendable {
  case none
  /// The first one of each subscription after it was made, or after this was set.
  case first
  case all
}

/// The server of the interaction model: messages, times and changes in, actions out. Matter 1.4 chapter 8.
///
/// The caller reports each change of the target with `attributeChanged` and `record`, also those that a write or command
/// of this server has caused. It calls `advance` at `nextDeadline`, and after such changes.
package struct InteractionServer: Sendable {
  package let limits: InteractionLimits
  package internal(set) var log: EventLog
  package var withheldReports = WithheldReports.none {
    didSet { if withheldReports != oldValue { forgetLostReports() } }
  }
  var waiting: [InteractionExchange: WaitingExchange] = [:]
  var subscriptions: [UInt32: Subscription] = [:]
  private var lastSubscription: UInt32
  private var lastExchange: UInt64 = 0
  private var changes: [SubscriptionChange] = []

  /// - Parameter seed: random, so that identifiers of subscriptions differ from those before a restart.
  package init(limits: InteractionLimits = InteractionLimits(), log: EventLog = EventLog(), seed: UInt32) {
    precondition(limits.payloadBytes >= 256, "a message must have room for a report")
    (self.limits, self.log, lastSubscription) = (limits, log, seed)
  }

  package var subscriptionCount: Int { subscriptions.count }
  /// The number of exchanges that wait for a message of the peer.
  package var waitingCount: Int { waiting.count }

  /// Handles a message.
  /// - Parameter opcode: of protocol 1.
  package mutating func receive(
    _ opcode: UInt8, _ payload: [UInt8], on exchange: InteractionExchange, from peer: InteractionPeer,
    at now: Duration, target: inout some InteractionTarget
  ) -> [InteractionAction] {
    let before = waiting.removeValue(forKey: exchange)
    let context = RequestContext(exchange: exchange, peer: peer, now: now, timed: before?.state.timed)
    do throws(InteractionStatus) {
      guard let opcode = InteractionOpcode(rawValue: opcode) else { throw InteractionStatus(.invalidAction) }
      if opcode == .status { return try receiveStatus(payload, before?.state, context, target) }
      guard exchange.isOfPeer else { throw InteractionStatus(.invalidAction) }
      switch (opcode, before?.state) {
      case (.read, nil): return try read(try ReadRequest(decoding: payload), context, target)
      case (.subscribe, nil): return try subscribe(try SubscribeRequest(decoding: payload), context, target)
      case (.timed, nil): return try beginTimed(try TimedRequest(decoding: payload), context)
      case (.write, nil), (.write, .timed):
        return try write(try WriteRequest(decoding: payload), context, nil, &target)
      case (.write, .writing(let progress)):
        return try write(try WriteRequest(decoding: payload), context, progress, &target)
      case (.invoke, nil), (.invoke, .timed):
        return try invoke(try InvokeRequest(decoding: payload), context, &target)
      default: throw InteractionStatus(.invalidAction)
      }
    } catch {
      if let id = before?.state.subscription { end(id, .refused) }
      return [Self.status(error.code, on: exchange)]
    }
  }

  /// Handles what is due: reports of subscriptions, and ends of exchanges that waited too long.
  package mutating func advance(to now: Duration, target: some InteractionTarget) -> [InteractionAction] {
    var actions: [InteractionAction] = []
    // Sorted, so that the same inputs give the same actions.
    for exchange in waiting.filter({ $0.value.deadline <= now }).keys.sorted() {
      exchangeFailed(exchange)
      actions.append(.close(exchange))
    }
    for id in subscriptions.filter({ $0.value.isDue(at: now) }).keys.sorted() {
      actions += report(id, at: now, target)
    }
    return actions
  }

  /// When `advance` has to be called; nil: nothing is due.
  package var nextDeadline: Duration? {
    let waits = waiting.values.lazy.map(\.deadline).min()
    let reports = subscriptions.values.lazy.compactMap(\.due).min()
    guard let waits, let reports else { return waits ?? reports }
    return min(waits, reports)
  }

  /// Drops an exchange whose messages the peer does not acknowledge, and the subscription it belongs to.
  package mutating func exchangeFailed(_ exchange: InteractionExchange) {
    if let id = waiting.removeValue(forKey: exchange)?.state.subscription { end(id, .unanswered) }
    if let id = subscriptions.first(where: { $0.value.exchange == exchange })?.key { end(id, .unanswered) }
  }

  /// Notes that the peer has acknowledged the last message of an exchange, which is over.
  package mutating func exchangeEnded(_ exchange: InteractionExchange) {
    guard let id = subscriptions.first(where: { $0.value.exchange == exchange })?.key else { return }
    subscriptions[id]?.exchange = nil
    subscriptions[id]?.isKnown = true
  }

  /// Whether `exchangeFailed` would have an effect: the exchange waits for a message, or the last message of a
  /// subscription was sent on it, which has to be acknowledged.
  package func isWatched(_ exchange: InteractionExchange) -> Bool {
    waiting[exchange] != nil || subscriptions.values.contains { $0.exchange == exchange }
  }

  /// Drops the events that only a fabric may read.
  package mutating func forgetEvents(of fabric: FabricIndex) { log.removeRecords(of: fabric) }

  /// Drops the exchanges and subscriptions of a session.
  package mutating func sessionEnded(_ session: UInt64) {
    waiting = waiting.filter { $0.value.session != session }
    endSubscriptions(.sessionEnded) { $0.peer.session == session }
  }

  /// Returns the subscriptions that have begun or ended since the last call, in order. The caller calls it after its
  /// inputs.
  package mutating func takeSubscriptionChanges() -> [SubscriptionChange] {
    defer { changes = [] }
    return changes
  }

  // MARK: Parts

  static func status(
    _ code: InteractionStatus.Code, on exchange: InteractionExchange, expectsAnswer: Bool = false
  ) -> InteractionAction {
    .send(InteractionMessage(.status, StatusResponse(code).encoded), on: exchange, expectsAnswer: expectsAnswer)
  }

  /// Keeps what an exchange of the peer needs for its next message.
  mutating func wait(
    _ context: RequestContext, for state: WaitingExchange.State, until deadline: Duration? = nil
  ) throws(InteractionStatus) {
    let session = context.peer.session
    let others = waiting.filter { $0.key.isOfPeer }.values
    guard others.count < limits.exchanges,
      others.count(where: { $0.session == session }) < limits.exchangesOfSession
    else { throw InteractionStatus(.resourceExhausted) }
    waiting[context.exchange] = WaitingExchange(
      session: session, deadline: deadline ?? context.now + limits.answerTimeout, state: state)
  }

  mutating func newSubscription() -> UInt32 {
    repeat { lastSubscription &+= 1 } while subscriptions[lastSubscription] != nil
    return lastSubscription
  }

  /// Notes that the subscribe response is sent, so that the subscription has begun.
  mutating func noteBeginning(of subscription: Subscription) { changes.append(SubscriptionChange(subscription)) }

  private mutating func forgetLostReports() {
    for id in subscriptions.keys { subscriptions[id]?.hasLostReport = false }
  }

  /// Drops a subscription.
  mutating func end(_ id: UInt32, _ end: SubscriptionChange.End) {
    // The subscriber of one that is not active never had the response.
    guard let subscription = subscriptions.removeValue(forKey: id), subscription.isActive else { return }
    changes.append(SubscriptionChange(subscription, end))
  }

  /// Drops the subscriptions that match.
  mutating func endSubscriptions(_ end: SubscriptionChange.End, where isMeant: (Subscription) -> Bool) {
    // Sorted, so that the same inputs give the same changes.
    for id in subscriptions.filter({ isMeant($0.value) }).keys.sorted() { self.end(id, end) }
  }

  mutating func newExchange() -> InteractionExchange {
    lastExchange += 1
    return .own(lastExchange)
  }

  /// Handles the answer to a part of a report or response.
  private mutating func receiveStatus(
    _ payload: [UInt8], _ state: WaitingExchange.State?, _ context: RequestContext, _ target: some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    guard try StatusResponse(decoding: payload).status == .success else {
      if let id = state?.subscription { end(id, .refused) }
      return [.close(context.exchange)]
    }
    switch state {
    case .reading(let cursor): return try continueRead(cursor, context, target)
    case .priming(let id, let cursor, let isDone):
      return try continuePriming(id, cursor, isDone: isDone, context, target)
    case .reporting(let id, let cursor, let isDone):
      return try continueReport(id, cursor, isDone: isDone, context, target)
    case .invoking(let rest): return try sendAnswers(rest, context)
    case .timed, .writing, nil: return [.close(context.exchange)]
    }
  }
}

/// The circumstances of a message.
struct RequestContext {
  var exchange: InteractionExchange
  var peer: InteractionPeer
  var now: Duration
  /// The end of the time in which a timed request has to follow; nil: there was none.
  var timed: Duration?

  /// Checks whether a timed request came before, as the request says, and in time. Matter 1.4 §8.7.3, §8.8.3.
  func checkTimed(_ isTimed: Bool) throws(InteractionStatus) {
    guard isTimed == (timed != nil) else { throw InteractionStatus(.timedRequestMismatch) }
    if let timed, now > timed { throw InteractionStatus(.timeout) }
  }
}

/// An exchange that waits for a message of the peer.
struct WaitingExchange: Sendable {
  enum State: Sendable {
    case timed(until: Duration)
    case reading(ReportCursor)
    /// The first report of a subscription. `isDone`: its last message is sent.
    case priming(UInt32, ReportCursor, isDone: Bool)
    /// A later report of a subscription.
    case reporting(UInt32, ReportCursor, isDone: Bool)
    case writing(WriteProgress)
    /// The answers that are not yet sent, encoded.
    case invoking([[UInt8]])

    var timed: Duration? { if case .timed(let end) = self { end } else { nil } }

    var subscription: UInt32? {
      switch self {
      case .priming(let id, _, _), .reporting(let id, _, _): id
      default: nil
      }
    }
  }

  var session: UInt64
  var deadline: Duration
  var state: State
}
