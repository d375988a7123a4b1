import Synchronization

/// The data of a hub: its homes, the states of triggers, the presence of people, keys, and the attribute databases of accessories.
///
/// It is `home.db` in a folder that only its owner can access (folder 0700, file 0600). One `HomeStore` can be open for a folder at a time,
/// in all processes. A change is on the disk when its call returns, and has not happened if the call throws. All calls block.
package final class HomeStore: Sendable {
  let folder: String
  let files: any StoreFiles
  private let locks: AccessoryLocks
  private let database: Mutex<DurableDatabase?>

  /// The one record of `running.lock`.
  static let record: Int64 = 0
  /// The name in the message of `alreadyRunning`.
  static let name = "hub"

  /// Opens the store, and creates it if necessary. A restore that was interrupted is completed.
  ///
  /// - Parameter files: the disk with the folder.
  /// - Throws: `alreadyRunning`, `exposed`, `unwritable`, `corrupt`, `foreign`, `newerSchema` (then `home.db` was not changed), `busy`,
  ///   `full`.
  package init(folder: String, files: any StoreFiles = SystemFiles()) throws(StoreError) {
    self.folder = folder
    self.files = files
    let (locks, database) = try Self.exclusively(folder, files) { () throws(StoreError) in
      let locks = try Self.lock(folder, files)
      do throws(StoreError) {
        try Self.completeRestore(Self.path(in: folder), files)
        let path = Self.path(in: folder)
        return (locks, try DurableDatabase(.home, path: path, files: files, keepsStatements: true))
      } catch {
        locks.release(Self.record)
        throw error
      }
    }
    self.locks = locks
    self.database = Mutex(database)
  }

  deinit { close() }

  /// Allows another store to open the folder. The store must not be used afterwards.
  package func close() {
    database.withLock { database in
      guard database != nil else { return }
      database = nil  // first: a restore by another process moves the file
      locks.release(Self.record)
    }
  }

  /// Returns all rows.
  package func load() throws(StoreError) -> HomeRows {
    try use { database throws(StoreError) in
      try database.read { database throws(SQLiteError) in try HomeRowReader.rows(of: database) }
    }
  }

  /// Makes all changes, in order, in one transaction. On return, all of them are on the disk; after an error, none is.
  /// Without changes, it makes sure of the latter after an error of the disk.
  package func commit(_ changes: [HomeRowChange]) throws(StoreError) {
    try use { database throws(StoreError) in
      try database.change { database throws(SQLiteError) in
        for change in changes { try change.apply(to: database) }
      }
    }
  }

  /// Limits the size, so that tests can fill the disk.
  func limit(pages: Int) throws(StoreError) {
    try use { database throws(StoreError) in try database.limit(pages: pages) }
  }

  private func use<R: Sendable>(_ body: (DurableDatabase) throws(StoreError) -> R) throws(StoreError) -> R {
    try database.withLock { database throws(StoreError) in
      guard let database else { preconditionFailure("the store is closed") }
      return try body(database)
    }
  }

  // MARK: The folder

  /// The file of the homes.
  package static func path(in folder: String) -> String { folder + "/home.db" }

  /// Runs `body` while no other process opens, copies or restores the store. Creates the folder if necessary.
  static func exclusively<R>(
    _ folder: String, _ files: any StoreFiles, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try files.makeFolder(folder)
    guard try !files.othersMayWrite(folder) else { throw StoreError(.exposed, path: folder, detail: "") }
    return try files.exclusively(folder + "/open.lock", body)
  }

  /// Reserves the folder for this process.
  static func lock(_ folder: String, _ files: any StoreFiles) throws(StoreError) -> AccessoryLocks {
    let locks = try AccessoryLocks(path: folder + "/running.lock", files: files)
    switch try locks.acquire(record) {
    case .acquired: return locks
    case .heldBy(let pid): throw StoreError(.alreadyRunning(name: name, pid: pid), path: folder, detail: "")
    }
  }
}
