import CUV

/// A value protected by a lock of the operating system.
///
/// Other code uses `Synchronization.Mutex`. On Linux, that is a futex inside the standard library. The thread sanitizer
/// can't see it, and would report every use by two threads as a race.
// Safe: `value` and `condition` are private, and only `withLock`, `wait` and `change` use them, which hold the mutex.
// `init` and `deinit` run while no other thread has the reference. `mutex` is a constant. A value that is not
// Sendable must not leave `withLock`; the only user of such a value is `SimulatedDisk`.
package final class Guarded<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
  private var value: Value
  /// nil: no thread has waited yet.
  private var condition: UnsafeMutablePointer<uv_cond_t>?

  package init(_ value: sending Value) {
    self.value = value
    let status = uv_mutex_init(mutex)
    precondition(status == 0, "no lock: \(LoopError.text(of: status))")
  }

  deinit {
    if let condition {
      uv_cond_destroy(condition)
      condition.deallocate()
    }
    uv_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the lock held; `body` must not take the same lock.
  package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Changes the value and wakes the waiting threads.
  func change(_ body: (inout Value) -> Void) {
    withLock { value in
      body(&value)
      if let condition { uv_cond_broadcast(condition) }
    }
  }

  /// Blocks the thread until a change makes the condition true.
  /// - Parameters:
  ///   - limit: the longest wait; nil: unlimited.
  ///   - isMet: called with the lock held; may change the value if it returns true.
  /// - Returns: whether the condition is true.
  func wait(atMost limit: Duration? = nil, until isMet: (inout Value) -> Bool) -> Bool {
    let deadline = limit.map { uv_hrtime() + UInt64(max($0 / .nanoseconds(1), 0)) }
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    // Each check is a separate access: other threads change the value during the wait.
    while !isMet(&value) {
      let condition = ensuredCondition()
      guard let deadline else {
        uv_cond_wait(condition, mutex)
        continue
      }
      let now = uv_hrtime()
      if now >= deadline { return false }
      uv_cond_timedwait(condition, mutex, deadline - now)
    }
    return true
  }

  private func ensuredCondition() -> UnsafeMutablePointer<uv_cond_t> {
    if let condition { return condition }
    let new = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)
    let status = uv_cond_init(new)
    precondition(status == 0, "no condition variable: \(LoopError.text(of: status))")
    condition = new
    return new
  }
}
