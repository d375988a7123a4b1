import CSQLite
import Testing

@testable import HAPStore
@testable import HAPWorld

@Suite("SQLite on a simulated disk")
struct DiskSQLiteTests {
  @Test("The pragmas of the production code have the same results as on a real system")
  func pragmas() throws {
    let disk = disk()
    let database = try disk.connect()
    try #expect(database.text("PRAGMA journal_mode = WAL") == "wal")
    try database.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON")
    try #expect(database.number("PRAGMA synchronous") == 2)
    try #expect(database.number("PRAGMA max_page_count = 20") == 20)
    try database.execute("CREATE TABLE t (a)")
    #expect(throws: SQLiteError(code: SQLITE_FULL, message: "database or disk is full")) {
      try database.execute("INSERT INTO t VALUES (zeroblob(200000))")
    }
    try database.execute("INSERT INTO t VALUES ('kept')")
    try #expect(database.text("PRAGMA quick_check") == "ok")
    #expect(disk.paths(in: "/") == ["/db", "/db-wal"])
  }

  @Test("A checkpoint moves the log into the file; the last connection removes the log")
  func checkpoint() throws {
    let disk = disk()
    do {
      let database = try disk.connect()
      try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      let length = try #require(disk.contents(of: "/db")).count
      for number in 0..<100 {
        try database.run("INSERT INTO t VALUES (?)", .blob(.init(repeating: 1, count: number * 9)))
      }
      #expect(disk.contents(of: "/db")?.count == length)
      try #expect(database.rows("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) } == [0])
      #expect(disk.contents(of: "/db")!.count > length && disk.contents(of: "/db-wal") == [])
    }
    #expect(disk.paths(in: "/") == ["/db"])
    try #expect(disk.connect().number("SELECT count(*) FROM t") == 101)
  }

  @Test("A log may exceed one part of the index", arguments: ["WAL", "DELETE"])
  func bigValues(mode: String) throws {
    let disk = disk()
    let database = try disk.connect()
    try database.execute("PRAGMA journal_mode = \(mode); PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a)")
    let big = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    for _ in 0..<12 { try database.run("INSERT INTO t VALUES (?)", .blob(big)) }
    let other = try disk.connect()
    try #expect(other.rows("SELECT a FROM t") { $0.blob(0) == big } == .init(repeating: true, count: 12))
    try database.execute("DELETE FROM t WHERE rowid > 1; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    try #expect(database.text("PRAGMA integrity_check") == "ok")
    #expect(disk.contents(of: "/db")!.count < 3_100_000)
  }

  @Test(
    "Two connections see each other's changes, and only one writes",
    arguments: ["WAL", "DELETE", "TRUNCATE", "PERSIST"])
  func twoConnections(mode: String) throws {
    let disk = disk()
    let (one, two) = (try disk.connect(), try disk.connect())
    try one.execute("PRAGMA journal_mode = \(mode); CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try #expect(two.number("SELECT count(*) FROM t") == 1)
    try one.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
    try #expect(two.number("SELECT count(*) FROM t") == 1)
    #expect(throws: SQLiteError(code: SQLITE_BUSY, message: "database is locked")) {
      try two.execute("BEGIN IMMEDIATE")
    }
    try one.execute("COMMIT")
    try #expect(two.number("SELECT count(*) FROM t") == 2)
    try two.execute("BEGIN; SELECT * FROM t")
    // With a log, a reader keeps its view during a write; without one, it prevents the write.
    let insert = { try one.execute("INSERT INTO t VALUES (3)") }
    if mode == "WAL" {
      try insert()
    } else {
      #expect(throws: SQLiteError(code: SQLITE_BUSY, message: "database is locked")) { try insert() }
    }
    try #expect(two.number("SELECT count(*) FROM t") == 2)
    try two.execute("COMMIT")
    try #expect(two.number("SELECT count(*) FROM t") == (mode == "WAL" ? 3 : 2))
    try #expect(one.text("PRAGMA quick_check") == "ok")
  }

  @Test(
    "A rollback reverts all changes, including written ones",
    arguments: ["WAL", "DELETE", "TRUNCATE", "PERSIST"])
  func rollback(mode: String) throws {
    let disk = disk()
    let database = try disk.connect()
    try database.execute(
      "PRAGMA journal_mode = \(mode); PRAGMA cache_size = 2; CREATE TABLE t (a); INSERT INTO t VALUES ('before')")
    try database.execute("BEGIN")
    for _ in 0..<50 { try database.run("INSERT INTO t VALUES (?)", .blob(.init(repeating: 7, count: 5000))) }
    try database.execute("ROLLBACK")
    try #expect(database.rows("SELECT a FROM t") { $0.text(0) } == ["before"])
    try #expect(disk.connect().text("PRAGMA integrity_check") == "ok")
  }

  @Test("A transaction over two files is executed in both or in neither")
  func attached() throws {
    let disk = disk()
    let database = try disk.connect("/a")
    _ = try disk.makePrivate("/b")
    try database.execute("ATTACH '/b' AS other")
    try database.execute("CREATE TABLE t (a); CREATE TABLE other.t (a); BEGIN")
    try database.execute("INSERT INTO t VALUES (1); INSERT INTO other.t VALUES (1); COMMIT")
    try #expect(disk.connect("/b").number("SELECT count(*) FROM t") == 1)
    #expect(disk.paths(in: "/").count { $0.contains("journal") } == 0)
  }

  @Test("Temporary tables and sorts beyond memory need no named file, and leave none")
  func temporary() throws {
    let disk = disk()
    do {
      let database = try disk.connect()
      try database.execute("PRAGMA temp_store = FILE; PRAGMA cache_size = 2; CREATE TEMP TABLE t (a)")
      for number in 0..<300 {
        try database.run("INSERT INTO t VALUES (?)", .blob(.init(repeating: UInt8(number % 7), count: 3000)))
      }
      try #expect(database.rows("SELECT length(a) FROM t ORDER BY a, rowid DESC") { $0.integer(0) }.count == 300)
      #expect(disk.paths(in: "/") == ["/db"])
    }
    #expect(disk.used == 0)
  }

  @Test("A file that was moved away is not written any more")
  func moved() throws {
    let disk = disk()
    let database = try disk.connect()
    try database.execute("CREATE TABLE t (a)")
    try disk.rename("/db", to: "/other")
    #expect(throws: SQLiteError(code: SQLITE_READONLY, message: "attempt to write a readonly database")) {
      try database.execute("INSERT INTO t VALUES (1)")
    }
    try disk.connect("/other").execute("INSERT INTO t VALUES (2)")
    try #expect(database.number("SELECT a FROM t") == 2)
  }

  @Test("SQLite uses the given clock, and waiting for a lock advances it")
  func clock() throws {
    let time = Clock()
    var options = SimulatedDisk.Options()
    options.now = { time.milliseconds }
    options.pass = { time.pass($0) }
    let disk = SimulatedDisk(options)
    let (one, two) = (try disk.connect(), try disk.connect(busyTimeout: 5000))
    try one.execute("CREATE TABLE t (a)")
    try #expect(one.text("SELECT datetime('now')") == "2001-09-09 01:46:40")
    try one.execute("BEGIN IMMEDIATE")
    let begin = time.milliseconds
    #expect(throws: SQLiteError.self) { try two.execute("BEGIN IMMEDIATE") }
    #expect((4900...5100).contains(time.milliseconds - begin))
  }

  @Test("A disk that is released while in use works until its files are closed, and then can't be opened")
  func released() throws {
    var disk: SimulatedDisk? = disk()
    let name = try #require(disk?.vfsName)
    let database = try #require(try disk?.connect())
    disk = nil
    #expect(sqlite3_vfs_find(name) == nil)
    try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try #expect(database.number("SELECT count(*) FROM t") == 1)
  }

  @Test(
    "Invalid names are refused",
    arguments: ["", "/", "/no/folder/db", "/" + String(repeating: "x", count: 600)])
  func names(path: String) throws {
    let disk = disk()
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, flags, disk.vfsName)
    defer { sqlite3_close_v2(handle) }
    // SQLite opens a temporary database for an empty name.
    #expect(path.isEmpty ? code == SQLITE_OK : code == SQLITE_CANTOPEN)
    #expect(disk.paths(in: "/").isEmpty)
  }
}

private final class Clock: @unchecked Sendable {
  private(set) var milliseconds: Int64 = 1_000_000_000_000
  func pass(_ duration: Duration) { milliseconds += Int64(duration / .milliseconds(1)) }
}
