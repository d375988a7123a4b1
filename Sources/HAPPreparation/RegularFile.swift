#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a regular file as a whole, up to a size limit. Pipes and devices are refused.
///
/// It blocks, so it must not run on the loop.
package enum RegularFile {
  package enum Failure: Error, Equatable {
    /// The reason of the system.
    case unreadable(String)
    /// A folder, a pipe or a device.
    case noFile
    case tooLong
  }

  /// - Parameter limit: the maximum size in bytes.
  package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    // The system would end the name at a zero byte.
    guard !path.utf8.contains(0) else { throw .unreadable("it is not a file name") }
    func unreadable() -> Failure { .unreadable(String(cString: strerror(errno))) }
    // Opening a pipe without a writer would block forever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw .tooLong }
    }
  }
}
