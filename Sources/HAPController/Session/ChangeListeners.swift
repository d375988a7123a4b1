import HAPLoop

/// The sequences to which a session reports its changes.
final class ChangeListeners: Sendable {
  /// The maximum number of waiting changes in one sequence.
  static let room = 1000

  private typealias Listener = AsyncStream<SessionChange>.Continuation

  private struct State: Sendable {
    var listeners: [UInt64: Listener] = [:]
    var lastNumber: UInt64 = 0
    var isOver = false
  }

  private let state = Guarded(State())

  func makeStream() -> AsyncStream<SessionChange> {
    let (stream, listener) = AsyncStream.makeStream(
      of: SessionChange.self, bufferingPolicy: .bufferingOldest(Self.room))
    let number = state.withLock { state -> UInt64? in
      if state.isOver { return nil }
      state.lastNumber += 1
      state.listeners[state.lastNumber] = listener
      return state.lastNumber
    }
    if let number {
      listener.onTermination = { [weak self] _ in self?.remove(number) }
    } else {
      listener.finish()
    }
    return stream
  }

  private func remove(_ number: UInt64) { _ = state.withLock { $0.listeners.removeValue(forKey: number) } }

  func report(_ change: SessionChange) {
    // The end of a sequence also takes the lock.
    for (_, listener) in sorted(state.withLock { $0.listeners }) {
      if case .dropped = listener.yield(change) { listener.finish() }
    }
  }

  func finish() {
    let listeners = state.withLock { state in
      state.isOver = true
      defer { state.listeners = [:] }
      return state.listeners
    }
    for (_, listener) in sorted(listeners) { listener.finish() }
  }

  private func sorted(_ listeners: [UInt64: Listener]) -> [(key: UInt64, value: Listener)] {
    listeners.sorted { $0.key < $1.key }
  }
}
