/// Runs async work and waits for it, for a program's main thread, which has nothing else to do. Never on a thread of the concurrency runtime,
/// nor on a loop's.
package func blocking<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) throws -> T {
  let outcome = BlockingOutcome<T>()
  Task {
    do { outcome.finish(.success(try await work())) } catch { outcome.finish(.failure(error)) }
  }
  return try outcome.wait().get()
}
