import HAPLoop

/// The socket of a `TCPStream`: one end of a simulated TCP connection.
final class SimulatedStreamSocket: StreamSocket {
  private struct Write {
    let bytes: [UInt8]
    var taken = 0
    let done: (LoopError?) -> Void
  }

  private let driver: SimulatedLoopDriver
  private let process: SimulatedProcess
  private var connection: SimulatedConnection?
  private var owner: TCPStream?
  private var isConnected: Bool
  private var writes: [Write] = []
  private var finishDone: ((LoopError?) -> Void)?

  init(_ driver: SimulatedLoopDriver, _ process: SimulatedProcess, accepted: SimulatedConnection? = nil) {
    self.driver = driver
    self.process = process
    connection = accepted
    isConnected = accepted != nil
  }

  func attach(to stream: TCPStream) {
    owner = stream
    connection?.setHandler { [self] event in driver.turn { happened(event) } }
  }

  func connect(to address: SocketAddress) {
    do throws(LoopError) {
      let new = try process.connect(to: address)
      connection = new
      new.setHandler { [self] event in driver.turn { happened(event) } }
    } catch {
      driver.later { [self] in driver.turn { owner?.connected(error) } }
    }
  }

  var localAddress: SocketAddress? { connection?.localAddress }
  var peerAddress: SocketAddress? { connection?.peerAddress }

  private func happened(_ event: SimulatedConnection.Event) {
    switch event {
    case .connected:
      isConnected = true
      owner?.connected(nil)
    case .readable(let count): readable(count)
    case .writable: flush()
    case .end: owner?.ended(nil)
    case .failed(let error):
      if isConnected { owner?.ended(error) } else { owner?.connected(error) }
    }
  }

  // MARK: Reading

  func startReading() -> LoopError? {
    connection?.setReading(true)
    return nil
  }

  func stopReading() { connection?.setReading(false) }

  private func readable(_ count: Int) {
    guard let owner, let connection else { return }
    let memory = owner.memory(for: 65_536)
    if memory.isEmpty { return owner.hasNoMemory() }
    let read = connection.read(into: memory)
    if read > 0 { owner.received(count: read) }
  }

  // MARK: Writing

  func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard writes.isEmpty, finishDone == nil, let connection else { return 0 }
    return (try? connection.write(bytes)) ?? 0
  }

  func queueWrite(_ bytes: UnsafeRawBufferPointer, done: @escaping (LoopError?) -> Void) {
    writes.append(Write(bytes: Array(bytes), done: done))
    connection?.notifyWhenWritable()
  }

  /// Writes the queued bytes until the connection accepts no more. When all are written, ends the sending side if that
  /// was requested.
  private func flush() {
    while let first = writes.first, let connection {
      let result: Result<Int, LoopError> = first.bytes.withUnsafeBytes { bytes in
        do throws(LoopError) {
          return .success(try connection.write(UnsafeRawBufferPointer(rebasing: bytes[first.taken...])))
        } catch {
          return .failure(error)
        }
      }
      guard case .success(let taken) = result else {
        writes.removeFirst()
        if case .failure(let error) = result { first.done(error) }
        continue
      }
      writes[0].taken += taken
      guard writes[0].taken == first.bytes.count else {
        connection.notifyWhenWritable()
        return
      }
      writes.removeFirst()
      first.done(nil)
    }
    guard writes.isEmpty, let done = finishDone else { return }
    finishDone = nil
    connection?.finishWriting()
    done(nil)
  }

  // MARK: Ending

  func finishWriting(done: @escaping (LoopError?) -> Void) {
    finishDone = done
    driver.later { [self] in driver.turn { flush() } }
  }

  func close() { end { $0.close() } }

  func reset() { end { $0.reset() } }

  private func end(_ how: (SimulatedConnection) -> Void) {
    if let connection { how(connection) }
    let dones = writes.map(\.done) + (finishDone.map { [$0] } ?? [])
    writes = []
    finishDone = nil
    // As in libuv, the callbacks run in a separate turn, those of queued writes first.
    driver.later { [self] in
      driver.turn {
        for done in dones { done(LoopError(.cancelled, "writing: the connection is closed")) }
        let owner = owner
        if !isConnected { owner?.connected(LoopError(.cancelled, "connecting: the connection is closed")) }
        self.owner = nil
        owner?.didClose()
      }
    }
  }

  func keepAlive(seconds: UInt32) { connection?.keepAlive(after: .seconds(Int64(seconds))) }
}

