import HAPLoop

/// What happens to an accessory, from the moment at which this was made. It ends when the accessory is stopped.
///
/// Up to 1000 events wait to be read. Of more, the oldest are dropped, and an event of the kind ``AccessoryEvent/Kind/dropped`` says in their place
/// how many they were. Several tasks may read it; each event goes to one of them.
public struct AccessoryEvents: AsyncSequence, Sendable {
  /// What happened.
  public typealias Element = AccessoryEvent
  /// It never fails.
  public typealias Failure = Never

  private let listener: EventListener

  init(_ listener: EventListener) { self.listener = listener }

  /// Reads on from where the last one stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

  /// Reads one event after another.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let listener: EventListener

    /// The next event; nil when there will be none, or the task was cancelled.
    public mutating func next() async -> AccessoryEvent? { await listener.next() }

    /// The next event; nil when there will be none, or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> AccessoryEvent? { await listener.next() }
  }
}

/// Keeps events for who reads them. From any thread.
final class EventListener: Sendable {
  /// Events that may wait.
  static let room = 1000

  private typealias Reader = CheckedContinuation<AccessoryEvent?, Never>

  private struct State {
    var waiting: [AccessoryEvent] = []
    var dropped = 0
    var readers: [(number: UInt64, reader: Reader)] = []
    var lastNumber: UInt64 = 0
    /// Readers whose task was cancelled before they were there.
    var cancelled: Set<UInt64> = []
    var isOver = false

    /// What there is to read.
    mutating func take() -> AccessoryEvent? {
      guard let first = waiting.first else { return nil }
      if dropped > 0 {
        defer { dropped = 0 }
        return AccessoryEvent(dropped: dropped, before: first)
      }
      return waiting.removeFirst()
    }
  }

  private let state = Guarded(State())

  func tell(_ event: AccessoryEvent) {
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

  /// What waits can still be read.
  func finish() {
    let readers = state.withLock { state in
      state.isOver = true
      defer { state.readers = [] }
      return state.readers
    }
    for (_, reader) in readers { reader.resume(returning: nil) }
  }

  func next() async -> AccessoryEvent? {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let event = await withTaskCancellationHandler {
      await withCheckedContinuation { (reader: Reader) in
        let answer = state.withLock { state -> AccessoryEvent?? in
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
    // One that was cancelled when it had its event already.
    _ = state.withLock { $0.cancelled.remove(number) }
    return event
  }
}
