extension EventLoop {
  /// The executor for code in tasks of this loop that belongs to no actor; nil: the pool of the concurrency runtime.
  package var taskExecutor: (any TaskExecutor)? { driver.taskExecutor }

  /// Starts an unstructured task, which runs nonisolated code on the loop's task executor. From any thread.
  ///
  /// A closure in an actor is isolated to that actor, like a closure for `Task.init`. The libraries create
  /// unstructured tasks only here: without the loop's executor, a task would run on threads that a simulated loop
  /// does not control.
  @discardableResult
  package func startTask<T: Sendable>(
    @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async -> T
  ) -> Task<T, Never> {
    // Only `Task.init` without an executor starts on the actor of the body. A simulated loop doesn't need that, because
    // it has one thread.
    if let taskExecutor { return Task(executorPreference: taskExecutor, operation: body) }
    return Task(operation: body)
  }

  /// Starts an unstructured task that may throw.
  @discardableResult
  package func startTask<T: Sendable>(
    @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async throws -> T
  ) -> Task<T, any Error> {
    // Only `Task.init` without an executor starts on the actor of the body. A simulated loop doesn't need that, because
    // it has one thread.
    if let taskExecutor { return Task(executorPreference: taskExecutor, operation: body) }
    return Task(operation: body)
  }
}
