import HAPAttributes
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing

/// Provides the store, the device and the reports for an accessory. Called on the loop.
package protocol ActionOwner: AnyObject {
  /// Makes the change durable, and calls `done` with the result; the controller waits. Changes are made in the order
  /// of the calls.
  func store(_ change: StoredChange, done: @escaping (Bool) -> Void)
  /// Stores values so that they survive the end of the process, and returns when they are stored. Responses of this
  /// turn are sent afterwards.
  func keep(_ changes: [(id: AttributeID, value: Value)])
  func identify(aid: UInt64)
  /// A controller's writes took effect.
  func wrote(_ write: ServiceWrite)
  /// Requests values from the device. Each value must be passed to `ActionPerformer.answerRead`.
  func read(_ ids: [AttributeID], ticket: Ticket)
  func report(_ report: AccessoryReport)
}

/// A server that sends the output of its connections at the end of a turn. Called on the loop.
package protocol TurnServer: AnyObject {
  /// Collects the connections with output.
  func collect()
  /// Performs an action for a connection or for the record. Ignores actions for another server's connection.
  func perform(_ action: AccessoryAction)
  /// Called with a report before the owner of the actions receives it.
  func notice(_ report: AccessoryReport)
  /// Sends the output. The values that were written in this turn are already stored.
  func send()
  /// Whether `send` has something to do.
  var hasUnsent: Bool { get }
}

/// For a server without connections over IP: the actions are for connections of other servers.
extension TurnServer {
  package func collect() {}
  package func perform(_ action: AccessoryAction) {}
  package func notice(_ report: AccessoryReport) {}
}

