extension EventLoop {
  /// Runs `work` on a thread of the pool, and `then` with its result on the loop.
  ///
  /// For what takes longer than a turn should: modular exponentiations, a file made durable. A loop that is stopped
  /// waits for it, and `then` is always called.
  package func offload<T: Sendable>(_ work: @escaping @Sendable () -> T, then: @escaping (T) -> Void) {
    preconditionOnLoop()
    driver.offload(work, then: then)
  }

  /// Runs `work` on a thread of the pool. From any thread; traps when the loop has ended.
  package func offload<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      let isScheduled = schedule { self.offload(work) { continuation.resume(returning: $0) } }
      precondition(isScheduled, "the event loop \(name) has ended")
    }
  }

  /// Runs `work` on the loop and waits for it. From any thread but the loop's; traps when the loop has ended.
  package func performAndWait<T: Sendable>(_ work: @escaping @Sendable () throws -> T) throws -> T {
    guard let result = wait(nil, { Result { try work() } }) else {
      preconditionFailure("the event loop \(name) has ended")
    }
    return try result.get()
  }

  /// Runs `work` on the loop and waits for it, but no longer than `limit`. For loops whose work may block in code of another library.
  /// From any thread but the loop's.
  /// - Returns: nil when the time was over first, or the loop has ended; in the first case `work` still runs some time.
  package func perform<T: Sendable>(waitingAtMost limit: Duration, _ work: @escaping @Sendable () -> T) -> T? {
    wait(limit, work)
  }

  private func wait<T: Sendable>(_ limit: Duration?, _ work: @escaping @Sendable () -> T) -> T? {
    precondition(!isOnLoop, "the loop can't wait for itself")
    let outcome = Guarded<T?>(nil)
    let isDone = driver.perform(
      {
        let result = work()
        outcome.withLock { $0 = result }
      }, on: self, waitingAtMost: limit)
    return isDone ? outcome.withLock { $0 } : nil
  }
}
