import CSQLite
import HAPLoop

/// The state of a simulated disk, and the operations that SQLite calls. One lock guards all of it. Open files and
/// connections keep it alive.
// Safe: `options` is a constant. Everything else is used in the bodies of `locked` and `perform`, which hold the lock,
// and in methods that only such bodies call. SQLite calls the functions of `DiskVFS` and `makeFileMethods` from any
// thread. These functions use this object only through `options`, `locked` and `perform`.
final class DiskCore: @unchecked Sendable {
  /// The maximum number of names. Beyond it, no file can be created.
  private static let nameLimit = 100_000
  static let pathLimit = 512

  let options: SimulatedDisk.Options
  // Not Void: an empty value has the address of the lock, and the thread sanitizer reports a race between the two.
  private let mutex = Guarded(false)
  // The properties below are used only while the lock is held.
  var names = FileNames()
  var handles: [ObjectIdentifier: OpenFile] = [:]
  var locks = DiskLocks()
  var faults = DiskFaults()
  var random: DiskRandom
  var capacity: Int
  var isReadOnly = false
  var ignoresSync = false
  /// Whether the host is down. Every operation fails then.
  var isDown = false
  var changes = 0

  init(_ options: SimulatedDisk.Options) {
    self.options = options
    capacity = options.capacity
    random = DiskRandom(seed: options.seed)
  }

  func locked<R>(_ body: () throws -> R) rethrows -> R { try mutex.withLock { _ in try body() } }

  /// Runs one operation, reports it to the trace, and simulates its duration. If a fault is due, the operation fails
  /// instead.
  ///
  /// - Parameters:
  ///   - isChange: whether it counts as a change; `nil`: determined by the kind of operation.
  ///   - body: the operation, called while the lock is held.
  /// - Returns: SQLite's code.
  func perform(
    _ operation: DiskOperation, on handle: OpenFile? = nil, isChange: Bool? = nil, _ detail: () -> String,
    _ body: () -> Int32
  ) -> Int32 {
    let code = mutex.withLock { _ in
      let code = refusal(operation, handle, isChange ?? operation.isChange) ?? body()
      options.trace?("\(operation.rawValue) \(detail())\(code == SQLITE_OK ? "" : " = \(code)")")
      return code
    }
    if let duration = options.durations[operation] { options.pass(duration) }
    return code
  }

  private func refusal(_ operation: DiskOperation, _ handle: OpenFile?, _ isChange: Bool) -> Int32? {
    if isDown || handle?.isDead == true { return SQLITE_IOERR }
    if isChange {
      if let crash = faults.crashInstead() {
        if crash.losesPower { losePower() } else { kill() }
        options.onCrash?(crash.losesPower)
        return SQLITE_IOERR
      }
      changes += 1
    }
    return faults.failure(of: operation)
  }

  // MARK: Crashes

  /// Ends all processes. Their writes are kept.
  func kill() {
    for handle in handles.values {
      handle.isDead = true
      handle.file.handles = []
      handle.file.memory = nil
    }
    handles = [:]
    locks = DiskLocks()
    faults.crash = nil
    isDown = true
    options.trace?("killed")
  }

  /// Ends one process. Its writes are kept, also those of a transaction that it has not committed.
  func end(_ processID: Int32) {
    for handle in handles.values where handle.processID == processID {
      handle.isDead = true
      handle.file.handles.removeAll { $0 === handle }
      if !handle.file.handles.contains(where: { $0.memory != nil }) { handle.file.memory = nil }
    }
    handles = handles.filter { !$0.value.isDead }
    locks.releaseAll(of: processID)
    options.trace?("process \(processID) ended")
  }

  func losePower() {
    kill()
    var loss = PowerLoss(random)
    for file in names.losePower(&loss) { file.content.losePower(&loss) }
    random = loss.random
    options.trace?("lost power")
  }

  // MARK: Files

  /// The number of bytes of all files that have a name or are open.
  var used: Int {
    let open = handles.values.lazy.filter { [names] in
      names.file($0.path) !== $0.file && $0.file.handles.first === $0
    }
    return names.length + open.reduce(0) { $0 + $1.file.content.count }
  }

