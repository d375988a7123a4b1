/// Runs async work and waits for it. For a program's main thread, which has nothing else to do. Never call it on a
/// thread of the concurrency runtime or of a loop.
package func blocking<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) throws -> T {
  let outcome = BlockingOutcome<T>()
  Task {
    do { outcome.finish(.success(try await work())) } catch { outcome.finish(.failure(error)) }
  }
  return try outcome.wait().get()
}
