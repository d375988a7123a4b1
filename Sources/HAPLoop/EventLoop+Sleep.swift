extension EventLoop {
  /// Waits for a duration on the loop's clock. From any thread.
  /// - Throws: `CancellationError` if the task is cancelled; `LoopError` with `.cancelled` if the loop ends first or
  ///   has ended.
  package func sleep(for duration: Duration) async throws {
    let sleeper = LoopBound(self, Sleeper(self))
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isScheduled = schedule { sleeper.value.start(duration, continuation) }
        if !isScheduled { continuation.resume(throwing: hasEndedError) }
      }
    } onCancel: {
      schedule { sleeper.value.cancel() }
    }
  }

  fileprivate var hasEndedError: LoopError { LoopError(.cancelled, "the event loop \(name) has ended") }

  /// Blocks the loop's thread, and with it everything on the loop. Only for a program that is about to end, and to
  /// simulate a hanging process.
  /// - Parameter duration: rounded up to milliseconds.
  package func block(for duration: Duration) {
    preconditionOnLoop()
    driver.block(for: max(duration, .zero))
  }
}

/// One wait for a timer.
private final class Sleeper {
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var continuation: CheckedContinuation<Void, any Error>?
  private var isCancelled = false

  init(_ loop: EventLoop) { self.loop = loop }

  func start(_ duration: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
    if isCancelled { return continuation.resume(throwing: CancellationError()) }
    self.continuation = continuation
    let timer = LoopTimer(loop) { self.finish(.success(())) }
    // A loop that stops closes its timers.
    timer.onClosed = { self.finish(.failure(self.loop.hasEndedError)) }
    self.timer = timer
    timer.start(after: duration)
  }

  /// May be called before `start`.
  func cancel() {
    isCancelled = true
    finish(.failure(CancellationError()))
  }

  private func finish(_ result: Result<Void, any Error>) {
    continuation?.resume(with: result)
    continuation = nil
    timer?.close()
    timer = nil
  }
}
