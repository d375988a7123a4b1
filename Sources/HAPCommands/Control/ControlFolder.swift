import HAPHost
import HAPLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder of control sockets, inside the state folder. Only its owner can access it. Each process has a socket such
/// as "1234-5f3a.sock".
package struct ControlFolder: Sendable {
  package struct Socket: Equatable, Sendable {
    package var path: String
    /// The number of the process that created the socket.
    package var pid: Int32
  }

  package let path: String

  package init(stateFolder: String) { path = stateFolder + "/control" }

  /// Creates the folder, and removes sockets of dead processes.
  /// - Throws: if the folder can't be created, or other users can access it.
  package func prepare() throws(LoopError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("can't be created") }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure("can't be examined") }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
      throw LoopError(.permissionDenied, "\(path) is not a folder that you own")
    }
    if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw failure("can't be made private") }
    for name in names() where name.hasSuffix(".sock.new") {
      if let pid = Self.pid(name), kill(pid, 0) != 0, errno == ESRCH { unlink("\(path)/\(name)") }
    }
    for socket in sockets() where !LocalSocket.isAlive(socket.path) { remove(socket) }
  }

  /// Returns an unused path for this process. A process with the same number may exist in another container.
  /// - Parameter time: a reading of the loop's clock.
  package func newPath(at time: UInt64) -> String {
    "\(path)/\(getpid())-\(String(time & 0xFFFF_FFFF, radix: 16)).sock"
  }

  /// Returns all sockets, including those of dead processes, in the order of the process numbers.
  package func sockets() -> [Socket] {
    names().filter { $0.hasSuffix(".sock") }
      .compactMap { name in Self.pid(name).map { Socket(path: "\(path)/\(name)", pid: $0) } }
      .sorted { ($0.pid, $0.path) < ($1.pid, $1.path) }
  }

  /// Removes the socket of a dead process.
  package func remove(_ socket: Socket) { unlink(socket.path) }

  private static func pid(_ name: String) -> Int32? {
    name.firstIndex(of: "-").flatMap { Int32(name[..<$0]) }.flatMap { $0 > 0 ? $0 : nil }
  }

  private func names() -> [String] {
    guard let folder = opendir(path) else { return [] }
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

  private func failure(_ what: String) -> LoopError {
    LoopError(errno == EACCES ? .permissionDenied : .other(0), "\(path) \(what): \(String(cString: strerror(errno)))")
  }
}
