import CSQLite
import HAPLoop

/// The disk of one simulated host, in memory. SQLite reaches it by a VFS of its own, `vfs`, and the stores of HAPStore run on it (`StoreFiles`).
///
/// The host can be killed and lose power, operations can fail, and the disk can fill up. The same seed and the same calls give the same bytes and the
/// same trace. No operation reaches the system.
package final class SimulatedDisk: Sendable {
  package struct Options: Sendable {
    package var seed: UInt64 = 0
    /// The unit that the disk writes whole, in bytes: 512 or 4096.
    package var sectorSize = 4096
    /// In bytes.
    package var capacity = 1 << 30
    /// The process that uses the disk, for locks.
    package var processID: Int32 = 1
    /// The wall clock, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = { 0 }
    /// Called when a program waits for a lock or the disk.
    package var pass: @Sendable (Duration) -> Void = { _ in }
    /// How long operations take.
    package var durations: [DiskOperation: Duration] = [:]
    /// Called when a planned crash comes, in the middle of the operation: it can end the host's processes. It must not call the disk.
    package var onCrash: (@Sendable (_ losesPower: Bool) -> Void)?
    /// Called with a line for each operation. It must not call the disk.
    package var trace: (@Sendable (String) -> Void)?

    package init(seed: UInt64 = 0) { self.seed = seed }
  }

  let core: DiskCore
  private let registered: Guarded<DiskVFS>
  /// The name of the disk's VFS.
  package let vfsName: String

  package init(_ options: Options = Options()) {
    precondition(options.sectorSize > 0 && options.capacity >= 0, "sectors and disks have a size")
    core = DiskCore(options)
    let vfs = DiskVFS(core)
    vfsName = vfs.name
    registered = Guarded(vfs)
  }

  deinit { registered.withLock { $0.unregister() } }

  // MARK: Crashes

  /// Kills the processes of the host. What they wrote stays, their locks are released, and whatever they have open fails from now on. The disk can be
  /// used after `start()`.
  package func kill() { core.locked { core.kill() } }

  /// As `kill()`; and of what was not synced, the seed chooses what is lost.
  package func losePower() { core.locked { core.losePower() } }

  /// Starts the host after a crash. Faults other than crashes stay.
  package func start() { core.locked { core.isDown = false } }

  package var isDown: Bool { core.locked { core.isDown } }

  /// Writes, syncs, truncations, and new, removed or changed names, so far.
  package var changes: Int { core.locked { core.changes } }

  /// Crashes the host instead of the change after the next `count` ones.
  package func crash(after count: Int, losingPower: Bool) {
    core.locked { core.faults.crash = .init(remaining: count, losesPower: losingPower) }
  }

  // MARK: Faults

  /// Lets an operation fail after the next `count` ones of its kind.
  ///
  /// - Parameters:
  ///   - isLasting: whether those after it fail too.
  ///   - code: SQLite's code; `nil`: that of an input/output error of this operation.
  package func fail(_ operation: DiskOperation, after count: Int = 0, isLasting: Bool = false, code: Int32? = nil) {
    core.locked {
      core.faults.failures.append(
        .init(operation: operation, remaining: max(0, count), isLasting: isLasting, code: code ?? operation.failure))
    }
  }

  /// Ends all faults, and takes back a crash that was planned.
  package func clearFaults() { core.locked { core.faults = DiskFaults() } }

  /// In bytes. Growing beyond fails with `SQLITE_FULL`.
  package var capacity: Int {
    get { core.locked { core.capacity } }
    set { core.locked { core.capacity = newValue } }
  }

  /// In bytes.
  package var used: Int { core.locked { core.used } }

  /// Whether the disk reports data as synced that it can still lose, as broken hardware does.
  package var ignoresSync: Bool {
    get { core.locked { core.ignoresSync } }
    set { core.locked { core.ignoresSync = newValue } }
  }

  package var isReadOnly: Bool {
    get { core.locked { core.isReadOnly } }
    set { core.locked { core.isReadOnly = newValue } }
  }

  // MARK: Looking from outside

  /// The paths in a folder, in order.
  package func paths(in folder: String) -> [String] {
    core.locked { core.names.paths(in: FileNames.absolute(folder)) }
  }

  /// The bytes of a file; `nil`: there is none.
  package func contents(of path: String) -> [UInt8]? {
    core.locked { core.names.file(FileNames.absolute(path))?.content.bytes }
  }

  /// Puts a file on the disk, synced, and the folders above it.
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
