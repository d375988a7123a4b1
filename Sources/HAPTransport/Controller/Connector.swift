import HAPLoop

/// Connects to the first of several addresses that answers: attempts start one after another with a short delay, and
/// the first connection cancels the others. RFC 8305 "Happy Eyeballs".
///
/// Belongs to the loop's thread.
package final class Connector {
  /// RFC 8305 §8: the recommended delay between attempts.
  static let stagger: Duration = .milliseconds(250)

  private let loop: EventLoop
  private var waiting: ArraySlice<SocketAddress>
  /// In the order in which they were started.
  private var attempts: [(address: SocketAddress, stream: TCPStream)] = []
  private var failures: [(SocketAddress, LoopError)] = []
  private let nextAttempt: LoopTimer
  private let limit: LoopTimer
  private var done: ((Result<TCPStream, ClientError>) -> Void)?

  /// - Parameters:
  ///   - addresses: in order of preference; address families alternate.
  ///   - done: called once.
  package init(
    _ loop: EventLoop, to addresses: [SocketAddress], timeout: Duration,
    done: @escaping (Result<TCPStream, ClientError>) -> Void
  ) {
    self.loop = loop
    self.done = done
    waiting = Self.interleaved(addresses)[...]
    nextAttempt = LoopTimer(loop)
    limit = LoopTimer(loop)
    nextAttempt.onFire = { [weak self] in self?.tryNext() }
    limit.onFire = { [weak self] in
      guard let self else { return }
      for (address, _) in attempts {
        failures.append((address, LoopError(.timedOut, "connecting to \(address): no answer")))
      }
      finish(.failure(.unreachable(failures)))
    }
    limit.start(after: timeout)
    tryNext()
  }

  /// Cancels; `done` is called with `.cancelled`.
  package func cancel() { finish(.failure(.cancelled)) }

  /// Adds addresses that were found later. New ones are tried at once, before those that wait. RFC 8305 §3.
  package func add(_ addresses: [SocketAddress]) {
    let tried = Set(attempts.map(\.address) + failures.map(\.0))
    let new = Self.interleaved(addresses).filter { !tried.contains($0) }
    waiting = new + waiting.filter { !new.contains($0) }
    if !new.isEmpty { tryNext() }
  }

  /// Returns IPv6 and IPv4 addresses alternating, beginning with the first one's family. RFC 8305 §4.
  static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
    var seen: Set<SocketAddress> = []
    let unique = addresses.filter { seen.insert($0).inserted }
    guard let first = unique.first else { return [] }
    var own = unique.filter { $0.host.isV4 == first.host.isV4 }[...]
    var other = unique.filter { $0.host.isV4 != first.host.isV4 }[...]
    var result: [SocketAddress] = []
    while !own.isEmpty || !other.isEmpty {
      if let next = own.popFirst() { result.append(next) }
      if let next = other.popFirst() { result.append(next) }
    }
    return result
  }

  private func tryNext() {
    guard done != nil else { return }
    guard let address = waiting.popFirst() else {
      if attempts.isEmpty { finish(.failure(.unreachable(failures))) }
      return
    }
    // The callback comes in a later turn, after the stream was added to the attempts.
    let stream = TCPStream(loop, connectingTo: address) { [weak self] error in
      guard let self, done != nil, let index = attempts.firstIndex(where: { $0.address == address }) else { return }
      let stream = attempts.remove(at: index).stream
      guard let error else { return finish(.success(stream)) }
      failures.append((address, error))
      tryNext()
    }
    attempts.append((address, stream))
    if !waiting.isEmpty { nextAttempt.start(after: Self.stagger) }
  }

  private func finish(_ outcome: Result<TCPStream, ClientError>) {
    guard let done else { return }
    self.done = nil
    nextAttempt.close()
    limit.close()
    for attempt in attempts { attempt.stream.close() }
    attempts = []
    done(outcome)
  }
}
