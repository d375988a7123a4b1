import HAPSimulatorCore

/// The events of an accessory, from the moment when this sequence was made. It ends when the accessory is stopped.
///
/// Up to 1000 events wait to be read. If there are more, the oldest are dropped, and an event of kind
/// ``AccessoryEvent/Kind/dropped`` replaces them and contains their number. Several tasks may read the sequence; each
/// event goes to one of them.
public struct AccessoryEvents: AsyncSequence, Sendable {
  /// An event of the accessory.
  public typealias Element = AccessoryEvent
  /// The sequence never fails.
  public typealias Failure = Never

  private let listener: EventListener

  init(_ listener: EventListener) { self.listener = listener }

  /// Continues after the last event that was read.
  public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

  /// Reads the events one after another.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let listener: EventListener

    /// Returns the next event; `nil` if the sequence has ended or the task was cancelled.
    public mutating func next() async -> AccessoryEvent? { await listener.next().map { AccessoryEvent($0) } }

    /// Returns the next event; `nil` if the sequence has ended or the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> AccessoryEvent? {
      await listener.next().map { AccessoryEvent($0) }
    }
  }
}
