import CSQLite
import Foundation

/// An SQLite VFS that records all writes below a folder, or refuses them from some point on.
///
/// It is installed for the whole process, and forwards operations on other folders.
enum RecordingVFS {
  enum Operation: Equatable {
    case write(path: String, offset: Int, bytes: [UInt8])
    case truncate(path: String, size: Int)
    case sync(path: String)
    case delete(path: String)
    /// A change was answered: from now on it must be stored. Set by the test.
    case answered(Int)
  }

  /// The operations on the files of one folder.
  struct Watch {
    var log: [Operation] = []
    /// From this write on, counted from 0, writing fails with `failure`; `nil` means never.
    var failsFrom: Int?
    var failure: Int32 = SQLITE_FULL
    var writes = 0
  }

  // Not a `Mutex`: under contention, the thread sanitizer doesn't see the slow path of its library.
  private static let lock = NSLock()
  nonisolated(unsafe) private static var watches: [String: Watch] = [:]

  private static func withWatches<T>(_ body: (inout [String: Watch]) -> T) -> T { lock.withLock { body(&watches) } }

  /// Records the operations below `folder` from now on.
  static func watch(_ folder: String, failsFrom: Int? = nil, failure: Int32 = SQLITE_FULL) {
    install()
    withWatches { $0[folder] = Watch(failsFrom: failsFrom, failure: failure) }
  }

  /// - Returns: the operations below `folder` since `watch`.
  static func unwatch(_ folder: String) -> Watch { withWatches { $0.removeValue(forKey: folder) } ?? Watch() }

  static func answered(_ number: Int, in folder: String) {
    withWatches { $0[folder]?.log.append(.answered(number)) }
  }

  /// - Returns: the error code of a failing write, or `nil`.
  fileprivate static func note(_ path: String, isWrite: Bool, _ operation: @autoclosure () -> Operation) -> Int32? {
    withWatches { watches in
      guard let folder = watches.keys.first(where: { path.hasPrefix($0 + "/") }), var watch = watches[folder] else {
        return nil
      }
      defer { watches[folder] = watch }
      if isWrite {
        defer { watch.writes += 1 }
        if let limit = watch.failsFrom, watch.writes >= limit { return watch.failure }
      }
      watch.log.append(operation())
      return nil
    }
  }

  private static func install() { _ = installed }

  private static let installed: Bool = {
    let real = sqlite3_vfs_find(nil)!
    let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    own.initialize(to: real.pointee)
    own.pointee.zName = UnsafePointer(strdup("recording"))
    own.pointee.szOsFile = Int32(RecordedFile.headSize) + real.pointee.szOsFile
    own.pointee.pNext = nil
    realVFS = real
    own.pointee.xOpen = { _, name, file, flags, outFlags in
      RecordedFile.open(name, UnsafeMutableRawPointer(file!), flags, outFlags)
    }
    own.pointee.xDelete = { _, name, sync in
      if let name { _ = RecordingVFS.note(String(cString: name), isWrite: false, .delete(path: String(cString: name))) }
      return realVFS.pointee.xDelete(realVFS, name, sync)
    }
    return sqlite3_vfs_register(own, 1) == SQLITE_OK
  }()
}

private nonisolated(unsafe) var realVFS: UnsafeMutablePointer<sqlite3_vfs>! = nil

/// An open file in SQLite's layout: the methods, our own pointer, then the real file.
private enum RecordedFile {
  static let headSize = 16

