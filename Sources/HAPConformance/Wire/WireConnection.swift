import HAPExpectation
import HAPLoop
import HAPPairing
import HAPReport
import HAPSuite
import HAPWire

/// One connection of the tester. It sends anything, understands what it can, and never decides whether it is right.
///
/// Belongs to the loop's thread; callers that await are actors of that loop.
// Safe: `connect`, the only maker, traps on any thread but the loop's. `CaseRun` and `FuzzGround`, actors of that loop, call the other methods;
// the async ones are `nonisolated(nonsending)`, so they stay there, and waiting traps elsewhere. Other tasks only pass the reference on.
final class WireConnection: @unchecked Sendable {
  /// What the accessory may send that makes no message yet: the largest database, sealed, with room.
  static let inputLimit = 24 << 20
  /// Messages and their bytes that may wait to be looked at.
  static let queueLimit = 5000
  static let queueBytes = 64 << 20
  /// Frames, however short, of which one message may be made.
  static let frameLimit = 100_000

  let name: String
  let local: SocketAddress?
  let peer: SocketAddress
  let loop: EventLoop
  private let stream: TCPStream
  let recorder: Recorder

  private var incoming = ByteBuffer(capacity: 8192)
  private var plain = ByteBuffer(capacity: 8192)
  private var parser = HTTPResponseParser()
  private var session: WireSession?
  /// The session that begins when M4 has come, if something was sealed for it before.
  private var upcoming: WireSession?
  /// Whether sealed bytes wait for that session.
  private(set) var holdsSealedBytes = false
  /// Whether the end that came after them is a reset. `nil`: no end has come.
  private var heldEnd: Bool?
  /// Frames of which bytes are in `plain`, with how many of them.
  private var pendingFrames: [(frame: TranscriptEntry.Frame, left: Int)] = []
  var answers: [Arrival] = []
  /// Those that came and nobody asked for, in order.
  var events: [WireMessage] = []
  var queuedBytes = 0
  var isOver = false
  /// How often something came.
  var wakeCount: UInt64 = 0
  /// In the order in which they began to wait.
  var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
  var lastWaiter: UInt64 = 0
  /// When the last bytes went out.
  private(set) var lastSent: Duration = .zero
  /// Whether the accessory has ended the connection, or it was ended from here.
  private(set) var isClosed = false
  /// Whether this end sends no more, so that the accessory's end of the connection follows from it.
  private var hasFinished = false

  private init(_ name: String, _ stream: TCPStream, to peer: SocketAddress, _ recorder: Recorder, on loop: EventLoop) {
    self.name = name
    self.stream = stream
    self.peer = peer
    self.recorder = recorder
    self.loop = loop
    local = stream.localAddress
    recorder.add(entry(.connection, .none, "connected to \(peer)"))
    stream.startReading(
      onAllocate: { [self] in incoming.reserve(max($0, 4096)) }, onRead: { [self] in received($0) })
  }

  /// How connecting went.
  enum Outcome { case connected(WireConnection), refused(LoopError), silent }

  nonisolated(nonsending) static func connect(
    _ name: String, to address: SocketAddress, within limit: Duration, recorder: Recorder, on loop: EventLoop
  ) async -> Outcome {
    loop.preconditionOnLoop()
    let result: LoopBound<(TCPStream?, LoopError?)> = await withCheckedContinuation { continuation in
      var stream: TCPStream?
      var isTold = false
      let timer = LoopTimer(loop)
      func tell(_ result: (TCPStream?, LoopError?)) {
        guard !isTold else { return }
        isTold = true
        timer.close()
        continuation.resume(returning: LoopBound(here: loop, result))
      }
      timer.onFire = {
        stream?.close()
        tell((nil, nil))
      }
      timer.start(after: limit)
      stream = TCPStream(loop, connectingTo: address) { error in
        if let error { tell((nil, error)) } else { tell((stream, nil)) }
        stream = nil
      }
    }
    switch result.value {
    case (let stream?, _): return .connected(WireConnection(name, stream, to: address, recorder, on: loop))
    case (nil, let error?): return .refused(error)
    case (nil, nil): return .silent
    }
  }

  // MARK: Sending

  var isSecured: Bool { session != nil }

  /// From the next byte on, either way, all is sealed.
  func secure(_ keys: SessionKeys) {
    session = begun(keys)
    upcoming = nil
    holdsSealedBytes = false
    recorder.add(
      SessionKeyRecord(connection: name, direction: .sent, key: keys.controllerToAccessory.withBytes { Array($0) }))
    recorder.add(
      SessionKeyRecord(connection: name, direction: .received, key: keys.accessoryToController.withBytes { Array($0) }))
    // What came behind M4 is sealed already, even where its first bytes could have begun a message.
    if plain.readableCount > 0 {
      let sealed = plain.bytes + incoming.bytes
      plain.removeAll()
      incoming.removeAll()
      incoming.append(sealed)
      parser = HTTPResponseParser()
    }
    received()
    reportHeldEnd()
  }

  /// Reports the end that came after sealed bytes: their session has begun, or a case waits without beginning it.
  func reportHeldEnd() { if let heldEnd { ended(reset: heldEnd) } }

