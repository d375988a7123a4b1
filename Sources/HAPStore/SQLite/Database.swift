import CSQLite
import HAPCrypto

/// An error reported by SQLite.
struct SQLiteError: Error, Equatable {
  /// The primary result code (`SQLITE_FULL`, `SQLITE_CORRUPT`…).
  var code: Int32
  /// A text for the user.
  var message: String

  /// Whether it is an error of the disk.
  var isOfDisk: Bool { code == SQLITE_IOERR || code == SQLITE_FULL }
}

/// One connection to one SQLite database. No other file uses SQLite's pointers.
///
/// It is not thread-safe (opened without SQLite's own mutexes). Its owner protects it with one `Mutex`, so that it can be Sendable.
// Safe: `DurableDatabase` is the only owner, keeps it in a `Mutex`, and passes it to closures that run with the lock. Schema.swift uses a
// new connection before that. Results of these closures are `Sendable` values.
final class Database: @unchecked Sendable {
  fileprivate let handle: OpaquePointer

  /// Whether compiled statements are cached, for statements that run thousands of times.
  var keepsStatements = false { didSet { if !keepsStatements { kept = [:] } } }
  private var kept: [String: Statement] = [:]

  /// Configures SQLite before the first connection of the process. If SQLite already runs, it refuses the setting, without harm.
  private static let isConfigured: Bool = hapsim_sqlite3_allocate_pages_singly() == SQLITE_OK

  /// Opens an existing file, whose mode the caller has chosen, or a database in memory for `nil`.
  ///
  /// - Parameter vfs: the name of SQLite's VFS for the file; `nil`: the system's.
  init(path: String?, vfs: String? = nil, busyTimeout milliseconds: Int32 = 5000) throws(SQLiteError) {
    _ = Self.isConfigured
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (path == nil ? SQLITE_OPEN_MEMORY : 0)
    let code = sqlite3_open_v2(path ?? ":memory:", &opened, flags, vfs)
    guard let opened else { throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory") }
    guard code == SQLITE_OK else {
      let message = String(cString: sqlite3_errmsg(opened))
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code & 0xFF, message: message)
    }
    handle = opened
    sqlite3_busy_timeout(handle, milliseconds)
  }

  /// The connection is closed after its last statement is released.
  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that have no parameters, and ignores their rows.
  func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Compiles a statement that is kept and run often.
  func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code) }
    return Statement(statement, of: self)
  }

  /// Returns a statement. It is reset before its next use.
  func statement(_ sql: String) throws(SQLiteError) -> Statement {
    guard keepsStatements else { return try prepare(sql) }
    if let kept = kept[sql] { return kept }
    let statement = try prepare(sql)
    kept[sql] = statement
    return statement
  }

  /// Runs one statement once.
  @discardableResult
  func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.forget() }
    try statement.run()
    return Int(sqlite3_changes(handle))
  }

  /// Runs a query once and converts each row to a value.
  func rows<R>(
    _ sql: String, _ values: SQLiteValue..., row: (Statement) throws(SQLiteError) -> R
  ) throws(SQLiteError) -> [R] {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.forget() }
    var rows: [R] = []
    while try statement.step() { rows.append(try row(statement)) }
    return rows
  }

  /// Returns the number in the first row of a query, or 0 if there is no row.
  func number(_ sql: String) throws(SQLiteError) -> Int64 { try rows(sql) { $0.integer(0) }.first ?? 0 }

  /// Runs `body` as one transaction that holds the write lock from its start. An error rolls it back.
  func transaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Runs `body` in a savepoint of the open transaction. An error rolls back only its own changes.
  func part<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try run("SAVEPOINT part")
    do throws(SQLiteError) {
      let result = try body()
      try run("RELEASE part")
      return result
    } catch {
      try? execute("ROLLBACK TO part; RELEASE part")
      throw error
    }
  }

  /// Rolls back an open transaction. If SQLite already rolled back, such as on a full disk, there is none left.
  func rollBack() {
    if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
  }

  /// Copies all pages, as of one moment, to a database that is not in use.
  func copy(to target: Database) throws(SQLiteError) {
    guard let copy = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle))
    }
    let code = sqlite3_backup_step(copy, -1)
    sqlite3_backup_finish(copy)
    guard code == SQLITE_DONE else {
      throw SQLiteError(code: code & 0xFF, message: String(cString: sqlite3_errstr(code)))
    }
  }

  /// Sets whether closing leaves the write-ahead log as it is instead of moving it into the file.
  func keepLogOnClose(_ keep: Bool) {
    _ = hapsim_sqlite3_keep_log_on_close(handle, keep ? 1 : 0)
  }

  /// Makes the write-ahead log durable. After a crash, it can have a transaction that other processes see and that a
  /// power loss would remove.
  func syncLog() throws(SQLiteError) {
    let code = hapsim_sqlite3_sync_log(handle)
    guard code == SQLITE_OK else {
      throw SQLiteError(code: code & 0xFF, message: String(cString: sqlite3_errstr(code)))
    }
  }

  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  fileprivate func error(_ code: Int32) -> SQLiteError {
    SQLiteError(code: code & 0xFF, message: String(cString: sqlite3_errmsg(handle)))
  }
}

