import HAPLoop

/// Queues events for readers. May be used from any thread.
package final class EventListener: Sendable {
  /// The maximum number of waiting events.
  package static let room = 1000

  private typealias Reader = CheckedContinuation<RecordedEvent?, Never>

  private struct State {
    var waiting: [RecordedEvent] = []
    var dropped = 0
    var readers: [(number: UInt64, reader: Reader)] = []
    var lastNumber: UInt64 = 0
    /// Readers whose task was cancelled before they started to wait.
    var cancelled: Set<UInt64> = []
    var isOver = false

    /// Removes the next event to read.
    mutating func take() -> RecordedEvent? {
      guard let first = waiting.first else { return nil }
      if dropped > 0 {
        defer { dropped = 0 }
        return RecordedEvent(dropped: dropped, before: first)
      }
      return waiting.removeFirst()
    }
  }

  private let state = Guarded(State())

  func tell(_ event: RecordedEvent) {
    let reader = state.withLock { state -> Reader? in
      guard !state.isOver else { return nil }
      if !state.readers.isEmpty { return state.readers.removeFirst().reader }
      if state.waiting.count == Self.room {
        state.waiting.removeFirst()
        state.dropped += 1
      }
      state.waiting.append(event)
      return nil
    }
    reader?.resume(returning: event)
  }

  /// Ends the sequence. Waiting events can still be read.
  func finish() {
    let readers = state.withLock { state in
      state.isOver = true
      defer { state.readers = [] }
      return state.readers
    }
    for (_, reader) in readers { reader.resume(returning: nil) }
  }

  package func next() async -> RecordedEvent? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let event = await withTaskCancellationHandler {
      await withCheckedContinuation { (reader: Reader) in
        let answer = state.withLock { state -> RecordedEvent?? in
          if state.cancelled.remove(number) != nil { return .some(nil) }
          if let event = state.take() { return event }
          if state.isOver { return .some(nil) }
          state.readers.append((number, reader))
          return nil
        }
        if let answer { reader.resume(returning: answer) }
      }
    } onCancel: {
      let reader = state.withLock { state -> Reader? in
        guard let index = state.readers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.readers.remove(at: index).reader
      }
      reader?.resume(returning: nil)
    }
    // The reader may have been cancelled after it received its event.
    _ = state.withLock { $0.cancelled.remove(number) }
    return event
  }
}
