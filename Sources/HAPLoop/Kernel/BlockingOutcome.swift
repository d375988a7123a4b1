/// A result that one thread waits for and another brings.
final class BlockingOutcome<T: Sendable>: Sendable {
  private let latch: Latch
  private let result = Guarded<Result<T, any Error>?>(nil)

  init() { latch = Latch() }

  /// Once.
  func finish(_ result: Result<T, any Error>) {
    self.result.withLock { $0 = result }
    latch.open()
  }

  /// Once.
  func wait() -> Result<T, any Error> {
    guard latch.wait(nil), let result = result.withLock({ $0 }) else {
      preconditionFailure("a latch opens when there is a result")
    }
    return result
  }
}
