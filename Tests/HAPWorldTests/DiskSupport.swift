import CSQLite
import Foundation
import Testing

@testable import HAPStore
@testable import HAPWorld

/// A file of a disk, accessed as by SQLite.
final class RawFile {
  let slot: UnsafeMutablePointer<sqlite3_file>
  private var methods: sqlite3_io_methods { slot.pointee.pMethods.pointee }
  private let name: UnsafeMutablePointer<CChar>?
  private var isOpen = true

  static let readWrite = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_DB

  /// - Throws: SQLite's error code.
  init(_ disk: SimulatedDisk, _ path: String?, flags: Int32 = RawFile.readWrite) throws {
    let vfs = try #require(sqlite3_vfs_find(disk.vfsName))
    let raw = UnsafeMutableRawPointer.allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
    slot = raw.assumingMemoryBound(to: sqlite3_file.self)
    name = path.map { strdup($0) }
    var out: Int32 = 0
    let code = vfs.pointee.xOpen(vfs, name, slot, flags, &out)
    if code != SQLITE_OK {
      isOpen = false
      throw RawCode(code: code)
    }
    openedReadOnly = out & SQLITE_OPEN_READONLY != 0
  }
  private(set) var openedReadOnly = false

  deinit {
    close()
    UnsafeMutableRawPointer(slot).deallocate()
    free(name)
  }

  func close() {
    if isOpen { _ = methods.xClose(slot) }
    isOpen = false
  }

  func read(_ offset: Int, _ count: Int) -> (code: Int32, bytes: [UInt8]) {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    let code = methods.xRead(slot, &bytes, Int32(count), Int64(offset))
    return (code, bytes)
  }
  @discardableResult
  func write(_ bytes: [UInt8], at offset: Int) -> Int32 {
    methods.xWrite(slot, bytes, Int32(bytes.count), Int64(offset))
  }
  @discardableResult
  func truncate(_ length: Int) -> Int32 { methods.xTruncate(slot, Int64(length)) }
  @discardableResult
  func sync() -> Int32 { methods.xSync(slot, SQLITE_SYNC_NORMAL) }
  func lock(_ level: Int32) -> Int32 { methods.xLock(slot, level) }
  func unlock(_ level: Int32) { _ = methods.xUnlock(slot, level) }
  var isReserved: Bool {
    var answer: Int32 = 0
    _ = methods.xCheckReservedLock(slot, &answer)
    return answer != 0
  }
  var size: Int {
    var answer: Int64 = -1
    _ = methods.xFileSize(slot, &answer)
    return Int(answer)
  }
  func memoryLock(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    methods.xShmLock(slot, offset, count, flags)
  }
  func memory(_ region: Int32, extend: Bool) -> (code: Int32, start: UnsafeMutableRawPointer?) {
    var start: UnsafeMutableRawPointer?
    let code = withUnsafeMutablePointer(to: &start) { out in
      out.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: 1) {
        methods.xShmMap(slot, region, 32768, extend ? 1 : 0, $0)
      }
    }
    return (code, start)
  }
  func unmap() { _ = methods.xShmUnmap(slot, 1) }
}

struct RawCode: Error, Equatable { var code: Int32 }

extension SimulatedDisk {
  func delete(_ path: String, syncsFolder: Bool = false) -> Int32 {
    guard let vfs = sqlite3_vfs_find(vfsName) else { return SQLITE_ERROR }
    return vfs.pointee.xDelete(vfs, path, syncsFolder ? 1 : 0)
  }

  /// Opens a connection as in HAPStore. The file is created if necessary.
  func connect(_ path: String = "/db", busyTimeout: Int32 = 0) throws -> Database {
    _ = try makePrivate(path)
    return try Database(path: path, vfs: vfsName, busyTimeout: busyTimeout)
  }
}

extension Database {
  func text(_ sql: String) throws -> String { try rows(sql) { $0.text(0) }.first ?? "" }
}

func disk(
  seed: UInt64 = 0, sectorSize: Int = 4096, trace: (@Sendable (String) -> Void)? = nil
) -> SimulatedDisk {
  var options = SimulatedDisk.Options(seed: seed)
  options.sectorSize = sectorSize
  options.trace = trace
  return SimulatedDisk(options)
}
