/// A listening Unix domain socket that only its owner can access (0600). Its path exists only while it listens,
/// because the socket is created under a temporary name and renamed.
package final class LocalListener {
  package let path: String
  private let port: any LocalPort
  private let loop: EventLoop
  private let retry: LoopTimer
  private var onConnection: ((LocalStream) -> Void)?
  /// While true, new connections wait in the system's queue.
  package var isHeld = false { didSet { if isHeld != oldValue { port.isWatching = !isHeld } } }

  /// - Parameters:
  ///   - path: replaces an existing file. At most `LocalSocket.longestPath` bytes, less four.
  ///   - onConnection: receives each new connection and must keep and close it.
  package init(
    _ loop: EventLoop, path: String, backlog: Int32 = 64, onConnection: @escaping (LocalStream) -> Void
  ) throws(LoopError) {
    loop.preconditionOnLoop()
    self.path = path
    self.loop = loop
    self.onConnection = onConnection
    port = try loop.driver.listenLocally(at: path, backlog: backlog, on: loop)
    retry = LoopTimer(loop)
    port.onReady = { self.accept() }
    retry.onFire = { if !self.isHeld { self.port.isWatching = true } }
    // A loop that stops closes the port and this timer. The callback may refer to this object.
    retry.onClosed = { self.onConnection = nil }
    port.isWatching = true
  }

  /// Removes the path; accepted connections stay open. Any number of times.
  package func close() {
    if port.isClosed { return }
    onConnection = nil
    port.close()
    retry.close()
  }

  private func accept() {
    while !port.isClosed, !isHeld {
      switch port.accept() {
      case .accepted(let socket): onConnection?(LocalStream(socket))
      case .nobodyWaits: return
      case .failed:
        // Pending connections wait in the queue meanwhile.
        port.isWatching = false
        return retry.start(after: .milliseconds(100))
      }
    }
  }
}
