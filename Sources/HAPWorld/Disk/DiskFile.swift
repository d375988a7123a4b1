import CSQLite

/// One file of a simulated disk. It outlives its name as long as it is open.
final class DiskFile {
  var content: FileContent
  /// All that are open now.
  var handles: [OpenFile] = []
  /// SQLite's index of the write-ahead log, which its connections share; `nil` while no connection has it.
  var memory: SharedMemory?

  init(sectorSize: Int) { content = FileContent(sectorSize: sectorSize) }

  /// Takes or upgrades a lock for `handle`, by the rules of SQLite: any number of `SHARED` together with one `RESERVED`; `PENDING` admits no further
  /// `SHARED`; `EXCLUSIVE` excludes all others.
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

/// One opened file, as a connection of SQLite holds it.
final class OpenFile {
  let disk: DiskCore
  let file: DiskFile
  let path: String
  let isReadOnly: Bool
  let isTemporary: Bool
  /// SQLite has a pointer to it as long as a file is open.
  var vfs: DiskVFS?
  /// Whether the next sync makes the name durable too.
  var syncsFolder: Bool
  /// Whether the process is gone that opened it.
  var isDead = false
  var lock = SQLITE_LOCK_NONE
  var memory: SharedMemory?
  /// Bits of the locks in the shared memory.
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

/// Memory that the connections to one database share. It stays as long as one of them has it, also when its process was killed: SQLite reads it
/// without a call.
final class SharedMemory {
  /// Far more than a log that fits on a disk needs.
  static let regionLimit = 4096
  private var regions: [UnsafeMutableRawPointer] = []

  deinit { for region in regions { region.deallocate() } }

  /// - Returns: the region, made of zeros if `extend`; `nil` if there is none.
  func region(_ number: Int, size: Int, extend: Bool) -> UnsafeMutableRawPointer? {
    if extend, number < Self.regionLimit {
      while regions.count <= number {
        regions.append(ByteBuffer.zeros(size))
      }
    }
    return regions.indices.contains(number) ? regions[number] : nil
  }

  /// Takes or releases locks `offset..<offset + count`; shared ones any number of connections, an exclusive one alone.
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
