import HAPExpectation
import HAPLoop
import HAPPairing
import HAPReport
import HAPSuite
import HAPWire

/// One connection of the tester. It sends any bytes and parses what it can. It never evaluates whether a message is right.
///
/// Confined to the loop's thread; callers that await are actors of that loop.
// Safe: `connect`, the only way to create one, traps outside the loop's thread. Other methods are called only by `CaseRun` and
// `FuzzGround`, actors of that loop. Async methods are `nonisolated(nonsending)`, so they stay there, and waiting traps elsewhere. Other
// tasks only forward it.
final class WireConnection: @unchecked Sendable {
  /// Largest unparsed input, in bytes: the largest encrypted database, with a margin.
  static let inputLimit = 24 << 20
  /// Largest number of queued messages, and of their bytes.
  static let queueLimit = 5000
  static let queueBytes = 64 << 20
  /// Largest number of frames, even short ones, of one message.
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
  /// The session that starts after M4, if a message was encrypted for it before.
  private var upcoming: WireSession?
  /// Whether encrypted bytes wait for that session.
  private(set) var holdsSealedBytes = false
  /// Whether the connection's end after these bytes is a reset. `nil`: it has not ended.
  private var heldEnd: Bool?
  /// Frames whose bytes are in `plain`, with the number of those bytes.
  private var pendingFrames: [(frame: TranscriptEntry.Frame, left: Int)] = []
  var answers: [Arrival] = []
  /// Received events that no case has taken yet, in order.
  var events: [WireMessage] = []
  var queuedBytes = 0
  var isOver = false
  /// Number of arrivals.
  var wakeCount: UInt64 = 0
  /// Waiting tasks, in the order in which they started to wait.
  var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
  var lastWaiter: UInt64 = 0
  /// Time of the last write.
  private(set) var lastSent: Duration = .zero
  /// Whether the connection was closed by the accessory or by the tester.
  private(set) var isClosed = false
  /// Whether this side has finished writing. The accessory is expected to close then.
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

  /// The result of connecting.
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

