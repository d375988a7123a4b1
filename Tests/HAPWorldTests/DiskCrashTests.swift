import CSQLite
import Foundation
import Testing

@testable import HAPStore
@testable import HAPWorld

/// Transactions, each of which adds a row and changes earlier rows, with occasional checkpoints and a
/// restart of the program.
struct DiskWorkload {
  var mode = "WAL"
  var synchronous = "FULL"
  static let count = 9

  /// The numbers of answered and of attempted transactions.
  private(set) var answered: Set<Int> = []
  private(set) var tried: Set<Int> = []

  func open(_ disk: SimulatedDisk) throws -> Database {
    let database = try disk.connect("/state/db")
    try database.execute(
      """
      PRAGMA journal_mode = \(mode); PRAGMA synchronous = \(synchronous); PRAGMA fullfsync = ON; PRAGMA cache_size = 4;
      CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY, b); CREATE INDEX IF NOT EXISTS i ON t (b)
      """)
    return database
  }

  /// - Parameter stopsAtError: if `false`, the other transactions are also attempted after an error.
  mutating func run(_ disk: SimulatedDisk, stopsAtError: Bool) {
    do {
      try disk.makeFolder("/state")
      var database = try open(disk)
      for number in 1...Self.count {
        do {
          if number == 6 { database = try open(disk) }
          tried.insert(number)
          try database.transaction { () throws(SQLiteError) in
            try database.run(
              "INSERT OR REPLACE INTO t VALUES (?, randomblob(?))", .integer(Int64(number)),
              .integer(Int64(number * 250)))
            try database.execute("UPDATE t SET b = randomblob(length(b)) WHERE a % 2 = \(number % 2)")
          }
          answered.insert(number)
          if number % 4 == 0 { try database.execute("PRAGMA wal_checkpoint(\(number == 4 ? "PASSIVE" : "TRUNCATE"))") }
        } catch {
          if stopsAtError { return }
        }
      }
    } catch {}
  }

  /// Checks the database in the next process, and that it can be written.
  /// - Returns: the stored numbers, or `nil` if the file is damaged.
  func check(_ disk: SimulatedDisk) throws -> Set<Int>? {
    try disk.makeFolder("/state")
    let database = try open(disk)
    guard try database.text("PRAGMA integrity_check") == "ok" else { return nil }
    let found = try database.rows("SELECT a FROM t") { Int($0.integer(0)) }
    try database.execute("INSERT INTO t VALUES (1000, 'more')")
    return Set(found)
  }
}

@Suite("A crash at each change of a simulated disk")
struct DiskCrashTests {
  @Test(
    "Committed transactions survive a power loss, and the file is intact",
    arguments: ["WAL", "DELETE", "TRUNCATE", "PERSIST"], [512, 4096])
  func powerLoss(mode: String, sectorSize: Int) throws {
    // A rollback journal is completely ordered only with EXTRA, which also syncs the removal of the journal.
    let synchronous = mode == "DELETE" ? "EXTRA" : "FULL"
    var lost = 0
    for seed in UInt64(1)...(mode == "WAL" ? 2 : 1) {
      try atEveryChange { count in
        let disk = disk(seed: seed &* 1000 &+ UInt64(count), sectorSize: sectorSize)
        var work = DiskWorkload(mode: mode, synchronous: synchronous)
        disk.crash(after: count, losingPower: true)
        work.run(disk, stopsAtError: true)
        guard disk.isDown else { return false }
        disk.start()
        let found = try #require(try work.check(disk), "damaged after \(count) changes, seed \(seed)")
        #expect(work.answered.isSubset(of: found) && found.isSubset(of: work.tried), "after \(count), seed \(seed)")
        if work.tried != found { lost += 1 }
        return true
      }
    }
    #expect(lost > 5, "no power loss lost any data")
  }

  @Test(
    "Committed transactions survive a kill, even without syncs", arguments: ["WAL", "DELETE"], ["FULL", "OFF"])
  func kill(mode: String, synchronous: String) throws {
    try atEveryChange { count in
      let disk = disk(seed: UInt64(count))
      var work = DiskWorkload(mode: mode, synchronous: synchronous)
      disk.crash(after: count, losingPower: false)
      work.run(disk, stopsAtError: true)
      guard disk.isDown else { return false }
      disk.start()
      let found = try #require(try work.check(disk), "damaged after \(count) changes")
      #expect(work.answered.isSubset(of: found) && found.isSubset(of: work.tried), "after \(count)")
      return true
    }
  }

  @Test(
    "Without syncs, a power loss loses committed transactions and damages files, as on real disks")
  func unsynced() throws {
    var (damaged, lost) = (0, 0)
    try atEveryChange { count in
      let disk = disk(seed: UInt64(count))
      var work = DiskWorkload(mode: "DELETE", synchronous: "OFF")
      disk.crash(after: count, losingPower: true)
      work.run(disk, stopsAtError: true)
      guard disk.isDown else { return false }
      disk.start()
      guard let found = try? work.check(disk) else {
        damaged += 1
        return true
      }
      if !work.answered.isSubset(of: found) { lost += 1 }
      return true
    }
    #expect(damaged > 5 && lost > 5, "\(damaged) damaged, \(lost) lost")
  }

  @Test("Equal seeds and calls result in equal traces and bytes, and another seed in different ones")
  func repeatable() async {
    // In a separate process, because all threads share SQLite's random generator.
    await #expect(processExitsWith: .success) {
      let (one, two) = (try Self.traced(5, noise: false), try Self.traced(5, noise: true))
      let other = try Self.traced(6, noise: true)
      guard one.trace.count > 300, one.trace == two.trace else { exit(3) }
      guard one.bytes.count > 1, one.bytes == two.bytes else { exit(4) }
      guard one.trace != other.trace, one.bytes != other.bytes else { exit(5) }
      exit(0)
    }
  }

  private static func traced(_ seed: UInt64, noise: Bool) throws -> (trace: [String], bytes: [[UInt8]?]) {
    let lines = Lines()
    let disk = disk(seed: seed) { lines.all.append($0) }
    for _ in 0..<3 {
      disk.crash(after: 40, losingPower: true)
      // Another database of the process, which draws from SQLite's generator.
      if noise { try Database(path: nil).execute("SELECT randomblob(77)") }
      var work = DiskWorkload()
      work.run(disk, stopsAtError: true)
      guard disk.isDown else { exit(6) }
      disk.start()
    }
    return (lines.all, disk.paths(in: "/state").map { disk.contents(of: $0) })
  }

  /// - Parameter body: returns whether the crash happened before the end.
  private func atEveryChange(_ body: (Int) throws -> Bool) throws {
    for count in 0..<2000 {
      if try !body(count) {
        #expect(count > 30, "\(count) changes are too few for this test")
        return
      }
    }
    Issue.record("the work never ended")
  }
}

private final class Lines: @unchecked Sendable { var all: [String] = [] }
