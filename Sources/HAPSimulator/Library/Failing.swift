import HAPLoop
import HAPSimulatorCore

/// Returns the result of `body`, and converts its failure to an error of the library.
func failing<T>(
  _ body: () async throws(SimulationFailure) -> T
) async throws(SimulatorError) -> T {
  do throws(SimulationFailure) { return try await body() } catch { throw SimulatorError(error) }
}

extension EventLoop {
  /// Runs `body` on the loop and awaits its result.
  /// - Throws: the failure; `stopped` if the loop has ended.
  func result<T: Sendable>(
    _ body: @escaping @Sendable (_ done: @escaping SimulatorCore.Done<T>) -> Void
  ) async throws(SimulatorError) -> T {
    try await failing { () async throws(SimulationFailure) in try await answer(body) }
  }

  /// Runs `body` on the loop and awaits its result. Cancelling the task ends the wait at once.
  func resultUnlessCancelled<T: Sendable>(
    _ body: @escaping @Sendable (_ done: @escaping SimulatorCore.Done<T>) -> Void
  ) async throws(SimulatorError) -> T {
    try await failing { () async throws(SimulationFailure) in try await answerUnlessCancelled(body) }
  }
}
