import Synchronization

/// An event loop, and the executor of the actors pinned to it. Its driver runs it: on a separate thread, or in a
/// simulation.
///
/// An actor whose `unownedExecutor` is a loop runs on the loop's thread. A callback of a handle (timer, socket, …)
/// also runs there. It is therefore already inside the isolation of such an actor, and enters it by `assumeIsolated`,
/// without a hop.
///
/// One turn of the loop: timers, sockets and jobs, then the end-of-turn hooks, then it blocks until something
/// happens. Unless a method says "from any thread", all members and all handles belong to the loop's thread.
// Safe: `inbox` has a lock, `isNew` and `thread` are atomic, `name` and `driver` are constants. All other members are
// used during a turn, which the driver runs on the loop's thread, and by handles, timers and hooks. On any other thread,
// `LoopHandle.init`, `atEndOfTurn` and `hookOnRequest` trap. HAPLoopTests run under the thread sanitizer.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private enum Entry: Sendable {
    case job(UnownedJob)
    case work(@Sendable () -> Void)
  }

  private struct Inbox: Sendable {
    var entries: [Entry] = []
    var stopRequested = false
    /// The loop has ended and runs no more work.
    var isClosed = false
    /// Callbacks for the end of the thread; nil: they were called.
    var endings: [@Sendable () -> Void]? = []
  }

  package let name: String
  package let driver: any LoopDriver
  private let inbox = Guarded(Inbox())
  private let isNew = Atomic<Bool>(true)
  private let thread = Atomic<UInt>(0)

  // Only for the loop's thread.
  private var batch: [Entry] = []
  private var hooks: [TurnHook] = []
  /// Hooks that were requested and have not run since.
  private var asked: [TurnHook] = []
  private var cachedNow: UInt64 = 0
  private var isStopping = false
  private var handles = HandleTable()
  private var timers = TimerQueue()
  /// The alarm set in the driver: the first deadline of `timers`.
  private var alarm: UInt64?

  /// - Parameter driver: must not have another loop.
  package init(name: String, driver: any LoopDriver) {
    self.name = name
    self.driver = driver
  }

  deinit {
    // A running loop keeps itself alive, so this one is either new or has ended.
    if isNew.load(ordering: .acquiring) { driver.discard() }
  }

  // MARK: Life

  /// Starts the loop and returns when it runs. Can be called once, from any thread.
  package func start() {
    precondition(isNew.exchange(false, ordering: .acquiringAndReleasing), "an event loop can be started only once")
    driver.start(self)
  }

  /// Closes all handles, waits for pending work on the pool, runs the queued jobs, and ends the loop.
  ///
  /// From any thread and more than once. Returns when the loop has ended; on the loop's own thread it returns at
  /// once. Actor jobs are dropped if they are enqueued after the end, or if jobs keep enqueuing more jobs. Their tasks
  /// wait for ever; in a simulated world, they wait until its end. Therefore stop the users of the loop before the loop.
  package func stop() {
    if isNew.exchange(false, ordering: .acquiringAndReleasing) {
      refuseJobs()
      dropEntries()
      return driver.discard()
    }
    inbox.withLock { inbox in
      if inbox.isClosed { return }
      inbox.stopRequested = true
      driver.wake()
    }
    if !isOnLoop { driver.waitForEnd() }
  }

  /// Calls `body` when the loop has ended: as the last action of its thread, or at once if it has already ended. For
  /// callers that must not block; `stop` blocks. The loop must have been started. From any thread.
  package func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let isOver = inbox.withLock { inbox in
      inbox.endings?.append(body)
      return inbox.endings == nil
    }
    if isOver { body() }
  }

  // MARK: For the driver

  /// Makes the calling thread the loop's thread until `resign()`.
  package func enter() { thread.store(currentThread(), ordering: .releasing) }
  package func resign() { thread.store(0, ordering: .releasing) }

  /// Ends the loop if nothing is open and nothing is queued. The driver runs turns until the loop has ended.
  package func endIfIdle() -> Bool {
    guard handles.isEmpty else { return false }
    let hasEnded = inbox.withLock { inbox in
      inbox.isClosed = inbox.isClosed || inbox.entries.isEmpty
      return inbox.isClosed
    }
    if hasEnded { hooks = [] }
    return hasEnded
  }

  /// Refuses new jobs: jobs that keep enqueuing more jobs would keep the loop from ending.
  package func refuseJobs() { inbox.withLock { $0.isClosed = true } }

  /// Runs a job that the loop has refused, and closes the handles that the job has opened. Call it in a turn.
  package func runRefused(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedSerialExecutor())
    closeHandles()
  }

  /// Calls the `whenEnded` callbacks, as the last action.
  package func reportEnd() {
    dropEntries()
    let endings = inbox.withLock { inbox in
      defer { inbox.endings = nil }
      return inbox.endings ?? []
    }
    for ending in endings { ending() }
  }

  /// Releases entries that will never run: they may refer to this loop.
  private func dropEntries() {
    // Their deinitializers may use the inbox, so they are not released under its lock.
    let dropped = inbox.withLock { inbox in
      defer { inbox.entries = [] }
      return inbox.entries
    }
    for case .job(let job) in dropped { driver.refused(job, by: self) }
  }

  package func closeHandles() {
    for handle in handles.open { handle.close() }
  }

  // MARK: Executor

  /// Whether the caller is on the loop's thread. From any thread.
  package var isOnLoop: Bool { thread.load(ordering: .acquiring) == currentThread() }

  /// Traps unless the caller is on the loop's thread.
  package func preconditionOnLoop() {
    precondition(isOnLoop, "not on the thread of the event loop \(name)")
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  package func checkIsolated() { preconditionOnLoop() }
  package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  /// Runs `work` on the loop, after all work that was scheduled earlier, and never before this returns. From any
  /// thread.
  /// - Returns: false if the loop has ended and `work` will not run.
  @discardableResult
  package func schedule(_ work: @escaping @Sendable () -> Void) -> Bool {
    add(.work(work))
  }

  @discardableResult
  private func add(_ entry: Entry) -> Bool {
    // The loop checks the inbox before it blocks, so its own thread need not wake it.
    let isOnLoop = isOnLoop
    let isAdded = inbox.withLock { inbox in
      if inbox.isClosed { return false }
      let wasEmpty = inbox.entries.isEmpty
      inbox.entries.append(entry)
      if wasEmpty && !isOnLoop { driver.wake() }
      return true
    }
    if !isAdded, case .job(let job) = entry { driver.refused(job, by: self) }
    return isAdded
  }

  /// Runs the queued jobs. Jobs that these enqueue wait for the next turn, so that jobs can't starve sockets.
  package func runJobs() {
    guard batch.isEmpty else { return }
    let stopRequested = inbox.withLock { inbox in
      swap(&inbox.entries, &batch)
      defer { inbox.stopRequested = false }
      return inbox.stopRequested
    }
    for entry in batch {
      switch entry {
      case .job(let job): run(job)
      case .work(let work): work()
      }
    }
    batch.removeAll(keepingCapacity: true)
    if stopRequested && !isStopping {
      isStopping = true
      driver.allowEnd()
      closeHandles()
    }
  }

  /// Runs a job of an actor, or of a task that belongs to no actor. So a task changes between the two without a new job.
  private func run(_ job: UnownedJob) {
    if driver.taskExecutor == nil {
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    } else {
      job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  // MARK: Turns

  /// Monotonic time in nanoseconds, read once per turn.
  package var now: UInt64 {
    if cachedNow == 0 { cachedNow = driver.readClock() }
    return cachedNow
  }

  /// Returns monotonic time in nanoseconds, read now. From any thread; the same clock as `now`.
  package func readClock() -> UInt64 { driver.readClock() }

  /// Returns the time since any moment, of a clock that is never set and also counts while the machine sleeps, unlike
  /// `readClock`. From any thread.
  package func readUptime() -> Duration { driver.readUptime() }

  /// Returns civil time since 1970 in UTC, read now. It may jump. From any thread.
  package func readWallClock() -> Duration { driver.readWallClock() }

  /// The host name of the machine; empty: it has none.
  package var machineName: String { driver.machineName }

  /// The maximum number of open files and sockets of the process.
  package var descriptorLimit: Int { driver.descriptorLimit }

  /// Runs `hook` at the end of every turn: after all callbacks and jobs, and before the loop blocks.
  ///
  /// Hooks run in the order they were added, once per turn, until cancelled. Work that a hook hands to an earlier
  /// hook waits for the next turn; call `schedule` if that turn must come at once.
  @discardableResult
  package func atEndOfTurn(_ hook: @escaping () -> Void) -> TurnHook {
    preconditionOnLoop()
    let hook = TurnHook(hook)
    hooks.append(hook)
    return hook
  }

  /// Creates a hook that runs only at the end of turns in which `TurnHook.ask()` was called. With thousands of hooks,
  /// the idle ones therefore cost nothing. These hooks run in the order of the requests, after the hooks of every
  /// turn. A hook that is requested while hooks run still runs before the loop blocks.
  package func hookOnRequest(_ action: @escaping () -> Void = {}) -> TurnHook {
    preconditionOnLoop()
    let hook = TurnHook(action)
    hook.loop = self
    return hook
  }

  fileprivate func take(_ hook: TurnHook) { asked.append(hook) }

  /// Ends a turn, before the loop blocks: timers and the events of the last poll have been handled.
  package func endTurn() {
    for handle in handles.takeClosing() { handle.didClose() }
    runJobs()
    runHooks()
    // Jobs that ran while handles were closing may have opened others.
    if isStopping { closeHandles() }
    // Handles that jobs and hooks have closed need no extra turn.
    for handle in handles.takeClosing() { handle.didClose() }
    cachedNow = 0
    if handles.hasClosing || inbox.withLock({ !$0.entries.isEmpty }) { driver.wake() }
    let next = timers.firstDeadline
    if next != alarm {
      alarm = next
      driver.setAlarm(next)
    }
  }

  package func runHooks() {
    var index = 0
    while index < hooks.count {
      let hook = hooks[index]
      if hook.isCancelled {
        hooks.remove(at: index)
      } else {
        hook.action()
        index += 1
      }
    }
    index = 0
    while index < asked.count {
      let hook = asked[index]
      hook.isAsked = false
      hook.action()
      index += 1
    }
    asked.removeAll(keepingCapacity: true)
  }

  // MARK: Handles and timers

  func keep(_ handle: LoopHandle) { handles.insert(handle) }
  func release(_ handle: LoopHandle) { handles.remove(handle) }
  func finishClosingLater(_ handle: LoopHandle) { handles.finishLater(handle) }
  package var openHandleCount: Int { handles.open.count }

  func start(_ timer: LoopTimer, at deadline: UInt64) { timers.insert(timer, at: deadline) }
  func cancel(_ timer: LoopTimer) { timers.remove(timer) }

  /// Fires the timers that are due. The driver calls it when the alarm goes off; the alarm is then unset.
  package func fireTimers() {
    alarm = nil
    let time = driver.readClock()
    let last = timers.lastNumber
    while let timer = timers.removeFirst(dueBy: time, upTo: last) { timer.fire() }
  }
}

/// A hook at the end of every turn of a loop, or of the turns in which it is requested, until cancelled.
package final class TurnHook {
  // Not optional: an optional closure is stored in another form, and each call would allocate a thunk.
  fileprivate var action: () -> Void
  fileprivate var isCancelled = false
  /// Set for a hook that runs on request; its owner releases such a hook.
  fileprivate unowned(unsafe) var loop: EventLoop?
  fileprivate var isAsked = false

  fileprivate init(_ action: @escaping () -> Void) { self.action = action }

  /// Replaces the action, unless the hook was cancelled.
  package func setAction(_ action: @escaping () -> Void) { if !isCancelled { self.action = action } }

  package func cancel() {
    isCancelled = true
    action = {}
  }

  /// Requests a run at the end of this turn. Has no effect on a hook that runs every turn. Belongs to the loop's
  /// thread.
  package func ask() {
    if isAsked || isCancelled { return }
    isAsked = true
    loop?.take(self)
  }
}