  static func real(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file!) + headSize).assumingMemoryBound(to: sqlite3_file.self)
  }

  static func path(_ file: UnsafeMutablePointer<sqlite3_file>?) -> String {
    (UnsafeMutableRawPointer(file!) + 8).load(as: UnsafeMutablePointer<CChar>?.self).map { String(cString: $0) } ?? ""
  }

  static func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutableRawPointer, _ flags: Int32, _ out: UnsafeMutablePointer<Int32>?
  )
    -> Int32
  {
    let head = file.assumingMemoryBound(to: sqlite3_file.self)
    head.pointee.pMethods = nil
    (file + 8).storeBytes(of: name.map { strdup($0) }, as: UnsafeMutablePointer<CChar>?.self)
    let status = realVFS.pointee.xOpen(realVFS, name, real(head), flags, out)
    if status == SQLITE_OK {
      head.pointee.pMethods = UnsafePointer(methods)
    } else {
      free((file + 8).load(as: UnsafeMutableRawPointer?.self))
    }
    return status
  }

  nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in
      free((UnsafeMutableRawPointer(file!) + 8).load(as: UnsafeMutableRawPointer?.self))
      return real(file).pointee.pMethods.pointee.xClose(real(file))
    }
    methods.pointee.xRead = { real($0).pointee.pMethods.pointee.xRead(real($0), $1, $2, $3) }
    methods.pointee.xWrite = { file, bytes, count, offset in
      let copy = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      let path = path(file)
      if let failure = RecordingVFS.note(path, isWrite: true, .write(path: path, offset: Int(offset), bytes: copy)) {
        return failure
      }
      return real(file).pointee.pMethods.pointee.xWrite(real(file), bytes, count, offset)
    }
    methods.pointee.xTruncate = { file, size in
      let path = path(file)
      _ = RecordingVFS.note(path, isWrite: false, .truncate(path: path, size: Int(size)))
      return real(file).pointee.pMethods.pointee.xTruncate(real(file), size)
    }
    methods.pointee.xSync = { file, flags in
      let status = real(file).pointee.pMethods.pointee.xSync(real(file), flags)
      let path = path(file)
      if status == SQLITE_OK { _ = RecordingVFS.note(path, isWrite: false, .sync(path: path)) }
      return status
    }
    methods.pointee.xFileSize = { real($0).pointee.pMethods.pointee.xFileSize(real($0), $1) }
    methods.pointee.xLock = { real($0).pointee.pMethods.pointee.xLock(real($0), $1) }
    methods.pointee.xUnlock = { real($0).pointee.pMethods.pointee.xUnlock(real($0), $1) }
    methods.pointee.xCheckReservedLock = { real($0).pointee.pMethods.pointee.xCheckReservedLock(real($0), $1) }
    methods.pointee.xFileControl = { real($0).pointee.pMethods.pointee.xFileControl(real($0), $1, $2) }
    methods.pointee.xSectorSize = { real($0).pointee.pMethods.pointee.xSectorSize(real($0)) }
    methods.pointee.xDeviceCharacteristics = { real($0).pointee.pMethods.pointee.xDeviceCharacteristics(real($0)) }
    methods.pointee.xShmMap = { real($0).pointee.pMethods.pointee.xShmMap(real($0), $1, $2, $3, $4) }
    methods.pointee.xShmLock = { real($0).pointee.pMethods.pointee.xShmLock(real($0), $1, $2, $3) }
    methods.pointee.xShmBarrier = { real($0).pointee.pMethods.pointee.xShmBarrier(real($0)) }
    methods.pointee.xShmUnmap = { real($0).pointee.pMethods.pointee.xShmUnmap(real($0), $1) }
    return methods
  }()
}

/// The files of a folder on a disk after a power cut.
struct Disk {
  private struct File {
    var durable: [UInt8] = []
    var pending: [RecordingVFS.Operation] = []
  }
  private var files: [String: File] = [:]

  mutating func apply(_ operation: RecordingVFS.Operation) {
    switch operation {
    case .write(let path, _, _), .truncate(let path, _): files[path, default: File()].pending.append(operation)
    case .sync(let path):
      var file = files[path, default: File()]
      for operation in file.pending { Self.change(&file.durable, operation) }
      file.pending = []
      files[path] = file
    case .delete(let path): files[path] = nil
    case .answered: break
    }
  }

  /// - Parameter survives: how many bytes of an unsynced change reached the disk; `nil` if the change did not.
  func contents(survives: (_ size: Int) -> Int?) -> [String: [UInt8]] {
    files.mapValues { file in
      var bytes = file.durable
      for operation in file.pending {
        switch operation {
        case .write(let path, let offset, let written):
          guard let count = survives(written.count) else { continue }
          Self.change(&bytes, .write(path: path, offset: offset, bytes: Array(written.prefix(count))))
        case .truncate:
          if survives(0) != nil { Self.change(&bytes, operation) }
        default: break
        }
      }
      return bytes
    }
  }

  private static func change(_ bytes: inout [UInt8], _ operation: RecordingVFS.Operation) {
    switch operation {
    case .write(_, let offset, let written):
      if bytes.count < offset + written.count {
        bytes += [UInt8](repeating: 0, count: offset + written.count - bytes.count)
      }
      bytes.replaceSubrange(offset..<offset + written.count, with: written)
    case .truncate(_, let size):
      if bytes.count > size { bytes.removeLast(bytes.count - size) }
    default: break
    }
  }
}
