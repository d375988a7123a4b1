import CSQLite

/// What a simulated disk can be asked to do.
package enum DiskOperation: String, CaseIterable, Sendable {
  case open, read, write, truncate, sync, delete, rename, folder, lock, memory

  /// Whether it changes what is on the disk.
  var isChange: Bool {
    switch self {
    case .write, .truncate, .sync, .delete, .rename, .folder: true
    case .open, .read, .lock, .memory: false
    }
  }

  /// The code that SQLite gets for a failure.
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

/// What is to go wrong.
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

  /// - Returns: the code to fail this operation with.
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
  /// - Returns: the crash that is due in its place.
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
