import HAPLoop

/// The folder of control sockets, inside the state folder. Only its owner can access it. Each process has a socket such
/// as "1234-5f3a.sock".
package struct ControlFolder: Sendable {
  package struct Socket: Equatable, Sendable {
    package var path: String
    /// The number of the process that created the socket.
    package var pid: Int32
  }

  package let path: String
  private let files: any LocalSocketFiles

  /// - Parameter files: the file system with the folder.
  package init(stateFolder: String, _ files: any LocalSocketFiles) {
    path = stateFolder + "/control"
    self.files = files
  }

  /// Creates the folder, and removes sockets of dead processes.
  /// - Throws: if the folder can't be created, or other users can access it.
  package func prepare() throws(LoopError) {
    try files.prepareFolder(path)
    for name in files.names(in: path) where name.hasSuffix(".sock.new") {
      if let pid = Self.pid(name), !files.hasProcess(pid) { files.remove("\(path)/\(name)") }
    }
    for socket in sockets() where !files.isAlive(socket.path) { remove(socket) }
  }

  /// Returns an unused path for this process. A process with the same number may exist in another container.
  /// - Parameter time: a reading of the loop's clock.
  package func newPath(at time: UInt64) -> String {
    "\(path)/\(files.processID)-\(String(time & 0xFFFF_FFFF, radix: 16)).sock"
  }

  /// Returns all sockets, including those of dead processes, in the order of the process numbers.
  package func sockets() -> [Socket] {
    files.names(in: path).filter { $0.hasSuffix(".sock") }
      .compactMap { name in Self.pid(name).map { Socket(path: "\(path)/\(name)", pid: $0) } }
      .sorted { ($0.pid, $0.path) < ($1.pid, $1.path) }
  }

  /// Removes the socket of a dead process.
  package func remove(_ socket: Socket) { files.remove(socket.path) }

  private static func pid(_ name: String) -> Int32? {
    name.firstIndex(of: "-").flatMap { Int32(name[..<$0]) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
