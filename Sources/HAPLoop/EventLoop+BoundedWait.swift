import CUV

extension EventLoop {
  /// Runs `work` on the loop and waits for it, but no longer than `limit`. For loops whose work may get stuck in somebody else's code.
  /// From any thread but the loop's.
  /// - Returns: nil when the time was over first, or the loop has ended; in the first case `work` still runs some time.
  package func perform<T: Sendable>(waitingAtMost limit: Duration, _ work: @escaping @Sendable () -> T) -> T? {
    precondition(!isOnLoop, "the loop can't wait for itself")
    let outcome = BoundedOutcome<T>()
    guard schedule({ outcome.finish(work()) }) else { return nil }
    return outcome.wait(limit)
  }
}

/// A result that one thread brings and another waits for some time.
private final class BoundedOutcome<T: Sendable>: @unchecked Sendable {  // all access is under the mutex
  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)
  private var result: T?

  init() {
    uv_mutex_init(mutex)
    uv_cond_init(condition)
  }

  deinit {
    uv_cond_destroy(condition)
    uv_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func finish(_ result: T) {
    uv_mutex_lock(mutex)
    self.result = result
    uv_cond_signal(condition)
    uv_mutex_unlock(mutex)
  }

  func wait(_ limit: Duration) -> T? {
    let deadline = uv_hrtime() + UInt64(max(limit / .nanoseconds(1), 0))
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    while result == nil {
      let now = uv_hrtime()
      if now >= deadline { break }
      uv_cond_timedwait(condition, mutex, deadline - now)
    }
    return result
  }
}
