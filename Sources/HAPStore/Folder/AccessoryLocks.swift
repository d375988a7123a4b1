import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which accessories run: one file of 16-byte records, one record and one lock on it for each accessory.
///
/// The locks belong to the open file (OFD locks), not to the process: two folders opened in one process exclude each
/// other too, and the system drops the locks of a process that is killed. A record holds the owner's process number.
final class AccessoryLocks: Sendable {
  private static let recordSize: Int64 = 16
  #if canImport(Glibc)
    // From <fcntl.h>; there they hang on _GNU_SOURCE, which the imported module does not define.
    private static let setLock: Int32 = 37
    private static let getLock: Int32 = 36
  #else
    private static let setLock: Int32 = 90
    private static let getLock: Int32 = 92
  #endif

  /// -1 in memory, where nobody else can come in.
  private let descriptor: Int32
  private let path: String
  private let held = Mutex<Set<Int64>>([])

  /// - Parameter path: of the file of records; `nil` in memory.
  init(path: String?) throws(StoreError) {
    self.path = path ?? ""
    descriptor = if let path { try Files.openPrivate(path) } else { -1 }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  enum Outcome: Equatable { case acquired, heldBy(pid: Int32?) }

  func acquire(_ accessory: Int64) throws(StoreError) -> Outcome {
    try held.withLock { held throws(StoreError) in
      guard !held.contains(accessory) else { return .heldBy(pid: getpid()) }
      if descriptor >= 0 {
        guard lock(accessory, F_WRLCK) else {
          guard errno == EAGAIN || errno == EACCES else { throw Files.unwritable(path, errno) }
          return .heldBy(pid: owner(of: accessory))
        }
        record(accessory, owner: getpid())
      }
      held.insert(accessory)
      return .acquired
    }
  }

  func release(_ accessory: Int64) {
    held.withLock { held in
      guard held.remove(accessory) != nil, descriptor >= 0 else { return }
      record(accessory, owner: nil)
      _ = lock(accessory, F_UNLCK)
    }
  }

  /// Whether anyone runs it just now, and who, if known.
  func state(of accessory: Int64) -> (isRunning: Bool, pid: Int32?) {
    held.withLock { held in
      if held.contains(accessory) { return (true, getpid()) }
      guard descriptor >= 0 else { return (false, nil) }
      var request = range(of: accessory, F_WRLCK)
      guard fcntl(descriptor, Self.getLock, &request) == 0, request.l_type != Int16(F_UNLCK) else {
        return (false, nil)
      }
      return (true, owner(of: accessory))
    }
  }

  private func lock(_ accessory: Int64, _ kind: some BinaryInteger) -> Bool {
    var request = range(of: accessory, kind)
    return fcntl(descriptor, Self.setLock, &request) == 0
  }

  private func range(of accessory: Int64, _ kind: some BinaryInteger) -> flock {
    var request = flock()  // its process number must stay 0
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = off_t(accessory * Self.recordSize)
    request.l_len = off_t(Self.recordSize)
    return request
  }

  private func record(_ accessory: Int64, owner: Int32?) {
    var text = Array((owner.map(String.init) ?? "").utf8)
    text += [UInt8](repeating: 0, count: Int(Self.recordSize) - text.count)
    _ = pwrite(descriptor, text, text.count, off_t(accessory * Self.recordSize))  // only for messages: may fail
  }

  private func owner(of accessory: Int64) -> Int32? {
    var text = [UInt8](repeating: 0, count: Int(Self.recordSize))
    guard pread(descriptor, &text, text.count, off_t(accessory * Self.recordSize)) > 0 else { return nil }
    return Int32(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
  }
}
