import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP socket of the machine. It keeps itself and its stream until libuv has closed it.
final class KernelStreamSocket: StreamSocket {
  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let memory: UnsafeMutableRawPointer
  /// nil: not attached, or fully closed.
  private var owner: TCPStream?

  private var tcp: UnsafeMutablePointer<uv_tcp_t> { memory.assumingMemoryBound(to: uv_tcp_t.self) }
  private var stream: UnsafeMutablePointer<uv_stream_t> { memory.assumingMemoryBound(to: uv_stream_t.self) }

  init(_ loop: UnsafeMutablePointer<uv_loop_t>) {
    self.loop = loop
    memory = zeroedMemory(uv_tcp_t.self)
    uv_tcp_init(loop, tcp)
    memory.handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  deinit { memory.deallocate() }

  /// Takes ownership of an accepted descriptor.
  /// - Returns: false if the connection is already gone; the descriptor and the socket are then closed.
  func open(_ descriptor: Int32) -> Bool {
    if uv_tcp_open(tcp, descriptor) != 0 {
      closeDescriptor(descriptor)
      close()
      return false
    }
    uv_tcp_nodelay(tcp, 1)
    return true
  }

  private static func socket(_ data: UnsafeMutableRawPointer?) -> KernelStreamSocket {
    Unmanaged<KernelStreamSocket>.fromOpaque(data!).takeUnretainedValue()
  }

  /// Returns the stream of a socket that is not closed yet.
  private static func stream(_ data: UnsafeMutableRawPointer?) -> TCPStream {
    guard let owner = socket(data).owner else { preconditionFailure("an active socket must have a stream") }
    return owner
  }

  func attach(to stream: TCPStream) { owner = stream }

  func connect(to address: SocketAddress) {
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    let status = address.withSockaddr { socket, _ in
      uv_tcp_connect(request, tcp, socket) { request, status in
        let socket = KernelStreamSocket.socket(request!.pointee.handle.pointee.data)
        request!.deallocate()
        socket.connected(status)
      }
    }
    if status == 0 { return }
    request.deallocate()
    // Reported in a later turn, like every other outcome.
    guard let owner else { return }
    // The stream may be closed by then, but must still report.
    let bits = UInt(bitPattern: Unmanaged.passRetained(owner).toOpaque())
    owner.loop.schedule {
      let stream = Unmanaged<TCPStream>.fromOpaque(UnsafeRawPointer(bitPattern: bits)!).takeRetainedValue()
      let status = stream.isClosed ? UV_ECANCELED.rawValue : status
      stream.connected(LoopError(status: status, while: "connecting to \(address)"))
    }
  }

  private func connected(_ status: Int32) {
    if status == 0 {
      uv_tcp_nodelay(tcp, 1)
      owner?.connected(nil)
    } else {
      let peer = owner?.peerAddress.map(\.description) ?? ""
      owner?.connected(LoopError(status: status, while: "connecting to \(peer)"))
    }
  }

  var localAddress: SocketAddress? { SocketAddress { uv_tcp_getsockname(tcp, $0, &$1) } }
  var peerAddress: SocketAddress? { SocketAddress { uv_tcp_getpeername(tcp, $0, &$1) } }

  // MARK: Reading

  func startReading() -> LoopError? {
    let status = uv_read_start(
      stream,
      { handle, suggested, buffer in
        let memory = KernelStreamSocket.stream(handle!.pointee.data).memory(for: suggested)
        buffer!.pointee.base = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
        buffer!.pointee.len = memory.count
      },
      { handle, count, _ in
        let stream = KernelStreamSocket.stream(handle!.pointee.data)
        if count > 0 { return stream.received(count: count) }
        switch Int32(truncatingIfNeeded: count) {
        case 0: return  // no data after all
        case UV_ENOBUFS.rawValue: stream.hasNoMemory()
        case UV_EOF.rawValue: stream.ended(nil)
        case let status: stream.ended(LoopError(status: status, while: "reading"))
        }
      })
    return status == 0 ? nil : LoopError(status: status, while: "reading")
  }

  func stopReading() { uv_read_stop(stream) }

  // MARK: Writing

  func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    var buffer = Self.buffer(bytes)
    return max(0, Int(uv_try_write(stream, &buffer, 1)))
  }

  func queueWrite(_ bytes: UnsafeRawBufferPointer, done: @escaping (LoopError?) -> Void) {
    StreamWrite(bytes, done).queue(on: stream)
  }

  fileprivate static func buffer(_ bytes: UnsafeRawBufferPointer) -> uv_buf_t {
    // libuv only reads from the buffer.
    uv_buf_t(
      base: UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: CChar.self)), len: bytes.count)
  }

  // MARK: Ending

  func finishWriting(done: @escaping (LoopError?) -> Void) { ShutdownRequest(done).queue(on: stream) }

  func close() { uv_close(memory.handle, Self.closed) }

  func reset() { if uv_tcp_close_reset(tcp, Self.closed) != 0 { close() } }

  private static let closed: uv_close_cb = { handle in
    let socket = Unmanaged<KernelStreamSocket>.fromOpaque(handle!.pointee.data).takeRetainedValue()
    let owner = socket.owner
    socket.owner = nil
    owner?.didClose()
  }

  /// nil: closed.
  var descriptor: Int32? {
    var descriptor: uv_os_fd_t = -1
    return uv_fileno(memory.handle, &descriptor) == 0 ? descriptor : nil
  }

  func keepAlive(seconds: UInt32) {
    uv_tcp_keepalive(tcp, 1, seconds)
    guard let descriptor else { return }
    var (interval, count): (Int32, Int32) = (10, 3)
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Systems without these options use their defaults.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, &interval, size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, &count, size)
  }
}

/// A queued write with its copy of the bytes; it keeps itself alive until libuv has finished it.
private final class StreamWrite {
  private let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableRawBufferPointer
  private let done: (LoopError?) -> Void

  init(_ bytes: UnsafeRawBufferPointer, _ done: @escaping (LoopError?) -> Void) {
    self.bytes = .allocate(byteCount: bytes.count, alignment: 1)
    self.bytes.copyMemory(from: bytes)
    self.done = done
  }

  deinit {
    request.deallocate()
    bytes.deallocate()
  }

  func queue(on stream: UnsafeMutablePointer<uv_stream_t>) {
    let retained = Unmanaged.passRetained(self)
    request.pointee.data = retained.toOpaque()
    var buffer = KernelStreamSocket.buffer(UnsafeRawBufferPointer(bytes))
    let status = uv_write(request, stream, &buffer, 1) { request, status in
      let write = Unmanaged<StreamWrite>.fromOpaque(request!.pointee.data).takeRetainedValue()
      write.done(status == 0 ? nil : LoopError(status: status, while: "writing"))
    }
    if status != 0 {
      retained.release()
      done(LoopError(status: status, while: "writing"))
    }
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