  /// A message as it will go out: sealed where there is a session.
  func prepared(
    _ message: [UInt8], sizes: [Int] = [], fault: FrameFault = FrameFault(), keysOf other: WireConnection? = nil
  ) -> (bytes: [UInt8], frames: [TranscriptEntry.Frame]) {
    guard let session = other?.session ?? session else { return (message, []) }
    // The other connection's own frames go on as if nothing had happened.
    return session.seal(message, sizes: sizes, fault: fault, counts: other == nil)
  }

  /// A message sealed with the keys of the session that begins when M4 has come.
  func sealedAhead(_ message: [UInt8], _ keys: SessionKeys) -> (bytes: [UInt8], frames: [TranscriptEntry.Frame]) {
    let session = begun(keys)
    upcoming = session
    return session.seal(message, sizes: [], fault: FrameFault(), counts: true)
  }

  /// The session of these keys: that in which messages were sealed ahead, if it is the same.
  private func begun(_ keys: SessionKeys) -> WireSession {
    if let upcoming, upcoming.keys == keys { return upcoming }
    return WireSession(keys)
  }

  /// Bytes that the kernel has not taken yet.
  var queuedByteCount: Int { stream.queuedByteCount }

  /// Writes bytes as they are.
  func write(_ bytes: [UInt8]) {
    lastSent = recorder.now
    if !bytes.isEmpty { stream.write(bytes) }
  }

  /// Notes what was sent, as a person would read it.
  func noteSent(
    _ kind: TranscriptEntry.Kind, _ title: String, _ content: TranscriptEntry.Content, bytes: [UInt8],
    frames: [TranscriptEntry.Frame]
  ) {
    var entry = entry(kind, .sent, title)
    entry.content = content
    entry.bytes = bytes
    entry.frames = frames
    recorder.add(entry)
  }

  // MARK: Ending

  func close(_ how: ConnectionEnding) {
    switch how {
    case .fin:
      guard !isClosed else { return }
      isClosed = true
      recorder.add(entry(.connection, .sent, "closed"))
      stream.closeAfterWriting()
      over()
    case .reset:
      guard !isClosed else { return }
      isClosed = true
      recorder.add(entry(.connection, .sent, "reset"))
      stream.reset()
      over()
    case .half:
      recorder.add(entry(.connection, .sent, "sends no more"))
      hasFinished = true
      stream.finishWriting()
    }
  }

  /// Ends sending, and waits until the accessory ends it too, so that it knows before the next case begins; then closes.
  nonisolated(nonsending) func settle(within limit: Duration) async {
    if !isClosed {
      stream.resumeReading()
      if !hasFinished { recorder.add(entry(.connection, .sent, "closed")) }
      hasFinished = true
      stream.finishWriting()
      let deadline = loop.readClock() &+ UInt64(max(limit / .nanoseconds(1), 0))
      while !isOver, loop.readClock() < deadline {
        answers = []
        events = []
        queuedBytes = 0
        // A run that was given up tidies up all the same.
        await change(since: wakeCount, until: deadline, isCancellable: false)
      }
    }
    if !isClosed {
      isClosed = true
      stream.close()
    }
    over()
  }

  /// Stops reading, so that what the accessory sends piles up at its end, or goes on.
  func read(_ isReading: Bool) { isReading ? stream.resumeReading() : stream.pauseReading() }

  private func over() {
    isOver = true
    wake()
  }

  // MARK: What comes

  private func received(_ event: TCPStream.ReadEvent) {
    switch event {
    case .bytes(let count):
      incoming.commit(count)
      received()
    case .end: ended(reset: false)
    case .failed: ended(reset: true)
    }
  }

  private func received() {
    guard !isOver else { return incoming.removeAll() }
    if holdsSealedBytes {
      if incoming.readableCount > Self.inputLimit { garbage("an answer without end") }
      return
    }
    if let session {
      while true {
        do throws(WireSession.Failure) {
          let opened = try incoming.withReadable { bytes throws(WireSession.Failure) in
            try session.open(UnsafeRawBufferPointer(bytes))
          }
          guard let opened else { break }
          let frame = TranscriptEntry.Frame(counter: session.receivedCount - 1, count: opened.plain.count)
          pendingFrames.append((frame, opened.plain.count))
          plain.append(opened.plain)
          incoming.consume(opened.consumed)
          if pendingFrames.count > Self.frameLimit {
            takeMessages()
            if pendingFrames.count > Self.frameLimit { return garbage("frames without end") }
          }
        } catch {
          takeMessages()
          switch error {
          case .tooLong(let count): return garbage("a frame announces \(count) bytes; 1024 are the most")
          case .badTag(let counter): return garbage("frame \(counter) doesn't authenticate")
          }
        }
      }
    } else {
      let isBoundary = plain.readableCount == 0 && !answers.isEmpty
      incoming.withReadable { plain.append(UnsafeRawBufferPointer($0)) }
      incoming.removeAll()
      // Behind M4 the first bytes may be sealed, in a segment of their own.
      if upcoming != nil, isBoundary, !plainGoesOn() { return }
    }
    takeMessages()
    if plain.readableCount + incoming.readableCount > Self.inputLimit { garbage("an answer without end") }
    if answers.count + events.count > Self.queueLimit || queuedBytes > Self.queueBytes {
      garbage("a flood of messages that nobody asked for")
    }
  }

