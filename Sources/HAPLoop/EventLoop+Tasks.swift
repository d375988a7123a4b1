extension EventLoop {
  /// The executor for code in tasks of this loop that belongs to no actor: the loop, or a simulated world. On the pool of
  /// the concurrency runtime, each step of such code would need two changes of the thread.
  package var taskExecutor: any TaskExecutor { driver.taskExecutor ?? self }

  /// Starts an unstructured task, which runs nonisolated code on the loop's task executor. From any thread. Such code
  /// must not block: `offload` is for work that does.
  ///
  /// A closure in an actor is isolated to that actor, like a closure for `Task.init`. The libraries create
  /// unstructured tasks only here: without the loop's executor, a task would run on threads that a simulated loop
  /// does not control.
  @discardableResult
  package func startTask<T: Sendable>(
    @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async -> T
  ) -> Task<T, Never> {
    Task(executorPreference: taskExecutor, operation: body)
  }

  /// Starts an unstructured task whose nonisolated code may block, such as a callback of a program that uses the
  /// library. It runs on the pool of the concurrency runtime; in a simulated world, it does not leave the world.
  @discardableResult
  package func startBlockingTask<T: Sendable>(
    _ body: sending @escaping @isolated(any) () async -> T
  ) -> Task<T, Never> {
    if let executor = driver.taskExecutor { return Task(executorPreference: executor, operation: body) }
    return Task(operation: body)
  }

  /// Starts an unstructured task that may throw.
  @discardableResult
  package func startTask<T: Sendable>(
    @_inheritActorContext @_implicitSelfCapture _ body: sending @escaping @isolated(any) () async throws -> T
  ) -> Task<T, any Error> {
    Task(executorPreference: taskExecutor, operation: body)
  }
}
