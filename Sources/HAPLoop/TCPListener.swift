/// A listening TCP socket.
package final class TCPListener {
  private let bound: any BoundPort
  private var onConnection: ((TCPStream) -> Void)?
  /// The listening address, with the actual port if port 0 was requested.
  package let address: SocketAddress
  /// Called when a connection could not be accepted (`.tooManyOpenFiles`); the listener continues.
  package var onError: ((LoopError) -> Void)?
  package private(set) var isClosed = false

  package var port: UInt16 { address.port }

  /// Binds and listens.
  /// - Parameters:
  ///   - host: the address of one interface, or `0.0.0.0`, or `::` for IPv6 and IPv4.
  ///   - interface: the name of the only interface that accepts connections; nil: any. With `::` as the host, it
  ///     follows that interface's addresses as they change.
  ///   - port: 0 for any free port.
  ///   - backlog: maximum number of connections that wait to be accepted. The kernel's own limit (Linux:
  ///     `net.core.somaxconn`) may be lower.
  ///   - onConnection: receives each new connection and must close it; nothing is read before `startReading`.
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

  /// Stops listening and frees the port; accepted connections stay open. Any number of times.
  package func close() {
    if isClosed { return }
    end()
    bound.close()
  }

  /// The port reports that it was closed with the loop.
  package func end() {
    isClosed = true
    onError = nil
    onConnection = nil
  }

  /// The port reports a connection.
  package func accepted(_ stream: TCPStream) { onConnection?(stream) }

  /// The port reports that a connection could not be accepted.
  package func failed(_ error: LoopError) { onError?(error) }
}
