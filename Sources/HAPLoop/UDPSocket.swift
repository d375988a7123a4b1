/// A UDP socket that may share its port with others, and hear and send multicast.
///
/// Nothing is queued here, so that a flood costs no memory: what isn't read in time the system drops, and tells how many those were.
package final class UDPSocket {
  /// What came, and how.
  package struct Datagram {
    /// Stands until the callback returns.
    package let bytes: UnsafeRawBufferPointer
    package let source: SocketAddress
    /// What it was sent to, perhaps a group; nil where the system doesn't tell.
    package let destination: IPAddress?
    /// Index of the interface on which it came; 0 where the system doesn't tell.
    package let interface: UInt32
    /// The TTL or hop limit it came with; nil where the system doesn't tell.
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
  /// Where it receives, with the port that was given when any would do.
  package let address: SocketAddress
  /// Told when receiving failed; the socket goes on.
  package var onError: ((LoopError) -> Void)?
  /// Datagrams that the system has dropped because they were not read in time. It tells with the next one that it keeps; on macOS never.
  package var droppedCount: UInt64 { socket.droppedCount }
  package private(set) var isClosed = false

  /// Binds, and receives from the next turn of the loop on.
  /// - Parameters:
  ///   - host: one address of this machine, for what is sent to it alone; or `0.0.0.0` or `::` (IPv6 alone), also for groups that are joined.
  ///   - port: 0 for any free one.
  ///   - sharing: whether others may be bound to the port too, who have to say the same. What is sent to a group comes to all, what is sent to an
  ///     address to one of them: the one that is bound to that address, if one is.
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

  /// Leaves all groups and frees the port. Any number of times, also from the callback, which is not called any more.
  package func close() {
    if isClosed { return }
    end()
    socket.close()
  }

  /// The socket's report: it was closed with the loop.
  package func end() {
    isClosed = true
    onError = nil
    onDatagram = nil
  }

  /// The socket's report of a datagram.
  package func received(_ datagram: Datagram) { onDatagram?(datagram) }

  /// The socket's report: receiving failed.
  package func failed(_ error: LoopError) { onError?(error) }

  // MARK: Sending

  /// Sends one datagram; never waits.
  /// - Throws: `.other` when the system takes no more at the moment, or it can't be sent there.
  package func send(_ bytes: [UInt8], to target: SocketAddress) throws(LoopError) {
    if isClosed { throw LoopError(.cancelled, "sending: the socket is closed") }
    try socket.send(bytes, to: target)
  }

  // MARK: Groups

  /// Hears what is sent to `group` on an interface.
  /// - Throws: where the interface has no address of the family, or can't multicast.
  package func join(_ group: IPAddress, on interface: UInt32) throws(LoopError) {
    try socket.join(group, on: interface)
  }

  /// Sends to groups on this interface from now on.
  /// - Parameter source: the address of that interface to send from, for IPv4: for the loopback interface Linux chooses none, and would send from
  ///   0.0.0.0.
  package func multicast(on interface: UInt32, source: IPAddress? = nil) throws(LoopError) {
    try socket.multicast(on: interface, source: source)
  }

  /// - Parameter hops: the TTL of what is sent from now on, to groups and to addresses. Sockets of this machine, this one too, hear what is sent to
  ///   groups.
  package func setHops(_ hops: UInt8) { socket.setHops(hops) }

  /// Sets how many bytes of unread datagrams the system keeps. The system may keep less.
  package func setReceiveBuffer(_ bytes: Int) { socket.setReceiveBuffer(bytes) }
}

extension IPAddress {
  /// 224.0.0.0/4 or ff00::/8.
  package var isMulticast: Bool { isV4 ? bytes[0] & 0xF0 == 0xE0 : bytes[0] == 0xFF }
}
