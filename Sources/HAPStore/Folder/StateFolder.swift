import HAPModel
import Synchronization

/// The state of accessories across restarts: a folder with `state.db` and `values.db`, or memory.
///
/// Several processes can open the same folder, but only one of them can run a given accessory. All calls block.
package final class StateFolder: Sendable {
  /// The name in messages for a folder without a path.
  static let memory = "(in memory)"
  /// `nil` in memory.
  package let path: String?
  let state: DurableDatabase
  let locks: AccessoryLocks
  private let files: any StoreFiles
  private let report: @Sendable (String) -> Void
  private let opened = Mutex<ValueFile?>(nil)
  /// The values of each accessory by its key, if there is no path.
  private let remembered = Mutex<[String: ValueMemory]>([:])

  private init(
    path: String?, files: any StoreFiles, report: @escaping @Sendable (String) -> Void
  ) throws(StoreError) {
    self.path = path
    self.files = files
    self.report = report
    guard let path else {
      state = try DurableDatabase(.state, path: nil, files: files)
      locks = try AccessoryLocks(path: nil, files: files)
      return
    }
    try files.makeFolder(path)
    state = try files.exclusively(path + "/open.lock") { () throws(StoreError) in
      try DurableDatabase(.state, path: path + "/state.db", files: files)
    }
    locks = try AccessoryLocks(path: path + "/running.lock", files: files)
  }

  /// Opens a folder, and creates it if necessary. Only its owner can access it (folder 0700, files 0600).
  ///
  /// - Parameters:
  ///   - files: the disk with the folder.
  ///   - report: receives a sentence about each repair (damaged values that were discarded).
  /// - Throws: `unwritable`, `corrupt`, `foreign`, `newerSchema` (then no file was changed), `busy`, `full`.
  package static func open(
    path: String, files: any StoreFiles = SystemFiles(), report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreError) -> StateFolder {
    try StateFolder(path: path, files: files, report: report)
  }

  /// Creates an empty folder in memory. It is deleted with its last reference.
  package static func ephemeral() -> StateFolder {
    do throws(StoreError) {
      return try StateFolder(path: nil, files: SystemFiles(), report: { _ in })
    } catch { preconditionFailure("a database in memory can always be made: \(error)") }
  }

  /// Reserves an accessory for this process until its store is closed or deallocated.
  ///
  /// - Parameters:
  ///   - key: identifies the accessory across restarts and edits (the profile's identity key).
  ///   - name: the new name in lists. A new accessory without a name gets its key as its name.
  /// - Throws: `alreadyRunning`, or as `open(path:)`.
  package func accessory(key: String, name: String? = nil) throws(StoreError) -> AccessoryStore {
    let values = try values(of: key)
    let (row, known) = try state.change { database throws(SQLiteError) -> (Int64, String) in
      try database.run(
        "INSERT INTO accessories (key, name) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(key), .text(name ?? key))
      return try database.rows("SELECT id, name FROM accessories WHERE key = ?", .text(key)) {
        ($0.integer(0), $0.text(1))
      }[0]
    }
    try take(row, name: known)
    do throws(StoreError) {
      guard try knows(row) else {
        // Another process deleted it after our query and before we had the lock.
        locks.release(row)
        return try accessory(key: key, name: name)
      }
      if let name, name != known {
        try state.change { database throws(SQLiteError) in
          _ = try database.run("UPDATE accessories SET name = ? WHERE id = ?", .text(name), .integer(row))
        }
      }
      return AccessoryStore(folder: self, row: row, key: key, values: values)
    } catch {
      locks.release(row)
      throw error
    }
  }

  /// Runs `body` and makes all changes to the folder, from any thread, durable together when it returns. Large sets of changes are also
  /// written earlier, in parts. It is meant for the start of many accessories, before any of them is announced.
  package func gathering<R>(_ body: () throws -> R) throws -> R {
    try state.beginGathering()
    let result = Result { try body() }
    try state.endGathering()
    return try result.get()
  }

  /// All accessories in the folder, by name.
  package func list() throws(StoreError) -> [KnownAccessory] {
    let rows = try state.read { database throws(SQLiteError) in
      try database.rows("SELECT id, key, name, device_id FROM accessories ORDER BY name, key") {
        row throws(SQLiteError) in
        let id = row.integer(0)
        return (
          id,
          KnownAccessory(
            key: row.text(1), name: row.text(2), deviceID: DeviceID(row.text(3)),
            pairings: try database.pairings(of: id), isRunning: false)
        )
      }
    }
    return rows.map { row, accessory in
      var accessory = accessory
      (accessory.isRunning, accessory.pid) = locks.state(of: row)
      return accessory
    }
  }

  /// Performs a factory reset of an accessory that is not running. See `AccessoryStore.reset()`.
  ///
  /// - Throws: `unknownAccessory`, `alreadyRunning`.
  package func reset(key: String) throws(StoreError) {
    let store = try existing(key)
    defer { store.close() }
    try store.reset()
  }

  /// Deletes all data of an accessory that is not running. Its next run starts with a new setup code and new ids.
  ///
  /// - Throws: `unknownAccessory`, `alreadyRunning`.
  package func forget(key: String) throws(StoreError) {
    let store = try existing(key)
    defer { store.close() }
    try store.values.removeAll()
    try state.change { database throws(SQLiteError) in
      _ = try database.run("DELETE FROM accessories WHERE id = ?", .integer(store.row))
    }
  }

  private func knows(_ row: Int64) throws(StoreError) -> Bool {
    try state.read { database throws(SQLiteError) in
      try !database.rows("SELECT 1 FROM accessories WHERE id = ?", .integer(row)) { _ in }.isEmpty
    }
  }

  private func existing(_ key: String) throws(StoreError) -> AccessoryStore {
    let isKnown = try state.read { database throws(SQLiteError) in
      try !database.rows("SELECT 1 FROM accessories WHERE key = ?", .text(key)) { _ in }.isEmpty
    }
    guard isKnown else { throw StoreError(.unknownAccessory, path: path ?? Self.memory, detail: "\"\(key)\"") }
    return try accessory(key: key)
  }

  private func take(_ row: Int64, name: String) throws(StoreError) {
    switch try locks.acquire(row) {
    case .acquired: break
    case .heldBy(let pid):
      throw StoreError(.alreadyRunning(name: name, pid: pid), path: path ?? Self.memory, detail: "")
    }
  }

  private func values(of key: String) throws(StoreError) -> ValueStore {
    guard let path else {
      return remembered.withLock { remembered in
        if let memory = remembered[key] { return ValueStore(memory) }
        let memory = ValueMemory()
        remembered[key] = memory
        return ValueStore(memory)
      }
    }
    let file = try opened.withLock { opened throws(StoreError) in
      if let opened { return opened }
      let file = try files.exclusively(path + "/open.lock") { () throws(StoreError) in
        try ValueFile.open(path: path + "/values.db", files: files, report: report)
      }
      opened = file
      return file
    }
    return try ValueStore(file: file, key: key)
  }
}