/// A bound TCP port of a simulated process.
final class SimulatedPort: BoundPort {
  private let bound: SimulatedListener
  private let driver: SimulatedLoopDriver
  private let process: SimulatedProcess
  private var handle: ResourceHandle?
  private var listener: TCPListener?

  init(_ bound: SimulatedListener, _ driver: SimulatedLoopDriver, _ process: SimulatedProcess) {
    self.bound = bound
    self.driver = driver
    self.process = process
  }

  var address: SocketAddress { bound.address }

  func listen(_ listener: TCPListener, on loop: EventLoop, backlog: Int32) throws(LoopError) {
    try bound.listen(backlog: Int(backlog)) { [self] in driver.turn { accept(on: loop) } }
    self.listener = listener
    handle = ResourceHandle(loop) { [self] in close() }
  }

  private func accept(on loop: EventLoop) {
    do throws(LoopError) {
      while let listener, let connection = try bound.accept() {
        let socket = SimulatedStreamSocket(driver, process, accepted: connection)
        listener.accepted(TCPStream(loop, accepted: socket))
      }
    } catch {
      // Waiting connections continue to wait.
      bound.isAccepting = false
      _ = process.schedule(after: 100_000_000) { [self] in bound.isAccepting = true }
      listener?.failed(error)
    }
  }

  func close() {
    bound.close()
    let listener = listener
    self.listener = nil
    let handle = handle
    self.handle = nil
    handle?.close()
    listener?.end()
  }
}

/// A UDP socket of a simulated process.
final class SimulatedDatagramSocket: DatagramSocket {
  private let socket: SimulatedUDPSocket
  private let driver: SimulatedLoopDriver
  private var handle: ResourceHandle?
  private var owner: UDPSocket?

  init(
    _ driver: SimulatedLoopDriver, _ process: SimulatedProcess, host: IPAddress, port: UInt16, sharing: Bool
  ) throws(LoopError) {
    self.driver = driver
    socket = try process.openUDP(host: host, port: port, sharing: sharing) { _ in }
    socket.onReadable = { [weak self] in
      guard let self else { return }
      driver.turn { self.receive() }
    }
  }

  var address: SocketAddress { socket.address }
  private(set) var droppedCount: UInt64 = 0

  func startReceiving(for owner: UDPSocket, on loop: EventLoop) throws(LoopError) {
    self.owner = owner
    handle = ResourceHandle(loop) { [self] in close() }
  }

  private func receive() {
    // Limited, so that other sockets also get their turn.
    for _ in 0..<64 {
      guard let owner, let datagram = socket.receive() else { return }
      droppedCount = datagram.droppedBefore
      datagram.bytes.withUnsafeBytes { bytes in
        owner.received(
          UDPSocket.Datagram(
            bytes: bytes, source: datagram.source, destination: datagram.destination, interface: datagram.interface,
            hopLimit: datagram.hopLimit))
      }
    }
  }

  func send(_ bytes: [UInt8], to target: SocketAddress) throws(LoopError) { try socket.send(bytes, to: target) }
  func join(_ group: IPAddress, on interface: UInt32) throws(LoopError) { try socket.join(group, on: interface) }

  func multicast(on interface: UInt32, source: IPAddress?) throws(LoopError) {
    try socket.multicast(on: interface, source: source)
  }

  func setHops(_ hops: UInt8) { socket.setHops(hops) }
  func setReceiveBuffer(_ bytes: Int) { socket.setReceiveBuffer(bytes) }

  func close() {
    socket.close()
    let owner = owner
    self.owner = nil
    let handle = handle
    self.handle = nil
    handle?.close()
    owner?.end()
  }
}
