import HAPCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new file to which text is appended. Appended text remains in the file if the process is killed. An existing file
/// is never overwritten.
final class AppendedFile {
  private let path: String
  private let descriptor: Int32
  private var length: off_t = 0

  /// - Parameter head: the first text. If it can't be written, the file is removed.
  init(_ path: String, head: String) throws(FileError) {
    guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let isThere = errno == EEXIST
      throw FileError(
        message: isThere ? "\(path) already exists" : "\(path) can't be written: \(String(cString: strerror(errno)))")
    }
    do throws(FileError) { try append(head) } catch {
      discard()
      throw error
    }
  }

  deinit { close(descriptor) }

  func append(_ text: String) throws(FileError) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = FileError(message: "\(path) can't be written: \(String(cString: strerror(errno)))")
        // Remove a partially appended text.
        _ = ftruncate(descriptor, length)
        throw error
      }
      bytes = bytes.dropFirst(count)
    }
    length += off_t(text.utf8.count)
  }

  /// Removes a file without a result.
  func discard() { unlink(path) }
}
