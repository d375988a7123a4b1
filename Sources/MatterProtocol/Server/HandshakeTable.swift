import MatterModel

/// A step of a handshake that can take a millisecond. `perform` can run on any thread.
package struct HandshakeWork: Sendable {
  package let exchange: ExchangeHandle
  private let handshake: any Handshake
  private let message: HandshakeMessage

  package struct Result: Sendable {
    package let exchange: ExchangeHandle
    package let handshake: any Handshake
    package let step: HandshakeStep
  }

  package init(exchange: ExchangeHandle, handshake: any Handshake, message: HandshakeMessage) {
    (self.exchange, self.handshake, self.message) = (exchange, handshake, message)
  }

  package func perform() -> Result {
    var handshake = handshake
    let step = handshake.receive(message)
    return Result(exchange: exchange, handshake: handshake, step: step)
  }
}

/// The handshakes that peers have begun, and what is kept to resume sessions.
struct HandshakeTable {
  enum Kind: Sendable {
    /// PASE, with the passcode of the window in which it began.
    case passcode(PasscodeAccess)
    /// CASE, with the number of endings of fabrics (`NodeServer.endingCount`) before it began.
    case node(endings: Int)

    var isPasscode: Bool { if case .passcode = self { true } else { false } }
  }

  private struct Entry {
    let kind: Kind
    /// nil while a step is being computed.
    var handshake: (any Handshake)?
    let deadline: Duration
    /// Whether the peer can check a passcode with what it was sent.
    var hasSentProof = false
  }

  /// The longest time of a handshake. Matter 1.4 §5.5 for PASE.
  static let timeLimit = Duration.seconds(60)
  /// More handshakes at once are answered with Busy: an answer to Sigma1 costs a third of a millisecond.
  static let limit = 16
  /// Sessions that can be resumed. The oldest is forgotten first.
  private static let resumptionLimit = 64

  private var entries: [ExchangeHandle: Entry] = [:]
  private var resumable: [ResumableSession] = []
  private var failedAttempts: [PasscodeAccess] = []

  var count: Int { entries.count }
  var hasPasscodeHandshake: Bool { entries.values.contains { $0.kind.isPasscode } }
  var nextDeadline: Duration? { entries.values.lazy.map(\.deadline).min() }

  mutating func add(_ kind: Kind, on exchange: ExchangeHandle, at now: Duration) {
    entries[exchange] = Entry(kind: kind, handshake: nil, deadline: now + Self.timeLimit)
  }

  /// Takes a handshake for its next step; nil: there is none, or a step is being computed.
  mutating func take(_ exchange: ExchangeHandle) -> (any Handshake)? {
    defer { entries[exchange]?.handshake = nil }
    return entries[exchange]?.handshake
  }

  /// - Returns: nil if the handshake has ended meanwhile.
  mutating func putBack(_ handshake: any Handshake, on exchange: ExchangeHandle) -> Kind? {
    entries[exchange]?.handshake = handshake
    return entries[exchange]?.kind
  }

  /// Notes that the proof of this end was sent. A peer with a wrong passcode needs no more than that to know it, so the
  /// handshake is an attempt from now on.
  mutating func noteProof(on exchange: ExchangeHandle) { entries[exchange]?.hasSentProof = true }

  /// Removes a handshake that has not led to a session.
  /// - Returns: whether there was one.
  @discardableResult mutating func fail(_ exchange: ExchangeHandle) -> Bool {
    guard let entry = entries.removeValue(forKey: exchange) else { return false }
    if case .passcode(let access) = entry.kind, entry.hasSentProof { failedAttempts.append(access) }
    return true
  }

  /// Removes a handshake that has led to a session.
  mutating func finish(_ exchange: ExchangeHandle) { entries[exchange] = nil }

  mutating func fail(of session: SessionHandle) {
    let failed = entries.keys.filter { $0.session == session }.sorted { $0.number < $1.number }
    for exchange in failed { fail(exchange) }
  }

  /// Removes the handshakes that took too long.
  mutating func expire(at now: Duration) -> [ExchangeHandle] {
    let expired = entries.filter { $0.value.deadline <= now }.keys.sorted { $0.number < $1.number }
    for exchange in expired { fail(exchange) }
    return expired
  }

  /// Returns the attempts with a passcode that have failed since the last call.
  mutating func takeFailedAttempts() -> [PasscodeAccess] {
    defer { failedAttempts = [] }
    return failedAttempts
  }

  // MARK: Resumption

  var resumptions: [[UInt8]: ResumableSession] {
    Dictionary(resumable.map { ($0.resumption.id, $0) }, uniquingKeysWith: { $1 })
  }

  /// Keeps what resumes a session, instead of that of an earlier session of the same peer.
  mutating func keep(_ session: ResumableSession) {
    resumable.removeAll { $0.fabric == session.fabric && $0.node == session.node }
    resumable.append(session)
    if resumable.count > Self.resumptionLimit { resumable.removeFirst() }
  }

  mutating func forget(_ fabric: FabricIndex) { resumable.removeAll { $0.fabric == fabric } }
}
