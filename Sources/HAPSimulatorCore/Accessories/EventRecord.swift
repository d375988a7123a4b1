import HAPLoop

/// What happened to an accessory, as far back as there is room, and who listens. Events are added on the loop; the rest is from any thread.
package final class EventRecord: Sendable {
  /// Events that are kept.
  package static let room = 10_000
  /// So many of the oldest go at a time.
  private static let slack = 1000

  private struct Entry {
    let number: UInt64
    let event: RecordedEvent
    /// An expectation was met by it.
    var isTaken = false
  }

  private struct Listener { weak var listener: EventListener? }

  private struct State {
    var entries: [Entry] = []
    var lastNumber: UInt64 = 0
    /// Since events were forgotten last.
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

  /// Nothing more will happen.
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

  /// All that is kept, with a word in front on what isn't.
  package var history: [RecordedEvent] {
    state.withLock { state in
      let events = state.entries.map(\.event)
      guard state.dropped > 0, let first = events.first else { return events }
      return [RecordedEvent(dropped: state.dropped, before: first)] + events
    }
  }

  /// The newest, the newest last.
  package func last(_ count: Int) -> [RecordedEvent] { state.withLock { $0.entries.suffix(count).map(\.event) } }

  /// Events that happened count for nothing any more.
  package func forget() {
    state.withLock { state in
      state.entries = []
      state.dropped = 0
    }
  }

  /// The first event that nobody has taken and that matches is taken. On the loop; `matches` is called without the lock.
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
