import HAPLoop

/// Runs an event loop as a process of a simulated host. It is used on the world's thread only, except for `wake`.
// Safe: while the world runs, other threads use only `wake`. `takeForeignWake` detects that and transfers the call to
// the world's thread. Loops make all other calls in their turns, which the world's agenda runs on its thread.
final class SimulatedLoopDriver: LoopDriver, @unchecked Sendable {
  /// The clock at the start of the world, because a machine's clock isn't 0 when a program starts.
  private static let bootTime: UInt64 = 1_000_000_000_000
  /// The time between two checks whether the loop of a dead process can end, in nanoseconds. It has no effect outside
  /// of the process.
  private static let timeAfterDeath: UInt64 = 1_000_000
  /// The maximum number of turns after the process has died. Without it, jobs that add more jobs could prevent the end
  /// of the loop.
  private static let mostTurnsAfterDeath = 10_000

  let world: SimulatedWorld
  let process: SimulatedProcess
  /// The loop; nil: not started, or ended.
  private var loop: EventLoop?
  private(set) var hasEnded = false
  private var mayEnd = false
  private var isTurnComing = false
  private var alarm: SimulatedProcess.Timer?
  private var poolWork = 0
  /// The actions that wait in the agenda, by number. They must run even if the process dies before their turn.
  private var waiting: [UInt64: () -> Void] = [:]
  private var lastWaiting: UInt64 = 0
  /// The number of turns since the process died.
  private var turnsAfterDeath = 0
  private var watches: [SimulatedInterfaceWatch] = []
  /// The running programs that this process has started.
  private var children: [SimulatedChild.Output] = []
  private var random: WorldRandom

  init(_ world: SimulatedWorld, _ process: SimulatedProcess) {
    self.world = world
    self.process = process
    random = WorldRandom(seed: world.seed).fork("\(process.host.name) \(process.pid)")
  }

  var taskExecutor: (any TaskExecutor)? { world }
  func readClock() -> UInt64 { Self.bootTime + world.agenda.now }
  func readUptime() -> Duration { .nanoseconds(Int64(clamping: readClock())) }
  func readWallClock() -> Duration { process.host.wallClock }
  var machineName: String { process.host.name }
  var descriptorLimit: Int { process.descriptorLimit }

  // MARK: Lifecycle

  func start(_ loop: EventLoop) {
    self.loop = loop
    process.whenDead { [self] in processDied() }
  }

  func discard() { hasEnded = true }

  func refused(_ job: UnownedJob, by loop: EventLoop) { world.keep(job, of: loop, self) }

  /// Runs a job that the loop has refused, at the end of the world. The turns that it causes have the loop again, until
  /// `release()`.
  func run(_ job: UnownedJob, refusedBy loop: EventLoop) {
    self.loop = loop
    turn { loop.runRefused(job) }
  }

  /// Releases the loop at the end of the world.
  func release() {
    loop = nil
    waiting = [:]
  }

  func allowEnd() { mayEnd = true }

  func stop() { loop?.stop() }

  func waitForEnd() {
    guard world.current == nil else {
      // The loop's turns run after the current turn.
      return
    }
    while !hasEnded, world.agenda.runNext() {}
  }

  func perform(_ work: @escaping @Sendable () -> Void, on loop: EventLoop, waitingAtMost limit: Duration?) -> Bool {
    if hasEnded { return false }
    turn(work)
    return true
  }

  // MARK: Turns

  func wake() {
    if world.takeForeignWake(self) { return }
    if isTurnComing || hasEnded { return }
    isTurnComing = true
    later { [self] in
      isTurnComing = false
      turn {}
    }
  }

  /// Schedules an action of the process. It also runs if the process has died, because the end of the loop needs turns.
  func later(_ action: @escaping () -> Void) {
    guard process.isAlive else {
      world.agenda.schedule(after: 0, action)
      return
    }
    lastWaiting += 1
    let number = lastWaiting
    waiting[number] = action
    process.post { [self] in waiting.removeValue(forKey: number)?() }
  }

  /// Runs a turn of the loop, which begins with `body`.
  func turn(_ body: () -> Void) {
    guard let loop else { return }
    if !process.isAlive {
      turnsAfterDeath += 1
      if turnsAfterDeath > Self.mostTurnsAfterDeath { loop.refuseJobs() }
    }
    let outer = world.current
    outer?.resign()
    world.current = loop
    loop.enter()
    body()
    loop.endTurn()
    if process.isAlive { endIfIdle() }
    loop.resign()
    world.current = outer
    outer?.enter()
  }

  /// Ends the loop of a process that has died. Handles are closed, so that tasks that wait for them continue and end.
  /// This has no effect outside of the process: its sockets and its disk are closed already, and its timers don't fire.
  private func processDied() {
    guard let loop else {
      waiting = [:]
      return
    }
    alarm = nil
    for (_, action) in waiting.sorted(by: { $0.key < $1.key }) { world.agenda.schedule(after: 0, action) }
    waiting = [:]
    // On the loop, because otherwise `stop()` waits for the loop's end.
    let outer = world.current
    outer?.resign()
    loop.enter()
    loop.stop()
    loop.resign()
    outer?.enter()
    endAfterDeath()
  }

