import CSQLite

/// An operation of a simulated disk.
package enum DiskOperation: String, CaseIterable, Sendable {
  case open, read, write, truncate, sync, delete, rename, folder, lock, memory

  /// Whether it changes the contents of the disk.
  var isChange: Bool {
    switch self {
    case .write, .truncate, .sync, .delete, .rename, .folder: true
    case .open, .read, .lock, .memory: false
    }
  }

  /// SQLite's error code for a failure of this operation.
  var failure: Int32 {
    switch self {
    case .open: SQLITE_CANTOPEN
    case .read: SQLITE_IOERR | 1 << 8
    case .write: SQLITE_IOERR | 3 << 8
    case .sync: SQLITE_IOERR | 4 << 8
    case .truncate: SQLITE_IOERR | 6 << 8
    case .delete: SQLITE_IOERR | 10 << 8
    case .lock: SQLITE_IOERR | 15 << 8
    case .memory: SQLITE_IOERR | 19 << 8
    case .rename, .folder: SQLITE_IOERR
    }
  }
}

/// The planned failures and the planned crash of a disk.
struct DiskFaults {
  struct Failure {
    var operation: DiskOperation
    /// The number of operations that still succeed.
    var remaining: Int
    var isLasting: Bool
    var code: Int32
  }
  struct Crash {
    /// The number of changes that still succeed.
    var remaining: Int
    var losesPower: Bool
  }
  var failures: [Failure] = []
  var crash: Crash?

  /// Counts an operation.
  /// - Returns: the code with which this operation fails; `nil`: it doesn't fail.
  mutating func failure(of operation: DiskOperation) -> Int32? {
    if failures.isEmpty { return nil }
    var code: Int32?
    for index in failures.indices where failures[index].operation == operation {
      failures[index].remaining -= 1
      let isDue = failures[index].remaining == -1 || (failures[index].remaining < 0 && failures[index].isLasting)
      if isDue { code = failures[index].code }
    }
    failures.removeAll { $0.remaining < 0 && !$0.isLasting }
    return code
  }

  /// Counts a change.
  /// - Returns: the crash that happens instead of this change; `nil`: there is none.
  mutating func crashInstead() -> Crash? {
    guard let due = crash else { return nil }
    if due.remaining > 0 {
      crash?.remaining -= 1
      return nil
    }
    crash = nil
    return due
  }
}
