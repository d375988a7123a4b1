extension EventLoop {
  /// Runs `work` in a turn of the loop. From any thread.
  /// - Throws: errors of `work`; `LoopError` with `.cancelled` if the loop has ended.
  package func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      let isScheduled = schedule { continuation.resume(with: Result(catching: work)) }
      if !isScheduled { continuation.resume(throwing: LoopError(.cancelled, "the event loop \(name) has ended")) }
    }
  }
}
