import HAPLoop

/// Retransmissions and window probes, with growing pauses.
struct Recovery {
  var token: Agenda.Token?
  /// Pauses so far.
  var attempts = 0
  /// Pauses in a row after which the peer was silent.
  var unanswered = 0
  /// Whether a pause has ended and the next begins as soon as everything was sent again.
  var isSending = false
  var isRunning: Bool { token != nil }
}

struct KeepAlive {
  /// Nanoseconds of silence before the first question; 0: off.
  var silence: UInt64 = 0
  /// When something last came from the peer.
  var lastHeard: UInt64 = 0
  var questions = 0
  var token: Agenda.Token?
}

extension SimulatedConnection {
  /// Linux's `tcp_retries2`: about 15 minutes.
  private static let mostUnanswered = 15
  /// Linux's `tcp_orphan_retries`: for a connection that its process has closed.
  private static let mostOrphaned = 8

  /// Begins to retransmit; without effect if it runs.
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

  /// Sends what is unacknowledged.
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

  /// A stall on the way has ended: the held segments continue at once.
  func stallEnded() {
    if phase == .open, recovery.isRunning { continueSending() }
  }

  // MARK: Keep-alive

  private static let questionInterval = 10 * Nanoseconds.second
  private static let mostQuestions = 3

  /// Asks the peer for a sign of life after so much silence, and every 10 s then. After three questions without an answer the connection has failed.
  /// - Parameter silence: in whole seconds, from 1 to 3600.
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
    // Retransmissions ask already where data is unacknowledged.
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

  /// Whether the kernel still knows the connection: for a minute after its end, as Linux does.
  private var isKnown: Bool {
    if phase == .open || phase == .accepting { return true }
    guard let endedAt else { return false }
    return network.agenda.now - endedAt < 60 * Nanoseconds.second
  }
}
