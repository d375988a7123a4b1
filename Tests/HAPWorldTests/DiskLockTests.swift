import CSQLite
import Testing

@testable import HAPStore
@testable import HAPWorld

@Suite("Locks on a simulated disk")
struct DiskLockTests {
  static let levels = [SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE]

  @Test("Two connections can hold the combinations of locks that SQLite's rules allow")
  func matrix() throws {
    // For each lock of the first connection: the locks that the second one gets, in sequence.
    let allowed: [Int32: [Bool]] = [
      SQLITE_LOCK_SHARED: [true, true, false], SQLITE_LOCK_RESERVED: [true, false, false],
      SQLITE_LOCK_EXCLUSIVE: [false, false, false],
    ]
    for held in Self.levels {
      let disk = disk()
      let (one, two) = (try RawFile(disk, "/db"), try RawFile(disk, "/db"))
      for level in Self.levels where level <= held { #expect(one.lock(level) == SQLITE_OK) }
      #expect(two.isReserved == (held >= SQLITE_LOCK_RESERVED))
      #expect(Self.levels.map { two.lock($0) == SQLITE_OK } == allowed[held])
      two.unlock(SQLITE_LOCK_NONE)
      one.unlock(SQLITE_LOCK_NONE)
      for level in Self.levels { #expect(two.lock(level) == SQLITE_OK) }
      // Locks of another file are independent.
      #expect(try RawFile(disk, "/other").lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
    }
  }

  @Test("A connection that waits for the exclusive lock blocks new readers, and gets it after the last reader")
  func pending() throws {
    let disk = disk()
    let files = try (0..<3).map { _ in try RawFile(disk, "/db") }
    for file in files[..<2] { #expect(file.lock(SQLITE_LOCK_SHARED) == SQLITE_OK) }
    #expect(files[0].lock(SQLITE_LOCK_RESERVED) == SQLITE_OK && files[0].lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY)
    #expect(files[2].lock(SQLITE_LOCK_SHARED) == SQLITE_BUSY)
    files[1].close()
    #expect(files[0].lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
    files[0].unlock(SQLITE_LOCK_SHARED)
    #expect(files[2].lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
  }

  @Test("A range in shared memory can have many shared locks, or one exclusive lock")
  func memoryLocks() throws {
    let disk = disk()
    let (one, two) = (try RawFile(disk, "/db"), try RawFile(disk, "/db"))
    let (take, release) = (SQLITE_SHM_LOCK, SQLITE_SHM_UNLOCK)
    let (shared, exclusive) = (SQLITE_SHM_SHARED, SQLITE_SHM_EXCLUSIVE)
    #expect(one.memoryLock(3, 1, take | shared) == SQLITE_OK && two.memoryLock(3, 1, take | shared) == SQLITE_OK)
    #expect(
      two.memoryLock(0, 8, take | exclusive) == SQLITE_BUSY && two.memoryLock(4, 4, take | exclusive) == SQLITE_OK)
    #expect(one.memoryLock(7, 1, take | shared) == SQLITE_BUSY && one.memoryLock(5, 1, take | exclusive) == SQLITE_BUSY)
    #expect(one.memoryLock(3, 1, release | shared) == SQLITE_OK && two.memoryLock(3, 1, take | exclusive) == SQLITE_OK)
    #expect(two.memoryLock(4, 4, release | exclusive) == SQLITE_OK && one.memoryLock(7, 1, take | shared) == SQLITE_OK)
    two.close()
    #expect(one.memoryLock(0, 8, take | exclusive) == SQLITE_OK)
    for (offset, count) in [(-1, 1), (0, 0), (7, 2), (8, 1), (0, 9)] as [(Int32, Int32)] {
      #expect(one.memoryLock(offset, count, take | exclusive) == SQLITE_MISUSE)
    }
  }

  @Test("All connections have the same shared memory; it exists while one uses it, and starts with zeros")
  func memory() throws {
    let disk = disk()
    let (one, two) = (try RawFile(disk, "/db"), try RawFile(disk, "/db"))
    #expect(one.memory(0, extend: false).start == nil && one.memory(0, extend: false).code == SQLITE_OK)
    let start = try #require(one.memory(2, extend: true).start)
    #expect(two.memory(2, extend: false).start == start && two.memory(3, extend: false).start == nil)
    start.storeBytes(of: 7, as: UInt8.self)
    one.unmap()
    #expect(two.memory(2, extend: false).start?.load(as: UInt8.self) == 7)
    two.unmap()
    #expect(one.memory(2, extend: true).start?.load(as: UInt8.self) == 0)
    #expect(one.memory(-1, extend: true).code != SQLITE_OK && one.memory(1 << 20, extend: true).code != SQLITE_OK)
  }

  @Test("A killed process holds no lock and shares no memory; its open files fail")
  func killed() throws {
    let disk = disk()
    let old = try RawFile(disk, "/db")
    for level in Self.levels { #expect(old.lock(level) == SQLITE_OK) }
    #expect(old.memoryLock(0, 8, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
    let memory = try #require(old.memory(0, extend: true).start)
    disk.kill()
    disk.start()
    let new = try RawFile(disk, "/db")
    for level in Self.levels { #expect(new.lock(level) == SQLITE_OK) }
    #expect(new.memoryLock(0, 8, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
    #expect(new.memory(0, extend: true).start != memory)
    memory.storeBytes(of: 1, as: UInt8.self)  // the dead process can still access it
    #expect(old.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_IOERR && old.memory(0, extend: true).code == SQLITE_IOERR)
    #expect(old.sync() == SQLITE_IOERR && old.truncate(0) == SQLITE_IOERR && old.size == -1)
    old.unlock(SQLITE_LOCK_NONE)
    old.unmap()
    old.close()
    #expect(try RawFile(disk, "/db").lock(SQLITE_LOCK_SHARED) == SQLITE_BUSY)
  }

  @Test("Only one process at a time can open a folder; another one gives up after ten seconds")
  func exclusively() throws {
    let waited = Waited()
    var options = SimulatedDisk.Options()
    options.pass = { waited.total += $0 }
    let disk = SimulatedDisk(options)
    try disk.exclusively("/lock") { () throws(StoreError) in
      do throws(StoreError) {
        try disk.exclusively("/lock") { () throws(StoreError) in }
        Issue.record("two processes have opened the folder")
      } catch { #expect(error.code == .busy) }
    }
    #expect(waited.total == .seconds(10))
    try disk.exclusively("//lock") { () throws(StoreError) in }
    #expect(waited.total == .seconds(10))
  }

  @Test("A record is locked for one object, even within one process, and is free after a kill")
  func records() throws {
    let disk = disk()
    let (one, two) = (try disk.recordLocks("/locks"), try disk.recordLocks("/locks"))
    let other = try disk.recordLocks("/others")
    try #expect(one.take(5) == nil && two.take(5) == RecordOwner(processID: 1) && two.take(6) == nil)
    try #expect(other.take(5) == nil && one.owner(of: 6) == RecordOwner(processID: 1) && one.owner(of: 7) == nil)
    two.release(5)
    try #expect(two.take(5) != nil)
    one.release(5)
    try #expect(two.take(5) == nil)
    disk.kill()
    disk.start()
    #expect(one.owner(of: 5) == nil)
    try #expect(one.take(5) == nil)
    two.release(5)
    #expect(one.owner(of: 5) != nil)
  }
}

private final class Waited: @unchecked Sendable { var total = Duration.zero }
