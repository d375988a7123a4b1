#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard input for a thread that waits for it. Other threads can wake that thread.
final class ShellInput: Sendable {
  enum Event: Equatable {
    case bytes([UInt8])
    case woken
    case end
  }

  private let descriptor: Int32
  private let wakeReader: Int32
  private let wakeWriter: Int32

  /// - Returns: nil if the process can't open more files.
  init?(descriptor: Int32 = STDIN_FILENO) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A full pipe already wakes the reader, so a writer never waits.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    self.descriptor = descriptor
    (wakeReader, wakeWriter) = (ends[0], ends[1])
  }

  deinit {
    close(wakeReader)
    close(wakeWriter)
  }

  /// Wakes the reader. Callable from any thread.
  func wake() { _ = write(wakeWriter, [0], 1) }

  /// Blocks until input or a wake-up arrives.
  /// - Parameter count: the maximum number of bytes.
  func next(_ count: Int) -> Event {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      var waiting = [
        pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&waiting, 2, -1) < 0 {
        if errno == EINTR { continue }
        return .end
      }
      if waiting[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(wakeReader, &bytes, bytes.count)
        return .woken
      }
      if waiting[1].revents & Int16(POLLNVAL) != 0 { return .end }
      guard waiting[1].revents != 0 else { continue }
      let taken = read(descriptor, &buffer, buffer.count)
      if taken > 0 { return .bytes(Array(buffer[..<taken])) }
      if taken == 0 || (errno != EINTR && errno != EAGAIN) { return .end }
    }
  }
}
