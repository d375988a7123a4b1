import HAPCommandLine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new file that grows: what was appended is there even if the process dies. One that is there already is not written over.
final class AppendedFile {
  private let path: String
  private let descriptor: Int32
  private var length: off_t = 0

  /// - Parameter head: what it begins with; where that can't be written there is no file.
  init(_ path: String, head: String) throws(FileError) {
    guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let isThere = errno == EEXIST
      throw FileError(
        message: isThere ? "\(path) is there already" : "\(path) can't be written: \(String(cString: strerror(errno)))")
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
        // Half of what was to be appended is nothing.
        _ = ftruncate(descriptor, length)
        throw error
      }
      bytes = bytes.dropFirst(count)
    }
    length += off_t(text.utf8.count)
  }

  /// Takes a file away that nothing came of.
  func discard() { unlink(path) }
}
