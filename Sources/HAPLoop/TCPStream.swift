/// A TCP connection. Nagle's algorithm is off, keep-alive too unless it is asked for.
///
/// Reading goes straight into the owner's buffer, and a write that the socket takes at once allocates nothing.
package final class TCPStream: LoopHandle {
  package enum ReadEvent: Equatable, Sendable {
    /// That many bytes, from 1, stand at the start of the buffer that was last asked for.
    case bytes(Int)
    /// The peer sends no more; writing is still possible. The last event.
    case end
    /// The connection is broken (`.connectionReset`, `.timedOut`). The last event.
    case failed(LoopError)
  }

  let socket: any StreamSocket
  // Not optional: an optional closure is stored in another form, and calling it allocates a thunk each time.
  private var onAllocate: (Int) -> UnsafeMutableRawBufferPointer = TCPStream.noMemory
  private var onRead: (ReadEvent) -> Void = TCPStream.nobody
  /// Whether there is somebody to tell of what comes, who has not been told of the end.
  private var hasReader = false
  /// Bytes written but not yet taken by the system.
  package private(set) var queuedByteCount = 0
  /// The other end; nil when not connected.
  package private(set) var peerAddress: SocketAddress?
  private var isReading = false
  private var connectDone: ((LoopError?) -> Void)?
  private var isFinishing = false
  private var finishTimer: LoopTimer?

  /// Makes a connection: `done` is told once, with nil when it is up. Closing meanwhile tells `.cancelled`.
  package init(_ loop: EventLoop, connectingTo address: SocketAddress, done: @escaping (LoopError?) -> Void) {
    socket = loop.driver.makeStreamSocket()
    super.init(loop)
    open()
    socket.attach(to: self)
    connectDone = done
    peerAddress = address
    socket.connect(to: address)
  }

  /// Takes over an accepted socket.
  package init(_ loop: EventLoop, accepted socket: any StreamSocket) {
    self.socket = socket
    super.init(loop)
    open()
    socket.attach(to: self)
    peerAddress = socket.peerAddress
  }

  /// The socket's report: the connection is up, or can't be.
  package func connected(_ error: LoopError?) {
    guard let done = connectDone else { return }
    connectDone = nil
    if error != nil { close() }
    done(error)
  }

  /// This end; nil when closed.
  package var localAddress: SocketAddress? { isClosed ? nil : socket.localAddress }

  // MARK: Reading

  /// Starts reading.
  /// - Parameters:
  ///   - onAllocate: gives the memory to read into, and is told a suggested size, which it may ignore. It must stay valid
  ///     until the read event that follows, if one does. An empty buffer pauses reading.
  ///   - onRead: is told what came.
  package func startReading(
    onAllocate: @escaping (Int) -> UnsafeMutableRawBufferPointer, onRead: @escaping (ReadEvent) -> Void
  ) {
    guard !isClosed else { return }
    self.onAllocate = onAllocate
    self.onRead = onRead
    hasReader = true
    resumeReading()
  }

  /// No read event comes until `resumeReading()`; the peer is held back when its window is full.
  package func pauseReading() {
    guard !isClosed, isReading else { return }
    isReading = false
    socket.stopReading()
  }

  package func resumeReading() {
    guard !isClosed, !isReading, hasReader else { return }
    let error = socket.startReading()
    isReading = error == nil
    if let error { onRead(.failed(error)) }
  }

  /// Where the socket shall put what it reads. An empty buffer has to be answered by `hasNoMemory()`.
  @inline(__always)
  package func memory(for suggestedCount: Int) -> UnsafeMutableRawBufferPointer { onAllocate(suggestedCount) }

  /// The socket's report: it had nowhere to put what it could read.
  package func hasNoMemory() { pauseReading() }

  /// The socket's report of what it has read.
  @inline(__always)
  package func received(count: Int) { onRead(.bytes(count)) }

  /// The socket's last report: there is nothing more to read.
  package func ended(_ error: LoopError?) {
    pauseReading()
    let tell = onRead
    stopTelling()
    tell(error.map { .failed($0) } ?? .end)
  }

  // MARK: Writing

  /// Writes what the socket takes at once, without allocating.
  /// - Returns: the count of bytes taken: 0 when the socket is full, something is queued, or the connection is broken or
  ///   closed. `write` and the read events tell of a broken one.
  package func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !isClosed, bytes.count > 0 else { return 0 }
    return socket.tryWrite(bytes)
  }

  /// Writes all of `bytes`, in the order of the calls: at once what the socket takes, the rest from a copy.
  /// - Parameter done: is told once when the last byte was taken by the system, or why it never will be; perhaps before
  ///   this returns.
  package func write(_ bytes: UnsafeRawBufferPointer, done: ((LoopError?) -> Void)? = nil) {
    guard !isClosed else {
      done?(LoopError(.cancelled, "writing: the connection is closed"))
      return
    }
    let written = tryWrite(bytes)
    if written == bytes.count {
      done?(nil)
      return
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
    let count = rest.count
    queuedByteCount += count
    socket.queueWrite(rest) { error in
      self.queuedByteCount -= count
      done?(error)
    }
  }

  package func write(_ bytes: [UInt8], done: ((LoopError?) -> Void)? = nil) {
    bytes.withUnsafeBytes { write($0, done: done) }
  }

  // MARK: Ending

  /// Sends what is queued, then says that no more will be sent; reading goes on.
  package func finishWriting(done: @escaping (LoopError?) -> Void = { _ in }) {
    guard !isClosed else { return done(LoopError(.cancelled, "the connection is closed")) }
    socket.finishWriting(done: done)
  }

  /// Sends what is queued, then closes.
  /// - Parameter limit: when to reset the connection of a peer that does not read.
  package func closeAfterWriting(within limit: Duration = .seconds(10)) {
    guard !isClosed, !isFinishing else { return }
    isFinishing = true
    if queuedByteCount == 0 { return close() }
    pauseReading()
    let timer = LoopTimer(loop) { [unowned self] in reset() }
    finishTimer = timer
    timer.start(after: limit)
    finishWriting { _ in self.close() }
  }

  override func closeBeneath() { socket.close() }

  /// Cuts the connection off: the peer sees a reset, and what was queued is lost.
  package func reset() { if startClosing() { socket.reset() } }

  override func dropCallbacks() {
    stopTelling()
    isReading = false
    finishTimer?.close()
    finishTimer = nil
  }

  /// Has the system ask the peer for a sign of life after so much silence, and every 10 s then; after three questions without an answer the
  /// connection has failed. A peer that lost its power sends nothing, and the loss would never be noticed.
  /// - Parameter silence: in whole seconds, from 1.
  package func keepAlive(after silence: Duration) {
    guard !isClosed else { return }
    socket.keepAlive(seconds: UInt32(min(max(silence.components.seconds, 1), 3600)))
  }

  private func stopTelling() {
    hasReader = false
    onAllocate = TCPStream.noMemory
    onRead = TCPStream.nobody
  }

  private static func noMemory(_: Int) -> UnsafeMutableRawBufferPointer { .init(start: nil, count: 0) }
  private static func nobody(_: ReadEvent) {}
}
