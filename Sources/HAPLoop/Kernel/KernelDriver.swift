import CUV

/// Runs an event loop on a separate thread with libuv.
// Safe: `life` has a lock, and the pointers are constants. Their memory is allocated in `init`, used by the loop's
// thread, and freed in `deinit`, which cannot run while the thread holds a reference. `uv_async_send` and the
// semaphores may be used by any thread. `thread` is written before the thread exists, and read only by the
// caller that changed `life` from running to joining.
final class KernelDriver: LoopDriver, @unchecked Sendable {
  private enum Life: Sendable { case new, running, joining, ended }

  let loop: UnsafeMutablePointer<uv_loop_t>
  private let wakeUp: UnsafeMutablePointer<uv_async_t>
  private let beforeBlocking: UnsafeMutablePointer<uv_prepare_t>
  private let alarm: UnsafeMutablePointer<uv_timer_t>
  private let life = Guarded(Life.new)
  /// Used only by the loop's thread.
  private lazy var datagramMemory = DatagramMemory()
  private var thread: KernelThread
  private let started = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)
  private let ended = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)

  init() {
    thread = KernelThread()
    loop = .allocate(capacity: 1)
    wakeUp = .allocate(capacity: 1)
    beforeBlocking = .allocate(capacity: 1)
    alarm = .allocate(capacity: 1)
    var status = uv_loop_init(loop)
    if status == 0 { status = uv_async_init(loop, wakeUp) { KernelDriver.eventLoop($0!.pointee.loop).runJobs() } }
    precondition(status == 0, "no event loop: \(LoopError.text(of: status))")
    uv_prepare_init(loop, beforeBlocking)
    uv_timer_init(loop, alarm)
    uv_sem_init(started, 0)
    uv_sem_init(ended, 0)
  }

  deinit {
    // The loop stopped itself, and no thread waited for it.
    if life.withLock({ $0 }) == .running { thread.detach() }
    uv_sem_destroy(started)
    uv_sem_destroy(ended)
    started.deallocate()
    ended.deallocate()
    loop.deallocate()
    wakeUp.deallocate()
    beforeBlocking.deallocate()
    alarm.deallocate()
  }

  /// Returns the event loop of a libuv loop; its thread keeps it alive.
  private static func eventLoop(_ loop: UnsafeMutablePointer<uv_loop_t>) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(loop.pointee.data).takeUnretainedValue()
  }

  func readClock() -> UInt64 { uv_hrtime() }
  func readUptime() -> Duration { MachineClock.uptime }
  func readWallClock() -> Duration { MachineClock.now }
  var machineName: String { hostName() }
  var descriptorLimit: Int { openFileLimit() }
  var localSocketFiles: any LocalSocketFiles { SystemSocketFiles() }
  var taskExecutor: (any TaskExecutor)? { nil }

  // MARK: Life

  func start(_ eventLoop: EventLoop) {
    life.withLock { $0 = .running }
    loop.pointee.data = Unmanaged.passUnretained(eventLoop).toOpaque()
    let status = thread.start(Unmanaged.passRetained(eventLoop).toOpaque()) { KernelDriver.main($0!) }
    precondition(status == 0, "no thread for the event loop: \(LoopError.text(of: status))")
    uv_sem_wait(started)
  }

  func waitForEnd() {
    uv_sem_wait(ended)
    uv_sem_post(ended)  // for the next waiting thread
    let isMineToJoin = life.withLock { life in
      guard life == .running else { return false }
      life = .joining
      return true
    }
    if isMineToJoin {
      thread.join()
      life.withLock { $0 = .ended }
    }
  }

  private static func main(_ argument: UnsafeMutableRawPointer) {
    let eventLoop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
    guard let driver = eventLoop.driver as? KernelDriver else { preconditionFailure("not the loop of a KernelDriver") }
    driver.run(eventLoop)
  }

  private func run(_ eventLoop: EventLoop) {
    nameCurrentThread(eventLoop.name)
    blockBrokenPipeSignal()
    eventLoop.enter()
    uv_prepare_start(beforeBlocking) { KernelDriver.eventLoop($0!.pointee.loop).endTurn() }
    uv_unref(UnsafeMutableRawPointer(beforeBlocking).handle)
    uv_unref(UnsafeMutableRawPointer(alarm).handle)
    uv_sem_post(started)
    // Ends when `closeHandles` has left no handle that keeps the loop alive. Jobs and handles that the last callbacks
    // have added still get a turn. The limit on rounds ends a loop whose work always adds more work.
    var roundsLeft = 10_000
    repeat {
      roundsLeft -= 1
      if roundsLeft <= 0 { eventLoop.refuseJobs() }
      uv_run(loop, UV_RUN_DEFAULT)
      eventLoop.endTurn()
      eventLoop.closeHandles()
    } while uv_loop_alive(loop) != 0 || !eventLoop.endIfIdle()
    discard()
    eventLoop.resign()
    uv_sem_post(ended)
    eventLoop.reportEnd()
  }

  func discard() {
    for handle in [
      UnsafeMutableRawPointer(wakeUp), UnsafeMutableRawPointer(beforeBlocking), UnsafeMutableRawPointer(alarm),
    ] { uv_close(handle.handle, nil) }
    uv_run(loop, UV_RUN_DEFAULT)
    let status = uv_loop_close(loop)
    precondition(status == 0, "handles outlive their event loop")
  }

  func wake() { uv_async_send(wakeUp) }

  func refused(_ job: UnownedJob, by loop: EventLoop) {}

  func allowEnd() { uv_unref(UnsafeMutableRawPointer(wakeUp).handle) }

  // MARK: Time and workers

  func setAlarm(_ time: UInt64?) {
    guard let time else {
      uv_timer_stop(alarm)
      return
    }
    // libuv counts whole milliseconds from its cached current time, which may be slightly old.
    let due = (time + 999_999) / 1_000_000
    let now = uv_now(loop)
    uv_timer_start(alarm, { KernelDriver.eventLoop($0!.pointee.loop).fireTimers() }, due > now ? due - now : 0, 0)
  }

  func block(for duration: Duration) {
    uv_sleep(UInt32(clamping: Int64((duration / .milliseconds(1)).rounded(.up))))
  }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) { SystemRandom.fill(bytes) }

  func exitProcess(_ status: Int32) { endProcess(status) }

  func launch(
    _ launch: ChildProcess.Launch, on loop: EventLoop, onEvent: @escaping (ChildProcess.Event) -> Void
  ) throws(LoopError) -> any LaunchedProcess {
    try KernelChild(loop, launch, onEvent: onEvent)
  }

  func offload<T: Sendable>(_ work: @escaping @Sendable () -> T, then: @escaping (T) -> Void) {
    PoolWorkWithResult(work, then).queue(on: loop)
  }

  func perform(
    _ work: @escaping @Sendable () -> Void, on eventLoop: EventLoop, waitingAtMost limit: Duration?
  ) -> Bool {
    let latch = Latch()
    guard
      eventLoop.schedule({
        work()
        latch.open()
      })
    else { return false }
    return latch.wait(limit)
  }

  // MARK: Network

  func makeStreamSocket() -> any StreamSocket { KernelStreamSocket(loop) }

  func bindPort(host: IPAddress, interface: String?, port: UInt16) throws(LoopError) -> any BoundPort {
    try KernelPort(host: host, interface: interface, port: port)
  }

  func makeDatagramSocket(host: IPAddress, port: UInt16, sharing: Bool) throws(LoopError) -> any DatagramSocket {
    try KernelDatagramSocket(host: host, port: port, sharing: sharing, memory: datagramMemory)
  }

  func listenLocally(at path: String, backlog: Int32, on loop: EventLoop) throws(LoopError) -> any LocalPort {
    try KernelLocalPort(loop, path: path, backlog: backlog)
  }

  func connectLocally(to path: String, on loop: EventLoop) throws(LoopError) -> any LocalStreamSocket {
    try KernelLocalStream(loop, connectingTo: path)
  }

  func interfaces() -> [NetworkInterface] { NetworkInterface.all() }

  func watchInterfaces(of eventLoop: EventLoop, onChange: @escaping () -> Void) -> any InterfaceWatch {
    KernelInterfaceWatch(eventLoop, onChange: onChange)
  }
}

