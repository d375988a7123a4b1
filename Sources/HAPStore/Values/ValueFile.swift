import CSQLite
import HAPModel
import Synchronization

/// `values.db`: survives the death of the process, but not a power cut (WAL, `synchronous=OFF`: no fsync ever).
/// Its values can be lost without harm, so a damaged file is renamed and reported.
final class ValueFile: Sendable {
  fileprivate struct Connection {
    let database: Database
    let begin, commit, set, load, remove, findOwner, addOwner: Statement
  }
  private let path: String
  private let connection: Mutex<Connection>

  init(path: String, files: any StoreFiles) throws(StoreError) {
    let database = try Schema.values.open(path, files: files)
    self.path = path
    do throws(SQLiteError) {
      try database.emptyLog()  // with fsync, as is SQLite's default
      try database.execute("PRAGMA synchronous = OFF")
      connection = Mutex(try Connection(database))
    } catch { throw StoreError(error, path: path) }
  }

  /// Opens the file. A damaged file is renamed, replaced by an empty one, and reported. The caller must make sure that no other process
  /// does the same at this time.
  static func open(path: String, files: any StoreFiles, report: (String) -> Void) throws(StoreError) -> ValueFile {
    do throws(StoreError) {
      return try ValueFile(path: path, files: files)
    } catch {
      guard error.code == .corrupt else { throw error }
      try files.rename(path, to: path + ".damaged")
      for suffix in ["-wal", "-shm"] { try files.remove(path + suffix) }
      report(
        "\(path) was damaged (\(error.detail)) and was renamed to values.db.damaged: "
          + "characteristics start with their profile's values")
      return try ValueFile(path: path, files: files)
    }
  }

  /// The row ID of the accessory with this key.
  func owner(of key: String) throws(StoreError) -> Int64 {
    try perform { connection throws(SQLiteError) in
      if let owner = try connection.owner(of: key) { return owner }
      connection.addOwner.bind(1, .text(key))
      try connection.addOwner.run()
      guard let owner = try connection.owner(of: key) else { preconditionFailure("an added owner exists") }
      return owner
    }
  }

  func load(_ owner: Int64) throws(StoreError) -> [AttributeID: Value] {
    try perform { connection throws(SQLiteError) in
      let load = connection.load
      defer { load.reset() }
      load.bind(1, .integer(owner))
      var values: [AttributeID: Value] = [:]
      while try load.step() {
        let id = AttributeID(aid: UInt64(bitPattern: load.integer(0)), iid: UInt64(bitPattern: load.integer(1)))
        values[id] = load.value(kind: 2, content: 3)
      }
      return values
    }
  }

  func commit(_ changes: [(id: AttributeID, value: Value)], of owner: Int64) throws(StoreError) {
    try transaction { connection throws(SQLiteError) in
      let set = connection.set
      set.bind(1, .integer(owner))
      for (id, value) in changes {
        set.bind(2, id)
        set.bind(4, value)
        try set.run()
      }
    }
  }

  func remove(_ ids: [AttributeID], of owner: Int64) throws(StoreError) {
    try transaction { connection throws(SQLiteError) in
      connection.remove.bind(1, .integer(owner))
      for id in ids {
        connection.remove.bind(2, id)
        try connection.remove.run()
      }
    }
  }

  /// Permanently removes the values of an accessory. After a factory reset, not even a power cut may restore an earlier owner's values.
  func removeAll(of owner: Int64) throws(StoreError) {
    try perform { connection throws(SQLiteError) in
      let database = connection.database
      try database.execute("PRAGMA synchronous = FULL")
      let result = Result { () throws(SQLiteError) in
        _ = try database.run("DELETE FROM characteristic_values WHERE owner = ?", .integer(owner))
        try database.emptyLog()
      }
      try database.execute("PRAGMA synchronous = OFF")
      try result.get()
    }
  }

  /// Limits the size, so that tests can fill the disk.
  func limit(pages: Int) throws(StoreError) {
    try perform { connection throws(SQLiteError) in
      try connection.database.execute("PRAGMA max_page_count = \(pages)")
    }
  }