  func open(_ name: String?, flags: Int32) -> (code: Int32, handle: OpenFile?) {
    let path = name ?? ""
    var opened: OpenFile?
    let isNew = locked { names.file(path) == nil } && flags & SQLITE_OPEN_CREATE != 0
    let code = perform(.open, isChange: isNew && name != nil, { name ?? "(temporary)" }) {
      guard let file = file(for: name, isNew: isNew, flags) else { return SQLITE_CANTOPEN }
      // For these files SQLite expects that the first sync also makes the name durable.
      let kinds = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL
      let handle = OpenFile(
        disk: self, file: file, path: path, isReadOnly: isReadOnly || flags & SQLITE_OPEN_READWRITE == 0,
        isTemporary: name == nil || flags & SQLITE_OPEN_DELETEONCLOSE != 0,
        syncsFolder: isNew && flags & kinds != 0)
      file.handles.append(handle)
      handles[ObjectIdentifier(handle)] = handle
      opened = handle
      return SQLITE_OK
    }
    return (code, opened)
  }

  private func file(for name: String?, isNew: Bool, _ flags: Int32) -> DiskFile? {
    guard let name else { return DiskFile(sectorSize: options.sectorSize) }
    if let file = names.file(name) { return flags & SQLITE_OPEN_EXCLUSIVE != 0 ? nil : file }
    guard isNew else { return nil }
    return create(name)
  }

  /// - Returns: the new file; `nil` if no file of this name can be created.
  func create(_ path: String) -> DiskFile? {
    guard names[path] == nil, hasRoomForName(path) else { return nil }
    let file = DiskFile(sectorSize: options.sectorSize)
    names.set(path, .file(file))
    return file
  }

  func hasRoomForName(_ path: String) -> Bool {
    !isReadOnly && names.count < Self.nameLimit && path.utf8.count < Self.pathLimit
      && names.isFolder(FileNames.parent(of: path))
  }

  func close(_ handle: OpenFile) {
    locked {
      guard !handle.isDead else { return }
      options.trace?("close \(handle.path)")
      handle.file.handles.removeAll { $0 === handle }
      handles[ObjectIdentifier(handle)] = nil
      unmap(handle)
      if handle.isTemporary, names.file(handle.path) === handle.file { names.set(handle.path, nil) }
    }
  }

  func unmap(_ handle: OpenFile) {
    handle.memory = nil
    handle.sharedLocks = 0
    handle.exclusiveLocks = 0
    if !handle.isDead, !handle.file.handles.contains(where: { $0.memory != nil }) { handle.file.memory = nil }
  }

  func write(_ handle: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    if handle.isReadOnly { return SQLITE_READONLY }
    if isReadOnly { return DiskOperation.write.failure }
    guard hasRoom(for: handle.file, offset: offset, count: bytes.count) else { return SQLITE_FULL }
    handle.file.content.write(bytes, at: offset)
    return SQLITE_OK
  }

  func hasRoom(for file: DiskFile, offset: Int, count: Int) -> Bool {
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard offset >= 0, !overflow else { return false }
    let growth = end - file.content.count
    return growth <= 0 || growth <= capacity - used
  }

  func truncate(_ handle: OpenFile, to length: Int) -> Int32 {
    if handle.isReadOnly || isReadOnly || length < 0 { return DiskOperation.truncate.failure }
    guard hasRoom(for: handle.file, offset: 0, count: length) else { return SQLITE_FULL }
    handle.file.content.truncate(to: length)
    return SQLITE_OK
  }

  func sync(_ handle: OpenFile) -> Int32 {
    if ignoresSync { return SQLITE_OK }
    handle.file.content.sync()
    if handle.syncsFolder { names.sync(folder: FileNames.parent(of: handle.path)) }
    handle.syncsFolder = false
    return SQLITE_OK
  }

  func delete(_ path: String, syncsFolder: Bool) -> Int32 {
    guard names.file(path) != nil else { return SQLITE_IOERR | 23 << 8 }  // SQLITE_IOERR_DELETE_NOENT
    if isReadOnly { return DiskOperation.delete.failure }
    names.set(path, nil)
    if syncsFolder { names.sync(folder: FileNames.parent(of: path)) }
    return SQLITE_OK
  }
}
