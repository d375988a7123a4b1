import HAPLoop
import Synchronization

/// A system in virtual time: hosts, a network and one clock. One seed determines everything that happens in it.
///
/// Everything runs on the thread that calls `run`: event loops, actors, tasks. The clock moves only when nothing can
/// run, so an hour of waiting takes no time. Two runs with one seed perform the same actions in the same order.
// Safe: one thread at a time runs the world, and `thread` identifies it. `enqueue` and wake-ups from other threads
// detect that they are on another thread. They only append to `foreign`, which has a lock. Tests count these:
// `foreignJobCount` is 0 at the end of each run.
package final class SimulatedWorld: TaskExecutor, @unchecked Sendable {
  package let agenda: Agenda
  package let network: SimulatedNetwork
  /// The programs that `ChildProcess` can start on the hosts, by name. The value is the main function, which returns
  /// while the program continues.
  package var programs: [String: (ProgramRun) -> Void] = [:]
  /// The loop whose turn it is.
  var current: EventLoop?
  private var loops: [SimulatedLoopDriver] = []
  private let thread = Atomic<UInt>(0)
  let includesMainQueue: Bool
  /// Work from other threads.
  private let foreign = Guarded<[Foreign]>([])
  /// Called on other threads when they add work. It is set before the world runs.
  var onForeignWork: (@Sendable () -> Void)?
  private let foreignCount = Atomic<Int>(0)
  private let realSleepCount = Atomic<Int>(0)
  /// The tasks of bodies that had not returned when their runs ended.
  private var unfinished: [Task<Void, Never>] = []
  /// nil: the world has ended.
  private let refused = Guarded<[RefusedJob]?>([])

  /// The maximum number of steps at the end of the world. Without it, tasks that resume each other could prevent the
  /// end.
  private static let mostStepsAtEnd = 10_000

  /// A job that a loop has refused because it had ended. Its task waits until the end of the world.
  private struct RefusedJob: Sendable {
    let job: UnownedJob
    let loop: EventLoop
    let driver: SimulatedLoopDriver
  }

  private enum Foreign: Sendable {
    case job(UnownedJob)
    /// A wake-up of a loop from another thread.
    case wake(SimulatedLoopDriver)
    case work(@Sendable () -> Void)
    /// Runs in the order in which it arrived.
    case ordered(@Sendable () -> Void)
  }

  /// - Parameter includesMainQueue: whether the clock waits for work on the main queue, and therefore for `@MainActor`
  ///   code. Each step of the clock then takes about 30 µs longer. Such a world needs a thread of its own: use
  ///   `runApart` or a `WorldThread`. Any task can come to run on the main queue, and one that runs the
  ///   world there traps, because it would wait for itself.
  package init(
    seed: UInt64, includesMainQueue: Bool = false, settings: SimulatedNetwork.Settings = SimulatedNetwork.Settings()
  ) {
    self.includesMainQueue = includesMainQueue
    agenda = Agenda(seed: seed)
    network = SimulatedNetwork(agenda, settings: settings)
  }

  package var seed: UInt64 { agenda.seed }
  package var trace: Trace { agenda.trace }
  /// The time since the start of the world.
  package var now: Duration { .nanoseconds(Int64(clamping: agenda.now)) }
  /// The number of jobs and wake-ups from other threads. They make a run depend on real time, so there should be none.
  package var foreignJobCount: Int { foreignCount.load(ordering: .relaxed) }

  /// Creates and starts an event loop of a process.
  package func makeLoop(_ name: String, of process: SimulatedProcess) -> EventLoop {
    let loop = makeUnstartedLoop(name, of: process)
    loop.start()
    return loop
  }

  /// Creates an event loop of a process.
  package func makeUnstartedLoop(_ name: String, of process: SimulatedProcess) -> EventLoop {
    let driver = SimulatedLoopDriver(self, process)
    loops.removeAll(where: \.hasEnded)
    loops.append(driver)
    return EventLoop(name: name, driver: driver)
  }

  /// Runs `body` and everything else in the world until `body` has returned.
  ///
  /// The calling thread does all the work. It must not be the thread of another loop.
  /// - Throws: errors of `body`, or `WorldError.stuck` if `body` waits for an event that can't happen.
  package func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    try finish(start(body))
  }

  /// Creates the task of `body`, which has the task-local values of the caller. It runs when `finish` is called.
  func start<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) -> WorldBody<T> {
    let started = WorldBody<T>()
    thread.store(currentThread(), ordering: .releasing)
    defer { thread.store(0, ordering: .releasing) }
    started.task = Task(executorPreference: self) {
      do { started.result = .success(try await body()) } catch { started.result = .failure(error) }
    }
    return started
  }

  /// Runs everything in the world until the body has returned. The calling thread does all the work.
  /// - Throws: errors of the body, or a `WorldError`. `end()` then cancels a body that has not returned.
  func finish<T>(_ body: WorldBody<T>, _ limits: WorldLimits = WorldLimits()) throws -> T {
    thread.store(currentThread(), ordering: .releasing)
    defer { thread.store(0, ordering: .releasing) }
    do { try runSteps(until: body, limits) } catch {
      if let task = body.task { unfinished.append(task) }
      throw error
    }
    guard let result = body.result else { preconditionFailure("the body has ended") }
    if limits.deniesForeignWork, case .success = result { try denyForeignWork() }
    return try result.get()
  }

  /// - Throws: a `WorldError`.
  private func runSteps<T>(until body: WorldBody<T>, _ limits: WorldLimits) throws {
    let end = limits.time.map(\.clampedNanoseconds) ?? .max
    var (moment, steps) = (agenda.now, 0)
    while !body.hasResult {
      (moment, steps) = (agenda.now, agenda.now == moment ? steps + 1 : 0)
      if steps > limits.steps { throw WorldError.spinning(seed: seed, time: now) }
      takeForeignWork()
      if includesMainQueue, agenda.nextTime != agenda.now {
        MainQueue.drain()
        takeForeignWork()
      }
      if body.shouldCancel.exchange(false, ordering: .acquiringAndReleasing) { body.task?.cancel() }
      if limits.deniesForeignWork { try denyForeignWork() }
      if let next = agenda.nextTime, next > end { throw WorldError.timeLimit(seed: seed, time: now) }
      if !agenda.runNext(), !body.hasResult { throw WorldError.stuck(seed: seed, time: now) }
    }
  }

  private func denyForeignWork() throws(WorldError) {
    if realSleepCount.load(ordering: .relaxed) > 0 { throw .realSleep(seed: seed, time: now) }
    if foreignJobCount > 0 { throw .foreignWork(seed: seed, time: now) }
  }

  /// Runs `body` on a thread that runs the world by `runPresent`.
  func use(_ body: () -> Void) {
    thread.store(currentThread(), ordering: .releasing)
    defer { thread.store(0, ordering: .releasing) }
    StrayTasks.keeping(of: self, body)
  }

  /// Runs everything that is due, also on the main queue, without moving the clock.
  func runPresent() {
    var steps = 0
    repeat {
      while agenda.nextTime == agenda.now, agenda.runNext() {
        steps += 1
        precondition(steps < WorldLimits().steps, "\(WorldError.spinning(seed: seed, time: now))")
      }
      // Work of the main queue is taken when the queue has nothing more to run, so that all of it is taken at once.
      var arrivals: Int
      repeat {
        arrivals = MainQueue.arrivals
        MainQueue.drain()
      } while MainQueue.arrivals != arrivals
    } while takeForeignWork() || agenda.nextTime == agenda.now
  }

  /// Stops all loops, runs their remaining work, and releases everything. The world can't be used afterwards.
  ///
  /// A task that still waits after that is never released, with everything that it uses. Code that waits on a loop (a
  /// timer, a socket, an answer) is resumed with an error. Other code has to end when it is cancelled.
  package func end() {
    thread.store(currentThread(), ordering: .releasing)
    for task in unfinished { task.cancel() }
    unfinished = []
    for driver in loops { driver.stop() }
    runLoopsToEnd()
    // Programs keep objects that refer to them until their processes end. A loop of a frozen process has not ended yet.
    agenda.trace.sink = nil
    for host in network.hosts { host.powerOff() }
    runLoopsToEnd()
    loops = []
    programs = [:]
    runTasks()
    runRefusedJobs()
    network.tearDown { self.runRefusedJobs() }
    refused.withLock { $0 = nil }
    thread.store(0, ordering: .releasing)
  }

  private func runLoopsToEnd() {
    while loops.contains(where: { !$0.hasEnded }), agenda.runNext() { takeForeignWork() }
  }

  /// Runs the tasks that were resumed at the end of a loop or a callback. A task that never runs again would never be
  /// released.
  private func runTasks() {
    takeForeignWork()
    var steps = 0
    while steps < Self.mostStepsAtEnd, agenda.nextTime == agenda.now, agenda.runNext() {
      takeForeignWork()
      steps += 1
    }
  }

  /// Runs the jobs that loops have refused. Their tasks end, because each wait on a loop that has ended is an error.
  private func runRefusedJobs() {
    var drivers: [SimulatedLoopDriver] = []
    var rounds = 0
    runTasks()
    while rounds < Self.mostStepsAtEnd, let jobs = refused.withLock({ $0 }), !jobs.isEmpty {
      rounds += 1
      refused.withLock { $0 = [] }
      for one in jobs {
        drivers.append(one.driver)
        one.driver.run(one.job, refusedBy: one.loop)
        runTasks()
      }
    }
    for driver in drivers { driver.release() }
  }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnThread {
      schedule(job)
    } else {
      add(.job(job))
    }
  }

  /// Runs work on the world's thread. From any other thread.
  func post(_ work: @escaping @Sendable () -> Void) { add(.work(work)) }

  /// Runs work on the world's thread, after all earlier work of this kind. From any other thread.
  func postInOrder(_ work: @escaping @Sendable () -> Void) { add(.ordered(work)) }

  private func add(_ work: Foreign) {
    countForeignWork()
    foreign.withLock { $0.append(work) }
    onForeignWork?()
  }

  /// Records that a task of the world sleeps in real time, which a run can't repeat.
  func noteRealSleep() {
    realSleepCount.add(1, ordering: .relaxed)
    countForeignWork()
  }

  /// Runs work that the runtime would run on its thread pool. It must be called on the world's thread.
  func keep(_ job: UnownedJob) { schedule(job) }

  /// Keeps a job of a loop that has ended. From any thread.
  func keep(_ job: UnownedJob, of loop: EventLoop, _ driver: SimulatedLoopDriver) {
    refused.withLock { $0?.append(RefusedJob(job: job, loop: loop, driver: driver)) }
  }

  /// Counts work from another thread. Work on the main queue is not counted if the clock waits for that queue.
  private func countForeignWork() {
    if includesMainQueue, MainQueue.isCurrent { return }
    foreignCount.add(1, ordering: .relaxed)
  }

  /// Whether the calling thread runs this world.
  package var isOnThread: Bool { thread.load(ordering: .acquiring) == currentThread() }

  /// Takes a wake-up of a loop if it comes from another thread while the world runs.
  /// - Returns: whether the wake-up was taken.
  func takeForeignWake(_ driver: SimulatedLoopDriver) -> Bool {
    if isOnThread || thread.load(ordering: .acquiring) == 0 { return false }
    add(.wake(driver))
    return true
  }

  private func schedule(_ job: UnownedJob) {
    agenda.schedule(after: 0) { [self] in
      // The work of a task outside of actors belongs to no loop.
      let outer = current
      outer?.resign()
      current = nil
      job.runSynchronously(on: asUnownedTaskExecutor())
      current = outer
      outer?.enter()
    }
  }

  /// - Returns: whether there was any.
  @discardableResult
  private func takeForeignWork() -> Bool {
    if !includesMainQueue, foreignCount.load(ordering: .relaxed) == 0 { return false }
    let work = foreign.withLock { work in
      defer { work = [] }
      return work
    }
    for entry in work {
      switch entry {
      case .job(let job): schedule(job)
      case .wake(let driver): driver.wake()
      case .work(let work): agenda.schedule(after: 0, work)
      case .ordered(let work): work()
      }
    }
    return !work.isEmpty
  }
}

