import HAPLoop

/// Passes the news of a connection to their reader: in order, one at a time, until it is closed.
final class NewsOutbox: Sendable {
  private struct State: Sendable {
    var last: Task<Void, Never>?
    var isClosed = false
  }

  private let loop: EventLoop
  private let onNews: @Sendable (DeviceNews) async -> Void
  private let state = Guarded(State())

  init(_ loop: EventLoop, onNews: @escaping @Sendable (DeviceNews) async -> Void) {
    self.loop = loop
    self.onNews = onNews
  }

  /// Passes a piece of news after all earlier ones.
  /// - Returns: a task that ends when the reader has taken it.
  @discardableResult
  func send(_ news: DeviceNews) -> Task<Void, Never> {
    state.withLock { state in
      let previous = state.last
      let task: Task<Void, Never> = loop.startTask { [self] in
        await previous?.value
        if isClosed { return }
        await onNews(news)
      }
      state.last = task
      return task
    }
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Drops the news that the reader has not been passed. Later news are dropped, too.
  func close() { state.withLock { $0.isClosed = true } }
}
