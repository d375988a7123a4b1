import HAPLoop

/// Lets one through at a time, in the order in which they come.
///
/// There are accessories that keep one Pair Verify for all connections: two at once would be refused, though both are right. From any thread.
final class Turnstile: Sendable {
  private struct State: Sendable {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())

  /// Waits for its turn. Each that entered must leave.
  nonisolated(nonsending) func enter() async {
    await withCheckedContinuation { continuation in
      // Asked here, because another turn may come before this body.
      let mayEnter = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if mayEnter { continuation.resume() }
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.resume()
  }
}
