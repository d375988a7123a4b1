import HAPLoop

/// An async mutex. It serves tasks in the order of their calls.
///
/// Some accessories keep one Pair Verify for all connections. They would refuse the second of two, although both are correct. Thread-safe.
final class AsyncMutex: Sendable {
  private struct State: Sendable {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Guarded(State())

  /// Waits for the mutex. Each caller must call `leave` afterwards.
  nonisolated(nonsending) func enter() async {
    await withCheckedContinuation { continuation in
      // Check here, because another task may run before this closure.
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