/// Performs the actions of one accessory's attributes and pairings, and ends each turn of the loop in which the
/// accessory was active.
///
/// The servers of the accessory share it. It belongs to the thread of one event loop.
package final class ActionPerformer {
  private struct Reference {
    /// The server owns the performer.
    unowned let server: any TurnServer
  }

  package let loop: EventLoop
  package let attributes: AttributeServer
  package let pairingServer: PairingServer
  private let queue: ActionQueue
  /// Performs the actions that are not a server's.
  package weak var owner: (any ActionOwner)?
  /// Receives every input and output of the accessory over IP; nil: they are not recorded.
  package var recorder: (any CoreRecorder)?
  private var servers: [Reference] = []
  /// An accessory schedules its end-of-turn work only when something changed: a process may serve thousands of
  /// accessories.
  private let turnHook: TurnHook
  private let timer: LoopTimer
  private var armedDeadline: Duration?
  private var isPerforming = false
  /// Whether work was computed on the loop in this turn.
  private var hasComputed = false
  /// The actions that are being performed. This array and `kept` keep their capacity.
  private var performing: [AccessoryAction] = []
  private var kept: [(id: AttributeID, value: Value)] = []
  package private(set) var isStopped = false

  /// - Parameter queue: the queue of the attributes and the pairings.
  package init(
    _ attributes: AttributeServer, _ pairingServer: PairingServer, _ queue: ActionQueue, on loop: EventLoop
  ) {
    loop.preconditionOnLoop()
    self.attributes = attributes
    self.pairingServer = pairingServer
    self.queue = queue
    self.loop = loop
    timer = LoopTimer(loop)
    turnHook = loop.hookOnRequest()
    timer.onFire = { [unowned self] in
      armedDeadline = nil
      let now = now
      recorder?.note(.advanced, at: now)
      self.attributes.advance(to: now)
      perform()
    }
    turnHook.setAction { [unowned self] in endTurn() }
    turnHook.ask()
  }

  // A process that ends within a turn releases its accessories without `stop`, and the loop still has the hook.
  deinit { turnHook.cancel() }

  /// The time for the accessory: monotonic, from an arbitrary origin.
  package var now: Duration { .nanoseconds(Int64(clamping: loop.now)) }

  /// Adds a server, which is not retained.
  package func add(_ server: any TurnServer) { servers.append(Reference(server: server)) }

  /// Whether `report` actions are created. Without them, a request does no reporting work.
  package var makesReports: Bool {
    get { queue.makesReports }
    set { queue.makesReports = newValue }
  }

  /// Returns the number of a new connection, unique in the accessory.
  package func newConnection() -> ConnectionID { queue.newConnection() }

  // MARK: Life

  /// Ends the last turn; afterwards performs nothing for connections. The second call does nothing.
  /// - Parameters:
  ///   - withReset: whether unsent responses are discarded.
  ///   - close: closes the connections.
  package func stop(withReset: Bool, _ close: () -> Void) {
    guard !isStopped else { return }
    if withReset { keepChanges() } else { endTurn() }
    isStopped = true
    close()
    turnHook.cancel()
    timer.close()
    perform()
  }

  // MARK: Actions

  /// Schedules the end-of-turn work.
  package func ask() { turnHook.ask() }

  /// Performs actions until there are no more. In a nested call, the outer loop performs the new actions.
  package func perform() {
    turnHook.ask()
    collect()
    performAll()
  }

  /// Performs all actions without scheduling the end-of-turn work, for the end of a turn.
  private func performAll() {
    guard !isPerforming else { return }
    isPerforming = true
    defer { isPerforming = false }
    while queue.hasActions {
      queue.takeActions(into: &performing)
      for index in performing.indices { perform(performing[index]) }
      collect()
    }
    performing.removeAll(keepingCapacity: true)
  }

  // Uses indices, because an iterator allocates in a build without optimization, in which the allocations of a
  // request are counted, too.
  private func collect() { for index in servers.indices { servers[index].server.collect() } }

  private var hasUnsent: Bool {
    for index in servers.indices where servers[index].server.hasUnsent { return true }
    return false
  }

  /// Runs work without performing its actions; they are performed when it has ended, never in the middle of a
  /// request.
  package func collecting(_ work: () -> Void) {
    let wasPerforming = isPerforming
    isPerforming = true
    work()
    isPerforming = wasPerforming
  }

  private func perform(_ action: AccessoryAction) {
    switch action {
    case .compute(let work, let ticket): compute(work, ticket)
    case .store(let change, let ticket):
      // After a stop, a change that waited for another change is not started: another process may run the accessory
      // by now.
      guard let owner, !isStopped else { return finishStoring(ticket, false) }
      owner.store(change) { [weak self] succeeded in self?.finishStoring(ticket, succeeded) }
    case .identify(let aid): owner?.identify(aid: aid)
    case .wrote(let write): owner?.wrote(write)
    case .read(let ids, let ticket): owner?.read(ids, ticket: ticket)
    case .report(let report):
      for index in servers.indices { servers[index].server.notice(report) }
      owner?.report(report)
    case .advertise, .close, .evict, .forward:
      for index in servers.indices { servers[index].server.perform(action) }
    }
  }

  private func compute(_ work: SlowWork, _ ticket: Ticket) {
    // One work item per turn is computed here. The items of a flood go to the pool, so that they delay no controller.
    if work.isBrief, !hasComputed {
      hasComputed = true
      return finishComputing(work.perform(), ticket)
    }
    loop.offload {
      work.perform()
    } then: { [weak self] result in
      guard let self, !isStopped else { return }
      finishComputing(result, ticket)
      perform()
    }
  }

  private func finishComputing(_ result: SlowWork.Result, _ ticket: Ticket) {
    let now = now
    recorder?.note(.computed(ticket), at: now)
    pairingServer.computed(result, ticket: ticket, at: now)
  }

  /// Also called after the stop: there is no connection to answer, but the manual removal of pairings waits for it.
  private func finishStoring(_ ticket: Ticket, _ succeeded: Bool) {
    let now = now
    if !isStopped { recorder?.note(.stored(ticket, succeeded: succeeded), at: now) }
    pairingServer.stored(ticket, succeeded: succeeded, at: now)
    perform()
  }

  // MARK: The end of a turn

  private func endTurn() {
    guard !isStopped else { return }
    hasComputed = false
    repeat {
      performAll()
      keepChanges()
      for index in servers.indices { servers[index].server.send() }
      // Closing a connection creates a report.
    } while queue.hasActions || hasUnsent
    arm()
  }

  /// Stores changed values before responses are sent.
  private func keepChanges() {
    guard attributes.hasChanges else { return }
    attributes.takeChanges(into: &kept)
    guard !kept.isEmpty else { return }
    owner?.keep(kept)
    kept.removeAll(keepingCapacity: true)
  }

  private func arm() {
    let deadline = attributes.nextDeadline
    guard deadline != armedDeadline else { return }
    armedDeadline = deadline
    if let deadline { timer.start(after: deadline - now) } else { timer.cancel() }
  }
}
