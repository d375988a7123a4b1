import CSQLite

/// One file of a simulated disk. It exists until it has no name and is not open.
final class DiskFile {
  var content: FileContent
  /// The handles that are open now.
  var handles: [OpenFile] = []
  /// SQLite's index of the write-ahead log, which its connections share; `nil` while no connection uses it.
  var memory: SharedMemory?

  init(sectorSize: Int) { content = FileContent(sectorSize: sectorSize) }

  /// Takes or upgrades a lock for `handle`, by SQLite's rules. Any number of `SHARED` locks can exist together with one
  /// `RESERVED` lock. `PENDING` prevents new `SHARED` locks. `EXCLUSIVE` excludes all others.
  func lock(_ handle: OpenFile, _ level: Int32) -> Int32 {
    if handle.lock >= level { return SQLITE_OK }
    let highest = handles.lazy.filter { $0 !== handle }.map(\.lock).max() ?? SQLITE_LOCK_NONE
    switch level {
    case SQLITE_LOCK_SHARED:
      if highest >= SQLITE_LOCK_PENDING { return SQLITE_BUSY }
    case SQLITE_LOCK_RESERVED:
      if highest >= SQLITE_LOCK_RESERVED { return SQLITE_BUSY }
    default:
      if highest >= SQLITE_LOCK_RESERVED { return SQLITE_BUSY }
      if highest >= SQLITE_LOCK_SHARED {
        handle.lock = SQLITE_LOCK_PENDING
        return SQLITE_BUSY
      }
    }
    handle.lock = level
    return SQLITE_OK
  }
}

/// A file that a connection of SQLite has opened.
final class OpenFile {
  let disk: DiskCore
  let file: DiskFile
  let path: String
  let isReadOnly: Bool
  let isTemporary: Bool
  /// The VFS, to which SQLite has a pointer while a file is open.
  var vfs: DiskVFS?
  /// The process that opened the file.
  var processID: Int32 = 0
  /// Whether the next sync also makes the name durable.
  var syncsFolder: Bool
  /// Whether the process that opened the file has died.
  var isDead = false
  var lock = SQLITE_LOCK_NONE
  var memory: SharedMemory?
  /// The locks in the shared memory, one bit for each.
  var sharedLocks: UInt32 = 0
  var exclusiveLocks: UInt32 = 0

  init(disk: DiskCore, file: DiskFile, path: String, isReadOnly: Bool, isTemporary: Bool, syncsFolder: Bool) {
    self.disk = disk
    self.file = file
    self.path = path
    self.isReadOnly = isReadOnly
    self.isTemporary = isTemporary
    self.syncsFolder = syncsFolder
  }
}

/// Memory that the connections to one database share. It exists while a connection uses it, even if the connection's
/// process was killed, because SQLite reads it without a call.
final class SharedMemory {
  /// The maximum number of regions. It is far more than the index of any log that fits on a disk needs.
  static let regionLimit = 4096
  private var regions: [UnsafeMutableRawPointer] = []

  deinit { for region in regions { region.deallocate() } }

  /// - Returns: the region, which is created with zeros if `extend` is true; `nil` if it doesn't exist.
  func region(_ number: Int, size: Int, extend: Bool) -> UnsafeMutableRawPointer? {
    if extend, number < Self.regionLimit {
      while regions.count <= number {
        regions.append(ByteBuffer.zeros(size))
      }
    }
    return regions.indices.contains(number) ? regions[number] : nil
  }

  /// Takes or releases locks `offset..<offset + count`. Any number of connections can have a shared lock; an exclusive
  /// one excludes all others.
  static func lock(_ handle: OpenFile, offset: Int32, count: Int32, flags: Int32) -> Int32 {
    guard offset >= 0, count >= 1, offset + count <= SQLITE_SHM_NLOCK else { return SQLITE_MISUSE }
    let mask = ((UInt32(1) << UInt32(count)) - 1) << UInt32(offset)
    if flags & SQLITE_SHM_UNLOCK != 0 {
      handle.sharedLocks &= ~mask
      handle.exclusiveLocks &= ~mask
      return SQLITE_OK
    }
    let isShared = flags & SQLITE_SHM_SHARED != 0
    for other in handle.file.handles where other !== handle {
      if other.exclusiveLocks & mask != 0 || (!isShared && other.sharedLocks & mask != 0) { return SQLITE_BUSY }
    }
    if isShared { handle.sharedLocks |= mask } else { handle.exclusiveLocks |= mask }
    return SQLITE_OK
  }
}
