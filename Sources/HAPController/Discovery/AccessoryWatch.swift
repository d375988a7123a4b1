/// A change in what the network has.
public enum AccessorySighting: Sendable {
  /// An accessory was found, with an address.
  case appeared(FoundAccessory)
  /// The record or the addresses of an accessory changed.
  case changed(FoundAccessory)
  /// An accessory said goodbye, or its records expired.
  case gone(FoundAccessory)
  /// Nothing can be found now, for this reason. The search is tried again.
  case trouble(String)
}

/// The accessories on the network as they come, change and go. Each watch has one reader.
///
/// The sequence ends when it is closed, when its loop ends, and when 10,000 changes wait to be read.
public final class AccessoryWatch: AsyncSequence, Sendable {
  private let search: AccessorySearch

  init(_ search: AccessorySearch) { self.search = search }

  deinit { search.close() }

  /// Ends the search. Can be called any number of times.
  public func close() { search.close() }

  /// Makes the iterator, which keeps the search open.
  public func makeAsyncIterator() -> Iterator { Iterator(watch: self, base: search.events.makeAsyncIterator()) }

  /// The iterator of a watch.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let watch: AccessoryWatch
    fileprivate var base: AsyncStream<AccessorySighting>.Iterator

    /// Waits for the next change; nil: the watch has ended.
    public mutating func next() async -> AccessorySighting? { await base.next() }

    /// Waits for the next change; nil: the watch has ended.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> AccessorySighting? {
      await base.next(isolation: actor)
    }
  }
}