  /// Starts encryption, in both directions, from the next byte.
  func secure(_ keys: SessionKeys) {
    session = begun(keys)
    upcoming = nil
    holdsSealedBytes = false
    recorder.add(
      SessionKeyRecord(connection: name, direction: .sent, key: keys.controllerToAccessory.withBytes { Array($0) }))
    recorder.add(
      SessionKeyRecord(connection: name, direction: .received, key: keys.accessoryToController.withBytes { Array($0) }))
    // Bytes after M4 are already encrypted, even if the first ones could start a message.
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

  /// Reports an end of the connection that was held back with encrypted bytes. Called when their session begins, or
  /// when a case waits without beginning it.
  func reportHeldEnd() { if let heldEnd { ended(reset: heldEnd) } }

  /// Returns a message's bytes on the wire: encrypted if there is a session.
  func prepared(
    _ message: [UInt8], sizes: [Int] = [], fault: FrameFault = FrameFault(), keysOf other: WireConnection? = nil
  ) -> (bytes: [UInt8], frames: [TranscriptEntry.Frame]) {
    guard let session = other?.session ?? session else { return (message, []) }
    // The other connection's counter does not advance.
    return session.seal(message, sizes: sizes, fault: fault, counts: other == nil)
  }

  /// Encrypts a message with the keys of the session that starts after M4.
  func sealedAhead(_ message: [UInt8], _ keys: SessionKeys) -> (bytes: [UInt8], frames: [TranscriptEntry.Frame]) {
    let session = begun(keys)
    upcoming = session
    return session.seal(message, sizes: [], fault: FrameFault(), counts: true)
  }

  /// Returns the session with these keys: the upcoming session, if its keys are the same, or else a new one.
  private func begun(_ keys: SessionKeys) -> WireSession {
    if let upcoming, upcoming.keys == keys { return upcoming }
    return WireSession(keys)
  }

  /// Bytes that the kernel has not accepted yet.
  var queuedByteCount: Int { stream.queuedByteCount }

  /// Writes bytes unchanged.
  func write(_ bytes: [UInt8]) {
    lastSent = recorder.now
    if !bytes.isEmpty { stream.write(bytes) }
  }

  /// Notes a sent message in readable form.
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

  /// Finishes writing, waits until the accessory closes too, and then closes. The accessory has thus noticed the end
  /// before the next case starts.
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
        // Cleanup also happens in a cancelled run.
        await change(since: wakeCount, until: deadline, isCancellable: false)
      }
    }
    if !isClosed {
      isClosed = true
      stream.close()
    }
    over()
  }

  /// Resumes reading, or pauses it so that the accessory's data accumulates on its side.
  func read(_ isReading: Bool) { isReading ? stream.resumeReading() : stream.pauseReading() }

  private func over() {
    isOver = true
    wake()
  }

  // MARK: Receiving

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
      if incoming.readableCount > Self.inputLimit { garbage("an answer that is too long") }
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
            if pendingFrames.count > Self.frameLimit { return garbage("too many frames for one message") }
          }
        } catch {
          takeMessages()
          switch error {
          case .tooLong(let count): return garbage("a frame announces \(count) bytes; the maximum is 1024")
          case .badTag(let counter): return garbage("frame \(counter) doesn't authenticate")
          }
        }
      }
    } else {
      let isBoundary = plain.readableCount == 0 && !answers.isEmpty
      incoming.withReadable { plain.append(UnsafeRawBufferPointer($0)) }
      incoming.removeAll()
      // The first bytes after M4 may be encrypted, in a separate TCP segment.
      if upcoming != nil, isBoundary, !plainGoesOn() { return }
    }
    takeMessages()
    if plain.readableCount + incoming.readableCount > Self.inputLimit { garbage("an answer that is too long") }
    if answers.count + events.count > Self.queueLimit || queuedBytes > Self.queueBytes {
      garbage("too many unexpected messages")
    }
  }

  private func takeMessages() {
    while !isOver, let (head, body, consumed) = nextMessage({ parser.parse($0) }) {
      take(head, body, consumed)
      if session == nil, !plainGoesOn() { break }
    }
  }

  /// Returns whether the next bytes are plaintext. Bytes after a plaintext message are another message, unless they are
  /// the first bytes of a session. In that case they wait until the case secures the connection.
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

  /// Plaintext bytes of an incomplete message.
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
    if let fault { garbage("not HTTP: \(fault.message)") }
    return found
  }

  private func take(_ head: HTTPResponseHead, _ body: [UInt8], _ consumed: Int) {
    // The head is unchanged; chunks were joined.
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

  /// Returns the frames that carried the next `count` bytes.
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
    // The held bytes came before the end, and only the session's keys can decrypt them.
    if holdsSealedBytes, heldEnd == nil { return heldEnd = reset }
    // An answer without a length ends with the connection.
    if let (head, body, consumed) = nextMessage({ parser.endOfStream($0) }) { take(head, body, consumed) }
    guard !isOver else { return }
    let rest = plain.readableCount + incoming.readableCount
    if rest > 0 {
      let bytes = plain.bytes + incoming.bytes
      var entry = entry(.raw, .received, "\(rest) bytes that aren't a message")
      entry.bytes = Array(bytes.prefix(4096))
      recorder.add(entry)
      answers.append(
        .garbage(reason: "the connection ended inside a message", bytes: Array(bytes.prefix(4096)), time: recorder.now))
    }
    isClosed = true
    let end = reset ? "reset by the accessory" : "closed by the accessory"
    recorder.add(entry(.connection, .received, hasFinished ? "\(end), after the tester finished writing" : end))
    answers.append(.closed(reset: reset, time: recorder.now))
    // Close this side too.
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
