import HAPCrypto
import HAPWire
import MatterModel
import MatterWire

/// Sessions, exchanges and the Message Reliability Protocol of one node, of both roles. Matter 1.4 §4.
///
/// Datagrams, messages to send and the time are its inputs. After each input, the caller takes actions until
/// `nextAction` returns nil. `now` must not decrease. Confined to one loop.
package struct MessageLayer: ~Copyable {
  /// The maximum number of bytes of a message's payload. With all headers, the packet has less than 1280 bytes, which
  /// each IPv6 network transports.
  package static let payloadLimit = 1200

  package struct Settings: Hashable, Sendable {
    /// Sessions of CASE. If there are more, the least recently used one of a fabric with more than
    /// `sessionsPerFabric` is evicted.
    package var nodeSessions = 48
    package var sessionsPerFabric = 3
    /// Sessions of PASE.
    package var passcodeSessions = 1
    package var unsecuredSessions = 16
    package var exchangesPerSession = 16
    /// Messages of an exchange that wait for the acknowledgement of an earlier one.
    package var queuedMessages = 4
    /// An exchange without a message for this long fails: its user waits for a peer that has vanished. nil: no limit.
    package var exchangeIdleLimit: Duration? = .seconds(90)
    /// The wait before an acknowledgement is sent alone.
    package var acknowledgementDelay = Duration.milliseconds(200)
    /// Whether a repeated message that wants an acknowledgement gets another one.
    package var acknowledgesDuplicates = true

    package init() {}
  }

  package enum Action: Hashable, Sendable {
    case send([UInt8], to: PeerAddress)
    case deliver(ReceivedMessage)
    /// The peer has not acknowledged a message, or has sent none for too long. The exchange is gone.
    case exchangeFailed(ExchangeHandle)
    /// The session is gone, with all of its exchanges.
    case sessionEnded(SessionHandle, SessionEnd)
  }

  let settings: Settings
  let random: RandomSource
  /// Returns whether the next acknowledgement is left out on purpose; nil: none is.
  package var withholdsAcknowledgement: (() -> Bool)?
  /// Whether `takeObserved` returns what is received and sent from now on.
  package var isObserved = false {
    didSet { if !isObserved { observed = [] } }
  }
  var observed: [ObservedMessage] = []
  /// Sees the messages that this end sends; nil: none does.
  package var tap: (any NodeTap)?
  /// In the order of their handles.
  var sessions: [MessageSession] = []
  private var sessionCount: UInt64 = 0
  private var exchangeCount: UInt64 = 0
  private var lastSessionID: UInt16
  private var lastExchangeID: UInt16
  private var unsecuredCounter: OutgoingCounter
  /// Grows with the first message. Most nodes of a fleet never get one.
  private var buffer = ByteBuffer(capacity: 0)
  private var actions: [Action] = []
  private var actionsTaken = 0

  package init(random: RandomSource, settings: Settings = Settings()) {
    precondition(settings.nodeSessions + settings.passcodeSessions < 65_535, "a session needs a number of 16 bits")
    (self.random, self.settings) = (random, settings)
    (lastSessionID, lastExchangeID) = (random.integer(), random.integer())
    unsecuredCounter = OutgoingCounter(random)
  }

  // MARK: Actions

  /// Removes the first action; nil: there are no more.
  package mutating func nextAction() -> Action? {
    guard actionsTaken < actions.count else {
      actions.removeAll(keepingCapacity: actions.capacity <= 64)
      actionsTaken = 0
      return nil
    }
    defer { actionsTaken += 1 }
    return actions[actionsTaken]
  }

  mutating func act(_ action: Action) { actions.append(action) }

  // MARK: Sessions

  /// Returns an identifier for a session that a handshake will establish: not 0, not in use, and other than the last
  /// ones.
  package mutating func allocateSessionID() -> UInt16 {
    repeat { lastSessionID &+= 1 } while lastSessionID == 0 || index(ofLocalID: lastSessionID) != nil
    return lastSessionID
  }

  /// Adds the session of a handshake. A session with the same identifier ends; if there are too many, another one ends.
  package mutating func addSession(
    _ established: EstablishedSession, peer: PeerAddress, at now: Duration
  ) -> SessionHandle {
    addSession(established, peer: peer, counter: OutgoingCounter(random), at: now)
  }

  mutating func addSession(
    _ established: EstablishedSession, peer: PeerAddress, counter: OutgoingCounter, at now: Duration
  ) -> SessionHandle {
    precondition(established.localSession != 0, "0 is the identifier of unsecured sessions")
    if let old = index(ofLocalID: established.localSession) { end(old, .evicted) }
    makeRoom(for: established.subject)
    return insert(MessageSession(nextSessionHandle(), established, peer, counter, at: now))
  }

  /// Adds an unsecured session for a handshake that this end begins. The caller removes it after the handshake.
  /// - Parameter parameters: of the peer, as it advertises them.
  package mutating func addUnsecuredSession(
    to peer: PeerAddress, parameters: SessionParameters = SessionParameters(), at now: Duration
  ) -> SessionHandle {
    addUnsecuredSession(.init(id: random.integer(), isOwn: true), peer, parameters, at: now)
  }

  mutating func addUnsecuredSession(
    _ node: MessageSession.EphemeralNode, _ peer: PeerAddress, _ parameters: SessionParameters, at now: Duration
  ) -> SessionHandle {
    makeRoomForUnsecuredSession()
    return insert(MessageSession(nextSessionHandle(), node, peer, parameters, at: now))
  }

  private mutating func nextSessionHandle() -> SessionHandle {
    sessionCount += 1
    return SessionHandle(number: sessionCount)
  }

  private mutating func insert(_ session: MessageSession) -> SessionHandle {
    sessions.append(session)
    return session.handle
  }

  /// Ends a session. The action `sessionEnded` reports it.
  /// - Parameters:
  ///   - afterExchanges: whether it ends only after the last of its exchanges has. Until then, it has no new ones.
  ///   - notifyingPeer: whether CloseSession is sent, if the session is secured.
  package mutating func removeSession(
    _ handle: SessionHandle, afterExchanges: Bool = false, notifyingPeer: Bool = true
  ) {
    guard let index = index(of: handle) else { return }
    if afterExchanges, !sessions[index].exchanges.isEmpty {
      sessions[index].isEnding = true
    } else {
      end(index, .removed, notifyingPeer: notifyingPeer)
    }
  }

  /// The secured sessions whose subject matches.
  package func sessions(where matches: (Subject) -> Bool) -> [SessionHandle] {
    sessions.compactMap { session in session.channel.flatMap { matches($0.subject) ? session.handle : nil } }
  }

  /// nil: the session is unsecured, or gone.
  package func subject(of handle: SessionHandle) -> Subject? {
    index(of: handle).flatMap { sessions[$0].channel?.subject }
  }

  /// Changes the subject, for a session of PASE to which AddNOC gives a fabric.
  package mutating func setSubject(_ subject: Subject, of handle: SessionHandle) {
    guard let index = index(of: handle) else { return }
    sessions[index].channel?.subject = subject
  }

  /// nil: the session is unsecured, or gone.
  package func attestationChallenge(of handle: SessionHandle) -> SecretBytes? {
    index(of: handle).flatMap { sessions[$0].channel?.attestationChallenge }
  }

  /// nil: the session is gone.
  package func peer(of handle: SessionHandle) -> PeerAddress? { index(of: handle).map { sessions[$0].peer } }

  // `firstIndex` would copy every session.
  func index(of handle: SessionHandle) -> Int? { sessions.indices.first { sessions[$0].handle == handle } }

  func index(ofLocalID id: UInt16) -> Int? { sessions.indices.first { sessions[$0].localID == id } }

  /// Removes a session at once.
  mutating func end(_ index: Int, _ reason: SessionEnd, notifyingPeer: Bool = false) {
    if notifyingPeer, sessions[index].channel != nil { sendCloseSession(index) }
    act(.sessionEnded(sessions[index].handle, reason))
    sessions.remove(at: index)
  }

  // MARK: Parts of exchanges

  mutating func nextExchangeHandle(_ session: SessionHandle) -> ExchangeHandle {
    exchangeCount += 1
    return ExchangeHandle(session: session, number: exchangeCount)
  }

  /// A number for an exchange that this end begins.
  mutating func nextExchangeNumber(in index: Int) -> UInt16 {
    repeat { lastExchangeID &+= 1 } while sessions[index].exchanges.contains { $0.isOwn && $0.number == lastExchangeID }
    return lastExchangeID
  }

  /// Builds a packet.
  /// - Parameter peer: where it is sent to; nil: the address of the session.
  /// - Returns: the packet and its counter; nil if a secured session has used all counters.
  mutating func packet(
    _ index: Int, _ header: ExchangeHeader, _ payload: [UInt8], to peer: PeerAddress? = nil
  ) -> (UInt32, [UInt8])? {
    let next = sessions[index].channel == nil ? nextUnsecuredCounter() : sessions[index].channel?.counter.next()
    guard let counter = next else { return nil }
    buffer.removeAll()
    sessions[index].write(header, payload, counter: counter, into: &buffer)
    if isObserved {
      observe(isReceived: false, index, header, counter: counter, payload, peer: peer ?? sessions[index].peer)
    }
    return (counter, buffer.bytes)
  }

  /// One counter is shared by all unsecured sessions. After 2³² messages it restarts, which a peer takes for a restart of
  /// this end.
  private mutating func nextUnsecuredCounter() -> UInt32 {
    while true {
      if let counter = unsecuredCounter.next() { return counter }
      unsecuredCounter = OutgoingCounter(random)
    }
  }
}
