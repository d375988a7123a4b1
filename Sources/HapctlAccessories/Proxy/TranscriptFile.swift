import HAPCommandLine
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new transcript file with mode 0600. It reports the first failed write, once.
final class TranscriptFile: Sendable {
  private let path: String
  private let descriptor: Int32
  private let complain: @Sendable (String) -> Void
  private let hasFailed = Mutex(false)

  /// - Throws: if the file exists or can't be created.
  init(_ path: String, complain: @escaping @Sendable (String) -> Void) throws(FileError) {
    try writePrivateFile(path, [])
    descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FileError(message: "\(path) can't be written: \(String(cString: strerror(errno)))")
    }
    self.path = path
    self.complain = complain
  }

  deinit { close(descriptor) }

  func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty, !hasFailed.withLock({ $0 }) {
      let count = rest.withUnsafeBytes { append($0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        let reason = String(cString: strerror(errno))
        hasFailed.withLock { $0 = true }
        complain("\(path) can no longer be written: \(reason)")
      }
    }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
