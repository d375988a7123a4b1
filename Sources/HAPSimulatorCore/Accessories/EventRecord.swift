import HAPLoop

/// The events of an accessory, up to a limit, and their listeners. Events are added on the loop; everything else may
/// be used from any thread.
package final class EventRecord: Sendable {
  /// The maximum number of events that are kept.
  package static let room = 10_000
  /// The number of events that are removed at a time, the oldest first.
  private static let slack = 1000

  private struct Entry {
    let number: UInt64
    let event: RecordedEvent
    /// Whether an expectation was met by it.
    var isTaken = false
  }

  private struct Listener { weak var listener: EventListener? }

  private struct State {
    var entries: [Entry] = []
    var lastNumber: UInt64 = 0
    /// The number of dropped events since `forget` was last called.
    var dropped = 0
    var listeners: [Listener] = []
    var isOver = false
  }

  private let state = Guarded(State())

  /// - Returns: the event's number.
  @discardableResult
  func add(_ event: RecordedEvent) -> UInt64 {
    let (number, listeners) = state.withLock { state in
      if state.entries.count >= Self.room + Self.slack {
        state.entries.removeFirst(Self.slack)
        state.dropped += Self.slack
      }
      state.lastNumber += 1
      state.entries.append(Entry(number: state.lastNumber, event: event))
      state.listeners.removeAll { $0.listener == nil }
      return (state.lastNumber, state.listeners.compactMap(\.listener))
    }
    for listener in listeners { listener.tell(event) }
    return number
  }

  /// Ends the record: no more events follow.
  func finish() {
    let listeners = state.withLock { state in
      state.isOver = true
      defer { state.listeners = [] }
      return state.listeners.compactMap(\.listener)
    }
    for listener in listeners { listener.finish() }
  }

  package func listen() -> EventListener {
    let listener = EventListener()
    let isOver = state.withLock { state in
      if !state.isOver { state.listeners.append(Listener(listener: listener)) }
      return state.isOver
    }
    if isOver { listener.finish() }
    return listener
  }

  /// All kept events, preceded by a note if events were dropped.
  package var history: [RecordedEvent] {
    state.withLock { state in
      let events = state.entries.map(\.event)
      guard state.dropped > 0, let first = events.first else { return events }
      return [RecordedEvent(dropped: state.dropped, before: first)] + events
    }
  }

  /// Returns the newest events, the newest last.
  package func last(_ count: Int) -> [RecordedEvent] { state.withLock { $0.entries.suffix(count).map(\.event) } }

  /// Removes all past events, so that they meet no expectation.
  package func forget() {
    state.withLock { state in
      state.entries = []
      state.dropped = 0
    }
  }

  /// Takes the first event that matches and is not taken. Called on the loop; `matches` is called without the lock.
  func take(_ matches: (RecordedEvent) -> Bool) -> RecordedEvent? {
    let entries = state.withLock { $0.entries }
    guard let found = entries.first(where: { !$0.isTaken && matches($0.event) }) else { return nil }
    take(found.number)
    return found.event
  }

  func take(_ number: UInt64) {
    state.withLock { state in
      if let index = state.entries.lastIndex(where: { $0.number == number }) { state.entries[index].isTaken = true }
    }
  }
}
