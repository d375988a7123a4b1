import HAPLoop

/// The pending calls of a controller and of its sessions.
///
/// A stopped event loop runs no work, so a task that waits for it would wait forever. Each call therefore waits here,
/// and the end of the controller ends all of them.
final class OpenCalls: Sendable {
  private struct State: Sendable {
    var isClosed = false
    var lastNumber: UInt64 = 0
    var endings: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state = Guarded(State())

  /// Adds a function that `close` calls, once.
  /// - Returns: a number for its removal; nil if already closed.
  func add(_ ending: @escaping @Sendable () -> Void) -> UInt64? {
    state.withLock { state in
      if state.isClosed { return nil }
      state.lastNumber += 1
      state.endings[state.lastNumber] = ending
      return state.lastNumber
    }
  }

  func remove(_ number: UInt64) { _ = state.withLock { $0.endings.removeValue(forKey: number) } }

  /// Ends all calls, in the order in which they began. Later calls fail immediately. Can be called any number of times.
  func close() {
    let endings = state.withLock { state in
      state.isClosed = true
      defer { state.endings = [:] }
      return state.endings
    }
    for (_, ending) in endings.sorted(by: { $0.key < $1.key }) { ending() }
  }

  /// Runs `body` in a separate task.
  /// - Parameter subject: the subject of errors.
  /// - Throws: the error of `body`; ``ControllerError/Kind/closed`` if the controller is closed before `body` finishes.
  func run<T: Sendable>(
    _ subject: String, on loop: EventLoop, _ body: @escaping @Sendable () async throws -> T
  ) async throws(ControllerError) -> T {
    let call = OpenCall<T>()
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        call.begin(continuation)
        let closed = ControllerError(.closed, subject, "the controller is closed", "make a new controller")
        guard let number = add({ call.end(.failure(closed), cancels: true) }) else {
          return call.end(.failure(closed))
        }
        call.take(
          // The storage and the progress of the user may block.
          loop.startBlockingTask {
            let result: Result<T, ControllerError>
            do { result = .success(try await body()) } catch { result = .failure(ControllerError(error, subject)) }
            self.remove(number)
            call.end(result)
          })
      }
    } onCancel: {
      call.cancel()
    }.get()
  }
}

/// One call: the waiting caller, and the task that works for it.
private final class OpenCall<T: Sendable>: Sendable {
  private struct State: Sendable {
    var caller: CheckedContinuation<Result<T, ControllerError>, Never>?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Guarded(State())

  func begin(_ caller: CheckedContinuation<Result<T, ControllerError>, Never>) { state.withLock { $0.caller = caller } }

  func take(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Sets the outcome. Only the first call has an effect.
  func end(_ result: Result<T, ControllerError>, cancels: Bool = false) {
    state.withLock { $0.caller.take() }?.resume(returning: result)
    if cancels { cancel() }
  }

  /// Cancels the work. The caller waits for its end.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
