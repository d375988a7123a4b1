#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file could not be read: one line for people, with its name.
struct FileError: Error, Equatable, CustomStringConvertible {
  var message: String
  var description: String { message }
}

/// The most that a profile may have: 16 MiB.
let profileSizeLimit = 16 << 20

/// All bytes of a file.
/// - Throws: when it can't be opened or read, and when it has more than `limit` bytes.
func readFile(_ path: String, limit: Int = profileSizeLimit) throws(FileError) -> [UInt8] {
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
func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }
