import HAPLoop

/// Looks for services of a type, and reports each as it appears, changes and goes. Belongs to the thread of its owner's loop.
protocol ServiceSource: AnyObject {
  /// Nothing is reported any more. Any number of times, also from within a report.
  func close()
}

/// Looks for services of a type on the network, and tells of each as it comes, changes and goes. Belongs to the thread of its loop, as do its
/// events. Stays open until `close()`.
package final class ServiceBrowser {
  private var source: (any ServiceSource)?
  private var onEvent: ((BrowserEvent) -> Void)?

  /// - Parameters:
  ///   - onEvent: never called before this returns.
  ///   - makeSource: makes what looks, which reports by the closure it is given, never before it returns.
  init(
    onEvent: @escaping (BrowserEvent) -> Void,
    makeSource: (@escaping (BrowserEvent) -> Void) throws(LoopError) -> any ServiceSource
  ) throws(LoopError) {
    self.onEvent = onEvent
    // Keeps this object as long as it is open.
    source = try makeSource { self.onEvent?($0) }
  }

  /// No event comes any more. Any number of times, also from within an event.
  package func close() {
    guard let source else { return }
    self.source = nil
    onEvent = nil
    source.close()
  }
}