package enum WorldError: Error, CustomStringConvertible {
  /// No event is scheduled, and the body has not returned.
  case stuck(seed: UInt64, time: Duration)
  /// The body has not returned at the limit of virtual time.
  case timeLimit(seed: UInt64, time: Duration)
  /// The number of steps at one time has reached its limit: the clock can't move.
  case spinning(seed: UInt64, time: Duration)
  /// Work came from another thread, which the limits of the run forbid.
  case foreignWork(seed: UInt64, time: Duration)
  /// A task of the world sleeps in real time, which the limits of the run forbid.
  case realSleep(seed: UInt64, time: Duration)

  package var description: String {
    switch self {
    case .stuck(let seed, let time):
      "no further event can happen in the simulated world of seed \(seed), at \(time): the test waits for an event that no timer, packet or task causes"
    case .timeLimit(let seed, let time):
      "the test in the simulated world of seed \(seed) has not ended at its limit of virtual time; the last event was at \(time)"
    case .spinning(let seed, let time):
      "the clock of the simulated world of seed \(seed) can't advance from \(time): code polls instead of waiting"
    case .foreignWork(let seed, let time):
      "work came from another thread into the simulated world of seed \(seed), at \(time): the run can't be repeated"
    case .realSleep(let seed, let time):
      "Task.sleep was used in the simulated world of seed \(seed), at \(time): it waits in real time, and the run can't be repeated"
    }
  }
}
