/// The files of a store, besides what SQLite does with them: the system's, or those of a simulated disk.
package protocol StoreFiles: Sendable {
  /// The name of SQLite's VFS for these files; `nil`: the system's.
  var vfs: String? { get }
  /// Identifies this process to others.
  var processID: Int32 { get }
  /// Makes `path` and the folders above it that are missing, with access for their owner alone. The mode of existing folders is not changed.
  func makeFolder(_ path: String) throws(StoreError)
  /// Creates `path` empty with mode 0600, or narrows the mode of the existing file.
  ///
  /// - Returns: its size in bytes.
  func makePrivate(_ path: String) throws(StoreError) -> Int
  /// Replaces a file at `target`.
  func rename(_ path: String, to target: String) throws(StoreError)
  /// Does nothing if there is no such file.
  func remove(_ path: String) throws(StoreError)
  /// Waits up to ten seconds for the only lock on `path`, and holds it while `body` runs. The death of the process releases it.
  func exclusively<R>(_ path: String, _ body: () throws(StoreError) -> R) throws(StoreError) -> R
  /// Opens a file of records that can be locked one by one, and creates it if need be.
  func recordLocks(_ path: String) throws(StoreError) -> any RecordLocks
}

/// Locks on the records of one file. They belong to this object: another one on the same file excludes it, in the same process too. The death of the
/// process releases them.
package protocol RecordLocks: AnyObject, Sendable {
  /// - Returns: `nil`: this object has the lock now; otherwise the owner.
  func take(_ record: Int64) throws(StoreError) -> RecordOwner?
  func release(_ record: Int64)
  /// - Returns: `nil`: no other object has the lock.
  func owner(of record: Int64) -> RecordOwner?
}

/// The process that has a lock, if it is known.
package struct RecordOwner: Equatable, Sendable {
  package var processID: Int32?
  package init(processID: Int32?) { self.processID = processID }
}
