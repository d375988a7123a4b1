/// The file operations of a store that SQLite does not perform: on the system's files, or on a simulated disk.
package protocol StoreFiles: Sendable {
  /// The name of SQLite's VFS for these files; `nil`: the system's.
  var vfs: String? { get }
  /// Identifies this process to others.
  var processID: Int32 { get }
  /// Creates `path` and its missing parent folders, accessible only to their owner. The mode of existing folders is not changed.
  func makeFolder(_ path: String) throws(StoreError)
  /// Creates an empty file at `path` with mode 0600, or restricts the mode of an existing file.
  ///
  /// - Returns: its size in bytes.
  func makePrivate(_ path: String) throws(StoreError) -> Int
  /// Creates an empty file at `path` with mode 0600.
  ///
  /// - Throws: `exists` if there is anything at `path`.
  func createPrivate(_ path: String) throws(StoreError)
  /// - Returns: the size of the file in bytes; `nil`: there is no such file.
  func size(of path: String) throws(StoreError) -> Int?
  /// Whether users other than the owner can create and replace files in a folder.
  func othersMayWrite(_ folder: String) throws(StoreError) -> Bool
  /// Replaces a file at `target`.
  func rename(_ path: String, to target: String) throws(StoreError)
  /// Does nothing if there is no such file.
  func remove(_ path: String) throws(StoreError)
  /// Makes the names of the files in the folder of `path` durable, if its file system can.
  func synchronizeFolder(of path: String) throws(StoreError)
  /// Waits up to ten seconds for the exclusive lock on `path`, and holds it while `body` runs. The lock ends with the process.
  func exclusively<R>(_ path: String, _ body: () throws(StoreError) -> R) throws(StoreError) -> R
  /// Opens a file whose records can be locked separately, and creates it if necessary.
  func recordLocks(_ path: String) throws(StoreError) -> any RecordLocks
}

/// Locks on the records of one file. They belong to this object and exclude other objects for the same file, in the same process, too. The
/// locks end with the process.
package protocol RecordLocks: AnyObject, Sendable {
  /// - Returns: `nil` if this object now has the lock; otherwise the owner.
  func take(_ record: Int64) throws(StoreError) -> RecordOwner?
  func release(_ record: Int64)
  /// - Returns: `nil` if no other object has the lock.
  func owner(of record: Int64) -> RecordOwner?
}

/// The process that has a lock, if it is known.
package struct RecordOwner: Equatable, Sendable {
  package var processID: Int32?
  package init(processID: Int32?) { self.processID = processID }
}
