#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A failed read or write of a file: a one-line message that contains the file's name.
package struct FileError: Error, Equatable, CustomStringConvertible {
  package var message: String

  package init(message: String) { self.message = message }

  package var description: String { message }
}

/// Returns all bytes of a file.
/// - Throws: if the file can't be opened or read, or has more than `limit` bytes.
package func readFile(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
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

/// Returns the first line of a file without surrounding whitespace; `-` is standard input.
/// - Throws: if the file can't be read, or its first line has more than 4096 bytes.
package func firstLine(ofFile path: String) throws(FileError) -> String {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
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
    guard line.count <= chunk.count else {
      throw FileError(message: "\(name): the first line has more than \(chunk.count) bytes")
    }
    if count == 0 || chunk[..<count].contains(0x0A) { break }
  }
  let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0D].contains($0) }
  return String(decoding: line.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
}

/// Returns the names in a folder, without hidden ones, in the folder's order.
/// - Throws: `FileError` if the folder can't be read.
package func fileNames(inFolder path: String) throws(FileError) -> [String] {
  guard let folder = opendir(path) else {
    throw FileError(message: "\(path) can't be read: \(String(cString: strerror(errno)))")
  }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names
}

/// Returns whether the path is a folder.
package func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Creates the folder if it doesn't exist, accessible only to its owner.
package func makePrivateFolder(_ path: String) throws(FileError) {
  if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
  throw FileError(message: "\(path) can't be made: \(String(cString: strerror(errno)))")
}

/// Whether a file or folder exists at the path.
package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Writes a whole file. A special file such as `/dev/stdout` is written to directly.
/// - Parameter overwriting: whether an existing file may be replaced.
package func writeFile(_ path: String, _ bytes: [UInt8], overwriting: Bool) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
  var status = stat()
  let isThere = stat(path, &status) == 0
  if isThere, status.st_mode & S_IFMT != S_IFREG {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FileError(message: "\(path) can't be written: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    guard writeAll(bytes, to: descriptor) else {
      throw FileError(message: "\(path) can't be written: \(String(cString: strerror(errno)))")
    }
    return
  }
  if isThere, !overwriting { throw existingFile(path) }
  if isThere { try replaceFile(path, bytes) } else { try writeNewFile(path, bytes) }
}

/// Creates a file with mode 0600. Never overwrites an existing file.
package func writePrivateFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  try writeNewFile(path, bytes, mode: 0o600)
}

/// Creates a file with the permissions that the umask allows. Never overwrites an existing file.
package func writeNewFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  try writeNewFile(path, bytes, mode: 0o666)
}

/// Replaces a file's content atomically: after a crash, the file holds either the old or the new bytes. Keeps the
/// file's mode, and follows a symbolic link. Creates the file if it doesn't exist.
package func replaceFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
  guard let resolved = realpath(path, nil) else { return try writeNewFile(path, bytes) }
  defer { free(resolved) }
  var status = stat()
  guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    throw FileError(message: "\(path) can't be overwritten: it is not a regular file")
  }
  let target = String(cString: resolved)
  var name = Array("\(target).XXXXXX".utf8CString)
  let descriptor = mkstemp(&name)
  guard descriptor >= 0 else {
    throw FileError(message: "\(path) can't be written: \(String(cString: strerror(errno)))")
  }
  defer { close(descriptor) }
  var isWritten = fchmod(descriptor, status.st_mode & 0o7777) == 0
  isWritten = isWritten && writeAll(bytes, to: descriptor) && fsync(descriptor) == 0 && rename(name, target) == 0
  guard isWritten else {
    let reason = String(cString: strerror(errno))
    unlink(name)
    throw FileError(message: "\(path) can't be written: \(reason)")
  }
}

private func writeNewFile(_ path: String, _ bytes: [UInt8], mode: mode_t) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  guard descriptor >= 0 else {
    throw FileError(message: "\(path) can't be created: \(String(cString: strerror(errno)))")
  }
  defer { close(descriptor) }
  guard writeAll(bytes, to: descriptor) else {
    let reason = String(cString: strerror(errno))
    unlink(path)
    throw FileError(message: "\(path) can't be written: \(reason)")
  }
}

/// Writes all bytes and returns whether that succeeded; if not, `errno` holds the reason.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
