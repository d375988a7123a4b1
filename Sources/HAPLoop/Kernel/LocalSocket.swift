import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// System calls for Unix domain sockets (AF_UNIX), which only processes of this machine can reach.
package enum LocalSocket {
  /// Maximum length of a path in bytes.
  package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Creates a Unix domain socket, which is closed in child processes.
  static func make() throws(LoopError) -> Int32 {
    let descriptor = socket(AF_UNIX, SocketType.stream, 0)
    if descriptor < 0 { throw LoopError(status: LoopError.lastStatus, while: "making a socket") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    preventBrokenPipeSignal(of: descriptor)
    return descriptor
  }

  /// - Returns: nil if the path is empty or too long, or contains a zero byte.
  static func withAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count <= longestPath, !bytes.contains(0) else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Connects to a socket and waits at most `patience`. For threads that have nothing else to do.
  /// - Returns: a descriptor that the caller closes. Its send timeout is also `patience`.
  /// - Throws: `.connectionRefused` if the listening process has ended.
  package static func connect(_ path: String, patience: Duration) throws(LoopError) -> Int32 {
    let descriptor = try make()
    setTimeout(of: descriptor, SO_SNDTIMEO, patience)
    let result = withAddress(path) { systemConnect(descriptor, $0, $1) }
    if result == 0 { return descriptor }
    let status = result == nil ? UV_ENAMETOOLONG.rawValue : LoopError.lastStatus
    closeDescriptor(descriptor)
    throw LoopError(status: status, while: "connecting to \(path)")
  }

  /// Connects to a socket without waiting.
  /// - Returns: a descriptor that the caller closes.
  static func connect(_ path: String) throws(LoopError) -> Int32 {
    let descriptor = try make()
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let result = withAddress(path) { systemConnect(descriptor, $0, $1) }
    if result == 0 { return descriptor }
    let status = result == nil ? UV_ENAMETOOLONG.rawValue : LoopError.lastStatus
    closeDescriptor(descriptor)
    throw LoopError(status: status, while: "connecting to \(path)")
  }

  /// Returns the process at the other end of a connection; nil: unknown.
  static func peer(of descriptor: Int32) -> LocalPeer? {
    #if canImport(Glibc)
      // struct ucred: process, user, group.
      var identity: (Int32, UInt32, UInt32) = (0, 0, 0)
      var size = socklen_t(MemoryLayout.size(ofValue: identity))
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &identity, &size) == 0 else { return nil }
      return LocalPeer(processID: identity.0, userID: identity.1)
    #else
      var (process, user, group): (pid_t, uid_t, gid_t) = (0, 0, 0)
      var size = socklen_t(MemoryLayout<pid_t>.size)
      guard getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &process, &size) == 0 else { return nil }
      return getpeereid(descriptor, &user, &group) == 0 ? LocalPeer(processID: process, userID: user) : nil
    #endif
  }

  /// Returns whether a process listens at `path`. Does not wait.
  package static func isAlive(_ path: String) -> Bool {
    guard let descriptor = try? make() else { return true }
    defer { closeDescriptor(descriptor) }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    guard let result = withAddress(path, { systemConnect(descriptor, $0, $1) }) else { return true }
    // A full queue belongs to a live listener.
    return result == 0 || systemErrorNumber != ECONNREFUSED
  }

  /// Sets the receive timeout; zero: none.
  package static func setPatience(of descriptor: Int32, _ patience: Duration) {
    setTimeout(of: descriptor, SO_RCVTIMEO, patience)
  }

  private static func setTimeout(of descriptor: Int32, _ option: Int32, _ time: Duration) {
    var value = timeval()
    value.tv_sec = numericCast(time.components.seconds)
    value.tv_usec = numericCast(time.components.attoseconds / 1_000_000_000_000)
    setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<timeval>.size))
  }
}

/// The system function, which a function of the same name hides.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length)
}
