import HAPLoop

/// The sockets in the file system of a simulated host, which keeps nothing else there. Each folder exists and is
/// private.
extension SimulatedLoopDriver: LocalSocketFiles {
  var localSocketFiles: any LocalSocketFiles { self }
  var processID: Int32 { process.pid }
  var userID: UInt32 { process.uid }

  func prepareFolder(_ path: String) {}

  func names(in folder: String) -> [String] {
    let prefix = folder + "/"
    return process.host.localPaths.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .filter { !$0.contains("/") }.sorted()
  }

  func isAlive(_ path: String) -> Bool { process.host.localPlace(path) == .listening }
  func remove(_ path: String) { process.host.removeLocalPath(path) }
  func hasProcess(_ number: Int32) -> Bool { process.host.processes.contains { $0.pid == number } }
}
