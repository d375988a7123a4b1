import CSQLite
import Synchronization

/// An open file in SQLite's memory: SQLite's functions, then the handle of the simulated disk.
struct OpenSlot {
  var base: sqlite3_file
  var handle: Unmanaged<OpenFile>

  static func fill(
    _ file: UnsafeMutablePointer<sqlite3_file>?, with handle: OpenFile, methods: UnsafePointer<sqlite3_io_methods>
  ) {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).initializeMemory(
      as: OpenSlot.self,
      to: OpenSlot(base: sqlite3_file(pMethods: methods), handle: .passRetained(handle)))
  }

  fileprivate static func slot(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenSlot {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: OpenSlot.self).pointee
  }
}

private func open(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile {
  OpenSlot.slot(file).handle.takeUnretainedValue()
}

/// Returns `sqlite3_io_methods`, version 2. The caller deallocates them.
func makeFileMethods() -> UnsafePointer<sqlite3_io_methods> {
  let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
  methods.initialize(to: sqlite3_io_methods())
  methods.pointee.iVersion = 2
  setContent(methods)
  setLocks(methods)
  setMemory(methods)
  return UnsafePointer(methods)
}

private func setContent(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
  methods.pointee.xClose = { file in
    let handle = OpenSlot.slot(file).handle
    handle.takeUnretainedValue().disk.close(handle.takeUnretainedValue())
    handle.release()
    return SQLITE_OK
  }
  methods.pointee.xRead = { file, buffer, count, offset in
    let handle = open(file)
    let target = UnsafeMutableRawBufferPointer(start: buffer, count: Int(max(0, count)))
    return handle.disk.perform(.read, on: handle, { "\(handle.path) \(offset)+\(count)" }) {
      let found = handle.file.content.read(into: target, at: Int(offset))
      return found == target.count ? SQLITE_OK : SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ
    }
  }
  methods.pointee.xWrite = { file, buffer, count, offset in
    let handle = open(file)
    let source = UnsafeRawBufferPointer(start: buffer, count: Int(max(0, count)))
    return handle.disk.perform(.write, on: handle, { "\(handle.path) \(offset)+\(count)" }) {
      handle.disk.write(handle, source, at: Int(offset))
    }
  }
  methods.pointee.xTruncate = { file, length in
    let handle = open(file)
    return handle.disk.perform(.truncate, on: handle, { "\(handle.path) \(length)" }) {
      handle.disk.truncate(handle, to: Int(length))
    }
  }
  methods.pointee.xSync = { file, _ in
    let handle = open(file)
    return handle.disk.perform(.sync, on: handle, { handle.path }) { handle.disk.sync(handle) }
  }
  methods.pointee.xFileSize = { file, out in
    let handle = open(file)
    return handle.disk.locked {
      if handle.isDead { return SQLITE_IOERR | 7 << 8 }  // SQLITE_IOERR_FSTAT
      out?.pointee = Int64(handle.file.content.count)
      return SQLITE_OK
    }
  }
  methods.pointee.xSectorSize = { Int32(clamping: open($0).disk.options.sectorSize) }
  // The same as in SQLite's VFS on Linux.
  methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
  methods.pointee.xFileControl = { file, operation, argument in
    let handle = open(file)
    guard operation == SQLITE_FCNTL_HAS_MOVED, let argument else { return SQLITE_NOTFOUND }
    let hasMoved = handle.disk.locked { handle.disk.names.file(handle.path) !== handle.file }
    argument.storeBytes(of: hasMoved ? 1 : 0, as: Int32.self)
    return SQLITE_OK
  }
}

private func setLocks(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
  methods.pointee.xLock = { file, level in
    let handle = open(file)
    return handle.disk.perform(.lock, on: handle, { "\(handle.path) \(level)" }) {
      if level == SQLITE_LOCK_RESERVED { handle.disk.seedSQLite() }
      return handle.file.lock(handle, level)
    }
  }
  methods.pointee.xUnlock = { file, level in
    let handle = open(file)
    handle.disk.locked { handle.lock = min(handle.lock, level) }
    return SQLITE_OK
  }
  methods.pointee.xCheckReservedLock = { file, out in
    let handle = open(file)
    return handle.disk.perform(.lock, on: handle, { "\(handle.path)?" }) {
      out?.pointee = handle.file.handles.contains { $0.lock >= SQLITE_LOCK_RESERVED } ? 1 : 0
      return SQLITE_OK
    }
  }
}

private func setMemory(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
  methods.pointee.xShmMap = { file, number, size, extend, out in
    let handle = open(file)
    out?.pointee = nil
    return handle.disk.perform(.memory, on: handle, { "\(handle.path) map \(number)" }) {
      // SQLite's VFS on Linux also fails here, because it can't write the file of the index.
      if handle.isReadOnly || handle.disk.isReadOnly { return SQLITE_CANTOPEN }
      guard number >= 0, number < SharedMemory.regionLimit, size > 0 else { return DiskOperation.memory.failure }
      let memory = handle.memory ?? handle.file.memory ?? SharedMemory()
      (handle.memory, handle.file.memory) = (memory, memory)
      out?.pointee = memory.region(Int(number), size: Int(size), extend: extend != 0)
      return SQLITE_OK
    }
  }
  methods.pointee.xShmLock = { file, offset, count, flags in
    let handle = open(file)
    return handle.disk.perform(.lock, on: handle, { "\(handle.path) memory \(offset)+\(count) \(flags)" }) {
      // The first lock is the lock of the writer.
      if offset == 0, flags & SQLITE_SHM_LOCK != 0 { handle.disk.seedSQLite() }
      return SharedMemory.lock(handle, offset: offset, count: count, flags: flags)
    }
  }
  methods.pointee.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
  methods.pointee.xShmUnmap = { file, _ in
    let handle = open(file)
    handle.disk.locked { handle.disk.unmap(handle) }
    return SQLITE_OK
  }
}

extension DiskCore {
  /// Sets the seed of SQLite's generator, which all databases of the process share, from the disk's seed. SQLite uses
  /// its numbers in logs and journals, so their bytes don't depend on earlier runs. Another thread that uses SQLite at
  /// the same time can still change them.
  func seedSQLite() { hapsim_sqlite3_seed(UInt32(truncatingIfNeeded: random.next()) | 1) }
}
