import HAPLoop

/// The events of a link that its app has not read. If there are too many, they are dropped, and `missed` is the last one
/// until the app has read all of them.
package final class HubEventQueue: Sendable {
  /// The greatest number of events, without `missed`.
  package static let limit = 1024

  private struct State: Sendable {
    var events = Fifo<HubEvent>()
    var isDropping = false
    var gaps = 0
    /// Whether the app asked for the events. One that only observes the homes misses nothing.
    var isRead = false
    var hasEnded = false
    var reader: CheckedContinuation<HubEvent?, Never>?
  }

  private let state = Guarded(State())

  package init() {}

  /// The number of times that events for a reader were dropped.
  package var gaps: Int { state.withLock { $0.gaps } }

  /// Adds an event. Does nothing after the end.
  package func add(_ event: HubEvent) {
    let reader = state.withLock { state -> CheckedContinuation<HubEvent?, Never>? in
      if state.hasEnded || state.isDropping { return nil }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      if state.events.count < Self.limit {
        state.events.append(event)
      } else {
        state.events.append(.missed)
        state.isDropping = true
        if state.isRead { state.gaps += 1 }
      }
      return nil
    }
    reader?.resume(returning: event)
  }

  /// Ends the sequence after the events that were added. Any number of times.
  package func end() {
    let reader = state.withLock { state in
      state.hasEnded = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  /// The events, for one reader.
  package var events: AsyncStream<HubEvent> {
    state.withLock { $0.isRead = true }
    return AsyncStream { [self] in
      await next()
    } onCancel: { [self] in
      end()
    }
  }

  private func next() async -> HubEvent? {
    await withCheckedContinuation { continuation in
      let event = state.withLock { state -> HubEvent?? in
        if let event = state.events.popFirst() {
          if state.events.isEmpty { state.isDropping = false }
          return .some(event)
        }
        if state.hasEnded { return .some(nil) }
        precondition(state.reader == nil, "the events of a link have one reader")
        state.reader = continuation
        return nil
      }
      if let event { continuation.resume(returning: event) }
    }
  }
}
