import HAPHost
import HAPLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where running processes can be spoken to: a folder in the state folder, its owner's alone, with a socket for each process, "1234-5f3a.sock".
package struct ControlFolder: Sendable {
  package struct Socket: Equatable, Sendable {
    package var path: String
    /// Of the process that made it.
    package var pid: Int32
  }

  package let path: String

  package init(stateFolder: String) { path = stateFolder + "/control" }

  /// Makes the folder, and takes away what dead processes left in it.
  /// - Throws: when it can't be made, or is not ours alone.
  package func prepare() throws(LoopError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("can't be made") }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure("can't be looked at") }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
      throw LoopError(.permissionDenied, "\(path) is no folder of yours")
    }
    if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw failure("can't be made private") }
    for name in names() where name.hasSuffix(".sock.new") {
      if let pid = Self.pid(name), kill(pid, 0) != 0, errno == ESRCH { unlink("\(path)/\(name)") }
    }
    for socket in sockets() where !LocalSocket.isAlive(socket.path) { remove(socket) }
  }

  /// A path for this process that nobody has: another one with its number may be there, in another container.
  /// - Parameter time: a reading of the loop's clock.
  package func newPath(at time: UInt64) -> String {
    "\(path)/\(getpid())-\(String(time & 0xFFFF_FFFF, radix: 16)).sock"
  }

  /// Those that are there, dead ones too, in the order of the processes' numbers.
  package func sockets() -> [Socket] {
    names().filter { $0.hasSuffix(".sock") }
      .compactMap { name in Self.pid(name).map { Socket(path: "\(path)/\(name)", pid: $0) } }
      .sorted { ($0.pid, $0.path) < ($1.pid, $1.path) }
  }

  /// Takes away what a dead process left.
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
