import HAPLoop
import HAPWire

/// One who asks: requests one after the other, each answered before the next is read; or, from one on, who is told events.
///
/// Belongs to the loop's thread.
final class ControlConnection: @unchecked Sendable {  // used on the loop's thread alone
  private enum State {
    /// For a request, or the rest of one.
    case reading
    case answering
    case telling(EventStream)
    /// The last answer is on its way.
    case ending
    case closed
  }

  /// A profile of a bridge with 149 accessories has some 300 kB.
  static let limits = HTTPLimits(head: 16 * 1024, headerCount: 100, body: 4 << 20)
  /// From the first byte of a request to its last.
  static let patience = Duration.seconds(20)
  /// Between requests.
  static let idleTime = Duration.seconds(120)

  private let stream: TCPStream
  private let rules: AccessRules
  private let journal: EventJournal
  private let respond: ControlListener.Respond
  private var parser = HTTPRequestParser(limits: limits)
  private var incoming = ByteBuffer()
  private var state = State.reading
  private let timer: LoopTimer
  private var hasContinued = false
  private var hasEnded = false
  var onHeard: () -> Void = {}
  var onEnd: () -> Void = {}

  init(
    _ stream: TCPStream, _ rules: AccessRules, _ journal: EventJournal, _ respond: @escaping ControlListener.Respond,
    on loop: EventLoop
  ) {
    self.stream = stream
    self.rules = rules
    self.journal = journal
    self.respond = respond
    timer = LoopTimer(loop)
  }

  /// Whether nothing is owed to it and nothing of a request is there.
  var isIdle: Bool { if case .reading = state { incoming.isEmpty } else { false } }

  func start() {
    timer.onFire = { [weak self] in self?.timeIsOver() }
    timer.start(after: Self.patience)
    // The stream holds its closures, and they hold this, until it is closed.
    stream.startReading { [self] suggested in
      incoming.reserve(max(4096, min(suggested, 65_536)))
    } onRead: { [self] event in
      read(event)
    }
  }

  func close() {
    if case .closed = state { return }
    if case .telling(let events) = state { events.close() }
    state = .closed
    timer.close()
    stream.close()
  }

  private func end() {
    close()
    onEnd()
  }

  private func timeIsOver() {
    switch state {
    case .reading where incoming.isEmpty: end()
    case .reading:
      finish(
        ControlProblem(408, "too-slow", "the request took more than \(Self.patience.components.seconds) seconds").answer
      )
    case .ending: end()
    case .answering, .telling, .closed: break
    }
  }

  private func read(_ event: TCPStream.ReadEvent) {
    switch event {
    case .bytes(let count):
      onHeard()
      // Who is told events has nothing more to say.
      if case .telling = state { return }
      let wasEmpty = incoming.isEmpty
      incoming.commit(count)
      guard case .reading = state else { return }
      if wasEmpty { timer.start(after: Self.patience) }
      work()
    case .end:
      hasEnded = true
      switch state {
      case .reading, .ending, .telling: end()
      case .answering, .closed: break
      }
    case .failed: end()
    }
  }

  private func work() {
    guard case .reading = state else { return }
    let outcome = incoming.withReadable { parser.parse($0) }
    switch outcome {
    case .incomplete:
      guard let head = parser.pendingHead, head.expectsContinue, !hasContinued else { return }
      hasContinued = true
      stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    case .malformed(let error):
      finish(ControlProblem(error.status ?? 400, "bad-request", "\(error.message)").answer)
    case .request(let head, let body, let consumed):
      hasContinued = false
      let made = incoming.withReadable { bytes in
        Result { () throws(ControlProblem) in try ControlRequest(head, body: body, in: UnsafeRawBufferPointer(bytes)) }
      }
      incoming.consume(consumed)
      answer(made, closes: head.closes || head.minorVersion == 0)
    }
  }

  private func answer(_ made: Result<ControlRequest, ControlProblem>, closes: Bool) {
    timer.cancel()
    let request: ControlRequest
    do throws(ControlProblem) {
      request = try made.get()
      try rules.check(request)
    } catch {
      // Whoever it is, it may not know what it says next.
      return finish(error.answer)
    }
    state = .answering
    stream.pauseReading()
    let isHead = request.method == "HEAD"
    respond(request) { [self] in send($0, isHead: isHead, closes: closes) }
  }

  private func send(_ answer: ControlAnswer, isHead: Bool, closes: Bool) {
    guard case .answering = state else { return }
    if let start = answer.stream, !isHead {
      stream.write(answer.bytes(hasBody: true, closes: true))
      let events = EventStream(start, journal, stream) { [unowned self] in end() }
      state = .telling(events)
      stream.resumeReading()
      events.begin()
      return
    }
    if closes || hasEnded { return finish(answer, isHead: isHead) }
    state = .reading
    stream.write(answer.bytes(hasBody: !isHead, closes: false)) { [weak self] error in
      guard let self, error == nil else { return }
      goOn()
    }
  }

  /// The next request is read when the answer has left.
  private func goOn() {
    guard case .reading = state else { return }
    timer.start(after: incoming.isEmpty ? Self.idleTime : Self.patience)
    stream.resumeReading()
    if !incoming.isEmpty { work() }
  }

  /// Answers, and closes: for some seconds what still comes is thrown away, so that the answer isn't lost in a reset.
  private func finish(_ answer: ControlAnswer, isHead: Bool = false) {
    state = .ending
    incoming.removeAll()
    stream.write(answer.bytes(hasBody: !isHead, closes: true))
    stream.finishWriting { [weak self] _ in
      if let self, hasEnded { end() }
    }
    stream.resumeReading()
    timer.start(after: .seconds(2))
  }
}
