import HAPLoop

/// Limits how many connections are being made at once. Attempts of devices that are present begin in the order in which
/// they arrive. Devices without a record begin after them, and use at most half of the places: an attempt to connect to
/// a device without power lasts until its time limit.
final class HandshakeGate: Sendable {
  private struct Waiting: Sendable {
    let number: UInt64
    var isPresent: Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State: Sendable {
    /// The open attempts, and whether their devices were present.
    var open: [UInt64: Bool] = [:]
    var waiting: [Waiting] = []
    /// Those who wait until no attempt is open or waits.
    var quietWaits: [CheckedContinuation<Void, Never>] = []

    var isQuiet: Bool { open.isEmpty && waiting.isEmpty }

    func hasPlace(isPresent: Bool, limit: Int) -> Bool {
      open.count < limit && (isPresent || open.values.count { !$0 } < (limit + 1) / 2)
    }

    mutating func takeQuietWaits() -> [CheckedContinuation<Void, Never>] {
      defer { quietWaits = [] }
      return quietWaits
    }

    /// Removes and returns the attempts that can begin now.
    mutating func takeNext(limit: Int) -> [Waiting] {
      var taken: [Waiting] = []
      for isPresent in [true, false] {
        while hasPlace(isPresent: isPresent, limit: limit),
          let index = waiting.indices.first(where: { waiting[$0].isPresent == isPresent })
        {
          let next = waiting.remove(at: index)
          open[next.number] = isPresent
          taken.append(next)
        }
      }
      return taken
    }
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
  /// - Parameters:
  ///   - number: of the connection.
  ///   - isPresent: whether there is a record of the device.
  /// - Returns: false if the task was cancelled before, or `leave` was called meanwhile.
  func enter(_ number: UInt64, isPresent: Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state -> Bool? in
        // The connection cancels the task before it calls `leave`, so the place is freed in both orders.
        if Task.isCancelled { return false }
        if state.open[number] != nil { return true }
        guard state.hasPlace(isPresent: isPresent, limit: limit) else {
          state.waiting.append(Waiting(number: number, isPresent: isPresent, continuation: continuation))
          return nil
        }
        state.open[number] = isPresent
        return true
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  /// Waits until no attempt is open or waits.
  /// - Parameter limit: the longest time: an attempt to connect to a device without power takes longer.
  func waitUntilQuiet(atMost limit: Duration, on loop: EventLoop) async {
    await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state -> Bool? in
        if state.isQuiet { return nil }
        state.quietWaits.append(continuation)
        return state.quietWaits.count == 1
      }
      guard let isFirst else { return continuation.resume() }
      // One time limit for all: hundreds of connections can wait.
      if isFirst { loop.startTask { await self.endQuietWaits(after: limit, on: loop) } }
    }
  }

  private func endQuietWaits(after limit: Duration, on loop: EventLoop) async {
    try? await loop.sleep(for: limit)
    for continuation in state.withLock({ $0.takeQuietWaits() }) { continuation.resume() }
  }

  /// The device of a connection is present now.
  func appeared(_ number: UInt64) {
    let begun = state.withLock { state -> [Waiting] in
      for index in state.waiting.indices where state.waiting[index].number == number {
        state.waiting[index].isPresent = true
      }
      if state.open[number] != nil { state.open[number] = true }
      return state.takeNext(limit: limit)
    }
    for waiting in begun { waiting.continuation.resume(returning: true) }
  }

  /// Frees the place of a connection, or ends its wait. Can be called any number of times.
  func leave(_ number: UInt64) {
    let (ended, begun, quiet) = state.withLock { state in
      var ended: [Waiting] = []
      // An open attempt does not wait.
      if state.open.removeValue(forKey: number) == nil {
        ended = state.waiting.filter { $0.number == number }
        state.waiting.removeAll { $0.number == number }
      }
      let begun = state.takeNext(limit: limit)
      return (ended, begun, state.isQuiet ? state.takeQuietWaits() : [])
    }
    for continuation in quiet { continuation.resume() }
    for waiting in ended { waiting.continuation.resume(returning: false) }
    for waiting in begun { waiting.continuation.resume(returning: true) }
  }
}
