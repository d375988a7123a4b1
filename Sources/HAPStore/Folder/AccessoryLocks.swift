import Synchronization

/// The running accessories. Each one has a lock on a record of a file; in memory, only the accessories of this object are tracked.
final class AccessoryLocks: Sendable {
  /// `nil` in memory, which no other process can open.
  private let records: (any RecordLocks)?
  private let processID: Int32
  private let held = Mutex<Set<Int64>>([])

  /// - Parameter path: the file of records; `nil` in memory.
  init(path: String?, files: any StoreFiles) throws(StoreError) {
    records = if let path { try files.recordLocks(path) } else { nil }
    processID = files.processID
  }

  enum Outcome: Equatable { case acquired, heldBy(pid: Int32?) }

  func acquire(_ accessory: Int64) throws(StoreError) -> Outcome {
    try held.withLock { held throws(StoreError) in
      guard !held.contains(accessory) else { return .heldBy(pid: processID) }
      if let owner = try records?.take(accessory) { return .heldBy(pid: owner.processID) }
      held.insert(accessory)
      return .acquired
    }
  }

  func release(_ accessory: Int64) {
    held.withLock { held in if held.remove(accessory) != nil { records?.release(accessory) } }
  }

  /// Returns whether the accessory is running, and the process that runs it, if known.
  func state(of accessory: Int64) -> (isRunning: Bool, pid: Int32?) {
    held.withLock { held in
      if held.contains(accessory) { return (true, processID) }
      guard let owner = records?.owner(of: accessory) else { return (false, nil) }
      return (true, owner.processID)
    }
  }
}
