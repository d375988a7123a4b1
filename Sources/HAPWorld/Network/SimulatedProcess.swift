import HAPLoop

/// A resource of a process, which ends with the process: a connection, a listener, a socket.
protocol ProcessResource: AnyObject {
  /// Ends the resource as the kernel does when the process has died.
  func processDied()
  /// Ends the resource without a packet, because the host has lost its power.
  func powerLost()
  /// Releases the process's callbacks.
  func forgetCallbacks()
}

/// A process of a simulated host: owner of sockets and timers.
///
/// No callback is called while it is frozen or after it has died.
package final class SimulatedProcess {
  /// The identity of a scheduled action.
  package struct Timer: Hashable, Sendable {
    fileprivate let token: Agenda.Token
    fileprivate let number: UInt64
  }

  package let host: SimulatedHost
  package let name: String
  package let pid: Int32
  package let uid: UInt32
  package private(set) var isAlive = true
  package private(set) var isFrozen = false
  /// The exit status; nil: the process is alive, or did not end by itself.
  package private(set) var exitStatus: Int32?
  /// The maximum number of open sockets.
  package var descriptorLimit = 65_536
  /// Called after an interface or an address of the host was added, removed or changed.
  package var onInterfacesChanged: (() -> Void)?
  /// Called when the process has died.
  private var onDeath: [() -> Void] = []
  private var interfaceNews = false
  private let owner: UInt64
  private var resources: [UInt64: ProcessResource] = [:]
  private var lastTimer: UInt64 = 0
  /// The actions that were due while it was frozen, in order.
  private var deferred = Fifo<(number: UInt64, action: () -> Void)>()
  private var cancelledWhileDeferred: Set<UInt64> = []
  private var isCatchingUp = false

  init(_ host: SimulatedHost, name: String, pid: Int32, uid: UInt32) {
    self.host = host
    self.name = name
    self.pid = pid
    self.uid = uid
    owner = host.network.newID()
  }

  /// The number of open sockets.
  package var descriptorCount: Int { resources.count }

  // MARK: Callbacks and timers

  /// Schedules a callback for now, after the current action of the agenda.
  package func post(_ action: @escaping () -> Void) {
    guard isAlive else { return }
    host.network.agenda.schedule(after: 0, owner: owner) { [self] in run(0, action) }
  }

  /// Schedules an action after a delay in nanoseconds. If the process is frozen then, the action runs
  /// after `thaw()`.
  @discardableResult
  package func schedule(after delay: UInt64, _ action: @escaping () -> Void) -> Timer? {
    guard isAlive else { return nil }
    lastTimer += 1
    let number = lastTimer
    let token = host.network.agenda.schedule(after: delay, owner: owner) { [self] in run(number, action) }
    return Timer(token: token, number: number)
  }

  /// Cancels an action that has not run.
  package func cancel(_ timer: Timer) {
    if host.network.agenda.cancel(timer.token) || deferred.isEmpty { return }
    cancelledWhileDeferred.insert(timer.number)
  }

  private func run(_ number: UInt64, _ action: @escaping () -> Void) {
    guard isAlive else { return }
    if isFrozen || !deferred.isEmpty {
      deferred.append((number, action))
      if !isFrozen { catchUp() }
    } else {
      action()
    }
  }

  // MARK: Lifecycle

  /// Stops the process, as SIGSTOP does. The kernel continues: it acknowledges data until its buffers are full.
  package func freeze() {
    guard isAlive, !isFrozen else { return }
    isFrozen = true
    host.network.trace.note("process.freeze", UInt64(pid))
  }

  /// Continues a frozen process. The actions that were due meanwhile run now, in order.
  package func thaw() {
    guard isAlive, isFrozen else { return }
    isFrozen = false
    host.network.trace.note("process.thaw", UInt64(pid))
    catchUp()
  }

  private func catchUp() {
    guard !isCatchingUp, !deferred.isEmpty else {
      if deferred.isEmpty { cancelledWhileDeferred.removeAll() }
      return
    }
    isCatchingUp = true
    host.network.agenda.schedule(after: 0, owner: owner) { [self] in
      isCatchingUp = false
      guard !isFrozen, let (number, action) = deferred.popFirst() else { return }
      if cancelledWhileDeferred.remove(number) == nil { action() }
      catchUp()
    }
  }

  /// Ends the process, as SIGKILL does. The kernel closes its connections, with a reset if they have unread data.
  package func kill() {
    guard isAlive else { return }
    host.network.trace.note("process.kill", UInt64(pid))
    die { $0.processDied() }
  }

  /// Ends the process, as `_exit` does.
  package func exit(_ status: Int32) {
    if isAlive { exitStatus = status }
    kill()
  }

  func powerLost() { die { $0.powerLost() } }

  private func die(_ end: (ProcessResource) -> Void) {
    guard isAlive else { return }
    isAlive = false
    isFrozen = false
    onInterfacesChanged = nil
    deferred.removeAll()
    cancelledWhileDeferred = []
    host.network.agenda.cancelAll(owner: owner)
    let leaving = sortedResources
    resources = [:]
    for resource in leaving { end(resource) }
    host.processEnded(self)
    let bodies = onDeath
    onDeath = []
    for body in bodies { body() }
  }

  /// Calls `body` when the process has died, or now if it is dead.
  package func whenDead(_ body: @escaping () -> Void) {
    if isAlive { onDeath.append(body) } else { body() }
  }

  func forgetCallbacks() {
    onInterfacesChanged = nil
    onDeath = []
    deferred.removeAll()
    for resource in sortedResources { resource.forgetCallbacks() }
    resources = [:]
  }

  // MARK: Resources

  private var sortedResources: [ProcessResource] { resources.sorted { $0.key < $1.key }.map(\.value) }

  /// - Throws: `.tooManyOpenFiles` at the limit; `.cancelled` when the process has died.
  func checkDescriptor(while doing: @autoclosure () -> String) throws(LoopError) {
    if !isAlive { throw LoopError(.cancelled, while: doing()) }
    if resources.count >= descriptorLimit { throw LoopError(.tooManyOpenFiles, while: doing()) }
  }

  func keep(_ resource: ProcessResource, _ id: UInt64) { resources[id] = resource }
  func release(_ id: UInt64) { resources[id] = nil }

  func interfacesChanged() {
    guard !interfaceNews, onInterfacesChanged != nil else { return }
    interfaceNews = true
    post { [self] in
      interfaceNews = false
      onInterfacesChanged?()
    }
  }
}