  private func takeMessages() {
    while !isOver, let (head, body, consumed) = nextMessage({ parser.parse($0) }) {
      take(head, body, consumed)
      if session == nil, !plainGoesOn() { break }
    }
  }

  /// In plain, what stands behind a message is one more message, unless it is the beginning of a session that isn't secured yet: then it
  /// has to wait until the case says so.
  private func plainGoesOn() -> Bool {
    let looksLikeHTTP = plain.withReadable { bytes in
      bytes.prefix(5).elementsEqual("HTTP/".utf8.prefix(min(5, bytes.count)))
        || bytes.prefix(5).elementsEqual("EVENT".utf8.prefix(min(5, bytes.count)))
    }
    if looksLikeHTTP { return true }
    plain.withReadable { incoming.append(UnsafeRawBufferPointer($0)) }
    plain.removeAll()
    holdsSealedBytes = upcoming != nil && incoming.readableCount > 0
    return false
  }

  /// Bytes in plain that came and are no whole message yet.
  var unfinished: [UInt8] { plain.withReadable { Array(UnsafeRawBufferPointer($0)) } }

  private func nextMessage(
    _ parse: (UnsafeMutableRawBufferPointer) -> HTTPResponseParser.Result?
  ) -> (HTTPResponseHead, body: [UInt8], consumed: Int)? {
    var found: (HTTPResponseHead, body: [UInt8], consumed: Int)?
    var fault: HTTPError?
    plain.withReadable { bytes in
      guard !bytes.isEmpty else { return }
      switch parse(bytes) {
      case nil, .incomplete?: break
      case .malformed(let error)?: fault = error
      case .message(let head, let body, let consumed)?: found = (head, Array(bytes[body]), consumed)
      }
    }
    if let fault { garbage("no HTTP: \(fault.message)") }
    return found
  }

  private func take(_ head: HTTPResponseHead, _ body: [UInt8], _ consumed: Int) {
    // The head is as it came; chunks were joined.
    let raw = plain.withReadable { bytes -> [UInt8] in
      if head.isChunked {
        let end = Self.headEnd(UnsafeRawBufferPointer(bytes), from: head.reason.upperBound)
        return Array(bytes[..<end]) + body
      }
      return Array(bytes[..<consumed])
    }
    plain.consume(consumed)
    let message = WireMessage(
      head, raw: raw, body: body, frames: frames(consumed), isSealed: session != nil, time: recorder.now)
    if message.status < 200, !message.isEvent { return note(message) }
    note(message)
    queuedBytes += raw.count
    if message.isEvent { events.append(message) } else { answers.append(.message(message)) }
    wake()
  }

  /// The frames that carried the next `count` bytes.
  private func frames(_ count: Int) -> [TranscriptEntry.Frame] {
    var left = count
    var used = 0
    var result: [TranscriptEntry.Frame] = []
    while used < pendingFrames.count, left > 0 || pendingFrames[used].left == 0 {
      let taken = min(left, pendingFrames[used].left)
      result.append(pendingFrames[used].frame)
      left -= taken
      pendingFrames[used].left -= taken
      if pendingFrames[used].left > 0 { break }
      used += 1
    }
    pendingFrames.removeFirst(used)
    return result
  }

  private func ended(reset: Bool) {
    guard !isOver else { return }
    // The held bytes come before the end, and can only be opened with the keys.
    if holdsSealedBytes, heldEnd == nil { return heldEnd = reset }
    // An answer that lasts until the end of the connection ends here.
    if let (head, body, consumed) = nextMessage({ parser.endOfStream($0) }) { take(head, body, consumed) }
    guard !isOver else { return }
    let rest = plain.readableCount + incoming.readableCount
    if rest > 0 {
      let bytes = plain.bytes + incoming.bytes
      var entry = entry(.raw, .received, "\(rest) bytes that make no message")
      entry.bytes = Array(bytes.prefix(4096))
      recorder.add(entry)
      answers.append(
        .garbage(reason: "the connection ended inside a message", bytes: Array(bytes.prefix(4096)), time: recorder.now))
    }
    isClosed = true
    let end = reset ? "reset by the accessory" : "closed by the accessory"
    recorder.add(entry(.connection, .received, hasFinished ? "\(end), after the tester's end" : end))
    answers.append(.closed(reset: reset, time: recorder.now))
    // Its end of the connection goes too.
    stream.closeAfterWriting()
    over()
  }

  private func garbage(_ reason: String) {
    guard !isOver else { return }
    let bytes = Array((plain.bytes + incoming.bytes).prefix(4096))
    var entry = entry(.raw, .received, reason)
    entry.bytes = bytes
    recorder.add(entry)
    answers.append(.garbage(reason: reason, bytes: bytes, time: recorder.now))
    isClosed = true
    stream.close()
    over()
  }
}
