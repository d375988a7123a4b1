import HAPSimulatorCore

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
    public mutating func next() async -> AccessoryEvent? { await listener.next().map { AccessoryEvent($0) } }

    /// The next event; nil when there will be none, or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> AccessoryEvent? {
      await listener.next().map { AccessoryEvent($0) }
    }
  }
}
