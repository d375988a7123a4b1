/// A listening socket in the file system, its owner's alone (0600). It is there under its name only while it listens: made beside, and renamed.
package final class LocalListener {
  package let path: String
  private let port: any LocalPort
  private let loop: EventLoop
  private let retry: LoopTimer
  private var onConnection: ((LocalStream) -> Void)?
  /// While true, those who come wait in the system's queue.
  package var isHeld = false { didSet { if isHeld != oldValue { port.isWatching = !isHeld } } }

  /// - Parameters:
  ///   - path: what is there gives way. At most `LocalSocket.longestPath` bytes, less four.
  ///   - onConnection: gets each new connection, which is then its to keep and to close.
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
    port.isWatching = true
  }

  /// Takes the name away; connections already accepted stay. Any number of times.
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
        // The connections wait meanwhile.
        port.isWatching = false
        return retry.start(after: .milliseconds(100))
      }
    }
  }
}
