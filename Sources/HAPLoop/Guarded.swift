import CUV

/// A value behind a lock of the operating system.
///
/// `Synchronization.Mutex` would do, and is used elsewhere; but on Linux it is a futex inside the standard library, which the thread
/// sanitizer can't see, so that it reports every use by two threads as a race.
package final class Guarded<Value>: @unchecked Sendable {  // all access is under the lock
  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    let status = uv_mutex_init(mutex)
    precondition(status == 0, "no lock: \(LoopError.text(of: status))")
  }

  deinit {
    uv_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` alone; it must not ask for the same lock.
  package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    return try body(&value)
  }
}
