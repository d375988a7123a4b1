import CUV

/// A result that one thread waits for and another brings.
final class BlockingOutcome<T: Sendable>: @unchecked Sendable {  // the semaphore orders the two accesses
  private var semaphore = uv_sem_t()
  private var result: Result<T, any Error>?

  init() { uv_sem_init(&semaphore, 0) }
  deinit { uv_sem_destroy(&semaphore) }

  /// Once.
  func finish(_ result: Result<T, any Error>) {
    self.result = result
    uv_sem_post(&semaphore)
  }

  /// Once.
  func wait() -> Result<T, any Error> {
    uv_sem_wait(&semaphore)
    return result!
  }
}
