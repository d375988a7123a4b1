import Dispatch
import HAPLoop
import Synchronization

/// The limits at which a run ends before its body has returned.
package struct WorldLimits: Sendable {
  /// The limit of virtual time since the start of the world; nil: none.
  package var time: Duration?
  /// The maximum number of steps while the clock doesn't move. Code that polls would take steps without end.
  package var steps = 5_000_000
  /// Whether the run fails at the first work from another thread.
  package var deniesForeignWork = false

  package init(time: Duration? = nil, deniesForeignWork: Bool = false) {
    self.time = time
    self.deniesForeignWork = deniesForeignWork
  }
}

/// The body of a run. Any thread can use it.
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
  /// Whether the body has returned. Read in each step of the world.
  var hasResult: Bool { state.withLock { $0.result != nil } }
  /// Whether the world should cancel the task. Any thread can set it.
  let shouldCancel = Atomic<Bool>(false)
}

extension SimulatedWorld {
  /// Runs `body` on a separate thread, and ends the world. The body has the task-local values of the caller, and is
  /// cancelled with the caller.
  /// - Parameter atEnd: called with the result on the world's thread, before the world ends.
  /// - Throws: errors of `body`, or a `WorldError`.
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
