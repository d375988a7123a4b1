import HAPHome
import HAPLoop

/// The connection of one app. Belongs to the loop's thread.
///
/// The hub is called by one task at a time: `connect`, then `take` for each request, then `disconnect`.
final class HubSocketConnection {
  /// The greatest number of requests that the hub has taken and not answered.
  static let mostOpenRequests = 64
  /// No request is taken, and none is read, while more bytes wait for the app.
  static let mostWaitingBytes = 256 << 10
  /// The number of bytes that the stream gets at once.
  private static let chunk = 64 << 10

  private let stream: LocalStream
  private let hub: any HubServing
  private let loop: EventLoop
  private let app: HubSocketApp
  private let longestRequest: Int
  private var splitter: LineSplitter
  /// The lines that were read and not taken.
  private var lines = Fifo<LineSplitter.Line>()
  /// Whether the hub is being called.
  private var isCalling = false
  private var isReading = true
  /// The app sends no more.
  private var hasEnded = false
  /// The hub has forgotten the app, or is about to.
  private var isDisconnected = false
  /// Nothing is sent any more, besides what the stream has.
  private var isFinished = false
  private var isSettling = false
  private var settlesAgain = false
  /// Called once, when the connection no longer has to be kept.
  var onEnd: (() -> Void)?

  init(
    _ stream: LocalStream, _ processID: Int, _ hub: any HubServing, longestRequest: Int, on loop: EventLoop
  ) {
    (self.stream, self.hub, self.loop, self.longestRequest) = (stream, hub, loop, longestRequest)
    splitter = LineSplitter(limit: longestRequest)
    let own = LoopBound(here: loop, Weak<HubSocketConnection>(nil))
    app = HubSocketApp(processID: processID) { loop.schedule { own.value.object?.settle() } }
    own.value = Weak(self)
  }

  func start() {
    stream.onDrained = { [weak self] in self?.settle() }
    stream.startReading { [weak self] in self?.receive($0) }
    stream.write(HubMessage.hello(version: HubProtocol.version).bytes)
    call { hub, app in await hub.connect(app) }
  }

  /// Sends what waits, and ends the link. Any number of times.
  func finish() {
    if isFinished { return }
    isFinished = true
    lines.removeAll()
    stream.write(app.take(.max))
    stream.closeAfterWriting()
    settle()
  }

  // MARK: The hub

  private func call(
    _ body: nonisolated(nonsending) @escaping @Sendable (any HubServing, HubSocketApp) async -> Void
  ) {
    isCalling = true
    let own = LoopBound(here: loop, self)
    hub.start(on: loop) { [app, loop] hub in
      await body(hub, app)
      loop.schedule {
        own.value.isCalling = false
        own.value.settle()
      }
    }
  }

  private func take(_ line: LineSplitter.Line) {
    guard case .line(let bytes) = line else {
      return app.refuse(
        nil,
        HomeError(
          .maximumObjectLimitReached, nil, "a line of an app has \(longestRequest) bytes at most"))
    }
    do throws(HubRequestLine.Refusal) {
      let line = try HubRequestLine(bytes)
      app.begin()
      call { hub, app in await hub.take(line.request, from: app) { app.answer(line.id, $0) } }
    } catch { app.refuse(error.id, error.error) }
  }

  // MARK: The stream

  private func receive(_ event: LocalStream.Event) {
    switch event {
    case .bytes(let bytes):
      for line in bytes.withUnsafeBytes({ splitter.receive($0) }) { lines.append(line) }
    case .end:
      if let line = splitter.finish() { lines.append(line) }
      hasEnded = true
    }
    settle()
  }

  /// Does everything that can be done now. The calls inside can cause further calls of it.
  private func settle() {
    settlesAgain = true
    if isSettling { return }
    isSettling = true
    while settlesAgain {
      settlesAgain = false
      app.awaitNews()
      send()
      takeLines()
      end()
    }
    isSettling = false
    watch()
  }

  private func send() {
    while !isFinished, stream.queuedByteCount < Self.chunk {
      let bytes = app.take(Self.chunk)
      if bytes.isEmpty { return }
      stream.write(bytes)
    }
  }

  /// Whether little enough waits for the app and for the hub.
  private var canTake: Bool {
    let summary = app.summary
    return summary.openRequestCount < Self.mostOpenRequests
      && stream.queuedByteCount + summary.byteCount <= Self.mostWaitingBytes
  }

  private func takeLines() {
    while !isFinished, !isCalling, canTake, let line = lines.popFirst() { take(line) }
  }

  private func end() {
    let summary = app.summary
    if summary.hasEnded {
      isDisconnected = true
      finish()
    }
    if isCalling { return }
    if !isDisconnected, isFinished || (hasEnded && lines.isEmpty) {
      isDisconnected = true
      return call { hub, app in await hub.disconnect(app) }
    }
    if hasEnded, isDisconnected, summary.openRequestCount == 0, summary.byteCount == 0 { finish() }
    guard isFinished, isDisconnected, let onEnd else { return }
    self.onEnd = nil
    onEnd()
  }

  /// Reads only while the hub takes requests.
  private func watch() {
    if isFinished || hasEnded { return }
    let reads = lines.isEmpty && canTake
    if reads == isReading { return }
    isReading = reads
    if reads { stream.resumeReading() } else { stream.pauseReading() }
  }
}
