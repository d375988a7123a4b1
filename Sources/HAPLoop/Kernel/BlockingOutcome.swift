/// A result that one thread produces and another waits for.
final class BlockingOutcome<T: Sendable>: Sendable {
  private let latch: Latch
  private let result = Guarded<Result<T, any Error>?>(nil)

  init() { latch = Latch() }

  /// Can be called once.
  func finish(_ result: Result<T, any Error>) {
    self.result.withLock { $0 = result }
    latch.open()
  }

  /// Can be called once.
  func wait() -> Result<T, any Error> {
    guard latch.wait(nil), let result = result.withLock({ $0 }) else {
      preconditionFailure("the latch was opened without a result")
    }
    return result
  }
}
