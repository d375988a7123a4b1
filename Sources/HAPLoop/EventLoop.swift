import CUV
import Synchronization

/// A libuv loop on a thread of its own, and the executor of the actors pinned to it.
///
/// An actor whose `unownedExecutor` is a loop runs on the loop's thread. A callback of a handle (timer, socket, …) runs
/// there too, so it is inside the isolation of such an actor already and enters it by `assumeIsolated`, without a hop.
///
/// One turn of the loop: timers, sockets and jobs, then the end-of-turn hooks, then it blocks until something happens.
/// Except where a method says "from any thread", everything here and every handle belongs to the loop's thread.
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

    mutating func closeIfEmpty() -> Bool {
      isClosed = isClosed || entries.isEmpty
      return isClosed
    }
  }

  private enum Life: Sendable { case new, running, joining, ended }

  package let name: String
  let loop: UnsafeMutablePointer<uv_loop_t>
  private let wakeUp: UnsafeMutablePointer<uv_async_t>
  private let beforeBlocking: UnsafeMutablePointer<uv_prepare_t>
  private let inbox = Guarded(Inbox())
  private let life = Guarded(Life.new)
  private let thread = Atomic<UInt>(0)
  private var threadHandle = uv_thread_t()
  private var started = uv_sem_t()
  private var ended = uv_sem_t()

  // Of the loop's thread.
  private var batch: [Entry] = []
  private var hooks: [TurnHook] = []
  /// Those that were asked for, and have not run since.
  private var asked: [TurnHook] = []
  private var cachedNow: UInt64 = 0
  private var isStopping = false
  /// Handles not yet wholly closed.
  package internal(set) var openHandleCount = 0

  /// - Parameter name: of the thread, for debuggers; 15 bytes of it are kept.
  package init(name: String) {
    self.name = name
    loop = .allocate(capacity: 1)
    wakeUp = .allocate(capacity: 1)
    beforeBlocking = .allocate(capacity: 1)
    var status = uv_loop_init(loop)
    if status == 0 {
      status = uv_async_init(loop, wakeUp) { EventLoop.of($0!.pointee.loop).runJobs() }
    }
    precondition(status == 0, "no event loop: \(LoopError.text(of: status))")
    uv_prepare_init(loop, beforeBlocking)
    loop.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    wakeUp.pointee.data = nil
    beforeBlocking.pointee.data = nil
    uv_sem_init(&started, 0)
    uv_sem_init(&ended, 0)
  }

  deinit {
    // A running loop keeps itself alive, so it is either new or at its end.
    switch life.withLock({ $0 }) {
    case .new: closeLoop()
    case .running: detachThread(threadHandle)  // it stopped itself, and nobody waited for it
    case .joining, .ended: break
    }
    uv_sem_destroy(&started)
    uv_sem_destroy(&ended)
    loop.deallocate()
    wakeUp.deallocate()
    beforeBlocking.deallocate()
  }

  static func of(_ loop: UnsafeMutablePointer<uv_loop_t>) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(loop.pointee.data).takeUnretainedValue()
  }

  // MARK: Life

  /// Starts the thread and returns when it runs. Once only, from any thread.
  package func start() {
    life.withLock {
      precondition($0 == .new, "an event loop is started once")
      $0 = .running
    }
    let status = uv_thread_create(
      &threadHandle, { EventLoop.main($0!) }, Unmanaged.passRetained(self).toOpaque())
    precondition(status == 0, "no thread for the event loop: \(LoopError.text(of: status))")
    uv_sem_wait(&started)
  }

  /// Closes all handles, waits for work on the pool to come back, runs what is queued, and ends the thread.
  ///
  /// From any thread and more than once; returns when the loop has ended, but on the loop's own thread at once. Jobs
  /// of actors enqueued after the end, or making more of themselves without end, are dropped: so stop what uses the
  /// loop before the loop itself.
  package func stop() {
    let isNew = life.withLock { life in
      guard life == .new else { return false }
      life = .ended
      return true
    }
    if isNew { return closeLoop() }
    inbox.withLock {
      if $0.isClosed { return }
      $0.stopRequested = true
      uv_async_send(wakeUp)
    }
    if isOnLoop { return }
    uv_sem_wait(&ended)
    uv_sem_post(&ended)  // for the next who waits
    let isMineToJoin = life.withLock { life in
      guard life == .running else { return false }
      life = .joining
      return true
    }
    if isMineToJoin {
      uv_thread_join(&threadHandle)
      life.withLock { $0 = .ended }
    }
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

  private static func main(_ argument: UnsafeMutableRawPointer) {
    let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
    loop.run()
  }

  private func run() {
    nameCurrentThread(name)
    blockBrokenPipeSignal()
    thread.store(currentThread(), ordering: .releasing)
    uv_prepare_start(beforeBlocking) { EventLoop.of($0!.pointee.loop).endTurn() }
    uv_unref(UnsafeMutableRawPointer(beforeBlocking).handle)
    uv_sem_post(&started)
    // Ends when `closeHandles` has left nothing that keeps the loop alive. What its last callbacks enqueued or opened
    // gets its turn too, but work that always makes more work can't keep the loop from ending.
    var roundsLeft = 10_000
    repeat {
      roundsLeft -= 1
      if roundsLeft <= 0 { inbox.withLock { $0.isClosed = true } }
      uv_run(loop, UV_RUN_DEFAULT)
      runJobs()
      runHooks()
      closeHandles()
    } while openHandleCount > 0 || uv_loop_alive(loop) != 0 || !inbox.withLock({ $0.closeIfEmpty() })
    hooks = []
    closeLoop()
    thread.store(0, ordering: .releasing)
    uv_sem_post(&ended)
    let endings = inbox.withLock { inbox in
      defer { inbox.endings = nil }
      return inbox.endings ?? []
    }
    for ending in endings { ending() }
  }

  /// Ends the loop's own two handles and the loop.
  private func closeLoop() {
    inbox.withLock { $0.isClosed = true }
    uv_close(UnsafeMutableRawPointer(wakeUp).handle, nil)
    uv_close(UnsafeMutableRawPointer(beforeBlocking).handle, nil)
    uv_run(loop, UV_RUN_DEFAULT)
    let status = uv_loop_close(loop)
    precondition(status == 0, "handles outlive their event loop")
  }

  private func closeHandles() {
    uv_walk(
      loop,
      { handle, _ in
        guard let data = handle!.pointee.data else { return }
        Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue().close()
      }, nil)
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

  /// Runs `work` on the loop and waits for it. From any thread but the loop's; traps when the loop has ended.
  package func performAndWait<T: Sendable>(_ work: @escaping @Sendable () throws -> T) throws -> T {
    precondition(!isOnLoop, "the loop can't wait for itself")
    let outcome = BlockingOutcome<T>()
    precondition(schedule { outcome.finish(Result(catching: work)) }, "the event loop \(name) has ended")
    return try outcome.wait().get()
  }

  @discardableResult
  private func add(_ entry: Entry) -> Bool {
    // The loop looks into the inbox before it blocks, so its own thread need not wake it.
    let isOnLoop = isOnLoop
    return inbox.withLock { inbox in
      if inbox.isClosed { return false }
      let wasEmpty = inbox.entries.isEmpty
      inbox.entries.append(entry)
      if wasEmpty && !isOnLoop { uv_async_send(wakeUp) }
      return true
    }
  }

  /// Runs what is queued now. What these enqueue waits for the next turn, so that jobs can't keep sockets waiting.
  private func runJobs() {
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
      uv_unref(UnsafeMutableRawPointer(wakeUp).handle)
      closeHandles()
    }
  }

  // MARK: Turns

  /// Monotonic time in nanoseconds, read once a turn.
  package var now: UInt64 {
    if cachedNow == 0 { cachedNow = uv_hrtime() }
    return cachedNow
  }

  /// Monotonic time in nanoseconds, read now. From any thread; the same clock as `now`.
  package func readClock() -> UInt64 { uv_hrtime() }

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
  package func hookOnRequest(_ action: @escaping () -> Void) -> TurnHook {
    preconditionOnLoop()
    let hook = TurnHook(action)
    hook.loop = self
    return hook
  }

  fileprivate func take(_ hook: TurnHook) { asked.append(hook) }

  /// libuv's "prepare" step: timers, closed handles, and what the last poll brought are all done by now.
  private func endTurn() {
    runJobs()
    runHooks()
    // Jobs that ran while handles were being closed may have opened others.
    if isStopping { closeHandles() }
    cachedNow = 0
    if inbox.withLock({ !$0.entries.isEmpty }) { uv_async_send(wakeUp) }
  }

  private func runHooks() {
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

extension UnsafeMutableRawPointer {
  /// Every handle of libuv begins with a `uv_handle_t`.
  var handle: UnsafeMutablePointer<uv_handle_t> { assumingMemoryBound(to: uv_handle_t.self) }
}
