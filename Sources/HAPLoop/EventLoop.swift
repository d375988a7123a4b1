import Synchronization

/// An event loop, and the executor of the actors pinned to it. Its driver runs it: on a thread of its own, or in a simulated world.
///
/// An actor whose `unownedExecutor` is a loop runs on the loop's thread. A callback of a handle (timer, socket, …) runs
/// there too, so it is inside the isolation of such an actor already and enters it by `assumeIsolated`, without a hop.
///
/// One turn of the loop: timers, sockets and jobs, then the end-of-turn hooks, then it blocks until something happens.
/// Except where a method says "from any thread", everything here and every handle belongs to the loop's thread.
// Safe: `inbox` has a lock, `isNew` and `thread` are atomic, `name` and `driver` are constants. The other members are used in a turn,
// which the driver runs on the loop's thread, and by handles, timers and hooks, whose makers trap on any other thread: `LoopHandle.init`,
// `atEndOfTurn`, `hookOnRequest`. HAPLoopTests run under the thread sanitizer.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
  private enum Entry: Sendable {
    case job(UnownedJob)
    case work(@Sendable () -> Void)
  }

  private struct Inbox: Sendable {
    var entries: [Entry] = []
    var stopRequested = false
    /// The loop has ended, and nothing will be run any more.
    var isClosed = false
    /// To be told when the thread is about to end; nil: they were.
    var endings: [@Sendable () -> Void]? = []
  }

  package let name: String
  package let driver: any LoopDriver
  private let inbox = Guarded(Inbox())
  private let isNew = Atomic<Bool>(true)
  private let thread = Atomic<UInt>(0)

  // Of the loop's thread.
  private var batch: [Entry] = []
  private var hooks: [TurnHook] = []
  /// Those that were asked for, and have not run since.
  private var asked: [TurnHook] = []
  private var cachedNow: UInt64 = 0
  private var isStopping = false
  private var handles = HandleTable()
  private var timers = TimerQueue()
  /// The alarm that the driver has: the first deadline of `timers`.
  private var alarm: UInt64?

  /// - Parameter driver: has no other loop.
  package init(name: String, driver: any LoopDriver) {
    self.name = name
    self.driver = driver
  }

  deinit {
    // A running loop keeps itself alive, so it is either new or at its end.
    if isNew.load(ordering: .acquiring) { driver.discard() }
  }

  // MARK: Life

  /// Starts the loop and returns when it runs. Once only, from any thread.
  package func start() {
    precondition(isNew.exchange(false, ordering: .acquiringAndReleasing), "an event loop is started once")
    driver.start(self)
  }

  /// Closes all handles, waits for work on the pool to come back, runs what is queued, and ends the loop.
  ///
  /// From any thread and more than once; returns when the loop has ended, but on the loop's own thread at once. Jobs
  /// of actors enqueued after the end, or making more of themselves without end, are dropped: so stop what uses the
  /// loop before the loop itself.
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

  /// Calls `body` when the loop has ended: on its thread, as the last thing it does, or at once if that is over. For who must not block as
  /// `stop` does; the loop is started. From any thread.
  package func whenEnded(_ body: @escaping @Sendable () -> Void) {
    let isOver = inbox.withLock { inbox in
      inbox.endings?.append(body)
      return inbox.endings == nil
    }
    if isOver { body() }
  }

  // MARK: For the driver

  /// Makes the calling thread the loop's, until `resign()`.
  package func enter() { thread.store(currentThread(), ordering: .releasing) }
  package func resign() { thread.store(0, ordering: .releasing) }

  /// Ends the loop if nothing is open and nothing is queued. The driver runs turns until it has.
  package func endIfIdle() -> Bool {
    guard handles.isEmpty else { return false }
    let hasEnded = inbox.withLock { inbox in
      inbox.isClosed = inbox.isClosed || inbox.entries.isEmpty
      return inbox.isClosed
    }
    if hasEnded { hooks = [] }
    return hasEnded
  }

  /// Takes no more jobs: those that make more of themselves would keep the loop from ending.
  package func refuseJobs() { inbox.withLock { $0.isClosed = true } }

  /// Calls what `whenEnded` was given, as the last thing.
  package func reportEnd() {
    dropEntries()
    let endings = inbox.withLock { inbox in
      defer { inbox.endings = nil }
      return inbox.endings ?? []
    }
    for ending in endings { ending() }
  }

  /// Releases what will not run any more: it may refer to this loop.
  private func dropEntries() {
    // Their ends may come back to the inbox, so they are not released under its lock.
    let dropped = inbox.withLock { inbox in
      defer { inbox.entries = [] }
      return inbox.entries
    }
    withExtendedLifetime(dropped) {}
  }

  package func closeHandles() {
    for handle in handles.open { handle.close() }
  }

  // MARK: Executor

  /// Whether the caller is on the loop's thread. From any thread.
  package var isOnLoop: Bool { thread.load(ordering: .acquiring) == currentThread() }

  /// Traps unless the caller is on the loop's thread.
  package func preconditionOnLoop() {
    precondition(isOnLoop, "this belongs to the thread of the event loop \(name)")
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    add(.job(UnownedJob(job)))
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  package func checkIsolated() { preconditionOnLoop() }
  package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  /// Runs `work` on the loop, after what was scheduled before it, and never before this returns. From any thread.
  /// - Returns: false when the loop has ended, and `work` will not run.
  @discardableResult
  package func schedule(_ work: @escaping @Sendable () -> Void) -> Bool {
    add(.work(work))
  }

  @discardableResult
  private func add(_ entry: Entry) -> Bool {
    // The loop looks into the inbox before it blocks, so its own thread need not wake it.
    let isOnLoop = isOnLoop
    return inbox.withLock { inbox in
      if inbox.isClosed { return false }
      let wasEmpty = inbox.entries.isEmpty
      inbox.entries.append(entry)
      if wasEmpty && !isOnLoop { driver.wake() }
      return true
    }
  }

  /// Runs what is queued now. What these enqueue waits for the next turn, so that jobs can't keep sockets waiting.
  package func runJobs() {
    guard batch.isEmpty else { return }
    let stopRequested = inbox.withLock { inbox in
      swap(&inbox.entries, &batch)
      defer { inbox.stopRequested = false }
      return inbox.stopRequested
    }
    let executor = asUnownedSerialExecutor()
    for entry in batch {
      switch entry {
      case .job(let job): job.runSynchronously(on: executor)
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

  // MARK: Turns

  /// Monotonic time in nanoseconds, read once a turn.
  package var now: UInt64 {
    if cachedNow == 0 { cachedNow = driver.readClock() }
    return cachedNow
  }

  /// Monotonic time in nanoseconds, read now. From any thread; the same clock as `now`.
  package func readClock() -> UInt64 { driver.readClock() }

  /// Civil time since 1970 in UTC, read now. It may jump. From any thread.
  package func readWallClock() -> Duration { driver.readWallClock() }

  /// The name of the machine; empty: it has none.
  package var machineName: String { driver.machineName }

  /// The open files and sockets that the process may have.
  package var descriptorLimit: Int { driver.descriptorLimit }

  /// Runs `hook` at the end of every turn: after all its callbacks and jobs, and before the loop blocks.
  ///
  /// Hooks run in the order they were added, once each, every turn, until cancelled. Work that a hook hands to an
  /// earlier one waits for the next turn; `schedule` something when that turn has to come at once.
  @discardableResult
  package func atEndOfTurn(_ hook: @escaping () -> Void) -> TurnHook {
    preconditionOnLoop()
    let hook = TurnHook(hook)
    hooks.append(hook)
    return hook
  }

  /// A hook for the end of those turns only in which it was asked for by `TurnHook.ask()`: so that a turn costs nothing for the thousands to whom
  /// nothing happened in it. They run in the order in which they were asked for, behind those of every turn. One that is asked for while hooks run has
  /// its turn before the loop blocks.
  package func hookOnRequest(_ action: @escaping () -> Void = {}) -> TurnHook {
    preconditionOnLoop()
    let hook = TurnHook(action)
    hook.loop = self
    return hook
  }

  fileprivate func take(_ hook: TurnHook) { asked.append(hook) }

  /// Ends a turn, before the loop blocks: timers and what the last poll brought are done by now.
  package func endTurn() {
    for handle in handles.takeClosing() { handle.didClose() }
    runJobs()
    runHooks()
    // Jobs that ran while handles were being closed may have opened others.
    if isStopping { closeHandles() }
    // Those that jobs and hooks closed need no turn of their own.
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

  /// Fires the timers that are due. The driver calls it when the alarm has gone off, which is unset then.
  package func fireTimers() {
    alarm = nil
    let time = driver.readClock()
    let last = timers.lastNumber
    while let timer = timers.removeFirst(dueBy: time, upTo: last) { timer.fire() }
  }
}

/// A hook at the end of every turn of a loop, or of those in which it is asked for, until cancelled.
package final class TurnHook {
  // Not optional: an optional closure is stored in another form, and calling it allocates a thunk each time.
  fileprivate var action: () -> Void
  fileprivate var isCancelled = false
  /// Of one that runs on request; such a one is let go of with its owner.
  fileprivate unowned(unsafe) var loop: EventLoop?
  fileprivate var isAsked = false

  fileprivate init(_ action: @escaping () -> Void) { self.action = action }

  /// Runs another action from now on, unless the hook was cancelled.
  package func setAction(_ action: @escaping () -> Void) { if !isCancelled { self.action = action } }

  package func cancel() {
    isCancelled = true
    action = {}
  }

  /// Has it run at the end of this turn; of one that runs every turn there is nothing to ask. Belongs to the loop's thread.
  package func ask() {
    if isAsked || isCancelled { return }
    isAsked = true
    loop?.take(self)
  }
}
