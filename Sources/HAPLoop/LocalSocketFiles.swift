/// The Unix domain sockets in the file system of a loop's machine. From any thread.
package protocol LocalSocketFiles: Sendable {
  /// The number of the loop's process.
  var processID: Int32 { get }
  /// The user of the loop's process.
  var userID: UInt32 { get }
  /// Creates a folder that only its owner can access, or makes an existing one private.
  /// - Throws: if the folder can't be created, or belongs to another user.
  func prepareFolder(_ path: String) throws(LoopError)
  /// Returns the names in a folder, in any order. A folder that can't be read has none.
  func names(in folder: String) -> [String]
  /// Returns whether a process listens at `path`. Does not wait.
  func isAlive(_ path: String) -> Bool
  /// Removes a name.
  func remove(_ path: String)
  /// Returns whether a process exists.
  func hasProcess(_ number: Int32) -> Bool
}

extension EventLoop {
  /// The Unix domain sockets in the machine's file system. From any thread.
  package var localSocketFiles: any LocalSocketFiles { driver.localSocketFiles }
}
