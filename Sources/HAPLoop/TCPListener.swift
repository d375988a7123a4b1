import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A listening TCP socket.
///
/// It accepts by itself rather than through `uv_listen`: when the process has no descriptor left, connections wait in the
/// backlog and accepting is tried again ten times a second, instead of the connections being cut off.
package final class TCPListener {
  private let descriptor: Int32
  private let watcher: DescriptorWatcher
  private let retry: LoopTimer
  private var onConnection: ((TCPStream) -> Void)?
  /// Where it listens, with the port that was given when any would do.
  package let address: SocketAddress
  /// Told when a connection could not be accepted (`.tooManyOpenFiles`); the listener goes on.
  package var onError: ((LoopError) -> Void)?
  package var isClosed: Bool { watcher.isClosed }

  package var port: UInt16 { address.port }

  /// Binds and listens.
  /// - Parameters:
  ///   - host: the address of one interface, or `0.0.0.0`, or `::` for IPv6 and IPv4.
  ///   - interface: the name of the one interface on which connections may come; nil: any. With `::` as the host it follows that interface's
  ///     addresses as they change.
  ///   - port: 0 for any free one.
  ///   - backlog: connections that may wait to be accepted.
  ///   - onConnection: gets each new connection, which is then its to close; nothing is read before `startReading`.
  /// - Throws: `.addressInUse`, `.addressNotAvailable`, `.permissionDenied`, …
  package init(
    _ loop: EventLoop, host: IPAddress, interface: String? = nil, port: UInt16, backlog: Int32 = 511,
    onConnection: @escaping (TCPStream) -> Void
  ) throws(LoopError) {
    loop.preconditionOnLoop()
    let wanted = SocketAddress(host: host, port: port)
    descriptor = try Self.listeningSocket(wanted, interface: interface, backlog: backlog)
    let socket = descriptor
    guard
      let actual = SocketAddress({ address, length in
        withUnsafeMutablePointer(to: &length) {
          $0.withMemoryRebound(to: socklen_t.self, capacity: 1) { getsockname(socket, address, $0) }
        }
      })
    else {
      let status = LoopError.lastStatus
      closeDescriptor(socket)
      throw LoopError(status: status, while: "listening on \(wanted)")
    }
    address = actual
    do {
      watcher = try DescriptorWatcher(loop, descriptor: socket)
    } catch {
      closeDescriptor(socket)
      throw error
    }
    retry = LoopTimer(loop)
    self.onConnection = onConnection
    // For a loop that is stopped with the listener open.
    watcher.onClosed = { [weak self] in
      closeDescriptor(socket)
      self?.onConnection = nil
    }
    watcher.onEvent = { self.accept(after: $0) }
    retry.onFire = { self.watcher.watch(.readable) }
    watcher.watch(.readable)
  }

  /// Stops listening and frees the port; connections already accepted stay. Any number of times.
  package func close() {
    if isClosed { return }
    onError = nil
    onConnection = nil
    watcher.onClosed = nil
    watcher.close()
    closeDescriptor(descriptor)
    retry.close()
  }

  private func accept(after events: DescriptorWatcher.Events) {
    if events.contains(.failure) { return pause(LoopError(.other(0), "the listening socket \(address) failed")) }
    // Not all at once: the connections already there have a turn too.
    for _ in 0..<64 {
      if isClosed { return }
      let socket = Self.acceptOne(descriptor)
      if socket >= 0 {
        if let stream = TCPStream(watcher.loop, connected: socket) { onConnection?(stream) }
        continue
      }
      switch LoopError.lastStatus {
      case UV_EAGAIN.rawValue: return
      case UV_EINTR.rawValue, UV_ECONNABORTED.rawValue: continue
      case let status: return pause(LoopError(status: status, while: "accepting a connection on \(address)"))
      }
    }
  }

  private func pause(_ error: LoopError) {
    watcher.watch([])
    retry.start(after: .milliseconds(100))
    onError?(error)
  }

  private static func acceptOne(_ descriptor: Int32) -> Int32 {
    let socket = Self.system.accept(descriptor)
    if socket >= 0 { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
    return socket
  }

  /// The C library's functions, which methods here hide by their names.
  private enum system {
    static func accept(_ descriptor: Int32) -> Int32 {
      #if canImport(Glibc)
        Glibc.accept(descriptor, nil, nil)
      #else
        Darwin.accept(descriptor, nil, nil)
      #endif
    }

    static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> Int32 {
      #if canImport(Glibc)
        Glibc.bind(descriptor, address, length)
      #else
        Darwin.bind(descriptor, address, length)
      #endif
    }
  }

  private static func listeningSocket(
    _ address: SocketAddress, interface: String?, backlog: Int32
  ) throws(LoopError) -> Int32 {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let descriptor = socket(address.host.isV4 ? AF_INET : AF_INET6, type, 0)
    if descriptor < 0 { throw LoopError(status: LoopError.lastStatus, while: "listening on \(address)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var on: Int32 = 1
    var off: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if address.host.isV6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size) }
    if let interface, !Self.bind(descriptor, to: interface, isV6: address.host.isV6) {
      let status = LoopError.lastStatus
      closeDescriptor(descriptor)
      throw LoopError(status: status, while: "listening on \(interface)")
    }
    if address.withSockaddr({ system.bind(descriptor, $0, $1) }) != 0 || listen(descriptor, backlog) != 0 {
      let status = LoopError.lastStatus
      closeDescriptor(descriptor)
      throw bindError(status, address)
    }
    return descriptor
  }

  private static func bind(_ descriptor: Int32, to interface: String, isV6: Bool) -> Bool {
    #if canImport(Glibc)
      setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, interface, socklen_t(interface.utf8.count + 1)) == 0
    #else
      var index = if_nametoindex(interface)
      let size = socklen_t(MemoryLayout<UInt32>.size)
      guard index != 0, setsockopt(descriptor, IPPROTO_IP, IP_BOUND_IF, &index, size) == 0 || isV6 else { return false }
      return !isV6 || setsockopt(descriptor, IPPROTO_IPV6, IPV6_BOUND_IF, &index, size) == 0
    #endif
  }

  private static func bindError(_ status: Int32, _ address: SocketAddress) -> LoopError {
    let code = LoopError.Code(status: status)
    switch code {
    case .addressInUse: return LoopError(code, "port \(address.port) is in use")
    case .addressNotAvailable: return LoopError(code, "address \(address.host) is not of this machine")
    case .permissionDenied: return LoopError(code, "no permission to listen on port \(address.port)")
    default: return LoopError(status: status, while: "listening on \(address)")
    }
  }
}
