/// Backup and restore.
///
/// A restore has one step that decides: the new file gets the name `home.db.restored`. Before it, an interrupted restore has changed
/// nothing. After it, `completeRestore` finishes the work, now or when the store is opened next, from any step at which it was interrupted.
extension HomeStore {
  /// Copies the store to a new file, with all keys, accessible only to its owner (mode 0600). The store stays usable meanwhile.
  ///
  /// - Throws: `exists` if there is a file at `target`; otherwise as `init`. After an error, there is no new file.
  package func backUp(to target: String) throws(StoreError) {
    try Self.backUp(folder: folder, to: target, files: files)
  }

  /// Copies the store in `folder`, whether or not a process has it open. See `backUp(to:)`.
  package static func backUp(
    folder: String, to target: String, files: any StoreFiles = SystemFiles()
  ) throws(StoreError) {
    try exclusively(folder, files) { () throws(StoreError) in
      try completeRestore(path(in: folder), files)
      let source = try Schema.home.openUnchanged(path(in: folder), files: files)
      // The file gets its name when it is complete. Until then, the name is reserved.
      let partial = target + ".partial"
      try files.createPrivate(target)
      do throws(StoreError) {
        try files.createPrivate(partial)
        do throws(StoreError) {
          try copy(source, to: partial, files)
          try files.rename(partial, to: target)
          try files.synchronizeFolder(of: target)
        } catch {
          try? files.remove(partial)
          try? files.remove(partial + "-journal")
          throw error
        }
      } catch {
        try? files.remove(target)
        throw error
      }
    }
  }

  /// Replaces the store in `folder` by a backup. The replaced file is kept as `home.db.replaced`, with its keys, until the next restore.
  ///
  /// - Parameter backup: a file of this version or an older one. It is not changed.
  /// - Throws: `alreadyRunning` if a process has the store open; `corrupt`, `foreign` and `newerSchema` if the backup can't be used;
  ///   otherwise as `init`. After an error, the store is unchanged, or the next `init` completes the restore.
  package static func restore(
    _ backup: String, into folder: String, files: any StoreFiles = SystemFiles()
  ) throws(StoreError) {
    try exclusively(folder, files) { () throws(StoreError) in
      let locks = try lock(folder, files)
      defer { locks.release(record) }
      let path = path(in: folder)
      try completeRestore(path, files)
      let source = try Schema.home.openUnchanged(backup, files: files)
      let new = path + ".new"
      for suffix in [""] + logs { try files.remove(new + suffix) }  // left by an interrupted restore
      try files.createPrivate(new)
      try copy(source, to: new, files)
      for suffix in [""] + logs { try files.remove(path + ".replaced" + suffix) }
      try files.rename(new, to: path + ".restored")
      try completeRestore(path, files)
    }
  }

  /// SQLite applies these files to a database of the same name. Each has to stay with its database.
  private static let logs = ["-journal", "-wal"]

  /// Moves `home.db.restored`, if it exists, to its place. Each step can be repeated.
  static func completeRestore(_ path: String, _ files: any StoreFiles) throws(StoreError) {
    guard try files.size(of: path + ".restored") != nil else { return }
    for suffix in logs + [""] where try files.size(of: path + suffix) != nil {
      try files.rename(path + suffix, to: path + ".replaced" + suffix)
    }
    try files.remove(path + "-shm")
    try files.rename(path + ".restored", to: path)
    try files.synchronizeFolder(of: path)
  }

  /// Copies all pages to an empty file. On return, they are on the disk, in one file without a log.
  private static func copy(_ source: Database, to path: String, _ files: any StoreFiles) throws(StoreError) {
    do throws(SQLiteError) {
      let target = try Database(path: path, vfs: files.vfs)
      try target.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      try source.copy(to: target)
      try target.execute("PRAGMA journal_mode = DELETE")
    } catch { throw StoreError(error, path: path) }
  }
}
