/// A change of the accessories on the network.
public enum AccessorySighting: Sendable {
  /// An accessory was found, with an address.
  case appeared(FoundAccessory)
  /// The record or the addresses of an accessory changed.
  case changed(FoundAccessory)
  /// An accessory sent an mDNS goodbye, or its records expired.
  case gone(FoundAccessory)
  /// The search currently fails, for this reason. It is retried.
  case trouble(String)
}

/// A sequence of the accessories that appear on the network, change and disappear. Each watch has one reader.
///
/// The sequence ends when it is closed, when its loop ends, or when 10,000 changes wait to be read.
public final class AccessoryWatch: AsyncSequence, Sendable {
  private let search: AccessorySearch

  init(_ search: AccessorySearch) { self.search = search }

  deinit { search.close() }

  /// Ends the search. Can be called any number of times.
  public func close() { search.close() }

  /// Creates the iterator, which keeps the search open.
  public func makeAsyncIterator() -> Iterator { Iterator(watch: self, base: search.events.makeAsyncIterator()) }

  /// The iterator of a watch.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let watch: AccessoryWatch
    fileprivate var base: AsyncStream<AccessorySighting>.Iterator

    /// Waits for the next change; nil at the end of the watch.
    public mutating func next() async -> AccessorySighting? { await base.next() }

    /// Waits for the next change; nil at the end of the watch.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> AccessorySighting? {
      await base.next(isolation: actor)
    }
  }
}
