#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's files: the operations that SQLite does not perform.
package struct SystemFiles: StoreFiles {
  package init() {}

  package var vfs: String? { nil }
  package var processID: Int32 { getpid() }

  package func makeFolder(_ path: String) throws(StoreError) {
    if mkdir(path, 0o700) == 0 {
      try? synchronizeFolder(of: path)  // a power cut can lose a new folder whose name is not on the disk yet
      return
    }
    switch errno {
    case EEXIST: break
    case ENOENT where Self.parent(of: path) != path:
      try makeFolder(Self.parent(of: path))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.unwritable(path, errno) }
      try? synchronizeFolder(of: path)  // a power cut can lose a new folder whose name is not on the disk yet
    case let code: throw Self.unwritable(path, code)
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw Self.unwritable(path, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw Self.unwritable(path, ENOTDIR) }
  }

  /// Opens `path` for reading and writing, creates it if necessary, and restricts it to its owner.
  ///
  /// - Returns: a descriptor that the caller must close.
  static func openPrivate(_ path: String) throws(StoreError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 {
      // SQLite gives its log and index files the mode of the database.
      guard fchmod(descriptor, 0o600) == 0 else {
        let code = errno
        close(descriptor)
        throw Self.unwritable(path, code)
      }
    }
    return descriptor
  }

  package func makePrivate(_ path: String) throws(StoreError) -> Int {
    let descriptor = try Self.openPrivate(path)
    defer { close(descriptor) }
    return Int(max(0, lseek(descriptor, 0, SEEK_END)))
  }

  package func createPrivate(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw errno == EEXIST ? StoreError(.exists, path: path, detail: "") : Self.unwritable(path, errno)
    }
    close(descriptor)
  }

  package func size(of path: String) throws(StoreError) -> Int? {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    guard errno == ENOENT else { throw Self.unwritable(path, errno) }
    return nil
  }

  package func othersMayWrite(_ folder: String) throws(StoreError) -> Bool {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw Self.unwritable(folder, errno) }
    return status.st_mode & 0o022 != 0
  }

  package func rename(_ path: String, to target: String) throws(StoreError) {
    guard platformRename(path, target) == 0 else { throw Self.unwritable(path, errno) }
  }

  package func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.unwritable(path, errno) }
  }

  package func exclusively<R>(_ path: String, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    let descriptor = try Self.openPrivate(path)
    defer { close(descriptor) }
    var waited = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw Self.unwritable(path, errno) }
      guard waited < 10_000 else {
        throw StoreError(.busy, path: path, detail: "another process has been opening the folder for ten seconds")
      }
      usleep(2000)
      waited += 2
    }
    return try body()
  }

  package func recordLocks(_ path: String) throws(StoreError) -> any RecordLocks { try SystemRecordLocks(path: path) }

  static func unwritable(_ path: String, _ code: Int32) -> StoreError {
    StoreError(code == ENOSPC ? .full : .unwritable, path: path, detail: String(cString: strerror(code)))
  }

  private static func parent(of path: String) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  package func synchronizeFolder(of path: String) throws(StoreError) {
    let folder = Self.parent(of: path)
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unwritable(folder, errno) }
    defer { close(descriptor) }
    // Some file systems have no such operation.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw Self.unwritable(folder, errno) }
  }
}

/// The system's function, which a method of the same name would shadow.
private func platformRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
