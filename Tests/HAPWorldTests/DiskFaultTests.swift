import CSQLite
import Testing

@testable import HAPStore
@testable import HAPWorld

@Suite("Faults of a simulated disk")
struct DiskFaultTests {
  static let kinds: [DiskOperation] = [.open, .read, .write, .truncate, .sync, .delete, .lock, .memory]

  @Test("A failed operation loses no answered data", arguments: kinds, ["WAL", "DELETE"])
  func failures(kind: DiskOperation, mode: String) throws {
    for isLasting in [false, true] {
      var count = 0
      while true {
        let disk = disk(seed: UInt64(count))
        disk.fail(kind, after: count, isLasting: isLasting)
        var work = DiskWorkload(mode: mode)
        work.run(disk, stopsAtError: false)
        let isOver = disk.core.faults.failures.contains { $0.remaining >= 0 }
        disk.clearFaults()
        disk.kill()
        disk.start()
        let found = try #require(try work.check(disk), "damaged by failure \(count) of \(kind)")
        #expect(work.answered.isSubset(of: found) && found.isSubset(of: work.tried), "\(kind) \(count) \(isLasting)")
        if isOver {
          #expect(work.answered.count == DiskWorkload.count && work.answered == found)
          break
        }
        // Each of the first operations, then operations at increasing intervals.
        count += 1 + count / 12
      }
    }
  }

  @Test("The operation with the given number fails with the given code, once or permanently")
  func counting() throws {
    let disk = disk()
    let file = try RawFile(disk, "/db")
    disk.fail(.write, after: 1)
    #expect([1, 2, 3].map { file.write([$0], at: 0) } == [SQLITE_OK, 778, SQLITE_OK])
    disk.fail(.write, after: 1, isLasting: true, code: SQLITE_FULL)
    #expect([4, 5, 6].map { file.write([$0], at: 0) } == [SQLITE_OK, SQLITE_FULL, SQLITE_FULL])
    #expect(file.read(0, 1).bytes == [4] && file.sync() == SQLITE_OK)
    disk.clearFaults()
    #expect(file.write([7], at: 0) == SQLITE_OK)
    let codes: [(DiskOperation, Int32)] = [(.read, 266), (.sync, 1034), (.truncate, 1546), (.lock, 3850)]
    for (operation, _) in codes { disk.fail(operation) }
    #expect([file.read(0, 1).code, file.sync(), file.truncate(0), file.lock(SQLITE_LOCK_SHARED)] == codes.map(\.1))
    disk.fail(.open)
    #expect(throws: RawCode(code: SQLITE_CANTOPEN)) { try RawFile(disk, "/db") }
    disk.fail(.delete)
    #expect(disk.delete("/db") == 2570 && disk.delete("/db") == SQLITE_OK)
  }

  @Test(
    "A disk that becomes full at any size refuses writes, keeps its data, and accepts writes when there is space",
    arguments: ["WAL", "DELETE"])
  func full(mode: String) throws {
    var refused = 0
    for capacity in stride(from: 0, through: 250_000, by: 5000) {
      let disk = disk(seed: UInt64(capacity))
      disk.capacity = capacity
      var work = DiskWorkload(mode: mode)
      work.run(disk, stopsAtError: false)
      #expect(disk.used <= capacity)
      if work.answered.count < DiskWorkload.count { refused += 1 }
      disk.capacity = 1 << 20
      let found = try #require(try work.check(disk), "damaged by \(capacity)")
      #expect(work.answered.isSubset(of: found) && found.isSubset(of: work.tried))
    }
    #expect((10..<45).contains(refused), "\(refused)")
  }

  @Test("A transaction without space fails, and the connection works again when there is space")
  func fullThenRoom() throws {
    let disk = disk()
    let database = try disk.connect()
    try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    disk.capacity = disk.used + 3000
    #expect(throws: SQLiteError(code: SQLITE_FULL, message: "database or disk is full")) {
      try database.execute("INSERT INTO t VALUES (2)")
    }
    try #expect(database.number("SELECT count(*) FROM t") == 1)
    disk.capacity += 9000
    try database.execute("INSERT INTO t VALUES (2)")
    try #expect(database.number("SELECT count(*) FROM t") == 2)
    #expect(disk.delete("/nothing") == SQLITE_IOERR | 23 << 8)
  }

  @Test("A read-only disk can be read, and refuses each change")
  func readOnly() throws {
    let disk = disk()
    try disk.connect().execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let open = try RawFile(disk, "/db")
    let changes = disk.changes
    disk.isReadOnly = true
    let file = try RawFile(disk, "/db")
    #expect(file.openedReadOnly && !open.openedReadOnly && file.read(0, 6).bytes == Array("SQLite".utf8))
    #expect(file.write([1], at: 0) == SQLITE_READONLY && open.write([1], at: 0) == 778 && open.truncate(0) == 1546)
    #expect(disk.delete("/db") == 2570 && file.memory(0, extend: true).code == SQLITE_CANTOPEN)
    #expect(throws: RawCode(code: SQLITE_CANTOPEN)) { try RawFile(disk, "/new") }
    let database = try Database(path: "/db", vfs: disk.vfsName)
    try #expect(database.number("SELECT a FROM t") == 1)
    #expect(throws: SQLiteError(code: SQLITE_READONLY, message: "attempt to write a readonly database")) {
      try database.execute("INSERT INTO t VALUES (2)")
    }
    #expect(throws: StoreError.self) { try disk.makeFolder("/folder") }
    #expect(throws: StoreError.self) { try disk.makePrivate("/file") }
    #expect(throws: StoreError.self) { try disk.rename("/db", to: "/other") }
    #expect(throws: StoreError.self) { try disk.remove("/db") }
    #expect(disk.paths(in: "/") == ["/db"] && disk.changes > changes)
    disk.isReadOnly = false
    try disk.connect().execute("INSERT INTO t VALUES (2)")
  }

  @Test("Operations take their configured time")
  func durations() throws {
    let time = Total()
    var options = SimulatedDisk.Options()
    options.durations = [.sync: .milliseconds(7), .write: .microseconds(20)]
    options.pass = { time.total += $0 }
    let file = try RawFile(SimulatedDisk(options), "/db")
    for _ in 0..<3 { file.write([1], at: 0) }
    file.sync()
    file.sync()
    #expect(time.total == .microseconds(14_060))
  }
}

private final class Total: @unchecked Sendable { var total = Duration.zero }