  private func perform<R: Sendable>(_ body: (Connection) throws(SQLiteError) -> R) throws(StoreError) -> R {
    do throws(SQLiteError) {
      return try connection.withLock { connection throws(SQLiteError) in try body(connection) }
    } catch { throw StoreError(error, path: path) }
  }

  private func transaction(_ body: (Connection) throws(SQLiteError) -> Void) throws(StoreError) {
    try perform { connection throws(SQLiteError) in
      try connection.begin.run()
      do throws(SQLiteError) {
        try body(connection)
        try connection.commit.run()
      } catch {
        connection.database.rollBack()
        throw error
      }
    }
  }
}

extension Database {
  /// Moves the log into the file and truncates it. A power cut can remove a transaction from the log of a file that is never synced, and
  /// leave later ones. SQLite ignores these, but only until the removed transaction is written again with the same bytes.
  ///
  /// On a full disk, or while another process uses the file, the log stays. SQLite returns "locked" if the preceding statement created the
  /// log; then the log is empty.
  fileprivate func emptyLog() throws(SQLiteError) {
    do throws(SQLiteError) { try execute("PRAGMA wal_checkpoint(TRUNCATE)") } catch {
      guard [SQLITE_FULL, SQLITE_BUSY, SQLITE_LOCKED].contains(error.code) else { throw error }
    }
  }
}

extension ValueFile.Connection {
  fileprivate init(_ database: Database) throws(SQLiteError) {
    self.database = database
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    set = try database.prepare(
      "INSERT OR REPLACE INTO characteristic_values (owner, aid, iid, kind, value) VALUES (?, ?, ?, ?, ?)")
    load = try database.prepare("SELECT aid, iid, kind, value FROM characteristic_values WHERE owner = ?")
    remove = try database.prepare("DELETE FROM characteristic_values WHERE owner = ? AND aid = ? AND iid = ?")
    findOwner = try database.prepare("SELECT id FROM owners WHERE key = ?")
    addOwner = try database.prepare("INSERT INTO owners (key) VALUES (?) ON CONFLICT DO NOTHING")
  }

  fileprivate func owner(of key: String) throws(SQLiteError) -> Int64? {
    findOwner.bind(1, .text(key))
    defer { findOwner.reset() }
    return try findOwner.step() ? findOwner.integer(0) : nil
  }
}

/// The encoding of a `Value` in a row. Existing files contain these numbers: never reuse one.
private enum Kind: Int64 {
  case null = 0, bool, integer, float, string, data
  /// An integer beyond 64 signed bits, as decimal text.
  case wideInteger
}

extension Statement {
  /// Binds aid and iid to `index` and `index + 1`.
  fileprivate func bind(_ index: Int32, _ id: AttributeID) {
    bind(index, .integer(Int64(bitPattern: id.aid)))
    bind(index + 1, .integer(Int64(bitPattern: id.iid)))
  }

  /// Binds kind and content to `index` and `index + 1`.
  fileprivate func bind(_ index: Int32, _ value: Value) {
    let (kind, content): (Kind, SQLiteValue) =
      switch value {
      case .null: (.null, .null)
      case .bool(let bool): (.bool, .integer(bool ? 1 : 0))
      case .integer(let integer):
        if let narrow = Int64(exactly: integer) {
          (.integer, .integer(narrow))
        } else {
          (.wideInteger, .text(String(integer)))
        }
      case .float(let float): float.isNaN ? (.null, .null) : (.float, .real(float))  // SQLite has no NaN
      case .string(let string): (.string, .text(string))
      case .data(let data): (.data, .blob(data))
      }
    bind(index, .integer(kind.rawValue))
    bind(index + 1, content)
  }

  /// - Returns: `nil` for a value that this version does not support. The profile's value is then used.
  fileprivate func value(kind: Int32, content: Int32) -> Value? {
    switch (Kind(rawValue: integer(kind)), storage(content)) {
    case (.null, .null): .null
    case (.bool, .integer): .bool(integer(content) != 0)
    case (.integer, .integer): .integer(Int128(integer(content)))
    case (.wideInteger, .text): Int128(text(content)).map(Value.integer)
    case (.float, .real): .float(real(content))
    case (.string, .text): .string(text(content))
    case (.data, .blob): .data(blob(content))
    default: nil
    }
  }
}