  /// Ends the loop when it is idle. A task that a closed handle resumes takes some steps outside of the loop before it
  /// returns to the loop.
  private func endAfterDeath() {
    world.agenda.schedule(after: Self.timeAfterDeath) { [self] in
      endIfIdle()
      if !hasEnded { endAfterDeath() }
    }
  }

  private func endIfIdle() {
    if mayEnd, poolWork == 0, loop?.endIfIdle() == true { end() }
  }

  private func end() {
    hasEnded = true
    setAlarm(nil)
    loop?.reportEnd()
    loop = nil
    // A turn without a loop has no effect, and the actions refer to this object.
    waiting = [:]
    process.onInterfacesChanged = nil
    for watch in watches { watch.close() }
    for child in children { child.close() }
    children = []
  }

  // MARK: Time and workers

  func setAlarm(_ time: UInt64?) {
    if let alarm { process.cancel(alarm) }
    alarm = nil
    guard let time else { return }
    let now = readClock()
    alarm = process.schedule(after: time > now ? time - now : 0) { [self] in
      alarm = nil
      turn { loop?.fireTimers() }
    }
  }

  /// Blocks the process for a time. It is frozen meanwhile, and the rest of the world continues.
  func block(for duration: Duration) {
    let outer = world.current
    outer?.resign()
    world.current = nil
    process.freeze()
    world.agenda.run(until: world.agenda.now + duration.clampedNanoseconds)
    process.thaw()
    world.current = outer
    outer?.enter()
  }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) {
    for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
  }

  func exitProcess(_ status: Int32) { process.exit(status) }

  func launch(
    _ launch: ChildProcess.Launch, on loop: EventLoop, onEvent: @escaping (ChildProcess.Event) -> Void
  ) throws(LoopError) -> any LaunchedProcess {
    let doing = "starting \"\(launch.command)\""
    guard let words = shellWords(launch.command), let first = words.first else {
      throw LoopError(.other(0), "\(doing): a simulated host has no shell, and the command is not a list of words")
    }
    let name = String(first.split(separator: "/").last ?? "")
    guard let process = process.host.startProcess(name, uid: process.uid) else {
      throw LoopError(.cancelled, while: doing)
    }
    let child = SimulatedChild(self, process, world, Array(words.dropFirst()), launch, onEvent: onEvent)
    children.append(child.output)
    let main = world.programs[name]
    child.start { run in
      if let main { return main(run) }
      run.write("sh: \(name): no program of this name is installed in the simulated world", to: .error)
      run.exit(127)
    }
    return child
  }

  func remove(_ child: SimulatedChild.Output) { children.removeAll { $0 === child } }

  func offload<T: Sendable>(_ work: @escaping @Sendable () -> T, then: @escaping (T) -> Void) {
    poolWork += 1
    later { [self] in
      let result = work()
      poolWork -= 1
      turn { then(result) }
    }
  }

  // MARK: Network

  func makeStreamSocket() -> any StreamSocket { SimulatedStreamSocket(self, process) }

  func bindPort(host: IPAddress, interface: String?, port: UInt16) throws(LoopError) -> any BoundPort {
    SimulatedPort(try process.bind(host: host, interface: interface, port: port), self, process)
  }

  func makeDatagramSocket(host: IPAddress, port: UInt16, sharing: Bool) throws(LoopError) -> any DatagramSocket {
    try SimulatedDatagramSocket(self, process, host: host, port: port, sharing: sharing)
  }

  func interfaces() -> [NetworkInterface] {
    process.host.interfaces.map { interface in
      NetworkInterface(
        name: interface.name, index: interface.index, isUp: interface.isUp, isLoopback: interface.isLoopback,
        isPointToPoint: false, canMulticast: true, mtu: interface.mtu, addresses: interface.addresses.map(\.address),
        prefixLengths: interface.addresses.map(\.prefixLength))
    }
  }

  func watchInterfaces(of loop: EventLoop, onChange: @escaping () -> Void) -> any InterfaceWatch {
    let watch = SimulatedInterfaceWatch(self, onChange)
    watches.append(watch)
    process.onInterfacesChanged = { [self] in
      turn { for watch in watches { watch.look() } }
    }
    return watch
  }

  func remove(_ watch: SimulatedInterfaceWatch) { watches.removeAll { $0 === watch } }
}

final class SimulatedInterfaceWatch: InterfaceWatch {
  private(set) var interfaces: [NetworkInterface]
  private let driver: SimulatedLoopDriver
  private var onChange: (() -> Void)?

  init(_ driver: SimulatedLoopDriver, _ onChange: @escaping () -> Void) {
    self.driver = driver
    self.onChange = onChange
    interfaces = driver.interfaces()
  }

  func look() {
    let current = driver.interfaces()
    if current == interfaces { return }
    interfaces = current
    onChange?()
  }

  func close() {
    onChange = nil
    driver.remove(self)
  }
}
