/// A TCP connection. Nagle's algorithm is off. Keep-alive is off unless requested.
///
/// Reading goes directly into the owner's buffer, and a write that the socket takes at once allocates nothing.
package final class TCPStream: LoopHandle {
  package enum ReadEvent: Equatable, Sendable {
    /// This number of bytes, at least 1, is at the start of the last requested buffer.
    case bytes(Int)
    /// The peer sends no more; writing is still possible. The last event.
    case end
    /// The connection is broken (`.connectionReset`, `.timedOut`). The last event.
    case failed(LoopError)
  }

  let socket: any StreamSocket
  // Not optional: an optional closure is stored in another form, and each call would allocate a thunk.
  private var onAllocate: (Int) -> UnsafeMutableRawBufferPointer = TCPStream.noMemory
  private var onRead: (ReadEvent) -> Void = TCPStream.nobody
  /// Whether there is a reader to which the end was not yet reported.
  private var hasReader = false
  /// Bytes written but not yet taken by the system.
  package private(set) var queuedByteCount = 0
  /// The other end; nil when not connected.
  package private(set) var peerAddress: SocketAddress?
  private var isReading = false
  private var connectDone: ((LoopError?) -> Void)?
  private var isFinishing = false
  private var finishTimer: LoopTimer?

  /// Opens a connection: `done` is called once, with nil when it is up. If the stream is closed first, `done` gets
  /// `.cancelled`.
  package init(_ loop: EventLoop, connectingTo address: SocketAddress, done: @escaping (LoopError?) -> Void) {
    socket = loop.driver.makeStreamSocket()
    super.init(loop)
    open()
    socket.attach(to: self)
    connectDone = done
    peerAddress = address
    socket.connect(to: address)
  }

  /// Takes ownership of an accepted socket.
  package init(_ loop: EventLoop, accepted socket: any StreamSocket) {
    self.socket = socket
    super.init(loop)
    open()
    socket.attach(to: self)
    peerAddress = socket.peerAddress
  }

  /// The socket reports that the connection is up or has failed.
  package func connected(_ error: LoopError?) {
    guard let done = connectDone else { return }
    connectDone = nil
    if error != nil { close() }
    done(error)
  }

  /// The local address; nil when closed.
  package var localAddress: SocketAddress? { isClosed ? nil : socket.localAddress }

  // MARK: Reading

  /// Starts reading.
  /// - Parameters:
  ///   - onAllocate: returns the memory to read into. Its argument is a suggested size, which it may ignore. The
  ///     memory must stay valid until the next read event, if there is one. An empty buffer pauses reading.
  ///   - onRead: called for each read event.
  package func startReading(
    onAllocate: @escaping (Int) -> UnsafeMutableRawBufferPointer, onRead: @escaping (ReadEvent) -> Void
  ) {
    guard !isClosed else { return }
    self.onAllocate = onAllocate
    self.onRead = onRead
    hasReader = true
    resumeReading()
  }

  /// Pauses read events until `resumeReading()`; the peer stops sending when its window is full.
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

  /// The memory for the socket's next read. If the buffer is empty, the socket must call `hasNoMemory()`.
  @inline(__always)
  package func memory(for suggestedCount: Int) -> UnsafeMutableRawBufferPointer { onAllocate(suggestedCount) }

  /// The socket reports that it had no memory for readable bytes.
  package func hasNoMemory() { pauseReading() }

  /// The socket reports the bytes that it has read.
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
  /// - Returns: the number of bytes taken. 0 if the socket is full, bytes are queued, or the connection is broken or
  ///   closed. `write` and the read events report a broken connection.
  package func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !isClosed, bytes.count > 0 else { return 0 }
    return socket.tryWrite(bytes)
  }

  /// Writes all of `bytes`, in the order of the calls. The socket takes some bytes at once; the rest is copied and queued.
  /// - Parameter done: called once, with nil when the system has taken the last byte, or with the error; possibly
  ///   before this returns.
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

  /// Sends the queued bytes, then shuts down the sending side; reading continues.
  package func finishWriting(done: @escaping (LoopError?) -> Void = { _ in }) {
    guard !isClosed else { return done(LoopError(.cancelled, "the connection is closed")) }
    socket.finishWriting(done: done)
  }

  /// Sends the queued bytes, then closes.
  /// - Parameter limit: time after which the connection is reset if the peer does not read.
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

  /// Aborts the connection: the peer sees a reset, and queued bytes are lost.
  package func reset() { if startClosing() { socket.reset() } }

  override func dropCallbacks() {
    stopTelling()
    isReading = false
    finishTimer?.close()
    finishTimer = nil
  }

  /// Turns on keep-alive: the system sends a probe after `silence`, then every 10 s. After three unanswered probes
  /// the connection fails. A peer that lost power sends nothing, so its loss would otherwise never be noticed.
  /// - Parameter silence: in whole seconds, at least 1.
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
