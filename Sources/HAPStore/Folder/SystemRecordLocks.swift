#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One file of 16-byte records, with one lock on each.
///
/// The locks belong to the open file (OFD locks), not to the process. Two folders opened in one process therefore exclude each other, too,
/// and the system releases the locks of a killed process. A record contains the owner's process ID.
final class SystemRecordLocks: RecordLocks {
  private static let recordSize: Int64 = 16
  #if canImport(Glibc)
    // From <fcntl.h>, where they depend on _GNU_SOURCE, which the imported module does not define.
    private static let setLock: Int32 = 37
    private static let getLock: Int32 = 36
  #else
    private static let setLock: Int32 = 90
    private static let getLock: Int32 = 92
  #endif

  private let descriptor: Int32
  private let path: String

  init(path: String) throws(StoreError) {
    self.path = path
    descriptor = try SystemFiles.openPrivate(path)
  }

  deinit { close(descriptor) }

  func take(_ record: Int64) throws(StoreError) -> RecordOwner? {
    guard lock(record, F_WRLCK) else {
      guard errno == EAGAIN || errno == EACCES else { throw SystemFiles.unwritable(path, errno) }
      return RecordOwner(processID: writtenOwner(of: record))
    }
    write(record, owner: getpid())
    return nil
  }

  func release(_ record: Int64) {
    write(record, owner: nil)
    _ = lock(record, F_UNLCK)
  }

  func owner(of record: Int64) -> RecordOwner? {
    var request = range(of: record, F_WRLCK)
    guard fcntl(descriptor, Self.getLock, &request) == 0, request.l_type != Int16(F_UNLCK) else { return nil }
    return RecordOwner(processID: writtenOwner(of: record))
  }

  private func lock(_ record: Int64, _ kind: some BinaryInteger) -> Bool {
    var request = range(of: record, kind)
    return fcntl(descriptor, Self.setLock, &request) == 0
  }

  private func range(of record: Int64, _ kind: some BinaryInteger) -> flock {
    var request = flock()  // its process ID must stay 0
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = off_t(record * Self.recordSize)
    request.l_len = off_t(Self.recordSize)
    return request
  }

  private func write(_ record: Int64, owner: Int32?) {
    var text = Array((owner.map(String.init) ?? "").utf8)
    text += [UInt8](repeating: 0, count: Int(Self.recordSize) - text.count)
    _ = pwrite(descriptor, text, text.count, off_t(record * Self.recordSize))  // only for messages: may fail
  }

  private func writtenOwner(of record: Int64) -> Int32? {
    var text = [UInt8](repeating: 0, count: Int(Self.recordSize))
    guard pread(descriptor, &text, text.count, off_t(record * Self.recordSize)) > 0 else { return nil }
    return Int32(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
  }
}
