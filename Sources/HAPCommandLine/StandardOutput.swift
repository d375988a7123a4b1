import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A text stream that keeps its first error, so that lost output is reported.
///
/// A closed pipe (`| head`) is not an error: the reader needs no more text.
package final class StandardOutput: Sendable {
  private let descriptor: Int32
  private let onFailure: @Sendable (_ reason: String) -> Void
  private let hasFailed = Mutex(false)

  /// - Parameter onFailure: called once, when a write fails for the first time.
  package init(_ descriptor: Int32, onFailure: @escaping @Sendable (_ reason: String) -> Void) {
    self.descriptor = descriptor
    self.onFailure = onFailure
  }

  /// Whether text was lost for a reason other than a closed pipe. Callable from any thread.
  package var isIncomplete: Bool { hasFailed.withLock { $0 } }

  /// Writes the whole text. Callable from any thread.
  package func write(_ text: String) {
    let code = writeText(text, to: descriptor)
    guard code != 0, code != EPIPE else { return }
    let isFirst = hasFailed.withLock { hasFailed in
      defer { hasFailed = true }
      return !hasFailed
    }
    if isFirst { onFailure(String(cString: strerror(code))) }
  }
}

/// Writes a whole text, in as many parts as the system requires.
/// - Returns: 0, or the error code of the write that failed.
@discardableResult func writeText(_ text: String, to descriptor: Int32) -> Int32 {
  var text = text
  return text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)[...]
    while !rest.isEmpty {
      let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if count == 0 {
        return EIO
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
