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
  ///   - backlog: connections that may wait to be accepted. The kernel's own limit (Linux: `net.core.somaxconn`) may be lower.
  ///   - onConnection: gets each new connection, which is then its to close; nothing is read before `startReading`.
  /// - Throws: `.addressInUse`, `.addressNotAvailable`, `.permissionDenied`, …
  package init(
    _ loop: EventLoop, host: IPAddress, interface: String? = nil, port: UInt16, backlog: Int32 = 4096,
    onConnection: @escaping (TCPStream) -> Void
  ) throws(LoopError) {
    loop.preconditionOnLoop()
    let bound = try BoundSocket(host: host, interface: interface, port: port)
    (descriptor, address) = try bound.listening(backlog: backlog)
    let socket = descriptor
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
      Self.end(socket)
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
    Self.end(descriptor)
    retry.close()
  }

  /// A process that is being started elsewhere in this one has copies of our descriptors until it runs, and would listen on: the port would
  /// be in use for that moment.
  private static func end(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    closeDescriptor(descriptor)
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
  }
}
