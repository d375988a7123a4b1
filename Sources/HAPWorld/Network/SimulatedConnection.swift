import HAPLoop

/// One end of a simulated TCP connection, or of a local stream.
///
/// The bytes that a process has written stay in `outbox` until the peer's kernel has acknowledged them. On the way there are only segments: positions
/// in that buffer with their time of arrival, so that the order within a connection always holds.
package final class SimulatedConnection: ProcessResource {
  package enum Event: Equatable, Sendable {
    /// The connection that this process asked for is up.
    case connected
    /// That many bytes can be read. Comes again while bytes are left, as long as each event reads some.
    case readable(Int)
    /// `write` takes bytes again, or throws.
    case writable
    /// The peer sends no more. The last event of reading.
    case end
    /// The connection could not be made, or is broken. The last event.
    case failed(LoopError)
  }

  enum Phase {
    case connecting
    /// Waits for the end of the handshake at the listener's side.
    case accepting
    case open
    /// Broken; the process has not closed it yet.
    case failed
    case gone
  }

  let network: SimulatedNetwork
  package let host: SimulatedHost
  /// nil before it is accepted.
  private(set) var process: SimulatedProcess?
  let id: UInt64
  package let localAddress: SocketAddress
  package let peerAddress: SocketAddress
  /// The path of a local stream's listener; nil: TCP.
  package let path: String?
  var peer: SimulatedConnection?
  var phase: Phase
  /// Whether the process has closed it. The kernel may still deliver bytes.
  package internal(set) var isClosed = false
  /// Whether the host lost its power, so that the kernel doesn't know the connection any more.
  var isForgotten = false
  /// When it ended by an exchange of both FINs; nil: otherwise.
  var endedAt: UInt64?
  var handshake = Handshake()

  // Outgoing, in bytes since the beginning.
  let outbox = ByteRing()
  var acknowledged: UInt64 = 0
  var sent: UInt64 = 0
  var delivered: UInt64 = 0
  var written: UInt64 { acknowledged + UInt64(outbox.count) }
  var fin = Sign()
  /// The end of the handshake, at the end that asked for the connection.
  var established = Sign()
  var segmentSize = 1448
  var flight = Fifo<Segment>()
  var lastArrival: UInt64 = 0
  var acknowledgement: Acknowledgement?
  var recovery = Recovery()
  var isWindowClosed = false
  var isWindowUpdateOnWay = false
  var cachedReach: (version: UInt64, reach: Reach)?

  // Incoming.
  let inbox = ByteRing()
  var hasReceivedFin = false
  var keepAlive = KeepAlive()

  // The process's side.
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

  /// Bytes that can be read now.
  package var readableCount: Int { inbox.count }
  /// Bytes written that the peer's kernel has not acknowledged.
  package var unacknowledgedCount: Int { outbox.count }
  /// Whether a connection that was asked for is up, or was.
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

  /// Sets who receives the events. `.connected` and a failure to connect come in any case, the rest on request.
  package func setHandler(_ onEvent: @escaping (Event) -> Void) {
    guard !isClosed else { return }
    self.onEvent = onEvent
    notify()
  }

  /// Starts or stops `.readable`, `.end` and `.failed`.
  package func setReading(_ isReading: Bool) {
    guard !isClosed else { return }
    self.isReading = isReading
    notify()
  }

  /// Moves bytes to a buffer.
  /// - Returns: how many; 0: there are none now.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isClosed else { return 0 }
    let count = inbox.read(into: buffer)
    if count > 0 { offerWindow() }
    return count
  }

  // MARK: Writing

  /// Writes as many bytes as the send buffer takes.
  /// - Returns: the count taken; 0: the buffer is full, or the connection isn't up yet. `notifyWhenWritable()` reports when it takes more.
  /// - Throws: why it never will take more: `.cancelled`, `.connectionReset`, `.brokenPipe`, `.timedOut`.
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

  /// Requests one `.writable` as soon as a third of the send buffer is free, or writing has failed.
  package func notifyWhenWritable() {
    guard !isClosed else { return }
    wantsWritable = true
    notify()
  }

  // MARK: Ending

  /// Sends FIN after the bytes written so far; reading is still possible.
  package func finishWriting() {
    guard !isClosed, phase == .open || phase == .connecting, !fin.isWanted else { return }
    fin.isWanted = true
    if phase == .open { transmit() }
  }

  /// Closes. The kernel delivers the bytes written so far. If bytes are unread, it sends a reset instead. No event comes any more. Any number of times.
  package func close() {
    guard !isClosed else { return }
    process?.release(id)
    processDied()
  }

  /// Closes with a reset: the peer loses what it has not received. Any number of times.
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

  /// Ends the connection with an error for the process.
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

  /// Schedules the events that are due, in one action for all.
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
      // A reader that takes nothing hears of the bytes again when more arrive.
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
