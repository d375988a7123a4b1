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

/// The first line of a file, without its end and the blanks around it; `-` is standard input.
/// - Throws: when it can't be read, and when it has more than 4096 bytes.
package func firstLine(ofFile path: String) throws(FileError) -> String {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
  let isInput = path == "-"
  let name = isInput ? "standard input" : path
  let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(message: "\(name) can't be read: \(String(cString: strerror(errno)))") }
  defer { if !isInput { close(descriptor) } }
  var line: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw FileError(message: "\(name) can't be read: \(String(cString: strerror(errno)))") }
    line += chunk[..<count].prefix { $0 != 0x0A }
    guard line.count <= chunk.count else { throw FileError(message: "\(name): its first line is too long") }
    if count == 0 || chunk[..<count].contains(0x0A) { break }
  }
  let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0D].contains($0) }
  return String(decoding: line.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
}

/// Whether anything is there.
package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Writes a file whole or not at all: beside its place first, then in its place. What has no place to be renamed in, such as `/dev/stdout`,
/// is written to directly.
/// - Parameter overwriting: whether one that is there may be replaced.
package func writeFile(_ path: String, _ bytes: [UInt8], overwriting: Bool) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
  var status = stat()
  let isThere = stat(path, &status) == 0
  if isThere, status.st_mode & S_IFMT != S_IFREG {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .failed("\(path) can't be written") }
    return try writeAndClose(descriptor, path, bytes) { close($0) == 0 }
  }
  guard overwriting || !isThere else { throw FileError(message: "\(path) is there already; --force writes over it") }
  let temporary = "\(path).new-\(getpid())"
  let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw .failed("\(path) can't be made") }
  do throws(FileError) {
    try writeAndClose(descriptor, path, bytes) { descriptor in
      let isSynced = fsync(descriptor) == 0
      return close(descriptor) == 0 && isSynced
    }
    guard rename(temporary, path) == 0 else { throw FileError.failed("\(path) can't be written") }
  } catch {
    unlink(temporary)
    throw error
  }
}

/// Makes a file for its owner alone (0600). One that is there is never written over.
package func writePrivateFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw .failed("\(path) can't be made") }
  do throws(FileError) {
    try writeAndClose(descriptor, path, bytes) { close($0) == 0 }
  } catch {
    unlink(path)
    throw error
  }
}

/// - Parameter finish: closes the file; false when not all of it was kept.
private func writeAndClose(
  _ descriptor: Int32, _ path: String, _ bytes: [UInt8], finish: (Int32) -> Bool
) throws(FileError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else {
      let error = FileError.failed("\(path) can't be written")
      close(descriptor)
      throw error
    }
    rest = rest.dropFirst(count)
  }
  guard finish(descriptor) else { throw .failed("\(path) can't be written") }
}

extension FileError {
  /// With what the system says.
  fileprivate static func failed(_ what: String) -> FileError {
    FileError(message: "\(what): \(String(cString: strerror(errno)))")
  }
}
