/// The locks of programs on files and on records in files, other than SQLite's. A killed process holds none.
struct DiskLocks {
  /// The holder of a lock. Locks of one holder exclude those of other holders, also in the same process.
  final class Holder: Sendable {
    let processID: Int32
    init(processID: Int32) { self.processID = processID }
  }
  private struct Key: Hashable {
    var path: String
    var record: Int64?
  }
  private var holders: [Key: Holder] = [:]

  /// - Parameter record: `nil`: the whole file's lock, independent of those of records.
  func holder(_ path: String, record: Int64?) -> Holder? { holders[Key(path: path, record: record)] }

  /// - Returns: whether `holder` has the lock now.
  mutating func take(_ path: String, record: Int64?, for holder: Holder) -> Bool {
    let key = Key(path: path, record: record)
    if let other = holders[key] { return other === holder }
    holders[key] = holder
    return true
  }

  /// Releases the locks of all holders in a process.
  mutating func releaseAll(of processID: Int32) { holders = holders.filter { $0.value.processID != processID } }

  /// Releases the lock if it is the holder's.
  mutating func release(_ path: String, record: Int64?, of holder: Holder) {
    let key = Key(path: path, record: record)
    if holders[key] === holder { holders[key] = nil }
  }
}
