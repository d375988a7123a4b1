import Dispatch
import HAPLoop
import Synchronization

/// What ends a run before its body does.
package struct WorldLimits: Sendable {
  /// Of virtual time since the world began; nil: none.
  package var time: Duration?
  /// Of steps while the clock stands: code that polls makes them without end.
  package var steps = 5_000_000
  /// Whether the run ends at the first work that comes from another thread.
  package var deniesForeignWork = false

  package init(time: Duration? = nil, deniesForeignWork: Bool = false) {
    self.time = time
    self.deniesForeignWork = deniesForeignWork
  }
}

/// The body of a run. From any thread.
final class WorldBody<T: Sendable>: Sendable {
  private struct State: Sendable {
    var task: Task<Void, Never>?
    var result: Result<T, any Error>?
  }

  private let state = Guarded(State())
  var task: Task<Void, Never>? {
    get { state.withLock { $0.task } }
    set { state.withLock { $0.task = newValue } }
  }
  var result: Result<T, any Error>? {
    get { state.withLock { $0.result } }
    set { state.withLock { $0.result = newValue } }
  }
  /// Read in each step of the world.
  var hasResult: Bool { state.withLock { $0.result != nil } }
  /// Asks the world to cancel the task. From any thread.
  let shouldCancel = Atomic<Bool>(false)
}

extension SimulatedWorld {
  /// Runs `body` on a thread of its own, and ends the world. The body has the task-local values of the caller, and its cancellation.
  /// - Parameter atEnd: called with the result on the world's thread, before the world ends.
  /// - Throws: what `body` throws, or a `WorldError`.
  package func runApart<T: Sendable>(
    _ limits: WorldLimits, atEnd: @escaping @Sendable (Result<T, any Error>) -> Result<T, any Error>,
    _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let started = start(body)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "simulated world").async { [self] in
          let result = StrayTasks.keeping(of: self) {
            let result = atEnd(Result { try finish(started, limits) })
            end()
            return result
          }
          continuation.resume(with: result)
        }
      }
    } onCancel: {
      started.shouldCancel.store(true, ordering: .releasing)
    }
  }
}
