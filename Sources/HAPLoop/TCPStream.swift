import CUV

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

  private var tcp: UnsafeMutablePointer<uv_tcp_t> { memory.assumingMemoryBound(to: uv_tcp_t.self) }
  private var stream: UnsafeMutablePointer<uv_stream_t> { memory.assumingMemoryBound(to: uv_stream_t.self) }

  /// Makes a connection: `done` is told once, with nil when it is up. Closing meanwhile tells `.cancelled`.
  package init(_ loop: EventLoop, connectingTo address: SocketAddress, done: @escaping (LoopError?) -> Void) {
    super.init(loop, uv_tcp_t.self)
    uv_tcp_init(loop.loop, tcp)
    open()
    connectDone = done
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    let status = address.withSockaddr { socket, _ in
      uv_tcp_connect(request, tcp, socket) { request, status in
        let stream = TCPStream.owner(of: request!.pointee.handle.pointee.data)
        request!.deallocate()
        stream.connected(status)
      }
    }
    peerAddress = address
    if status != 0 {
      request.deallocate()
      // Told in a turn of its own, as every other outcome is.
      let stream = Unmanaged.passRetained(self)
      let bits = UInt(bitPattern: stream.toOpaque())
      loop.schedule {
        Unmanaged<TCPStream>.fromOpaque(UnsafeRawPointer(bitPattern: bits)!).takeRetainedValue().connected(status)
      }
    }
  }

  /// Takes over an accepted socket. nil when the connection is gone already; the socket is closed then.
  init?(_ loop: EventLoop, connected descriptor: Int32) {
    super.init(loop, uv_tcp_t.self)
    uv_tcp_init(loop.loop, tcp)
    open()
    if uv_tcp_open(tcp, descriptor) != 0 {
      closeDescriptor(descriptor)
      close()
      return nil
    }
    uv_tcp_nodelay(tcp, 1)
    peerAddress = askAddress(uv_tcp_getpeername)
  }

  private func connected(_ status: Int32) {
    guard let done = connectDone else { return }
    connectDone = nil
    if status == 0 {
      uv_tcp_nodelay(tcp, 1)
      done(nil)
    } else {
      let peer = peerAddress.map(\.description) ?? ""
      close()
      done(LoopError(status: status, while: "connecting to \(peer)"))
    }
  }

  /// This end; nil when closed.
  package var localAddress: SocketAddress? { isClosed ? nil : askAddress(uv_tcp_getsockname) }

  private func askAddress(
    _ question: (UnsafePointer<uv_tcp_t>?, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) -> SocketAddress? {
    SocketAddress { question(tcp, $0, &$1) }
  }

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
    uv_read_stop(stream)
  }

  package func resumeReading() {
    guard !isClosed, !isReading, hasReader else { return }
    let status = uv_read_start(
      stream,
      { handle, suggested, buffer in
        let stream = TCPStream.owner(of: handle!.pointee.data)
        let memory = stream.onAllocate(suggested)
        buffer!.pointee.base = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
        buffer!.pointee.len = memory.count
      },
      { handle, count, _ in TCPStream.owner(of: handle!.pointee.data).received(count) })
    isReading = status == 0
    if status != 0 { onRead(.failed(LoopError(status: status, while: "reading"))) }
  }

  private func received(_ count: Int) {
    if count > 0 {
      onRead(.bytes(count))
    } else if count == 0 {
      return  // nothing there after all
    } else if count == Int(UV_ENOBUFS.rawValue) {
      pauseReading()
    } else {
      pauseReading()
      let tell = onRead
      stopTelling()
      tell(count == Int(UV_EOF.rawValue) ? .end : .failed(LoopError(status: Int32(count), while: "reading")))
    }
  }

  // MARK: Writing

  /// Writes what the socket takes at once, without allocating.
  /// - Returns: the count of bytes taken: 0 when the socket is full, something is queued, or the connection is broken or
  ///   closed. `write` and the read events tell of a broken one.
  package func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !isClosed, bytes.count > 0 else { return 0 }
    var buffer = Self.buffer(bytes)
    return max(0, Int(uv_try_write(stream, &buffer, 1)))
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
    queuedByteCount += rest.count
    let status = WriteRequest(rest, done).queue(on: stream)
    if status != 0 {
      queuedByteCount -= rest.count
      done?(LoopError(status: status, while: "writing"))
    }
  }

  package func write(_ bytes: [UInt8], done: ((LoopError?) -> Void)? = nil) {
    bytes.withUnsafeBytes { write($0, done: done) }
  }

  fileprivate func wrote(_ count: Int) { queuedByteCount -= count }

  fileprivate static func buffer(_ bytes: UnsafeRawBufferPointer) -> uv_buf_t {
    // libuv only reads from it.
    uv_buf_t(
      base: UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self)), len: bytes.count)
  }

  // MARK: Ending

  /// Sends what is queued, then says that no more will be sent; reading goes on.
  package func finishWriting(done: @escaping (LoopError?) -> Void = { _ in }) {
    guard !isClosed else { return done(LoopError(.cancelled, "the connection is closed")) }
    ShutdownRequest(done).queue(on: stream)
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

  /// Cuts the connection off: the peer sees a reset, and what was queued is lost.
  package func reset() {
    guard startClosing() else { return }
    if uv_tcp_close_reset(tcp, LoopHandle.closed) != 0 { uv_close(memory.handle, LoopHandle.closed) }
  }

  override func letGoOfCallbacks() {
    stopTelling()
    isReading = false
    finishTimer?.close()
    finishTimer = nil
  }

  private func stopTelling() {
    hasReader = false
    onAllocate = TCPStream.noMemory
    onRead = TCPStream.nobody
  }

  private static func noMemory(_: Int) -> UnsafeMutableRawBufferPointer { .init(start: nil, count: 0) }
  private static func nobody(_: ReadEvent) {}
}

