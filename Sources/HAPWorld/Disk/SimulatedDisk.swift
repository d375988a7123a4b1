import CSQLite
import HAPLoop

/// The disk of one simulated host, in memory. SQLite uses it through its VFS, `vfs`, and the stores of HAPStore use it
/// through `StoreFiles`.
///
/// The host can be killed and lose power, operations can fail, and the disk can fill up. The same seed and the same
/// calls result in the same bytes and the same trace. No operation uses the machine's file system.
package final class SimulatedDisk: Sendable {
  package struct Options: Sendable {
    package var seed: UInt64 = 0
    /// The unit of a write in bytes: 512 or 4096.
    package var sectorSize = 4096
    /// The size of the disk in bytes.
    package var capacity = 1 << 30
    /// The process that uses the disk, for record locks.
    package var processID: Int32 = 1
    /// Returns the time of the wall clock in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { 0 }
    /// Called with the time for which a program waits for a lock or the disk.
    package var pass: @Sendable (Duration) -> Void = { _ in }
    /// The duration of each operation; 0 if it isn't listed.
    package var durations: [DiskOperation: Duration] = [:]
    /// Called in the middle of the operation at which a planned crash happens. It can end the host's processes. It must
    /// not call the disk.
    package var onCrash: (@Sendable (_ losesPower: Bool) -> Void)?
    /// Called with a line for each operation. It must not call the disk.
    package var trace: (@Sendable (String) -> Void)?

    package init(seed: UInt64 = 0) { self.seed = seed }
  }

  let core: DiskCore
  private let registered: Guarded<DiskVFS>
  /// The name of the disk's VFS.
  package let vfsName: String
  /// The process that uses the disk through this object.
  package let processID: Int32

  package convenience init(_ options: Options = Options()) {
    precondition(
      options.sectorSize > 0 && options.capacity >= 0, "a sector size must be positive, and a capacity not negative")
    self.init(DiskCore(options), options.processID)
  }

  private init(_ core: DiskCore, _ processID: Int32) {
    self.core = core
    self.processID = processID
    let vfs = DiskVFS(core, processID: processID)
    vfsName = vfs.name
    registered = Guarded(vfs)
  }

  /// Returns the same disk for one process of the host: locks and open files are those of the process, and end with
  /// `end()`.
  package func used(by processID: Int32) -> SimulatedDisk { SimulatedDisk(core, processID) }

  /// Ends the process that uses the disk through this object. Its writes are kept, its locks are released, and
  /// operations on its open files fail.
  package func end() { core.locked { core.end(processID) } }

  deinit { registered.withLock { $0.unregister() } }

  // MARK: Crashes

  /// Kills the processes of the host. Their writes are kept, their locks are released, and operations on their open
  /// files fail from now on. The disk can be used after `start()`.
  package func kill() { core.locked { core.kill() } }

  /// Kills the processes as `kill()` does. The seed determines the unsynced data that is lost.
  package func losePower() { core.locked { core.losePower() } }

  /// Starts the host after a crash. Planned failures of operations remain.
  package func start() { core.locked { core.isDown = false } }

  package var isDown: Bool { core.locked { core.isDown } }

  /// The number of changes so far: writes, syncs, truncations, and new, removed or changed names.
  package var changes: Int { core.locked { core.changes } }

  /// Plans a crash of the host. After `count` more changes, the next change crashes the host and is not made.
  package func crash(after count: Int, losingPower: Bool) {
    core.locked { core.faults.crash = .init(remaining: count, losesPower: losingPower) }
  }

  // MARK: Faults

  /// Makes an operation fail after it has succeeded `count` more times.
  ///
  /// - Parameters:
  ///   - isLasting: whether all later operations of this kind also fail.
  ///   - code: SQLite's code; `nil`: the code of an input/output error of this operation.
  package func fail(_ operation: DiskOperation, after count: Int = 0, isLasting: Bool = false, code: Int32? = nil) {
    core.locked {
      core.faults.failures.append(
        .init(operation: operation, remaining: max(0, count), isLasting: isLasting, code: code ?? operation.failure))
    }
  }

  /// Ends all faults, and cancels a planned crash.
  package func clearFaults() { core.locked { core.faults = DiskFaults() } }

  /// The size of the disk in bytes. If the files become larger, the operation fails with `SQLITE_FULL`.
  package var capacity: Int {
    get { core.locked { core.capacity } }
    set { core.locked { core.capacity = newValue } }
  }

  /// The number of bytes in use.
  package var used: Int { core.locked { core.used } }

  /// Whether the disk reports a sync as done although the data can still be lost, as broken hardware does.
  package var ignoresSync: Bool {
    get { core.locked { core.ignoresSync } }
    set { core.locked { core.ignoresSync = newValue } }
  }

  package var isReadOnly: Bool {
    get { core.locked { core.isReadOnly } }
    set { core.locked { core.isReadOnly = newValue } }
  }

  // MARK: Inspection

  /// Returns the paths in a folder, sorted.
  package func paths(in folder: String) -> [String] {
    core.locked { core.names.paths(in: FileNames.absolute(folder)) }
  }

  /// Returns the bytes of a file; `nil`: it doesn't exist.
  package func contents(of path: String) -> [UInt8]? {
    core.locked { core.names.file(FileNames.absolute(path))?.content.bytes }
  }

  /// Creates a file and its parent folders, and syncs them.
  package func place(_ bytes: [UInt8], at path: String) {
    core.locked {
      let path = FileNames.absolute(path)
      let file = DiskFile(sectorSize: core.options.sectorSize)
      bytes.withUnsafeBytes { file.content.write($0, at: 0) }
      file.content.sync()
      var folders: [String] = []
      var folder = FileNames.parent(of: path)
      while core.names[folder] == nil {
        folders.append(folder)
        folder = FileNames.parent(of: folder)
      }
      for folder in folders.reversed() { core.names.set(folder, .folder) }
      core.names.set(path, .file(file))
      for path in [path] + folders { core.names.sync(folder: FileNames.parent(of: path)) }
    }
  }
}
