import HAPLoop

/// One end of a simulated TCP connection, or of a local stream.
///
/// The bytes that a process has written stay in `outbox` until the peer's kernel has acknowledged them. Only segments
/// are in flight: positions in that buffer with an arrival time. Therefore the order within a connection is always
/// kept.
package final class SimulatedConnection: ProcessResource {
  package enum Event: Equatable, Sendable {
    /// The connection that this process opened is established.
    case connected
    /// That many bytes can be read. The event is repeated while bytes are left, if the handler reads some bytes in each
    /// event.
    case readable(Int)
    /// `write` accepts bytes again, or throws.
    case writable
    /// The peer sends no more data. This is the last event of reading.
    case end
    /// The connection could not be established, or has failed. This is the last event.
    case failed(LoopError)
  }

  enum Phase {
    case connecting
    /// Waiting for the end of the handshake at the listener's side.
    case accepting
    case open
    /// Failed; the process has not closed it yet.
    case failed
    case gone
  }

  let network: SimulatedNetwork
  package let host: SimulatedHost
  /// The process; nil before the connection is accepted.
  private(set) var process: SimulatedProcess?
  let id: UInt64
  package let localAddress: SocketAddress
  package let peerAddress: SocketAddress
  /// The path of a local stream's listener; nil: TCP.
  package let path: String?
  var peer: SimulatedConnection? { didSet { network.peerChanged(of: self) } }
  var phase: Phase
  /// Whether the process has closed the connection. The kernel may still deliver bytes.
  package internal(set) var isClosed = false
  /// Whether the host lost its power, so that its kernel no longer has the connection.
  var isForgotten = false
  /// The time at which both FINs had been exchanged; nil: the connection has not ended in this way.
  var endedAt: UInt64?
  var handshake = Handshake()

  // Sending. Positions are in bytes since the start of the connection.
  let outbox = ByteRing()
  var acknowledged: UInt64 = 0
  var sent: UInt64 = 0
  var delivered: UInt64 = 0
  var written: UInt64 { acknowledged + UInt64(outbox.count) }
  var fin = Sign()
  /// The end of the handshake, if this end opened the connection.
  var established = Sign()
  var segmentSize = 1448
  var flight = Fifo<Segment>()
  var lastArrival: UInt64 = 0
  var acknowledgement: Acknowledgement?
  var recovery = Recovery()
  var isWindowClosed = false
  var isWindowUpdateOnWay = false
  var cachedReach: (version: UInt64, reach: Reach)?

  // Receiving.
  let inbox = ByteRing()
  var hasReceivedFin = false
  var keepAlive = KeepAlive()

  // The interface to the process.
  private var onEvent: ((Event) -> Void)?
  private var isReading = false
  private var wantsWritable = false
  private var isNotified = false
  private var hasReportedConnected = false
  private var hasReportedEnd = false
  private var error: LoopError?

  init(
    _ host: SimulatedHost, _ process: SimulatedProcess?, local: SocketAddress, peer: SocketAddress, path: String?,
    _ phase: Phase
  ) {
    network = host.network
    self.host = host
    self.process = process
    id = host.network.newID()
    localAddress = local
    peerAddress = peer
    self.path = path
    self.phase = phase
    host.connections[id] = self
    process?.keep(self, id)
  }

  /// The number of bytes that can be read now.
  package var readableCount: Int { inbox.count }
  /// The number of written bytes that the peer's kernel has not acknowledged.
  package var unacknowledgedCount: Int { outbox.count }
  /// Whether the connection is established.
  package var isConnected: Bool { phase == .open }
  /// The process at the other end of a local stream; nil for TCP.
  package var peerProcess: SimulatedProcess? { path == nil ? nil : localPeer }
  var localPeer: SimulatedProcess?

  func accepted(by process: SimulatedProcess) {
    self.process = process
    process.keep(self, id)
    hasReportedConnected = true
    if path != nil { peer?.localPeer = process }
  }

  // MARK: Reading

  /// Sets the handler of events. `.connected` and a failure to connect are always reported. All other events are
  /// reported on request.
  package func setHandler(_ onEvent: @escaping (Event) -> Void) {
    guard !isClosed else { return }
    self.onEvent = onEvent
    notify()
  }

  /// Starts or stops reporting `.readable`, `.end` and `.failed`.
  package func setReading(_ isReading: Bool) {
    guard !isClosed else { return }
    self.isReading = isReading
    notify()
  }

  /// Moves bytes to a buffer.
  /// - Returns: the number of bytes; 0: none can be read now.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isClosed else { return 0 }
    let count = inbox.read(into: buffer)
    if count > 0 { offerWindow() }
    return count
  }

  // MARK: Writing

  /// Writes as many bytes as the send buffer has room for.
  /// - Returns: the number of bytes written; 0: the buffer is full, or the connection isn't established yet.
  ///   `notifyWhenWritable()` requests an event when there is room.
  /// - Throws: the reason why it will never accept bytes: `.cancelled`, `.connectionReset`, `.brokenPipe`, `.timedOut`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(LoopError) -> Int {
    if isClosed { throw LoopError(.cancelled, "writing: the connection is closed") }
    if phase == .failed || phase == .gone {
      let code = error?.code ?? .brokenPipe
      throw LoopError(hasReportedEnd ? .brokenPipe : code, while: "writing")
    }
    if fin.isWanted { throw LoopError(.brokenPipe, while: "writing") }
    guard phase == .open else { return 0 }
    let count = min(bytes.count, network.settings.sendBuffer - outbox.count)
    guard count > 0 else { return 0 }
    outbox.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    transmit()
    return count
  }

  /// Requests one `.writable` event, which is reported when a third of the send buffer is free, or when the connection
  /// has failed.
  package func notifyWhenWritable() {
    guard !isClosed else { return }
    wantsWritable = true
    notify()
  }

  // MARK: Ending

  /// Sends FIN after the bytes written so far. Reading remains possible.
  package func finishWriting() {
    guard !isClosed, phase == .open || phase == .connecting, !fin.isWanted else { return }
    fin.isWanted = true
    if phase == .open { transmit() }
  }

  /// Closes the connection. The kernel delivers the bytes written so far. If received bytes are unread, it sends a
  /// reset instead. No event is reported after that. Can be called any number of times.
  package func close() {
    guard !isClosed else { return }
    process?.release(id)
    processDied()
  }

  /// Closes the connection with a reset. The peer loses the data that it has not received. Can be called any number of
  /// times.
  package func reset() {
    guard !isClosed else { return }
    isClosed = true
    forgetCallbacks()
    process?.release(id)
    if phase == .open { sendReset() } else { becomeGone() }
  }

  func processDied() {
    isClosed = true
    forgetCallbacks()
    guard phase == .open else { return becomeGone() }
    if inbox.count > 0 { return sendReset() }
    inbox.clear()
    fin.isWanted = true
    transmit()
    finishIfDone()
  }

  func forgetCallbacks() { onEvent = nil }

  func powerLost() {
    isClosed = true
    isForgotten = true
    forgetCallbacks()
    flight.removeAll()
    becomeGone()
  }

  func tearDown() {
    onEvent = nil
    flight.removeAll()
    peer = nil
    process = nil
    localPeer = nil
    handshake = Handshake()
  }

  /// Fails the connection with an error, which is reported to the process.
  func fail(_ code: LoopError.Code, while doing: String) {
    guard phase != .gone, phase != .failed else { return }
    network.trace.note("tcp.fail", id)
    if isClosed { return becomeGone() }
    phase = .failed
    error = LoopError(code, while: doing)
    releaseKernelState()
    notify()
  }

  // MARK: Events

  /// Schedules one action that reports all due events.
  func notify() {
    guard !isNotified, !isClosed, hasNews, let process else { return }
    isNotified = true
    process.post { [self] in dispatch() }
  }

  private var isWritable: Bool {
    phase == .failed || (phase == .open && outbox.count <= network.settings.sendBuffer / 3 * 2)
  }

  private var hasFailureToReport: Bool {
    error != nil && !hasReportedEnd && (!hasReportedConnected || (isReading && inbox.count == 0))
  }

  private var hasNews: Bool {
    if onEvent == nil { return false }
    if phase == .open && !hasReportedConnected || wantsWritable && isWritable || hasFailureToReport { return true }
    return isReading && (inbox.count > 0 || (hasReceivedFin && !hasReportedEnd))
  }

  private func dispatch() {
    isNotified = false
    guard !isClosed else { return }
    if phase == .open, !hasReportedConnected {
      hasReportedConnected = true
      onEvent?(.connected)
    }
    if wantsWritable, isWritable {
      wantsWritable = false
      onEvent?(.writable)
    }
    guard !isClosed else { return }
    if isReading, inbox.count > 0 {
      let before = inbox.count
      onEvent?(.readable(before))
      // If the reader takes no bytes, the event is repeated only when more bytes arrive.
      if inbox.count < before { notify() }
    } else if isReading, hasReceivedFin, !hasReportedEnd {
      hasReportedEnd = true
      onEvent?(.end)
      notify()
    } else if hasFailureToReport, let error {
      hasReportedEnd = true
      hasReportedConnected = true
      onEvent?(.failed(error))
    }
  }
}
