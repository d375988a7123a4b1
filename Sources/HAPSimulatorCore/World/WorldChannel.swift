import HAPLoop

/// A TCP connection of a simulated world, for callers that await. Belongs to its loop, except for the constants.
// Safe: variables and `memory` are used in work that was given to the loop by `schedule`, `answer` or
// `answerUnlessCancelled`, and in callbacks of `stream`, whose initializer traps on any other thread. The other
// members are constants.
package final class WorldChannel: @unchecked Sendable {
  /// Reading pauses while this number of bytes waits to be read.
  private static let most = 262_144

  private let waits: WorldWaits
  private let loop: EventLoop
  private let title: String
  private let address: SocketAddress
  private var stream: TCPStream?
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var bytes: [UInt8] = []
  /// `nil`: more bytes may arrive.
  private var ending: Result<Void, SimulationFailure>?
  private var reader: Reader?

  private struct Reader {
    let ticket: WaitTicket
    let limit: Int
    let wait: Int
    let done: CheckedContinuation<Result<[UInt8], SimulationFailure>, Never>
  }

  package init(_ waits: WorldWaits, on loop: EventLoop, from host: String, to address: SocketAddress) {
    self.waits = waits
    self.loop = loop
    self.address = address
    title = "\"\(host)\" to \(address)"
  }

  deinit { memory.deallocate() }

  package func onLoop(_ body: @escaping @Sendable (TCPStream) -> Void) {
    loop.schedule { [self] in if let stream { body(stream) } }
  }

  // MARK: Connecting

  package func connect() async throws(SimulationFailure) {
    do throws(SimulationFailure) {
      try await begin()
    } catch {
      onLoop { $0.close() }
      throw error
    }
  }

  private func begin() async throws(SimulationFailure) {
    try await loop.answerUnlessCancelled { [self] (done: @escaping SimulatorCore.Done<Void>) in
      let wait = waits.begin("connecting \(title)")
      let new = TCPStream(loop, connectingTo: address) { [self] error in
        waits.end(wait)
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

  package func read(atMost limit: Int) async throws(SimulationFailure) -> [UInt8] {
    let ticket = WaitTicket()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (done: CheckedContinuation<Result<[UInt8], SimulationFailure>, Never>) in
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
    _ ticket: WaitTicket, _ limit: Int, _ done: CheckedContinuation<Result<[UInt8], SimulationFailure>, Never>
  ) {
    if ticket.isCancelled { return done.resume(returning: .failure(.cancelled)) }
    if reader != nil {
      return done.resume(
        returning: .failure(SimulationFailure(.notPossible, "another task reads from the connection of \(title)")))
    }
    let wait = waits.begin("reading from the connection of \(title)")
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

  private func finishReader(_ result: Result<[UInt8], SimulationFailure>) {
    guard let reader else { return }
    self.reader = nil
    waits.end(reader.wait)
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

  private func end(_ how: Result<Void, SimulationFailure>) {
    // Nothing more can be read from a closed connection.
    if case .failure(let error) = how, error.code == .stopped {
      bytes = []
      ending = how
      stream = nil
    }
    ending = ending ?? how
    serveReader()
  }

  // MARK: Writing

  package func write(_ bytes: [UInt8]) async throws(SimulationFailure) {
    try await loop.answer { [self] (done: @escaping SimulatorCore.Done<Void>) in
      guard let stream else { return done(.failure(.stopped(title))) }
      if case .failure(let error)? = ending { return done(.failure(error)) }
      let wait = waits.begin("writing to the connection of \(title)")
      stream.write(bytes) { [self] error in
        waits.end(wait)
        done(error.map { .failure(Self.error($0)) } ?? .success(()))
      }
    }
  }

  private static func error(_ error: LoopError) -> SimulationFailure {
    let code: SimulationFailure.Code =
      switch error.code {
      case .connectionRefused: .refused
      case .connectionReset, .brokenPipe: .reset
      case .timedOut: .timedOut
      case .cancelled: .stopped
      default: .network
      }
    return SimulationFailure(code, "\(error)")
  }
}

extension SimulationFailure {
  fileprivate static func stopped(_ title: String) -> SimulationFailure {
    SimulationFailure(.stopped, "the connection of \(title) is closed")
  }
}
