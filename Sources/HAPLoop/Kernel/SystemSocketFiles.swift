#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The sockets in this machine's file system.
package struct SystemSocketFiles: LocalSocketFiles {
  package init() {}

  package var processID: Int32 { getpid() }
  package var userID: UInt32 { geteuid() }

  package func prepareFolder(_ path: String) throws(LoopError) {
    func failure(_ what: String) -> LoopError {
      LoopError(errno == EACCES ? .permissionDenied : .other(0), "\(path) \(what): \(String(cString: strerror(errno)))")
    }
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("can't be created") }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure("can't be examined") }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
      throw LoopError(.permissionDenied, "\(path) is not a folder that you own")
    }
    if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw failure("can't be made private") }
  }

  package func names(in folder: String) -> [String] {
    guard let folder = opendir(folder) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }

  package func isAlive(_ path: String) -> Bool { LocalSocket.isAlive(path) }
  package func remove(_ path: String) { unlink(path) }
  package func hasProcess(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno != ESRCH }
}
