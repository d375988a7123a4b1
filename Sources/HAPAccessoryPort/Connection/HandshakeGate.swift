import HAPLoop

/// Limits how many connections are being made at once. Attempts begin in the order in which they arrive.
final class HandshakeGate: Sendable {
  private struct Waiting: Sendable {
    let number: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State: Sendable {
    var open: Set<UInt64> = []
    var waiting: [Waiting] = []
  }

  private let limit: Int
  private let state = Guarded(State())

  /// - Parameter limit: the maximum number of attempts at once, at least 1.
  init(limit: Int) {
    precondition(limit > 0, "a gate without places never opens")
    self.limit = limit
  }

  /// The number of attempts that are open.
  var openCount: Int { state.withLock { $0.open.count } }
  /// The number of attempts that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for a place. A connection that has one gets it again.
  /// - Parameter number: of the connection.
  /// - Returns: false if the task was cancelled before, or `leave` was called meanwhile.
  func enter(_ number: UInt64) async -> Bool {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Bool? in
        // The connection cancels the task before it calls `leave`, so the place is freed in both orders.
        if Task.isCancelled { return false }
        if state.open.contains(number) { return true }
        guard state.open.count < limit else {
          state.waiting.append(Waiting(number: number, continuation: continuation))
          return nil
        }
        state.open.insert(number)
        return true
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  /// Frees the place of a connection, or ends its wait. Can be called any number of times.
  func leave(_ number: UInt64) {
    let ended = state.withLock { state -> [(waiting: Waiting, isOpen: Bool)] in
      var ended: [(Waiting, Bool)] = []
      for waiting in state.waiting where waiting.number == number { ended.append((waiting, false)) }
      state.waiting.removeAll { $0.number == number }
      state.open.remove(number)
      while state.open.count < limit, !state.waiting.isEmpty {
        let next = state.waiting.removeFirst()
        state.open.insert(next.number)
        ended.append((next, true))
      }
      return ended
    }
    for (waiting, isOpen) in ended { waiting.continuation.resume(returning: isOpen) }
  }
}
