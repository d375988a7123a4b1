import Dispatch
import HAPLoop

/// Runs a simulated world on a thread of its own, for code that is not in the world: an app, its main queue, and a test.
///
/// The clock moves only while the other code waits for the world: while a request is open, or during `advance`. At all
/// other times it stands, however long a test computes. It does not move before everything on the main queue has run, so
/// a callback sees the time at which it was called. So a run does not depend on the speed of the machine, provided that
/// the test itself does one thing at a time.
package final class WorldThread: Sendable {
  package let world: SimulatedWorld
  private let state = Guarded(State())
  /// Signalled when other threads have work for the world.
  private let arrival = DispatchSemaphore(value: 0)

  private struct State: Sendable {
    var openCount = 0
    /// By their times.
    var waits: [Wait] = []
    var isEnding = false
  }

  private struct Wait: Sendable {
    let time: UInt64
    let done: @Sendable () -> Void
  }

  private enum Step {
    /// The clock moves to the next action.
    case move
    /// No action is planned before the end of a wait.
    case reach(UInt64)
    /// Nothing happens before other threads have work for the world.
    case stand
    case end
  }

  /// Creates a world, and starts its thread.
  package init(seed: UInt64, settings: SimulatedNetwork.Settings = SimulatedNetwork.Settings()) {
    world = SimulatedWorld(seed: seed, includesMainQueue: true, settings: settings)
    world.onForeignWork = { [arrival] in arrival.signal() }
    DispatchQueue(label: "simulated world").async { [self] in serve() }
  }

  // MARK: Requests

  /// A request of the app begins: the clock may move until it ends.
  package func beginRequest() { state.withLock { $0.openCount += 1 } }

  /// A request has ended: its completion handler has returned.
  package func endRequest() {
    state.withLock { state in
      precondition(state.openCount > 0, "a request ends twice")
      state.openCount -= 1
    }
  }

  /// Runs code in the world, and waits for its end. The clock moves meanwhile.
  package func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
    beginRequest()
    defer { endRequest() }
    return try await Task(executorPreference: world) { try await body() }.value
  }

  // MARK: Time

  /// Moves the clock, and runs everything that happens meanwhile.
  package func advance(by duration: Duration) async {
    await withCheckedContinuation { continuation in advance(by: duration) { continuation.resume() } }
  }

  /// Moves the clock.
  /// - Parameter done: called on the world's thread when the time is reached.
  package func advance(by duration: Duration, then done: @escaping @Sendable () -> Void) {
    world.post { [state, world] in
      let time = world.agenda.now + duration.clampedNanoseconds
      state.withLock { state in
        let place = state.waits.firstIndex { $0.time > time } ?? state.waits.endIndex
        state.waits.insert(Wait(time: time, done: done), at: place)
      }
    }
  }

  /// Ends the world. What waits for it is resumed with an error or cancelled. Nothing may use the world afterwards.
  package func end() { world.post { [state] in state.withLock { $0.isEnding = true } } }

  // MARK: The thread

  private func serve() {
    world.use {
      while true {
        world.runPresent()
        switch nextStep() {
        case .move: world.agenda.runNext()
        case .reach(let time):
          world.agenda.run(until: time)
          takeWaits(until: time)
        case .stand: arrival.wait()
        case .end: return
        }
      }
    }
    world.end()
    takeWaits(until: .max)
  }

  private func nextStep() -> Step {
    let next = world.agenda.nextTime
    return state.withLock { state in
      if state.isEnding { return .end }
      if let wait = state.waits.first {
        if let next, next <= wait.time { return .move }
        return .reach(wait.time)
      }
      return state.openCount > 0 && next != nil ? .move : .stand
    }
  }

  private func takeWaits(until time: UInt64) {
    let due = state.withLock { state in
      let due = Array(state.waits.prefix { $0.time <= time })
      state.waits.removeFirst(due.count)
      return due
    }
    for wait in due { wait.done() }
  }
}
