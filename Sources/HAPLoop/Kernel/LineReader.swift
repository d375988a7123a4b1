import CUV
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads lines from a descriptor, mainly standard input: a pipe, file, terminal, socket, or a closed descriptor.
///
/// A separate thread reads, so the descriptor stays in blocking mode. Non-blocking mode would also apply to the shell
/// and to every other process that shares the descriptor. The thread continues only when the loop has taken its data.
package final class LineReader: KernelHandle {
  package enum Event: Equatable, Sendable {
    /// A line without its terminator.
    case line([UInt8])
    /// A line longer than `limit` bytes was skipped.
    case tooLong(limit: Int)
    /// The end of the input, or the error that ended it. The last event.
    case end(LoopError?)
  }

  private var onEvent: ((Event) -> Void)?
  private var splitter: LineSplitter
  private let thread: ReaderThread
  /// While true, no more bytes are read; lines from bytes already read may still come.
  package var isHeld = false {
    didSet {
      guard !isHeld, isOwed, !isClosed else { return }
      isOwed = false
      thread.goOn()
    }
  }
  /// Whether the thread waits for permission to continue.
  private var isOwed = false
  private var async: UnsafeMutablePointer<uv_async_t> { memory.assumingMemoryBound(to: uv_async_t.self) }

  /// Starts to read.
  /// - Parameters:
  ///   - descriptor: stays open and belongs to the caller.
  ///   - limit: maximum length of a line in bytes.
  package init(
    _ loop: EventLoop, descriptor: Int32 = 0, limit: Int = 65_536, onEvent: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.onEvent = onEvent
    splitter = LineSplitter(limit: limit)
    thread = try ReaderThread(descriptor)
    super.init(loop, uv_async_t.self)
    let status = uv_async_init(loop.kernelLoop, async) { LineReader.owner(of: $0!.pointee.data).wakeUp() }
    if status != 0 { throw LoopError(status: status, while: "reading lines") }
    open()
    thread.start(waking: async)
  }

  package override func close() {
    thread.stop()
    super.close()
  }

  override func dropCallbacks() { onEvent = nil }

  private func wakeUp() {
    guard let chunk = thread.take() else { return }
    let lines: [LineSplitter.Line]
    if case .bytes(let bytes) = chunk {
      lines = bytes.withUnsafeBytes { splitter.receive($0) }
    } else {
      lines = splitter.finish().map { [$0] } ?? []
    }
    for line in lines {
      switch line {
      case .line(let bytes): onEvent?(.line(bytes))
      case .tooLong(let limit): onEvent?(.tooLong(limit: limit))
      }
    }
    switch chunk {
    case .bytes: if isHeld { isOwed = true } else { thread.goOn() }
    case .end(let error):
      onEvent?(.end(error))
      close()
    }
  }
}

/// The thread of a line reader: it waits for its descriptor or for the stop signal, reads, and waits for permission
/// to continue.
private final class ReaderThread: Sendable {
  enum Chunk: Sendable {
    case bytes([UInt8])
    case end(LoopError?)
  }

  private struct State: Sendable {
    var chunk: Chunk?
    /// Address of the `uv_async_t` to send to; nil before the start and after the stop.
    var wakeUp: UInt?
  }

  private let descriptor: Int32
  private let stopReader: Int32
  private let stopWriter: Int32
  private let state = Mutex(State())
  /// The number of chunks that it may still read.
  private let permits = Guarded(0)

  init(_ descriptor: Int32) throws(LoopError) {
    var ends: (uv_file, uv_file) = (-1, -1)
    let status = withUnsafeMutablePointer(to: &ends) { ends in
      ends.withMemoryRebound(to: uv_file.self, capacity: 2) { uv_pipe($0, 0, 0) }
    }
    if status != 0 { throw LoopError(status: status, while: "reading lines") }
    (stopReader, stopWriter) = ends
    self.descriptor = descriptor
  }

  deinit {
    closeDescriptor(stopReader)
    closeDescriptor(stopWriter)
  }

  func start(waking async: UnsafeMutablePointer<uv_async_t>) {
    state.withLock { $0.wakeUp = UInt(bitPattern: async) }
    var thread = KernelThread()
    let status = thread.start(Unmanaged.passRetained(self).toOpaque()) { argument in
      nameCurrentThread("hap-lines")
      Unmanaged<ReaderThread>.fromOpaque(argument!).takeRetainedValue().run()
    }
    precondition(status == 0, "no thread to read lines: \(LoopError.text(of: status))")
    thread.detach()
  }

  func stop() {
    state.withLock { $0.wakeUp = nil }
    // The thread may be waiting in `poll` or in `permits.wait`.
    _ = write(stopWriter, [0], 1)
    goOn()
  }

  func take() -> Chunk? {
    state.withLock { state in
      defer { state.chunk = nil }
      return state.chunk
    }
  }

  func goOn() { permits.change { $0 += 1 } }

  private func run() {
    while true {
      guard let chunk = read() else { return }
      let isWanted = state.withLock { state in
        guard let async = state.wakeUp else { return false }
        state.chunk = chunk
        uv_async_send(UnsafeMutablePointer(bitPattern: async))
        return true
      }
      guard isWanted, case .bytes = chunk else { return }
      _ = permits.wait { permits in
        guard permits > 0 else { return false }
        permits -= 1
        return true
      }
    }
  }

  /// Returns nil after the stop signal.
  private func read() -> Chunk? {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      var waiting = [
        pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&waiting, 2, -1)
      if ready < 0 {
        if systemErrorNumber == EINTR { continue }
        return .end(LoopError(status: LoopError.lastStatus, while: "reading lines"))
      }
      if waiting[0].revents != 0 { return nil }
      if waiting[1].revents & Int16(POLLNVAL) != 0 { return .end(nil) }  // a closed descriptor has no input
      let count = readBytes(descriptor, &buffer, buffer.count)
      if count > 0 { return .bytes(Array(buffer[..<count])) }
      if count == 0 { return .end(nil) }
      switch systemErrorNumber {
      case EINTR, EAGAIN: continue
      default: return .end(LoopError(status: LoopError.lastStatus, while: "reading lines"))
      }
    }
  }
}
