import HAPLoop
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A request to end the process, from a signal or a command; `main` waits for it.
package final class StopRequest: Sendable {
  private struct State {
    var isRequested = false
    var isSignalled = false
  }

  private let state = Mutex(State())
  private let wakeUp: (read: Int32, write: Int32)
  private let onRequest: @Sendable () -> Void

  /// - Parameter onRequest: called once, at the first request.
  package init(onRequest: @escaping @Sendable () -> Void = {}) {
    self.onRequest = onRequest
    var descriptors: [Int32] = [-1, -1]
    precondition(pipe(&descriptors) == 0, "the pipe of a stop request can't be created")
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    wakeUp = (descriptors[0], descriptors[1])
  }

  deinit {
    close(wakeUp.read)
    close(wakeUp.write)
  }

  /// Requests the end. Callable from any thread, any number of times.
  package func request() {
    let isFirst = state.withLock { state in
      defer { state.isRequested = true }
      return !state.isRequested
    }
    if isFirst {
      _ = write(wakeUp.write, "x", 1)
      onRequest()
    }
  }

  /// Requests the end in the same way as a signal. Callable from any thread.
  package func signal() {
    state.withLock { $0.isSignalled = true }
    request()
  }

  /// Whether the end was requested, for work that can stop early. Callable from any thread.
  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Whether a signal was among the requests.
  package var isSignalled: Bool { state.withLock { $0.isSignalled } }

  /// Blocks until the end is requested.
  package func wait() {
    var byte: UInt8 = 0
    while read(wakeUp.read, &byte, 1) < 0, errno == EINTR {}
  }

  /// Treats SIGINT and SIGTERM as requests. Call it on the loop.
  package func watchSignals(_ loop: EventLoop) throws(LoopError) {
    for number in [SIGINT, SIGTERM] {
      _ = try SignalWatcher(loop, signal: number) { [self] in signal() }
    }
  }

  /// Treats SIGINT and SIGTERM as requests, on a separate thread. That thread handles them also when all other threads
  /// are busy.
  /// - Returns: the thread's loop; stop it at the end.
  package func watchSignals() throws -> EventLoop {
    let loop = EventLoop(name: "signals")
    loop.start()
    do {
      try loop.performAndWait { [self] in try watchSignals(loop) }
    } catch {
      loop.stop()
      throw error
    }
    return loop
  }
}
