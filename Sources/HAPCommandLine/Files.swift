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

/// The path of the running program; nil if the system does not report it.
package func executablePath() -> String? {
  #if os(Linux)
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = path.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
    return count > 0 ? String(decoding: path[..<count], as: UTF8.self) : nil
  #else
    var size: UInt32 = 0
    _NSGetExecutablePath(nil, &size)
    var path = [CChar](repeating: 0, count: Int(size))
    guard _NSGetExecutablePath(&path, &size) == 0, let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  #endif
}

/// The names in a folder, hidden ones excepted, in the folder's order.
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

/// Whether anything is there.
package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Writes a file whole; what is no ordinary file, such as `/dev/stdout`, is written to as it is.
/// - Parameter overwriting: whether one that is there may be replaced.
package func writeFile(_ path: String, _ bytes: [UInt8], overwriting: Bool) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
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

/// Makes a file for its owner alone (0600). One that is there is never written over.
package func writePrivateFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  try writeNewFile(path, bytes, mode: 0o600)
}

/// Makes a file, for all whom the umask lets. One that is there is never written over.
package func writeNewFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  try writeNewFile(path, bytes, mode: 0o666)
}

/// Puts bytes in the place of a file's, all at once: after a crash there are the old ones or the new ones. Its mode stays, and a link to it
/// stays a link. One that isn't there is made.
package func replaceFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
  guard let resolved = realpath(path, nil) else { return try writeNewFile(path, bytes) }
  defer { free(resolved) }
  var status = stat()
  guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    throw FileError(message: "\(path) can't be written over: it is no ordinary file")
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
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is no file name") }
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw FileError(message: "\(path) can't be made: \(String(cString: strerror(errno)))") }
  defer { close(descriptor) }
  guard writeAll(bytes, to: descriptor) else {
    let reason = String(cString: strerror(errno))
    unlink(path)
    throw FileError(message: "\(path) can't be written: \(reason)")
  }
}

/// Whether all of them could be written; else `errno` says why not.
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
