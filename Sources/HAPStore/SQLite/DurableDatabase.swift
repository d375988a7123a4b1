import Synchronization

/// A file in which each change is durable when the call returns (WAL, `synchronous=FULL`). Calls therefore belong on a work pool.
final class DurableDatabase: Sendable {
  let path: String
  private let connection: Mutex<Connection>

  private struct Connection {
    let database: Database
    /// The number of changes in the current batch; nil: each change is committed separately.
    var gathered: Int?
    /// Whether the log can contain a transaction that failed: its fsync failed after it was written.
    var isInDoubt = false

    mutating func transaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
      // A transaction that changes nothing would not write over the one that failed.
      try settle()
      do throws(SQLiteError) { return try database.transaction(body) } catch {
        failed(error)
        throw error
      }
    }

    /// Ends a batch.
    mutating func commitGathered() throws(SQLiteError) {
      do throws(SQLiteError) { try database.execute("COMMIT") } catch {
        database.rollBack()
        failed(error)
        throw error
      }
    }

    /// A transaction has failed. If it is in the log nevertheless, the next opening would find it.
    mutating func failed(_ error: SQLiteError) {
      guard error.isOfDisk else { return }
      isInDoubt = true
      try? settle()
    }

    /// Writes a transaction that changes nothing over one that failed.
    mutating func settle() throws(SQLiteError) {
      guard isInDoubt else { return }
      try database.transaction { () throws(SQLiteError) in
        let version = try database.number("PRAGMA user_version")
        try database.execute("PRAGMA user_version = \(version)")
      }
      isInDoubt = false
    }
  }

  /// The limit for changes in one batch. Other processes have to wait for a batch.
  private static let mostGathered = 2000

  /// - Parameters:
  ///   - path: `nil` in memory.
  ///   - keepsStatements: whether compiled statements are kept, which makes small transactions faster.
  init(
    _ schema: Schema, path: String?, files: any StoreFiles, keepsStatements: Bool = false
  ) throws(StoreError) {
    let name = path ?? StateFolder.memory
    let database = try schema.open(path, files: files)
    do throws(SQLiteError) {
      try database.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA fullfsync = ON")
      try database.syncLog()
    } catch { throw StoreError(error, path: name) }
    self.path = name
    database.keepsStatements = keepsStatements
    connection = Mutex(Connection(database: database))
  }

  // Kept statements keep the connection open.
  deinit { connection.withLock { $0.database.keepsStatements = false } }

  /// Runs `body` with exclusive use of the connection.
  func read<R: Sendable>(_ body: (Database) throws(SQLiteError) -> R) throws(StoreError) -> R {
    do throws(SQLiteError) {
      return try connection.withLock { connection throws(SQLiteError) in try body(connection.database) }
    } catch { throw StoreError(error, path: path) }
  }

  /// Runs `body` as one transaction. On return, all its changes are on the disk; after an error, none is. While changes are gathered, they
  /// get to the disk together with the batch.
  func change<R: Sendable>(_ body: (Database) throws(SQLiteError) -> R) throws(StoreError) -> R {
    do throws(SQLiteError) {
      return try connection.withLock { connection throws(SQLiteError) in
        let database = connection.database
        guard let gathered = connection.gathered else {
          return try connection.transaction { () throws(SQLiteError) in try body(database) }
        }
        if gathered >= Self.mostGathered {
          try connection.commitGathered()
          try database.execute("BEGIN IMMEDIATE")
          connection.gathered = 0
        }
        connection.gathered? += 1
        return try database.part { () throws(SQLiteError) in try body(database) }
      }
    } catch { throw StoreError(error, path: path) }
  }

  /// Gathers all following changes, from any thread, until `endGathering` commits them together. Otherwise ten thousand accessories would
  /// wait for the disk some fifty thousand times. Use it only while no change has to be durable before a response or an announcement.
  func beginGathering() throws(StoreError) {
    do throws(SQLiteError) {
      try connection.withLock { connection throws(SQLiteError) in
        precondition(connection.gathered == nil, "changes are gathered once at a time")
        try connection.database.execute("BEGIN IMMEDIATE")
        connection.gathered = 0
        connection.database.keepsStatements = true
      }
    } catch { throw StoreError(error, path: path) }
  }

  /// - Throws: if the last batch could not be committed.
  func endGathering() throws(StoreError) {
    do throws(SQLiteError) {
      try connection.withLock { connection throws(SQLiteError) in
        precondition(connection.gathered != nil, "nothing is being gathered")
        connection.gathered = nil
        connection.database.keepsStatements = false
        try connection.commitGathered()
      }
    } catch { throw StoreError(error, path: path) }
  }

  /// Limits the size, so that tests can fill the disk.
  func limit(pages: Int) throws(StoreError) {
    try read { database throws(SQLiteError) in try database.execute("PRAGMA max_page_count = \(pages)") }
  }
}
