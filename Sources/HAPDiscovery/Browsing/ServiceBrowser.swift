import HAPLoop

/// Browses for services of a type, and reports each one that appears, changes or disappears. All calls are on the owner's loop.
protocol ServiceSource: AnyObject {
  /// Stops all reports. Idempotent; can be called from within a report.
  func close()
}

/// Browses for services of a type on the network, and reports each one that appears, changes or disappears. All calls and events are on
/// the loop's thread. Stays open until `close()`.
package final class ServiceBrowser {
  private var source: (any ServiceSource)?
  private var onEvent: ((BrowserEvent) -> Void)?

  /// - Parameters:
  ///   - onEvent: never called before this returns.
  ///   - makeSource: creates the source, which reports through the closure, never before it returns.
  init(
    onEvent: @escaping (BrowserEvent) -> Void,
    makeSource: (@escaping (BrowserEvent) -> Void) throws(LoopError) -> any ServiceSource
  ) throws(LoopError) {
    self.onEvent = onEvent
    // Keeps this object alive while it is open.
    source = try makeSource { self.onEvent?($0) }
  }

  /// Stops all events. Idempotent; can be called from within an event.
  package func close() {
    guard let source else { return }
    self.source = nil
    onEvent = nil
    source.close()
  }
}
