import CSQLite
import HAPStore

extension SimulatedDisk: StoreFiles {
  package var vfs: String? { vfsName }

  package func makeFolder(_ path: String) throws(StoreError) {
    try perform(.folder, path) { path in
      var missing: [String] = []
      var folder = path
      while self.core.names[folder] == nil {
        missing.append(folder)
        folder = FileNames.parent(of: folder)
      }
      guard self.core.names.isFolder(folder) else { return SQLITE_CANTOPEN }
      for folder in missing.reversed() {
        guard self.core.hasRoomForName(folder) else { return SQLITE_CANTOPEN }
        self.core.names.set(folder, .folder)
        self.core.names.sync(folder: FileNames.parent(of: folder))
      }
      return SQLITE_OK
    }
  }

  package func makePrivate(_ path: String) throws(StoreError) -> Int {
    var size = 0
    let isNew = core.locked { core.names.file(FileNames.absolute(path)) == nil }
    try perform(.open, isChange: isNew, path) { path in
      guard let file = self.core.names.file(path) ?? self.core.create(path), !self.core.isReadOnly else {
        return SQLITE_CANTOPEN
      }
      size = file.content.count
      return SQLITE_OK
    }
    return size
  }

  package func createPrivate(_ path: String) throws(StoreError) {
    let isNew = core.locked { core.names[FileNames.absolute(path)] == nil }
    if !isNew, !isDown { throw StoreError(.exists, path: path, detail: "") }
    _ = try makePrivate(path)
  }

  package func size(of path: String) throws(StoreError) -> Int? {
    var size: Int?
    try perform(.open, isChange: false, path) { path in
      size = self.core.names.file(path)?.content.count
      return SQLITE_OK
    }
    return size
  }

  /// A simulated disk has only one user.
  package func othersMayWrite(_ folder: String) -> Bool { false }

  package func synchronizeFolder(of path: String) throws(StoreError) {
    try perform(.sync, path) { path in
      if !self.core.ignoresSync { self.core.names.sync(folder: FileNames.parent(of: path)) }
      return SQLITE_OK
    }
  }

  package func rename(_ path: String, to target: String) throws(StoreError) {
    let target = FileNames.absolute(target)
    try perform(.rename, path) { path in
      guard self.core.names.file(path) != nil, !self.core.isReadOnly, !self.core.names.isFolder(target),
        self.core.names.isFolder(FileNames.parent(of: target)), target.utf8.count < DiskCore.pathLimit
      else { return SQLITE_CANTOPEN }
      if path != target { self.core.names.rename(path, to: target) }
      return SQLITE_OK
    }
  }

  package func remove(_ path: String) throws(StoreError) {
    try perform(.delete, path) { path in
      if self.core.names[path] == nil { return SQLITE_OK }
      return self.core.delete(path, syncsFolder: false)
    }
  }

  package func exclusively<R>(_ path: String, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    _ = try makePrivate(path)
    let absolute = FileNames.absolute(path)
    let holder = DiskLocks.Holder(processID: processID)
    var waited = 0
    while !core.locked({ core.locks.take(absolute, record: nil, for: holder) }) {
      guard waited < 10_000 else {
        throw StoreError(.busy, path: path, detail: "another process has been opening the folder for ten seconds")
      }
      core.options.pass(.milliseconds(2))
      waited += 2
    }
    defer { core.locked { core.locks.release(absolute, record: nil, of: holder) } }
    return try body()
  }

  package func recordLocks(_ path: String) throws(StoreError) -> any RecordLocks {
    _ = try makePrivate(path)
    return DiskRecordLocks(core, path: FileNames.absolute(path), processID)
  }

  private func perform(
    _ operation: DiskOperation, isChange: Bool? = nil, _ path: String, _ body: (String) -> Int32
  ) throws(StoreError) {
    let absolute = FileNames.absolute(path)
    let code = core.perform(operation, isChange: isChange, { absolute }) { body(absolute) }
    if code != SQLITE_OK {
      let isFull = code == SQLITE_FULL
      throw StoreError(isFull ? .full : .unwritable, path: path, detail: String(cString: sqlite3_errstr(code)))
    }
  }
}

/// Locks on the records of a file. They end with the process that opened the file.
private final class DiskRecordLocks: RecordLocks {
  private let core: DiskCore
  private let path: String
  private let holder: DiskLocks.Holder

  init(_ core: DiskCore, path: String, _ processID: Int32) {
    self.core = core
    self.path = path
    holder = DiskLocks.Holder(processID: processID)
  }

  func take(_ record: Int64) throws(StoreError) -> RecordOwner? {
    core.locked {
      if core.locks.take(path, record: record, for: holder) { return nil }
      return RecordOwner(processID: core.locks.holder(path, record: record)?.processID)
    }
  }

  func release(_ record: Int64) { core.locked { core.locks.release(path, record: record, of: holder) } }

  func owner(of record: Int64) -> RecordOwner? {
    core.locked { core.locks.holder(path, record: record).map { RecordOwner(processID: $0.processID) } }
  }
}
