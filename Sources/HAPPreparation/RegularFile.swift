#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is read as a whole: no pipe, no device, and not longer than was agreed.
///
/// Blocks, so it belongs off the loop.
package enum RegularFile {
  package enum Failure: Error, Equatable {
    /// With the system's reason.
    case unreadable(String)
    /// A folder, a pipe, a device.
    case noFile
    case tooLong
  }

  /// - Parameter limit: the most bytes that it may have.
  package static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    // A zero would end the name before its end.
    guard !path.utf8.contains(0) else { throw .unreadable("it is no file name") }
    func unreadable() -> Failure { .unreadable(String(cString: strerror(errno))) }
    // A pipe that nobody writes to would hold us up for ever.
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
