import CUV

/// Runs async work and waits for it, for a program's main thread, which has nothing else to do. Never on a thread of the concurrency runtime,
/// nor on a loop's.
package func blocking<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) throws -> T {
  let outcome = BlockingOutcome<T>()
  Task {
    do { outcome.finish(.success(try await work())) } catch { outcome.finish(.failure(error)) }
  }
  return try outcome.wait().get()
}

/// A result that one thread waits for and another brings.
private final class BlockingOutcome<T: Sendable>: @unchecked Sendable {  // the semaphore orders the two accesses
  private var semaphore = uv_sem_t()
  private var result: Result<T, any Error>?

  init() { uv_sem_init(&semaphore, 0) }
  deinit { uv_sem_destroy(&semaphore) }

  func finish(_ result: Result<T, any Error>) {
    self.result = result
    uv_sem_post(&semaphore)
  }

  func wait() -> Result<T, any Error> {
    uv_sem_wait(&semaphore)
    return result!
  }
}
