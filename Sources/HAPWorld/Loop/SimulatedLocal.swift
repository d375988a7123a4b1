import HAPLoop

extension SimulatedLoopDriver {
  func listenLocally(at path: String, backlog: Int32, on loop: EventLoop) throws(LoopError) -> any LocalPort {
    try SimulatedLocalPort(self, path, backlog, on: loop)
  }

  func connectLocally(to path: String, on loop: EventLoop) throws(LoopError) -> any LocalStreamSocket {
    SimulatedLocalStream(self, try process.connectLocally(path), on: loop)
  }
}

/// A listening Unix domain socket of a simulated host.
private final class SimulatedLocalPort: LocalPort {
  private let driver: SimulatedLoopDriver
  private let loop: EventLoop
  private let listener: SimulatedListener
  private var handle: ResourceHandle?
  var onReady: (() -> Void)?
  var isWatching = false { didSet { listener.isAccepting = isWatching } }
  var isClosed: Bool { listener.isClosed }

  init(_ driver: SimulatedLoopDriver, _ path: String, _ backlog: Int32, on loop: EventLoop) throws(LoopError) {
    self.driver = driver
    self.loop = loop
    listener = try driver.process.listenLocally(path, backlog: Int(backlog)) { _ in }
    listener.onConnection = { [self] in driver.turn { onReady?() } }
    listener.isAccepting = false
    handle = ResourceHandle(loop) { [self] in end() }
  }

  func accept() -> LocalAcceptance {
    do throws(LoopError) {
      guard let connection = try listener.accept() else { return .nobodyWaits }
      return .accepted(SimulatedLocalStream(driver, connection, on: loop))
    } catch { return .failed }
  }

  func close() {
    if isClosed { return }
    if let path = listener.path { driver.process.host.removeLocalPath(path) }
    end()
  }

  /// Closes the socket and keeps its name, as at the end of a loop.
  private func end() {
    listener.close()
    onReady = nil
    let handle = handle
    self.handle = nil
    handle?.close()
  }
}

/// One end of a connection through a Unix domain socket of a simulated host.
private final class SimulatedLocalStream: LocalStreamSocket {
  private let connection: SimulatedConnection
  private var handle: ResourceHandle?
  private var hasEnded = false
  let peer: LocalPeer?
  var onReady: ((_ canRead: Bool, _ canWrite: Bool) -> Void)?
  var onClosed: (() -> Void)?
  private(set) var isClosed = false

  init(_ driver: SimulatedLoopDriver, _ connection: SimulatedConnection, on loop: EventLoop) {
    self.connection = connection
    peer = connection.peerProcess.map { LocalPeer(processID: $0.pid, userID: $0.uid) }
    handle = ResourceHandle(loop) { [self] in close() }
    connection.setHandler { [self] event in driver.turn { happened(event) } }
  }

  private func happened(_ event: SimulatedConnection.Event) {
    switch event {
    case .connected: return
    case .readable: onReady?(true, false)
    case .writable: onReady?(false, true)
    case .end, .failed:
      hasEnded = true
      onReady?(true, false)
    }
  }

  func watch(reading: Bool, writing: Bool) {
    connection.setReading(reading)
    if writing { connection.notifyWhenWritable() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> LocalTransfer {
    let count = connection.read(into: buffer)
    if count > 0 { return .count(count) }
    return hasEnded ? .ended : .notReady
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> LocalTransfer {
    do throws(LoopError) {
      let count = try connection.write(bytes)
      return count > 0 ? .count(count) : .notReady
    } catch { return .ended }
  }

  func close() {
    if isClosed { return }
    isClosed = true
    connection.close()
    onReady = nil
    let onClosed = onClosed
    self.onClosed = nil
    onClosed?()
    let handle = handle
    self.handle = nil
    handle?.close()
  }
}
