import HAPLoop
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The wish that the process end, from a signal or a command; `main` waits for it.
package final class StopRequest: Sendable {
  private let isRequested = Mutex(false)
  private let wakeUp: (read: Int32, write: Int32)

  package init() {
    var descriptors: [Int32] = [-1, -1]
    precondition(pipe(&descriptors) == 0, "no pipe to wait at")
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    wakeUp = (descriptors[0], descriptors[1])
  }

  deinit {
    close(wakeUp.read)
    close(wakeUp.write)
  }

  /// From any thread, any number of times.
  package func request() {
    let isFirst = isRequested.withLock { isRequested in
      defer { isRequested = true }
      return !isRequested
    }
    if isFirst { _ = write(wakeUp.write, "x", 1) }
  }

  /// Blocks until it is requested.
  package func wait() {
    var byte: UInt8 = 0
    while read(wakeUp.read, &byte, 1) < 0, errno == EINTR {}
  }

  /// SIGINT and SIGTERM are such wishes. On the loop.
  package func watchSignals(_ loop: EventLoop) throws(LoopError) {
    for number in [SIGINT, SIGTERM] { _ = try SignalWatcher(loop, signal: number) { [self] in request() } }
  }
}
