import Synchronization

/// A file of which each change is on the disk when the call returns (WAL, `synchronous=FULL`), so calls belong on a work pool.
final class DurableDatabase: Sendable {
  let path: String
  private let connection: Mutex<Connection>

  private struct Connection {
    let database: Database
    /// Changes that are to be made durable together, so far; nil: each is by itself.
    var gathered: Int?
  }

  /// So many changes are made durable together at most: other processes wait meanwhile.
  private static let mostGathered = 2000

  /// - Parameter path: `nil` in memory.
  init(_ schema: Schema, path: String?, files: any StoreFiles) throws(StoreError) {
    let name = path ?? StateFolder.memory
    let database = try schema.open(path, files: files)
    do throws(SQLiteError) {
      try database.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA fullfsync = ON")
    } catch { throw StoreError(error, path: name) }
    self.path = name
    connection = Mutex(Connection(database: database))
  }

  /// Runs `body` with the connection to itself.
  func read<R: Sendable>(_ body: (Database) throws(SQLiteError) -> R) throws(StoreError) -> R {
    do throws(SQLiteError) {
      return try connection.withLock { connection throws(SQLiteError) in try body(connection.database) }
    } catch { throw StoreError(error, path: path) }
  }

  /// Runs `body` as one transaction: all of it is on the disk on return, or nothing of it after an error. Where changes are being gathered it is on
  /// the disk when these are.
  func change<R: Sendable>(_ body: (Database) throws(SQLiteError) -> R) throws(StoreError) -> R {
    do throws(SQLiteError) {
      return try connection.withLock { connection throws(SQLiteError) in
        let database = connection.database
        guard let gathered = connection.gathered else {
          return try database.transaction { () throws(SQLiteError) in try body(database) }
        }
        if gathered >= Self.mostGathered {
          try database.execute("COMMIT; BEGIN IMMEDIATE")
          connection.gathered = 0
        }
        connection.gathered? += 1
        return try database.part { () throws(SQLiteError) in try body(database) }
      }
    } catch { throw StoreError(error, path: path) }
  }

  /// Has the changes that come from now on, from whichever thread, made durable together by `endGathering`: ten thousand accessories would otherwise
  /// wait for the disk some fifty thousand times. Only while nobody is told of anything that has to be kept.
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

  /// - Throws: when the last of them could not be kept.
  func endGathering() throws(StoreError) {
    do throws(SQLiteError) {
      try connection.withLock { connection throws(SQLiteError) in
        precondition(connection.gathered != nil, "nothing is being gathered")
        connection.gathered = nil
        connection.database.keepsStatements = false
        do throws(SQLiteError) { try connection.database.execute("COMMIT") } catch {
          connection.database.rollBack()
          throw error
        }
      }
    } catch { throw StoreError(error, path: path) }
  }

  /// Lets tests fill the disk.
  func limit(pages: Int) throws(StoreError) {
    try read { database throws(SQLiteError) in try database.execute("PRAGMA max_page_count = \(pages)") }
  }
}
