import Synchronization

/// A file of which each change is on the disk when the call returns (WAL, `synchronous=FULL`), so calls belong on a work pool.
final class DurableDatabase: Sendable {
  let path: String
  private let database: Mutex<Database>

  /// - Parameter path: `nil` in memory.
  init(_ schema: Schema, path: String?) throws(StoreError) {
    let name = path ?? StateFolder.memory
    let database = try schema.open(path)
    do throws(SQLiteError) {
      try database.execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA fullfsync = ON")
    } catch { throw StoreError(error, path: name) }
    self.path = name
    self.database = Mutex(database)
  }

  /// Runs `body` with the connection to itself.
  func read<R: Sendable>(_ body: (Database) throws(SQLiteError) -> R) throws(StoreError) -> R {
    do throws(SQLiteError) {
      return try database.withLock { database throws(SQLiteError) in try body(database) }
    } catch { throw StoreError(error, path: path) }
  }

  /// Runs `body` as one transaction: all of it is on the disk on return, or nothing of it after an error.
  func change<R: Sendable>(_ body: (Database) throws(SQLiteError) -> R) throws(StoreError) -> R {
    try read { database throws(SQLiteError) in
      try database.transaction { () throws(SQLiteError) in try body(database) }
    }
  }

  /// Lets tests fill the disk.
  func limit(pages: Int) throws(StoreError) {
    try read { database throws(SQLiteError) in try database.execute("PRAGMA max_page_count = \(pages)") }
  }
}