/// A queued write with its copy of the bytes; it keeps itself alive until libuv is through with it.
private final class WriteRequest {
  private let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableRawBufferPointer
  private let done: ((LoopError?) -> Void)?

  init(_ bytes: UnsafeRawBufferPointer, _ done: ((LoopError?) -> Void)?) {
    self.bytes = .allocate(byteCount: bytes.count, alignment: 1)
    self.bytes.copyMemory(from: bytes)
    self.done = done
  }

  deinit {
    request.deallocate()
    bytes.deallocate()
  }

  func queue(on stream: UnsafeMutablePointer<uv_stream_t>) -> Int32 {
    let retained = Unmanaged.passRetained(self)
    request.pointee.data = retained.toOpaque()
    var buffer = TCPStream.buffer(UnsafeRawBufferPointer(bytes))
    let status = uv_write(request, stream, &buffer, 1) { request, status in
      let stream = TCPStream.owner(of: request!.pointee.handle.pointee.data)
      let write = Unmanaged<WriteRequest>.fromOpaque(request!.pointee.data).takeRetainedValue()
      stream.wrote(write.bytes.count)
      write.done?(status == 0 ? nil : LoopError(status: status, while: "writing"))
    }
    if status != 0 { retained.release() }
    return status
  }
}

private final class ShutdownRequest {
  private let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
  private let done: (LoopError?) -> Void

  init(_ done: @escaping (LoopError?) -> Void) { self.done = done }
  deinit { request.deallocate() }

  func queue(on stream: UnsafeMutablePointer<uv_stream_t>) {
    let retained = Unmanaged.passRetained(self)
    request.pointee.data = retained.toOpaque()
    let status = uv_shutdown(request, stream) { request, status in
      let shutdown = Unmanaged<ShutdownRequest>.fromOpaque(request!.pointee.data).takeRetainedValue()
      shutdown.done(status == 0 ? nil : LoopError(status: status, while: "ending the connection"))
    }
    if status != 0 {
      retained.release()
      done(LoopError(status: status, while: "ending the connection"))
    }
  }
}
