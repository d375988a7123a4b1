import HAPIP
import HAPLoop
import HAPWire

/// A connection of a client. It answers requests one after the other, until a request opens an event stream.
///
/// Access is checked as soon as a request's head is complete; the rest of a refused request is discarded. Confined to the loop's thread.
final class WebConnection {
  private enum State {
    /// Waiting for a request, or for the rest of one.
    case reading
    case answering
    /// The answer is being written; the next request waits for it.
    case writing
    /// The request is checked again when tokens change.
    case telling(EventStream, WebRequest)
    /// The last answer is being written.
    case ending
    /// The last answer was written. Further input is discarded, so that a reset doesn't destroy the answer.
    case lingering
    case closed
  }

  /// The limits of a request. A profile of a bridge with 149 accessories has about 300 kB.
  static let limits = HTTPLimits(head: 16 * 1024, headerCount: 100, body: 4 << 20)
  /// Capacity of the buffer that is kept after a large body, in bytes.
  private static let keptRoom = 64 * 1024

  private let stream: TCPStream
  private let rules: AccessRules
  private let journal: any EventSource
  private let times: WebTimes
  private let respond: WebListener.Respond
  private var parser = HTTPRequestParser(limits: limits)
  private(set) var incoming = ByteBuffer()
  private var state = State.reading
  private let timer: LoopTimer
  private var hasContinued = false
  private var hasEnded = false
  /// Whether the head of the current request has passed the access check.
  private var isAdmitted = false
  /// Called when an allowed request is complete. Returns false if there is no slot for the connection.
  var onRequest: () -> Bool = { true }
  /// Whether another event stream with a token may begin.
  var admitsStream: (String) -> Bool = { _ in true }
  /// The token of an open event stream.
  var streamToken: String? { if case .telling(_, let request) = state { request.token } else { nil } }
  /// Called while the body of a request is incomplete and longer than `shortBodyLimit`.
  var onLongBody: () -> Void = {}
  var onEnd: () -> Void = {}
  let remoteAddress: RemoteAddress
  /// Time of the last request, or of the connection's start.
  var lastHeard: Duration
  var slotState = SlotState.none

  init(
    _ stream: TCPStream, _ rules: AccessRules, _ journal: any EventSource, _ times: WebTimes,
    _ respond: @escaping WebListener.Respond, openedAt now: Duration, on loop: EventLoop
  ) {
    self.stream = stream
    remoteAddress = RemoteAddress(peer: stream.peerAddress?.description ?? "unknown")
    lastHeard = now
    self.rules = rules
    self.journal = journal
    self.times = times
    self.respond = respond
    timer = LoopTimer(loop)
  }

  func start() {
    timer.onFire = { [weak self] in self?.timeIsOver() }
    timer.start(after: times.request)
    // The stream retains its closures, and they retain `self`, until it is closed.
    stream.startReading { [self] suggested in
      // Thousands of connections may wait, and their input is short.
      incoming.reserve(slotState == .waiting ? 4096 : max(4096, min(suggested, 65_536)))
    } onRead: { [self] event in
      read(event)
    }
  }

  func close() {
    if case .closed = state { return }
    if case .telling(let events, _) = state { events.close() }
    state = .closed
    timer.close()
    stream.close()
  }

  /// Ends an event stream whose request is not allowed any more.
  func checkAgain() {
    guard case .telling(_, let request) = state else { return }
    do throws(WebProblem) { try rules.check(request) } catch { end() }
  }

  private func end() {
    close()
    onEnd()
  }

  private func timeIsOver() {
    switch state {
    case .reading where incoming.isEmpty: end()
    case .reading:
      let seconds = times.request.components.seconds
      finish(WebProblem(408, "too-slow", "the request took more than \(seconds) seconds").answer)
    case .writing, .ending, .lingering: end()
    case .answering, .telling, .closed: break
    }
  }

  private func read(_ event: TCPStream.ReadEvent) {
    switch event {
    case .bytes(let count):
      // Input after the start of an event stream or after the last answer is ignored.
      guard case .reading = state else { return }
      let wasEmpty = incoming.isEmpty
      incoming.commit(count)
      if wasEmpty { timer.start(after: times.request) }
      work()
    case .end:
      hasEnded = true
      switch state {
      case .reading, .lingering, .telling: end()
      case .answering, .writing, .ending, .closed: break
      }
    case .failed: end()
    }
  }

