#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file could not be read or written: one line for people, with its name.
package struct FileError: Error, Equatable, CustomStringConvertible {
  package var message: String

  package init(message: String) { self.message = message }

  package var description: String { message }
}

/// All bytes of a file.
/// - Throws: when it can't be opened or read, and when it has more than `limit` bytes.
package func readFile(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(message: "\(path) can't be read: \(String(cString: strerror(errno)))") }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw FileError(message: "\(path) can't be read: \(String(cString: strerror(errno)))") }
    if count == 0 { return bytes }
    bytes += chunk[..<count]
    guard bytes.count <= limit else { throw FileError(message: "\(path) has more than \(limit >> 20) MiB") }
  }
}

/// Whether anything is there.
package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Makes a file for its owner alone (0600). One that is there is never written over.
package func writePrivateFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw FileError(message: "\(path) can't be made: \(String(cString: strerror(errno)))") }
  defer { close(descriptor) }
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else {
      let reason = String(cString: strerror(errno))
      unlink(path)
      throw FileError(message: "\(path) can't be written: \(reason)")
    }
    rest = rest.dropFirst(count)
  }
}
