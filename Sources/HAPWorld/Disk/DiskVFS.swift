import CSQLite
import Synchronization

/// The functions through which SQLite uses a simulated disk: `sqlite3_vfs`, registered under a unique name. Open files
/// keep it alive.
final class DiskVFS {
  private static let count = Atomic(0)
  /// 1970-01-01 as a Julian day number in milliseconds, which is SQLite's time format.
  private static let epoch: Int64 = 210_866_760_000_000

  let name: String
  private let vfs: UnsafeMutablePointer<sqlite3_vfs>
  private let namePointer: UnsafeMutablePointer<CChar>
  /// The functions of open files. Each open file keeps this VFS alive.
  private let methods = makeFileMethods()
  private let core: DiskCore
  private let processID: Int32

  /// - Parameter processID: the process that opens files by this VFS.
  init(_ core: DiskCore, processID: Int32) {
    self.core = core
    self.processID = processID
    name = "simulated-disk-\(Self.count.add(1, ordering: .relaxed).newValue)"
    let utf8 = name.utf8CString
    namePointer = .allocate(capacity: utf8.count)
    for (index, character) in utf8.enumerated() { namePointer[index] = character }
    vfs = .allocate(capacity: 1)
    vfs.initialize(to: sqlite3_vfs())
    vfs.pointee.iVersion = 2
    vfs.pointee.szOsFile = Int32(MemoryLayout<OpenSlot>.stride)
    vfs.pointee.mxPathname = Int32(DiskCore.pathLimit)
    vfs.pointee.zName = UnsafePointer(namePointer)
    vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    Self.setFileFunctions(vfs)
    Self.setOtherFunctions(vfs)
    let code = sqlite3_vfs_register(vfs, 0)
    precondition(code == SQLITE_OK, "SQLite accepts each VFS that has a name")
  }

  deinit {
    vfs.deallocate()
    namePointer.deallocate()
    methods.deallocate()
  }

  /// Unregisters the VFS. No connection can be opened after that.
  func unregister() { sqlite3_vfs_unregister(vfs) }

  private static func own(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> DiskVFS {
    Unmanaged<DiskVFS>.fromOpaque(vfs.unsafelyUnwrapped.pointee.pAppData).takeUnretainedValue()
  }

  private static func core(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> DiskCore { own(vfs).core }

  private static func setFileFunctions(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      file.unsafelyUnwrapped.pointee.pMethods = nil
      let (code, handle) = DiskVFS.core(vfs).open(name.map { String(cString: $0) }, flags: flags)
      guard let handle else { return code }
      let own = DiskVFS.own(vfs)
      handle.vfs = own
      handle.processID = own.processID
      OpenSlot.fill(file, with: handle, methods: own.methods)
      // As on Linux, a file that can't be written is opened for reading.
      outFlags?.pointee =
        handle.isReadOnly ? flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY : flags
      return SQLITE_OK
    }
    vfs.pointee.xDelete = { vfs, name, syncs in
      let (core, path) = (DiskVFS.core(vfs), name.map { String(cString: $0) } ?? "")
      return core.perform(.delete, { syncs != 0 ? "\(path), folder synced" : path }) {
        core.delete(path, syncsFolder: syncs != 0)
      }
    }
    vfs.pointee.xAccess = { vfs, name, kind, result in
      let (core, path) = (DiskVFS.core(vfs), name.map { String(cString: $0) } ?? "")
      let answer = core.locked { () -> Bool? in
        if core.isDown { return nil }
        guard let file = core.names.file(path) else { return core.names.isFolder(path) }
        // For an empty file, SQLite's VFS also reports that it doesn't exist.
        return kind == SQLITE_ACCESS_EXISTS ? file.content.count > 0 : !core.isReadOnly
      }
      result?.pointee = answer == true ? 1 : 0
      return answer == nil ? SQLITE_IOERR | 13 << 8 : SQLITE_OK
    }
    vfs.pointee.xFullPathname = { _, name, count, out in
      let path = FileNames.absolute(name.map { String(cString: $0) } ?? "").utf8CString
      guard path.count <= Int(count), let out else { return SQLITE_CANTOPEN }
      for (index, character) in path.enumerated() { out[index] = character }
      return SQLITE_OK
    }
  }

  private static func setOtherFunctions(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
    vfs.pointee.xDlOpen = { _, _ in nil }
    vfs.pointee.xDlError = { _, count, out in if count > 0 { out?.pointee = 0 } }
    vfs.pointee.xDlSym = { _, _, _ in nil }
    vfs.pointee.xDlClose = { _, _ in }
    vfs.pointee.xRandomness = { vfs, count, out in
      let core = DiskVFS.core(vfs)
      guard let out, count > 0 else { return 0 }
      core.locked { for index in 0..<Int(count) { out[index] = CChar(truncatingIfNeeded: core.random.next()) } }
      return count
    }
    vfs.pointee.xSleep = { vfs, microseconds in
      DiskVFS.core(vfs).options.pass(.microseconds(max(0, microseconds)))
      return microseconds
    }
    vfs.pointee.xCurrentTime = { vfs, out in
      let milliseconds = DiskVFS.core(vfs).options.now() &+ DiskVFS.epoch
      out?.pointee = Double(milliseconds) / 86_400_000
      return SQLITE_OK
    }
    vfs.pointee.xCurrentTimeInt64 = { vfs, out in
      out?.pointee = DiskVFS.core(vfs).options.now() &+ DiskVFS.epoch
      return SQLITE_OK
    }
    vfs.pointee.xGetLastError = { _, _, _ in 0 }
  }
}
