import CUV

/// One end of a pipe to a child process; the other end is the child's standard input, output or error.
final class ChildPipe: KernelHandle {
  /// Maximum number of bytes that wait for the process to read them.
  private static let queueLimit = 1 << 20

  /// Called with the bytes read. The end is reported once, with an empty buffer.
  var onRead: (UnsafeRawBufferPointer) -> Void = { _ in }
  private(set) var hasEnded = false
  private var queuedByteCount = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
  private var pipe: UnsafeMutablePointer<uv_pipe_t> { memory.assumingMemoryBound(to: uv_pipe_t.self) }
  var stream: UnsafeMutablePointer<uv_stream_t> { memory.assumingMemoryBound(to: uv_stream_t.self) }

  init(_ loop: EventLoop) {
    super.init(loop, uv_pipe_t.self)
    uv_pipe_init(loop.kernelLoop, pipe, 0)
    open()
  }

  deinit { buffer.deallocate() }

  func startReading() {
    let status = uv_read_start(
      stream,
      { handle, _, buffer in
        let memory = ChildPipe.owner(of: handle!.pointee.data).buffer
        buffer!.pointee.base = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
        buffer!.pointee.len = memory.count
      },
      { handle, count, _ in ChildPipe.owner(of: handle!.pointee.data).received(count) })
    if status != 0 { end() }
  }

  private func received(_ count: Int) {
    if count > 0 { return onRead(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    if count < 0 { end() }  // also for a broken pipe, after the process has ended
  }

  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    let tell = onRead
    close()
    tell(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Must be called before the first write, when the process has started.
  func startWriting() {
    var descriptor: uv_os_fd_t = -1
    if uv_fileno(memory.handle, &descriptor) == 0 { preventBrokenPipeSignal(of: descriptor) }
  }

  /// - Returns: false if it is closed, or if the queue is full because the process doesn't read.
  func write(_ bytes: [UInt8]) -> Bool {
    guard !isClosed, queuedByteCount + bytes.count <= Self.queueLimit else { return false }
    return PipeWrite(bytes, self).queue()
  }

  fileprivate func wrote(_ count: Int) { queuedByteCount -= count }
  fileprivate func queued(_ count: Int) { queuedByteCount += count }

  override func dropCallbacks() { onRead = { _ in } }
}

/// A write with its copy of the bytes; it keeps itself alive until libuv has finished it.
private final class PipeWrite {
  private let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableRawBufferPointer
  private let pipe: ChildPipe

  init(_ bytes: [UInt8], _ pipe: ChildPipe) {
    self.bytes = .allocate(byteCount: bytes.count, alignment: 1)
    self.bytes.copyBytes(from: bytes)
    self.pipe = pipe
  }

  deinit {
    request.deallocate()
    bytes.deallocate()
  }

  func queue() -> Bool {
    let retained = Unmanaged.passRetained(self)
    request.pointee.data = retained.toOpaque()
    var buffer = uv_buf_t(base: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), len: bytes.count)
    pipe.queued(bytes.count)
    let status = uv_write(request, pipe.stream, &buffer, 1) { request, _ in
      let write = Unmanaged<PipeWrite>.fromOpaque(request!.pointee.data).takeRetainedValue()
      write.pipe.wrote(write.bytes.count)
    }
    if status != 0 {
      pipe.wrote(bytes.count)
      retained.release()
    }
    return status == 0
  }
}