extension EventLoop {
  /// Creates a loop of the machine, on a separate thread.
  /// - Parameter name: the thread's name for debuggers, cut to 15 bytes.
  package convenience init(name: String) { self.init(name: name, driver: KernelDriver()) }

  /// The underlying libuv loop.
  var kernelLoop: UnsafeMutablePointer<uv_loop_t> {
    guard let driver = driver as? KernelDriver else {
      preconditionFailure("descriptors, signals and processes belong to the machine: the loop \(name) is simulated")
    }
    return driver.loop
  }
}

/// One work item for the pool; it keeps itself alive until it is finished.
private class PoolWork {
  private let request = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)

  deinit { request.deallocate() }

  func queue(on loop: UnsafeMutablePointer<uv_loop_t>) {
    request.pointee.data = Unmanaged.passRetained(self).toOpaque()
    let status = uv_queue_work(
      loop, request,
      { Unmanaged<PoolWork>.fromOpaque($0!.pointee.data).takeUnretainedValue().perform() },
      { request, _ in Unmanaged<PoolWork>.fromOpaque(request!.pointee.data).takeRetainedValue().finish() })
    precondition(status == 0, "the work could not be queued: \(LoopError.text(of: status))")
  }

  /// Called on a thread of the pool.
  func perform() {}
  /// Called on the loop's thread.
  func finish() {}
}

private final class PoolWorkWithResult<T: Sendable>: PoolWork {
  private let work: @Sendable () -> T
  private let then: (T) -> Void
  private var result: T?

  init(_ work: @escaping @Sendable () -> T, _ then: @escaping (T) -> Void) {
    self.work = work
    self.then = then
  }

  override func perform() { result = work() }
  override func finish() { then(result!) }
}

/// A latch: threads wait until another thread opens it.
final class Latch: Sendable {
  private let isOpen = Guarded(false)

  func open() { isOpen.change { $0 = true } }

  /// - Returns: whether it is open.
  func wait(_ limit: Duration?) -> Bool { isOpen.wait(atMost: limit) { $0 } }
}

extension UnsafeMutableRawPointer {
  /// Every handle of libuv begins with a `uv_handle_t`.
  var handle: UnsafeMutablePointer<uv_handle_t> { assumingMemoryBound(to: uv_handle_t.self) }
}
