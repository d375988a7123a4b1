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
    /// Called when no request is open.
    var idleWaits: [@Sendable () -> Void] = []
    var isEnding = false
    /// Set before the world is taken apart: later work runs elsewhere.
    var hasEnded = false
    /// Called at the end.
    var endings: [@Sendable () -> Void] = []
    /// Called when the world is taken apart.
    var lastEndings: [@Sendable () -> Void] = []
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
    /// No request is open, and something waits for that.
    case settle
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

  /// A request of the app begins: the clock may move until it ends. In work of `perform`, or in the world: otherwise, the
  /// clock could move before the work of the request.
  package func beginRequest() { state.withLock { $0.openCount += 1 } }

  /// A request has ended: its completion handler has returned.
  package func endRequest() {
    state.withLock { state in
      precondition(state.openCount > 0, "a request ends twice")
      state.openCount -= 1
    }
    arrival.signal()
  }

  /// Runs work on the world's thread, after all earlier work of this kind. After the end of the world, on this thread.
  package func perform(_ work: @escaping @Sendable () -> Void) {
    if !add({ $0.postInOrder(work) }) { work() }
  }

  /// Starts a task in the world; after its end, elsewhere.
  package func start(_ body: @escaping @Sendable () async -> Void) {
    if !add({ world in _ = Task(executorPreference: world) { await body() } }) { Task { await body() } }
  }

  /// Runs code in the world, and waits for its end. The clock moves meanwhile.
  /// - Throws: also `CancellationError` after the end of the world.
  nonisolated(nonsending) package func run<T: Sendable>(
    _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    let task = Guarded<Task<T, any Error>?>(nil)
    let isAdded = add { world in
      let started = Task(executorPreference: world) { [self] in
        beginRequest()
        defer { endRequest() }
        return try await body()
      }
      task.withLock { $0 = started }
    }
    guard isAdded, let task = task.withLock({ $0 }) else { throw CancellationError() }
    return try await task.value
  }

  /// Whether the world has ended.
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Calls a function when the world ends, or now if it has ended.
  package func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      if !state.hasEnded { state.endings.append(body) }
      return state.hasEnded
    }
    if isLate { body() }
  }

  /// Calls a function when the world has been taken apart, to break cycles of references. Before the end.
  package func whenTakenApart(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.lastEndings.append(body) }
  }

  /// Adds work to the world.
  /// - Returns: false if the world has ended.
  private func add(_ body: (SimulatedWorld) -> Void) -> Bool {
    state.withLock { state in
      if state.hasEnded { return false }
      body(world)
      return true
    }
  }

  /// Announces work for the main queue, which is about to be added by other code than a task.
  package func mainWorkBegins() { MainQueue.workArrives() }

  // MARK: Time

  /// Moves the clock, and runs everything that happens meanwhile.
  nonisolated(nonsending) package func advance(by duration: Duration) async {
    await withCheckedContinuation { continuation in advance(by: duration) { continuation.resume() } }
  }

  /// Moves the clock.
  /// - Parameter done: called on the world's thread when the time is reached; at once after the end of the world.
  package func advance(by duration: Duration, then done: @escaping @Sendable () -> Void) {
    perform { [self] in
      if hasEnded { return done() }
      let time = world.agenda.now + duration.clampedNanoseconds
      state.withLock { state in
        let place = state.waits.firstIndex { $0.time > time } ?? state.waits.endIndex
        state.waits.insert(Wait(time: time, done: done), at: place)
      }
    }
  }

  /// Waits until no request is open, and everything has run that can happen then. The clock moves while one is open.
  nonisolated(nonsending) package func settle() async {
    await withCheckedContinuation { continuation in
      perform { [self] in
        if hasEnded { return continuation.resume() }
        state.withLock { $0.idleWaits.append { continuation.resume() } }
      }
    }
  }

  /// Ends the world. Code that waits for it is resumed with an error or cancelled.
  package func end() { _ = add { world in world.postInOrder { [state] in state.withLock { $0.isEnding = true } } } }

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
        case .settle: takeIdleWaits()
        case .stand: arrival.wait()
        case .end: return
        }
      }
    }
    let endings = state.withLock { state in
      state.hasEnded = true
      defer { state.endings = [] }
      return state.endings
    }
    for body in endings { body() }
    world.end()
    takeWaits(until: .max)
    takeIdleWaits()
    let lastEndings = state.withLock { state in
      defer { state.lastEndings = [] }
      return state.lastEndings
    }
    for body in lastEndings { body() }
  }

  private func nextStep() -> Step {
    let next = world.agenda.nextTime
    return state.withLock { state in
      if state.isEnding { return .end }
      if state.openCount == 0, !state.idleWaits.isEmpty { return .settle }
      if let wait = state.waits.first {
        if let next, next <= wait.time { return .move }
        return .reach(wait.time)
      }
      return state.openCount > 0 && next != nil ? .move : .stand
    }
  }

  private func takeIdleWaits() {
    let all = state.withLock { state in
      defer { state.idleWaits = [] }
      return state.idleWaits
    }
    for done in all { done() }
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
