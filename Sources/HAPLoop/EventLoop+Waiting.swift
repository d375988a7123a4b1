extension EventLoop {
  /// Runs `work` on a thread of the pool, and `then` with its result on the loop.
  ///
  /// For work that would make a turn too long: modular exponentiations, flushing a file to disk. A stopping loop
  /// waits for the work, and `then` is always called.
  package func offload<T: Sendable>(_ work: @escaping @Sendable () -> T, then: @escaping (T) -> Void) {
    preconditionOnLoop()
    driver.offload(work, then: then)
  }

  /// Runs `work` on a thread of the pool. From any thread; traps if the loop has ended.
  package func offload<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      let isScheduled = schedule { self.offload(work) { continuation.resume(returning: $0) } }
      precondition(isScheduled, "the event loop \(name) has ended")
    }
  }

  /// Runs `work` on the loop and waits for it. From any thread except the loop's; traps if the loop has ended.
  package func performAndWait<T: Sendable>(_ work: @escaping @Sendable () throws -> T) throws -> T {
    guard let result = wait(nil, { Result { try work() } }) else {
      preconditionFailure("the event loop \(name) has ended")
    }
    return try result.get()
  }

  /// Runs `work` on the loop and waits for it at most `limit`. For loops whose work may block in code of another
  /// library. From any thread except the loop's.
  /// - Returns: nil if the time limit passed or the loop has ended. After a timeout, `work` still runs later.
  package func perform<T: Sendable>(waitingAtMost limit: Duration, _ work: @escaping @Sendable () -> T) -> T? {
    wait(limit, work)
  }

  private func wait<T: Sendable>(_ limit: Duration?, _ work: @escaping @Sendable () -> T) -> T? {
    precondition(!isOnLoop, "a loop can't wait for itself")
    let outcome = Guarded<T?>(nil)
    let isDone = driver.perform(
      {
        let result = work()
        outcome.withLock { $0 = result }
      }, on: self, waitingAtMost: limit)
    return isDone ? outcome.withLock { $0 } : nil
  }
}
