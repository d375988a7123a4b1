import HAPLoop

/// The sockets in the file system of a simulated host, which keeps nothing else there. It has no users, so each folder
/// exists and is private.
struct SimulatedSocketFiles: LocalSocketFiles, @unchecked Sendable {  // confined to the world's thread
  private let host: SimulatedHost
  let processID: Int32
  let userID: UInt32

  init(_ process: SimulatedProcess) {
    host = process.host
    (processID, userID) = (process.pid, process.uid)
  }

  func prepareFolder(_ path: String) {}

  func names(in folder: String) -> [String] {
    let prefix = folder + "/"
    return host.localPaths.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .filter { !$0.contains("/") }.sorted()
  }

  func isAlive(_ path: String) -> Bool { host.localPlace(path) == .listening }
  func remove(_ path: String) { host.removeLocalPath(path) }
  func hasProcess(_ number: Int32) -> Bool { host.processes.contains { $0.pid == number } }
}
