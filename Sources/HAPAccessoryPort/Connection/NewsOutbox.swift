import HAPLoop

/// Passes the news of a connection to their reader: in order, one at a time, until it is closed. An actor on the loop of
/// its owner, so that news do not leave the thread of the loop.
actor NewsOutbox {
  private nonisolated let loop: EventLoop
  private let onNews: nonisolated(nonsending) @Sendable (DeviceNews) async -> Void
  private var last: Task<Void, Never>?
  private var isClosed = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop, onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void) {
    (self.loop, self.onNews) = (loop, onNews)
  }

  /// Passes a piece of news after all earlier ones. On the loop.
  /// - Returns: a task that ends when the reader has taken it.
  @discardableResult
  nonisolated func send(_ news: DeviceNews) -> Task<Void, Never> { assumeIsolated { $0.pass(news) } }

  private func pass(_ news: DeviceNews) -> Task<Void, Never> {
    let previous = last
    let task: Task<Void, Never> = loop.startTask {
      await previous?.value
      if self.isClosed { return }
      await self.onNews(news)
    }
    last = task
    return task
  }

  /// Drops the news that the reader has not been passed. Later news are dropped, too. On the loop.
  nonisolated func close() { assumeIsolated { $0.isClosed = true } }
}
