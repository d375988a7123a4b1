import HAPLoop

extension EventLoop {
  /// Like `answer`, but cancelling the task ends the wait at once. `body` was then either not started or continues.
  /// - Throws: also `cancelled`.
  package func answerUnlessCancelled<T: Sendable>(
    _ body: @escaping @Sendable (_ done: @escaping SimulatorCore.Done<T>) -> Void
  ) async throws(SimulationFailure) -> T {
    if Task.isCancelled { throw .cancelled }
    let answer = FirstAnswer<T>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<T, SimulationFailure>, Never>) in
        answer.await(continuation)
        if !schedule({ body { answer.give($0) } }) { answer.give(.failure(.stopped)) }
      }
    } onCancel: {
      answer.give(.failure(.cancelled))
    }
    return try result.get()
  }

  /// Runs `body` on the loop and awaits its result, which it gives once.
  /// - Throws: the result's failure; `stopped` if the loop has ended.
  package func answer<T: Sendable>(
    _ body: @escaping @Sendable (_ done: @escaping SimulatorCore.Done<T>) -> Void
  ) async throws(SimulationFailure) -> T {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<T, SimulationFailure>, Never>) in
      let isRunning = schedule { body { continuation.resume(returning: $0) } }
      if !isRunning { continuation.resume(returning: .failure(.stopped)) }
    }
    return try result.get()
  }
}

/// The first of several answers for one waiting reader. It may be given before the reader waits. May be used from any
/// thread.
private final class FirstAnswer<T: Sendable>: Sendable {
  private typealias Reader = CheckedContinuation<Result<T, SimulationFailure>, Never>

  private struct State {
    var reader: Reader?
    var answer: Result<T, SimulationFailure>?
  }

  private let state = Guarded(State())

  /// Called once.
  func await(_ reader: CheckedContinuation<Result<T, SimulationFailure>, Never>) {
    let answer = state.withLock { state in
      if state.answer == nil { state.reader = reader }
      return state.answer
    }
    if let answer { reader.resume(returning: answer) }
  }

  func give(_ answer: Result<T, SimulationFailure>) {
    let reader = state.withLock { state -> Reader? in
      guard state.answer == nil else { return nil }
      state.answer = answer
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: answer)
  }
}
