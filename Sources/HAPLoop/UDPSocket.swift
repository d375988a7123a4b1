/// A UDP socket that may share its port with others, and can receive and send multicast.
///
/// Nothing is queued here, so a flood costs no memory. The system drops datagrams that are not read in time, and
/// counts them.
package final class UDPSocket {
  /// A received datagram.
  package struct Datagram {
    /// Valid until the callback returns.
    package let bytes: UnsafeRawBufferPointer
    package let source: SocketAddress
    /// The destination address, possibly a group; nil if the system doesn't report it.
    package let destination: IPAddress?
    /// Index of the receiving interface; 0 if the system doesn't report it.
    package let interface: UInt32
    /// The received TTL or hop limit; nil if the system doesn't report it.
    package let hopLimit: UInt8?

    package init(
      bytes: UnsafeRawBufferPointer, source: SocketAddress, destination: IPAddress?, interface: UInt32, hopLimit: UInt8?
    ) {
      self.bytes = bytes
      self.source = source
      self.destination = destination
      self.interface = interface
      self.hopLimit = hopLimit
    }
  }

  private let socket: any DatagramSocket
  private var onDatagram: ((Datagram) -> Void)?
  /// The receiving address, with the actual port if port 0 was requested.
  package let address: SocketAddress
  /// Called when receiving failed; the socket continues.
  package var onError: ((LoopError) -> Void)?
  /// The number of datagrams that the system has dropped because they were not read in time. The system reports it
  /// with the next received datagram; macOS never does.
  package var droppedCount: UInt64 { socket.droppedCount }
  package private(set) var isClosed = false

  /// Binds, and receives from the next turn of the loop on.
  /// - Parameters:
  ///   - host: one address of this machine, to receive only unicast to that address; or `0.0.0.0` or `::` (IPv6
  ///     only), also for joined groups.
  ///   - port: 0 for any free port.
  ///   - sharing: whether other sockets may bind the same port; they must also set this. Each socket receives
  ///     multicast. Only one socket receives a unicast datagram: the one bound to that address, if there is one.
  /// - Throws: `.addressInUse`, `.addressNotAvailable`, `.permissionDenied`, …
  package init(
    _ loop: EventLoop, host: IPAddress, port: UInt16, sharing: Bool = false, onDatagram: @escaping (Datagram) -> Void
  ) throws(LoopError) {
    loop.preconditionOnLoop()
    socket = try loop.driver.makeDatagramSocket(host: host, port: port, sharing: sharing)
    address = socket.address
    self.onDatagram = onDatagram
    try socket.startReceiving(for: self, on: loop)
  }

  /// Leaves all groups and frees the port. Any number of times, also from the callback, which is not called again.
  package func close() {
    if isClosed { return }
    end()
    socket.close()
  }

  /// The socket reports that it was closed with the loop.
  package func end() {
    isClosed = true
    onError = nil
    onDatagram = nil
  }

  /// The socket reports a datagram.
  package func received(_ datagram: Datagram) { onDatagram?(datagram) }

  /// The socket reports that receiving failed.
  package func failed(_ error: LoopError) { onError?(error) }

  // MARK: Sending

  /// Sends one datagram; never waits.
  /// - Throws: `.other` if the system takes no more at the moment, or the target can't be reached.
  package func send(_ bytes: [UInt8], to target: SocketAddress) throws(LoopError) {
    if isClosed { throw LoopError(.cancelled, "sending: the socket is closed") }
    try socket.send(bytes, to: target)
  }

  // MARK: Groups

  /// Receives datagrams for `group` on an interface.
  /// - Throws: if the interface has no address of the family, or can't multicast.
  package func join(_ group: IPAddress, on interface: UInt32) throws(LoopError) {
    try socket.join(group, on: interface)
  }

  /// Sends multicast on this interface from now on.
  /// - Parameter source: the source address on that interface, for IPv4. Linux chooses none for the loopback
  ///   interface and would send from 0.0.0.0.
  package func multicast(on interface: UInt32, source: IPAddress? = nil) throws(LoopError) {
    try socket.multicast(on: interface, source: source)
  }

  /// - Parameter hops: the TTL of all following datagrams, to groups and to addresses. Sockets of this machine,
  ///   including this one, also receive datagrams for groups.
  package func setHops(_ hops: UInt8) { socket.setHops(hops) }

  /// Sets the maximum number of bytes of unread datagrams that the system keeps. The system may keep fewer.
  package func setReceiveBuffer(_ bytes: Int) { socket.setReceiveBuffer(bytes) }
}

extension IPAddress {
  /// 224.0.0.0/4 or ff00::/8.
  package var isMulticast: Bool { isV4 ? bytes[0] & 0xF0 == 0xE0 : bytes[0] == 0xFF }
}
