import HAPAttributes
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing

/// Does for an accessory what its attributes and pairings cannot do: store, device and reports. Called on the loop.
package protocol ActionOwner: AnyObject {
  /// Makes the change durable, and says whether it is; the controller waits. Changes are made in the order in which they come.
  func store(_ change: StoredChange, done: @escaping (Bool) -> Void)
  /// Keeps values over the end of the process; returns when they are safe. Answers of this turn leave afterwards.
  func keep(_ changes: [(id: AttributeID, value: Value)])
  func identify(aid: UInt64)
  /// A controller's writes took effect.
  func wrote(_ write: ServiceWrite)
  /// Asks the device for values. Each answer goes to `ActionPerformer.answerRead`.
  func read(_ ids: [AttributeID], ticket: Ticket)
  func report(_ report: AccessoryReport)
}

/// A server that sends at the end of a turn what its connections got in the turn. Called on the loop.
package protocol TurnServer: AnyObject {
  /// Notes the connections that something was written to.
  func collect()
  /// Performs an action for a connection or for the record. One for another server's connection does nothing.
  func perform(_ action: AccessoryAction)
  /// A report, before the owner of the actions gets it.
  func notice(_ report: AccessoryReport)
  /// Sends. The values that were written in the turn are kept already.
  func send()
  /// Whether `send` has something to do.
  var hasUnsent: Bool { get }
}

/// Performs the actions of one accessory's attributes and pairings, and ends each turn of the loop in which something happened to it.
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
  /// Performs what is not a server's.
  package weak var owner: (any ActionOwner)?
  /// Gets every input and output of the accessory over IP; nil: they are not recorded.
  package var recorder: (any CoreRecorder)?
  private var servers: [Reference] = []
  /// Only an accessory to which something happened in a turn has an end of that turn: a process may serve thousands.
  private let turnHook: TurnHook
  private let timer: LoopTimer
  private var armedDeadline: Duration?
  private var isPerforming = false
  /// Whether something was computed on the loop in this turn of it.
  private var hasComputed = false
  /// The actions that are being performed. Room that is kept, as is that of `kept`.
  private var performing: [AccessoryAction] = []
  private var kept: [(id: AttributeID, value: Value)] = []
  package private(set) var isStopped = false

  /// - Parameter queue: of the attributes and the pairings.
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

  /// Time as the accessory gets it: monotonic, since an arbitrary origin.
  package var now: Duration { .nanoseconds(Int64(clamping: loop.now)) }

  /// Adds a server, which is not retained.
  package func add(_ server: any TurnServer) { servers.append(Reference(server: server)) }

  /// Whether `report` actions are made. Without them, a request costs nothing for them.
  package var makesReports: Bool {
    get { queue.makesReports }
    set { queue.makesReports = newValue }
  }

  /// The number of a new connection, which no other connection of the accessory has.
  package func newConnection() -> ConnectionID { queue.newConnection() }

  // MARK: Life

  /// Ends the last turn and performs nothing for connections after it. The second call does nothing.
  /// - Parameters:
  ///   - withReset: what is answered is not sent any more.
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

  /// Asks for the end of this turn.
  package func ask() { turnHook.ask() }

  /// Performs actions until there are no more. The loop that is running takes up those that performing one brings.
  package func perform() {
    turnHook.ask()
    collect()
    performAll()
  }

  /// The same, for the end of a turn, which need not be asked for any more.
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

  // By their indices: an iterator of the array allocates in a build without optimization, where allocations of a request are counted, too.
  private func collect() { for index in servers.indices { servers[index].server.collect() } }

  private var hasUnsent: Bool {
    for index in servers.indices where servers[index].server.hasUnsent { return true }
    return false
  }

  /// Does work whose actions are performed when it has ended, and never in the middle of a request.
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
      // A change that waited for another one at the stop is not begun: others may run the accessory by now.
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
    // One in a turn is done here. Those of a flood go to the pool, and delay no controller.
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

  /// Also after the stop: no connection is left to be answered then, but the removal of pairings by hand waits for it.
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
      // The end of a connection leaves something to be reported.
    } while queue.hasActions || hasUnsent
    arm()
  }

  /// Before anything that was answered leaves.
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