/// A value to bind to a statement.
enum SQLiteValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  case secret(SecretBytes)

  init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }
  init(_ bytes: [UInt8]?) { self = bytes.map(SQLiteValue.blob) ?? .null }
}

/// One compiled statement. Parameters count from 1, columns from 0, as in SQLite.
final class Statement {
  /// How a column of the current row is stored.
  enum Storage { case null, integer, real, text, blob }

  private let handle: OpaquePointer
  private let database: Database
  /// Makes SQLite copy bound data (the constant is a C macro that Swift can't import).
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  fileprivate init(_ handle: OpaquePointer, of database: Database) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLiteValue]) {
    for (index, value) in values.enumerated() { bind(Int32(index + 1), value) }
  }

  /// Binds a value. It fails only for our own mistakes (an invalid index), or above SQLite's limit of 1 GB.
  func bind(_ index: Int32, _ value: SQLiteValue) {
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, index)
    case .integer(let integer): code = sqlite3_bind_int64(handle, index, integer)
    case .real(let real): code = sqlite3_bind_double(handle, index, real)
    case .text(""): code = sqlite3_bind_text(handle, index, "", 0, Self.copied)
    case .text(var text):
      code = text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text64(handle, index, $0.baseAddress, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes): code = bytes.withUnsafeBytes { bindBlob(index, $0) }
    case .secret(let secret): code = secret.withBytes { bindBlob(index, $0) }
    }
    precondition(code == SQLITE_OK, "SQLite refused to bind parameter \(index): \(code)")
  }

  private func bindBlob(_ index: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    // An empty buffer can have a null address, which SQLite treats as NULL.
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
    return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.copied)
  }

  /// - Returns: whether there is a row.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = database.error(code)  // before `reset`, which repeats the code but may lose the text
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement, ignores its rows, and resets it.
  func run() throws(SQLiteError) {
    defer { sqlite3_reset(handle) }
    while try step() {}
  }

  func reset() { sqlite3_reset(handle) }

  /// Resets the statement, and releases the copies of its values: one may be a key.
  func forget() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  func storage(_ column: Int32) -> Storage {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// Empty for NULL. Invalid UTF-8 is repaired.
  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `nil` if the column is not a text, or not valid UTF-8.
  func validText(_ column: Int32) -> String? {
    guard storage(column) == .text, let start = sqlite3_column_text(handle, column) else { return nil }
    return String(
      validating: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
  }

  /// Empty for NULL.
  func blob(_ column: Int32) -> [UInt8] { withBlob(column) { Array($0) } }

  /// Empty for NULL.
  func secret(_ column: Int32) -> SecretBytes {
    withBlob(column) { bytes in SecretBytes(count: bytes.count) { $0.copyMemory(from: bytes) } }
  }

  private func withBlob<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    let start = sqlite3_column_blob(handle, column)
    return body(
      UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
  }
}
