import HAPLoop

/// The state of retransmissions and window probes, which are sent after pauses of increasing length.
struct Recovery {
  var token: Agenda.Token?
  /// The number of attempts.
  var attempts = 0
  /// The number of attempts since the last answer of the peer.
  var unanswered = 0
  /// Whether an attempt is being sent. The next pause begins when it has been sent.
  var isSending = false
  var isRunning: Bool { token != nil }
}

struct KeepAlive {
  /// Nanoseconds without a packet of the peer before the first probe; 0: off.
  var silence: UInt64 = 0
  /// The time at which the last packet of the peer arrived.
  var lastHeard: UInt64 = 0
  var questions = 0
  var token: Agenda.Token?
}

extension SimulatedConnection {
  /// Linux's `tcp_retries2`: about 15 minutes.
  private static let mostUnanswered = 15
  /// Linux's `tcp_orphan_retries`: for a connection that its process has closed.
  private static let mostOrphaned = 8

  /// Begins to retransmit, unless that has already begun.
  func startRecovery() {
    guard phase == .open, !recovery.isRunning, !recovery.isSending else { return }
    recovery.attempts = 0
    recovery.unanswered = 0
    scheduleRetry()
  }

  func stopRecovery() {
    if let token = recovery.token { network.agenda.cancel(token) }
    recovery.token = nil
  }

  private func scheduleRetry() {
    let pause = min(200 * Nanoseconds.millisecond << UInt64(min(recovery.attempts, 10)), 120 * Nanoseconds.second)
    recovery.token = network.agenda.schedule(after: pause) { [self] in retry() }
  }

  private func retry() {
    recovery.token = nil
    guard phase == .open, !isAllAcknowledged, let peer else { return }
    recovery.attempts += 1
    recovery.isSending = true
    let answer = sendAgain(to: peer)
    recovery.isSending = false
    guard phase == .open else { return }
    recovery.unanswered = answer ? 0 : recovery.unanswered + 1
    let limit = isClosed ? Self.mostOrphaned : Self.mostUnanswered
    if recovery.unanswered > limit { return fail(.timedOut, while: "reading") }
    if isClosed, recovery.attempts > Self.mostOrphaned { return sendReset() }
    if !isAllAcknowledged { scheduleRetry() }
  }

  /// Sends the unacknowledged data again.
  /// - Returns: whether the peer's kernel answers.
  private func sendAgain(to peer: SimulatedConnection) -> Bool {
    guard case .open(let lane) = forward() else { return false }
    let isSilent = if case .open = reverse(of: peer) { false } else { true }
    if path == nil && lane.to.host !== peer.host || !peer.isKnown {
      bounceReset()
      return !isSilent
    }
    transmit()
    if !isSilent, delivered > acknowledged || fin.isDelivered != fin.isAcknowledged { scheduleAcknowledgement() }
    return !isSilent
  }

  /// Handles the end of a stall on the path. The delayed segments are sent at once.
  func stallEnded() {
    if phase == .open, recovery.isRunning { continueSending() }
  }

  // MARK: Keep-alive

  private static let questionInterval = 10 * Nanoseconds.second
  private static let mostQuestions = 3

  /// Sends a keep-alive probe when no packet of the peer has arrived for a time, and then every 10 s. After three
  /// probes without an answer, the connection fails.
  /// - Parameter silence: the time before the first probe, in whole seconds from 1 to 3600.
  package func keepAlive(after silence: Duration) {
    guard !isClosed, path == nil, phase != .failed, phase != .gone else { return }
    keepAlive.silence = UInt64(min(max(silence.components.seconds, 1), 3600)) * Nanoseconds.second
    keepAlive.lastHeard = network.agenda.now
    keepAlive.questions = 0
    if phase == .open { armKeepAlive(after: keepAlive.silence) }
  }

  func armKeepAlive(after delay: UInt64) {
    stopKeepAlive()
    guard keepAlive.silence > 0 else { return }
    keepAlive.token = network.agenda.schedule(after: delay) { [self] in keepAliveIsDue() }
  }

  func stopKeepAlive() {
    if let token = keepAlive.token { network.agenda.cancel(token) }
    keepAlive.token = nil
  }

  private func keepAliveIsDue() {
    keepAlive.token = nil
    guard phase == .open, !isClosed, let peer else { return }
    let elapsed = network.agenda.now - keepAlive.lastHeard
    // While data is unacknowledged, retransmissions have the same effect as probes.
    if !isAllAcknowledged || elapsed < keepAlive.silence {
      keepAlive.questions = 0
      return armKeepAlive(after: elapsed < keepAlive.silence ? keepAlive.silence - elapsed : keepAlive.silence)
    }
    if case .open(let lane) = forward(), case .open = reverse(of: peer) {
      if lane.to.host !== peer.host || !peer.isKnown { return bounceReset() }
      network.trace.note("tcp.keepalive", id)
      keepAlive.lastHeard = network.agenda.now
      keepAlive.questions = 0
      return armKeepAlive(after: keepAlive.silence)
    }
    if keepAlive.questions >= Self.mostQuestions { return fail(.timedOut, while: "reading") }
    keepAlive.questions += 1
    armKeepAlive(after: Self.questionInterval)
  }

  /// Whether the kernel has the connection in its tables. As in Linux, it stays there for a minute after its end.
  private var isKnown: Bool {
    if phase == .open || phase == .accepting { return true }
    guard let endedAt else { return false }
    return network.agenda.now - endedAt < 60 * Nanoseconds.second
  }
}
