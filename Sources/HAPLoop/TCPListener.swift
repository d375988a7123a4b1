/// A listening TCP socket.
package final class TCPListener {
  private let bound: any BoundPort
  private var onConnection: ((TCPStream) -> Void)?
  /// Where it listens, with the port that was given when any would do.
  package let address: SocketAddress
  /// Told when a connection could not be accepted (`.tooManyOpenFiles`); the listener goes on.
  package var onError: ((LoopError) -> Void)?
  package private(set) var isClosed = false

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
    bound = try loop.driver.bindPort(host: host, interface: interface, port: port)
    address = bound.address
    self.onConnection = onConnection
    try bound.listen(self, on: loop, backlog: backlog)
  }

  /// Stops listening and frees the port; connections already accepted stay. Any number of times.
  package func close() {
    if isClosed { return }
    end()
    bound.close()
  }

  /// The port's report: it was closed with the loop.
  package func end() {
    isClosed = true
    onError = nil
    onConnection = nil
  }

  /// The port's report of a connection.
  package func accepted(_ stream: TCPStream) { onConnection?(stream) }

  /// The port's report: a connection could not be accepted.
  package func failed(_ error: LoopError) { onError?(error) }
}