  private func work() {
    guard case .reading = state else { return }
    let outcome = incoming.withReadable { parser.parse($0) }
    switch outcome {
    case .incomplete: admit()
    case .malformed(let error):
      finish(WebProblem(error.status ?? 400, "bad-request", "\(error.message)").answer)
    case .request(let head, let body, let consumed):
      let made = request(head, body: body)
      incoming.consume(consumed)
      if incoming.isEmpty { incoming.removeAll(keepingCapacityUpTo: Self.keptRoom) }
      answer(made, closes: head.closes || head.minorVersion == 0)
    }
  }

  private func request(_ head: HTTPRequestHead, body: Range<Int>) -> Result<WebRequest, WebProblem> {
    incoming.withReadable { bytes in
      Result { () throws(WebProblem) in try WebRequest(head, body: body, in: UnsafeRawBufferPointer(bytes)) }
    }
  }

  /// Checks the head of a request whose body is incomplete, or ends the connection.
  private func admit() {
    guard let head = parser.pendingHead, let bodyStart = parser.pendingBodyStart else { return }
    if !isAdmitted {
      do throws(WebProblem) {
        try rules.check(request(head, body: bodyStart..<bodyStart).get())
      } catch { return finish(error.answer, isHead: isHead(head)) }
      isAdmitted = true
    }
    if incoming.readableCount - bodyStart > shortBodyLimit { onLongBody() }
    guard head.expectsContinue, !hasContinued else { return }
    hasContinued = true
    stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
  }

  private func isHead(_ head: HTTPRequestHead) -> Bool {
    incoming.withReadable { $0[head.methodRange].elementsEqual("HEAD".utf8) }
  }

  private func answer(_ made: Result<WebRequest, WebProblem>, closes: Bool) {
    timer.cancel()
    hasContinued = false
    isAdmitted = false
    var isHead = false
    let request: WebRequest
    do throws(WebProblem) {
      request = try made.get()
      isHead = request.method == "HEAD"
      try rules.check(request)
    } catch {
      // Close the connection: the rest of its input may be malformed too.
      return finish(error.answer, isHead: isHead)
    }
    guard onRequest() else { return end() }
    state = .answering
    stream.pauseReading()
    respond(request) { [self] in send($0, of: request, isHead: isHead, closes: closes) }
  }

  private func send(_ answer: WebAnswer, of request: WebRequest, isHead: Bool, closes: Bool) {
    guard case .answering = state else { return }
    if let start = answer.stream, !isHead {
      // A token may have ended, and other streams may have begun, while the request was answered.
      do throws(WebProblem) {
        try rules.check(request)
        guard request.token.map(admitsStream) ?? true else {
          throw WebProblem(429, "too-many-streams", "this token has too many event streams: close one of them")
        }
      } catch { return finish(error.answer) }
      let events = EventStream(start, journal, stream, times) { [unowned self] in end() }
      state = .telling(events, request)
      stream.resumeReading()
      return events.begin(behind: answer.bytes(hasBody: true, closes: true))
    }
    if closes || hasEnded { return finish(answer, isHead: isHead) }
    state = .writing
    timer.start(after: times.answer)
    stream.write(answer.bytes(hasBody: !isHead, closes: false)) { [weak self] error in
      guard let self, case .writing = state else { return }
      if error == nil { goOn() } else { end() }
    }
  }

  /// Reads the next request, after the answer was written.
  private func goOn() {
    state = .reading
    timer.start(after: incoming.isEmpty ? times.idle : times.request)
    stream.resumeReading()
    if !incoming.isEmpty { work() }
  }

  /// Answers, and closes the connection.
  private func finish(_ answer: WebAnswer, isHead: Bool = false) {
    state = .ending
    incoming.removeAll(keepingCapacityUpTo: 0)
    timer.start(after: times.answer)
    stream.resumeReading()
    stream.write(answer.bytes(hasBody: !isHead, closes: true))
    stream.finishWriting { [weak self] error in
      guard let self, case .ending = state else { return }
      if error != nil || hasEnded { return end() }
      state = .lingering
      timer.start(after: times.lingering)
    }
  }
}

extension WebConnection: SlotHolder {
  var verifyStarted: Duration? { nil }

  var isAnswerOwed: Bool {
    switch state {
    case .reading, .lingering: false
    case .answering, .writing, .telling, .ending, .closed: true
    }
  }
}
