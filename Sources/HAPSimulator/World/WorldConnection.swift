import HAPLoop

extension World {
  /// A TCP connection of a host in a simulated world. When nothing refers to it any more, it is closed.
  public final class Connection: Sendable {
    private let channel: WorldChannel

    init(_ channel: WorldChannel) { self.channel = channel }

    deinit { close() }

    /// Waits for bytes, and takes what has come. One task at a time can read.
    /// - Parameter limit: the most bytes to take, from 1.
    /// - Returns: 1 to `limit` bytes; none: the other side sends no more.
    /// - Throws: ``SimulatorError/Code/reset``, ``SimulatorError/Code/timedOut``: the connection is broken; ``SimulatorError/Code/stopped``: it was
    ///   closed, or the host has crashed; ``SimulatorError/Code/cancelled``: nothing was taken; ``SimulatorError/Code/notPossible``: another task reads.
    public func read(atMost limit: Int = 65_536) async throws(SimulatorError) -> [UInt8] {
      guard limit > 0 else { throw SimulatorError(.invalidValue, "a read takes at least 1 byte, not \(limit)") }
      return try await channel.read(atMost: limit)
    }

    /// Sends bytes. Returns when the host's network has taken the last, which is before they arrive.
    /// - Throws: as ``read(atMost:)``; some of the bytes may have been sent.
    public func write(_ bytes: [UInt8]) async throws(SimulatorError) { try await channel.write(bytes) }

    /// Sends no more, and still reads.
    public func finishWriting() { channel.onLoop { $0.finishWriting() } }

    /// Closes the connection. Reads that wait fail with ``SimulatorError/Code/stopped``. Any number of times.
    public func close() { channel.onLoop { $0.close() } }

    /// Breaks the connection off: the other side sees a reset.
    public func reset() { channel.onLoop { $0.reset() } }
  }
}

/// The connection beneath. Belongs to its loop, but for the constants.
// Safe: variables and `memory` are used in work that was given to the loop by `schedule`, `answer` or `answerUnlessCancelled`, and in callbacks of
// `stream`, whose maker traps on any other thread. The other members are constants.
final class WorldChannel: @unchecked Sendable {
  /// Reading pauses while that many bytes wait to be taken.
  private static let most = 262_144

  private let world: World
  private let loop: EventLoop
  private let title: String
  private let address: SocketAddress
  private var stream: TCPStream?
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var bytes: [UInt8] = []
  /// nil: more may come.
  private var ending: Result<Void, SimulatorError>?
  private var reader: Reader?

  private struct Reader {
    let ticket: WaitTicket
    let limit: Int
    let wait: Int
    let done: CheckedContinuation<Result<[UInt8], SimulatorError>, Never>
  }

  init(_ world: World, on loop: EventLoop, from host: String, to address: SocketAddress) {
    self.world = world
    self.loop = loop
    self.address = address
    title = "\"\(host)\" to \(address)"
  }

  deinit { memory.deallocate() }

  func onLoop(_ body: @escaping @Sendable (TCPStream) -> Void) {
    loop.schedule { [self] in if let stream { body(stream) } }
  }

  // MARK: Connecting

  func connect() async throws(SimulatorError) {
    do throws(SimulatorError) {
      try await begin()
    } catch {
      onLoop { $0.close() }
      throw error
    }
  }

  private func begin() async throws(SimulatorError) {
    try await loop.answerUnlessCancelled { [self] (done: @escaping SimulatorCore.Done<Void>) in
      let wait = world.beginWait("connecting \(title)")
      let new = TCPStream(loop, connectingTo: address) { [self] error in
        world.endWait(wait)
        if let error { return done(.failure(Self.error(error))) }
        done(.success(()))
      }
      stream = new
      new.onClosed = { [self] in end(.failure(.stopped(title))) }
      new.startReading { [self] _ in
        bytes.count < Self.most ? memory : .init(start: nil, count: 0)
      } onRead: { [self] event in
        take(event)
      }
    }
  }

  // MARK: Reading

  func read(atMost limit: Int) async throws(SimulatorError) -> [UInt8] {
    let ticket = WaitTicket()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (done: CheckedContinuation<Result<[UInt8], SimulatorError>, Never>) in
        let isRunning = loop.schedule { [self] in begin(ticket, limit, done) }
        if !isRunning { done.resume(returning: .failure(.stopped(title))) }
      }
    } onCancel: {
      loop.schedule { [self] in
        ticket.cancel()
        if reader?.ticket === ticket { finishReader(.failure(.cancelled)) }
      }
    }
    return try result.get()
  }

  private func begin(
    _ ticket: WaitTicket, _ limit: Int, _ done: CheckedContinuation<Result<[UInt8], SimulatorError>, Never>
  ) {
    if ticket.isCancelled { return done.resume(returning: .failure(.cancelled)) }
    if reader != nil {
      return done.resume(
        returning: .failure(SimulatorError(.notPossible, "another task reads from the connection of \(title)")))
    }
    let wait = world.beginWait("reading from the connection of \(title)")
    reader = Reader(ticket: ticket, limit: limit, wait: wait, done: done)
    serveReader()
  }

  private func serveReader() {
    guard let reader else { return }
    if !bytes.isEmpty {
      let taken = Array(bytes.prefix(reader.limit))
      bytes.removeFirst(taken.count)
      finishReader(.success(taken))
      if bytes.count < Self.most { stream?.resumeReading() }
    } else if let ending {
      finishReader(ending.map { [] })
    }
  }

  private func finishReader(_ result: Result<[UInt8], SimulatorError>) {
    guard let reader else { return }
    self.reader = nil
    world.endWait(reader.wait)
    reader.done.resume(returning: result)
  }

  private func take(_ event: TCPStream.ReadEvent) {
    switch event {
    case .bytes(let count):
      bytes += memory[..<count]
      serveReader()
    case .end: end(.success(()))
    case .failed(let error): end(.failure(Self.error(error)))
    }
  }

  private func end(_ how: Result<Void, SimulatorError>) {
    // Of a connection that was closed nothing more can be read.
    if case .failure(let error) = how, error.code == .stopped {
      bytes = []
      ending = how
      stream = nil
    }
    ending = ending ?? how
    serveReader()
  }

  // MARK: Writing

  func write(_ bytes: [UInt8]) async throws(SimulatorError) {
    try await loop.answer { [self] (done: @escaping SimulatorCore.Done<Void>) in
      guard let stream else { return done(.failure(.stopped(title))) }
      if case .failure(let error)? = ending { return done(.failure(error)) }
      let wait = world.beginWait("writing to the connection of \(title)")
      stream.write(bytes) { [self] error in
        world.endWait(wait)
        done(error.map { .failure(Self.error($0)) } ?? .success(()))
      }
    }
  }

  private static func error(_ error: LoopError) -> SimulatorError {
    let code: SimulatorError.Code =
      switch error.code {
      case .connectionRefused: .refused
      case .connectionReset, .brokenPipe: .reset
      case .timedOut: .timedOut
      case .cancelled: .stopped
      default: .network
      }
    return SimulatorError(code, "\(error)")
  }
}

extension SimulatorError {
  fileprivate static func stopped(_ title: String) -> SimulatorError {
    SimulatorError(.stopped, "the connection of \(title) is closed")
  }
}
