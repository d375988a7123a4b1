import HAPIP
import HAPLoop
import HAPModel
import HAPPairing

/// Serves one accessory core on TCP: reads into its connections' buffers, performs its actions, and sends what it answered.
///
/// It lives on one event loop and belongs to that loop's thread, as every handle does; an actor pinned to the loop owns it. A request is
/// answered inside the callback that brought it. What was answered in a turn of the loop leaves together at the turn's end, after the values
/// written in it were handed to the store: an answered write survives the process.
package final class AccessoryServer {
  package let core: AccessoryCore
  package let loop: EventLoop
  /// The port that all addresses share; 0 before `listen`.
  package internal(set) var port: UInt16 = 0

  /// Notes all that goes into the core and comes out; nil: nobody does.
  package var recorder: (any CoreRecorder)?
  /// Asked before a connection is closed for the core; true: it stays open. nil: nobody is asked.
  package var keepsOpen: ((ConnectionID) -> Bool)?
  /// Says what a bad network does to a connection; nil: nothing. Asked when one is made, and for all of them by `reshape`.
  package var shape: ((ConnectionCore) -> (any LinkShaper)?)?
  /// New connections are cut off while there are so many; nil: the core decides.
  package var refusesBeyond: Int?
  /// Performs what is not the network's.
  package weak var owner: (any AccessoryServerOwner)?
  var listeners: [TCPListener] = []
  var connections: [ConnectionID: ServedConnection] = [:]
  /// Connections that may have something to send, to close or to read on since the turn began.
  private var touched: [ServedConnection] = []
  private var settling: [ServedConnection] = []
  /// The end of a turn is one for those accessories only to which something happened in it: a process may serve thousands.
  private let turnHook: TurnHook
  private let timer: LoopTimer
  private var armedDeadline: Duration?
  private var isPerforming = false
  /// Whether something was computed on the loop in this turn of it.
  private var hasComputed = false
  /// The actions that are being performed. Room that is kept, as is that of `kept`.
  private var performing: [AccessoryAction] = []
  private var kept: [(id: AttributeID, value: Value)] = []
  var isStopped = false

  /// - Parameters:
  ///   - owner: may be set later, but before the first request.
  ///   - openFiles: how many open files the connections of this port may use; nil: as many as the process may have.
  package init(
    _ core: AccessoryCore, on loop: EventLoop, owner: (any AccessoryServerOwner)? = nil, openFiles: Int? = nil
  ) {
    loop.preconditionOnLoop()
    self.core = core
    self.loop = loop
    self.owner = owner
    timer = LoopTimer(loop)
    turnHook = loop.hookOnRequest()
    core.limitConnections(openFiles: openFiles ?? loop.descriptorLimit)
    timer.onFire = { [unowned self] in
      armedDeadline = nil
      let now = now
      recorder?.note(.advanced, at: now)
      core.attributes.advance(to: now)
      touchAll()
      perform()
    }
    turnHook.setAction { [unowned self] in endTurn() }
    turnHook.ask()
  }

  /// Time as the core is told it: monotonic, since an arbitrary origin.
  package var now: Duration { .nanoseconds(Int64(clamping: loop.now)) }

  package var connectionCount: Int { connections.count }

  /// The connections in the order in which they were accepted.
  var inOrder: [ServedConnection] { connections.sorted { $0.key < $1.key }.map(\.value) }

  // MARK: Life

  /// Closes every connection and stops listening. Any number of times.
  /// - Parameter withReset: at once, and what is answered is lost; else that leaves first.
  package func stop(withReset: Bool = false) {
    guard !isStopped else { return }
    if withReset { keepChanges() } else { endTurn() }
    isStopped = true
    for listener in listeners { listener.close() }
    listeners = []
    for connection in inOrder {
      // What was held up is sent now: an orderly end loses nothing.
      for piece in connection.shaped?.takeAll() ?? [] where !withReset {
        piece.bytes.withUnsafeBytes { connection.stream.write($0) }
      }
      connection.shaped?.close()
      if withReset { connection.stream.reset() } else { connection.stream.closeAfterWriting() }
    }
    for connection in inOrder { core.closed(connection.core) }
    connections = [:]
    turnHook.cancel()
    timer.close()
    perform()
  }

  /// Closes a connection as if the network had.
  package func disconnect(_ id: ConnectionID) {
    guard let connection = connections[id] else { return }
    drop(connection)
    perform()
  }

  /// Closes connections as if the network had.
  /// - Returns: how many.
  package func disconnect(where isMeant: (ConnectionCore) -> Bool) -> Int {
    let meant = inOrder.filter { isMeant($0.core) }
    for connection in meant { drop(connection) }
    perform()
    return meant.count
  }

  /// Closes a connection when what is answered has left; with a reset, at once.
  package func end(_ id: ConnectionID, withReset: Bool = false) {
    guard let connection = connections[id] else { return }
    if withReset { return drop(connection, withReset: true) }
    connection.isEnding = true
    touch(connection)
  }

  /// The accessory's own address of a connection.
  package func localAddress(of id: ConnectionID) -> String? {
    connections[id]?.stream.localAddress.map { "\($0.host)" }
  }

  /// Sends at the end of this turn what others than the core put into connections.
  package func sendAppended() {
    touchAll()
    perform()
  }

  // MARK: Connections

  func received(_ event: TCPStream.ReadEvent, on connection: ServedConnection) {
    switch event {
    case .bytes(let count):
      connection.core.incoming.commit(count)
      let now = now
      if let shaped = connection.shaped, shaped.delaysInput {
        let bytes = connection.core.incoming.withReadable { Array(UnsafeRawBufferPointer($0).suffix(count)) }
        connection.core.incoming.removeLast(count)
        shaped.hold(bytes, at: now)
        if shaped.isFull { connection.stream.pauseReading() }
        return
      }
      if let recorder {
        let bytes = connection.core.incoming.withReadable { Array(UnsafeRawBufferPointer($0).suffix(count)) }
        recorder.note(.received(connection.core.id, bytes), at: now)
      }
      collecting { core.received(on: connection.core, at: now) }
      touch(connection)
      touchAll()
      perform()
      // One read in a turn for each, so that a flood on one connection holds up the others no longer than a flood on many. What was computed at once
      // has left nothing to wait for.
      if count == connection.offered || !connection.core.wantsInput { connection.stream.pauseReading() }
      return
    case .end:
      // It may still read: what is owed is answered first.
      connection.peerHasFinished = true
      touch(connection)
      recorder?.ended(connection.core.id, withReset: false, at: now)
    case .failed:
      recorder?.ended(connection.core.id, withReset: true, at: now)
      drop(connection)
    }
    perform()
  }

  /// Gives up a connection at once.
  func drop(_ connection: ServedConnection, withReset: Bool = false) {
    guard connections.removeValue(forKey: connection.core.id) != nil else { return }
    // What the core asks for then is performed at the end of the turn, if nobody does before.
    turnHook.ask()
    connection.shaped?.close()
    if withReset { connection.stream.reset() } else { connection.stream.close() }
    recorder?.note(.closed(connection.core.id), at: now)
    core.closed(connection.core)
    advertiseIfDue(connection)
  }

  func touch(_ connection: ServedConnection) {
    guard !connection.isTouched else { return }
    connection.isTouched = true
    touched.append(connection)
    turnHook.ask()
  }

  /// Answers and events may have been written for any connection, and any may take requests again.
  func touchAll() {
    core.takeOutbox { written in
      // Most often that of the request which is being answered.
      if touched.last?.core === written { return }
      if let connection = connections[written.id] { touch(connection) }
    }
  }

  // MARK: Actions

  /// Performs the core's actions until it has no more; what performing one brings is taken up by the loop that is running.
  func perform() {
    turnHook.ask()
    performAll()
  }

  /// The same, for the end of a turn, which need not be asked for any more.
  private func performAll() {
    guard !isPerforming else { return }
    isPerforming = true
    defer { isPerforming = false }
    while core.hasActions {
      core.takeActions(into: &performing)
      for index in performing.indices { perform(performing[index]) }
      touchAll()
    }
    performing.removeAll(keepingCapacity: true)
  }

  /// Lets the core work; what it asks for is performed when it has ended, and never in the midst of a request.
  func collecting(_ work: () -> Void) {
    let wasPerforming = isPerforming
    isPerforming = true
    work()
    isPerforming = wasPerforming
  }

  private func perform(_ action: AccessoryAction) {
    switch action {
    case .compute(let work, let ticket):
      // One in a turn is done here. Those of a flood go to the pool, and hold up nobody.
      if work.isBrief, !hasComputed {
        hasComputed = true
        return finishComputing(work.perform(), ticket)
      }
      loop.offload {
        work.perform()
      } then: { [weak self] result in
        guard let self, !isStopped else { return }
        finishComputing(result, ticket)
        touchAll()
        perform()
      }
    case .store(let change, let ticket):
      // What waited for another change when it stopped is not begun: others may run the accessory by now.
      guard let owner, !isStopped else { return finishStoring(ticket, false) }
      owner.store(change) { [weak self] succeeded in self?.finishStoring(ticket, succeeded) }
    case .advertise(let advertisement, let id):
      if let connection = id.flatMap({ connections[$0] }) {
        connection.advertisement = advertisement
        touch(connection)
      } else if !isStopped {
        owner?.advertise(advertisement)
      }
    case .close(let id):
      guard keepsOpen?(id) != true else { return }
      end(id)
    case .evict(let id): end(id, withReset: true)
    case .identify(let aid): owner?.identify(aid: aid)
    case .wrote(let write): owner?.wrote(write)
    case .read(let ids, let ticket): owner?.read(ids, ticket: ticket)
    case .forward(let request, let id, let ticket): owner?.forward(request, of: id, ticket: ticket)
    case .report(let report): owner?.report(report)
    }
  }

  private func finishComputing(_ result: SlowWork.Result, _ ticket: Ticket) {
    let now = now
    recorder?.note(.computed(ticket), at: now)
    core.pairingServer.computed(result, ticket: ticket, at: now)
  }

  /// Also of one that has stopped: no connection is left to be answered then, but who removes pairings by hand waits for it.
  private func finishStoring(_ ticket: Ticket, _ succeeded: Bool) {
    let now = now
    if !isStopped { recorder?.note(.stored(ticket, succeeded: succeeded), at: now) }
    core.pairingServer.stored(ticket, succeeded: succeeded, at: now)
    touchAll()
    perform()
  }

  // MARK: The end of a turn

  private func endTurn() {
    guard !isStopped else { return }
    hasComputed = false
    repeat {
      performAll()
      keepChanges()
      // Swapped, so that both keep their room.
      swap(&touched, &settling)
      for connection in settling {
        connection.isTouched = false
        settle(connection)
      }
      settling.removeAll(keepingCapacity: true)
      // The end of a connection leaves something to be told.
    } while !touched.isEmpty || core.hasActions
    arm()
  }

  /// Before anything that was answered leaves.
  private func keepChanges() {
    guard core.attributes.hasChanges else { return }
    core.attributes.takeChanges(into: &kept)
    guard !kept.isEmpty else { return }
    owner?.keep(kept)
    kept.removeAll(keepingCapacity: true)
  }

  /// Sends, then does what had to wait for the sending.
  private func settle(_ connection: ServedConnection) {
    guard connections[connection.core.id] === connection else { return }
    send(connection)
    if connection.hasRoom, connection.core.wantsInput, connection.core.hasInput {
      // Requests that had to wait for room. Their answers leave in another round, after the values they changed are kept.
      let now = now
      recorder?.note(.resumed(connection.core.id), at: now)
      collecting { core.resume(connection.core, at: now) }
      touchAll()
      if !connection.core.outgoing.isEmpty || core.hasActions { return touch(connection) }
    }
    if connection.unsentCount > ServedConnection.queueLimit { return drop(connection) }
    advertiseIfDue(connection)
    // A bad network holds back the end, too.
    if let shaped = connection.shaped {
      let isHeldUp = shaped.unsentCount > 0 || (!connection.isEnding && shaped.holdsInput)
      if connection.isEnding || connection.peerHasFinished, isHeldUp { return connection.stream.pauseReading() }
    }
    if connection.isEnding || (connection.peerHasFinished && connection.core.wantsInput && connection.hasRoom) {
      connections[connection.core.id] = nil
      connection.shaped?.close()
      connection.stream.closeAfterWriting()
      recorder?.note(.closed(connection.core.id), at: now)
      core.closed(connection.core)
    } else if connection.core.wantsInput, connection.hasRoom, !connection.peerHasFinished,
      connection.shaped?.isDeaf != true, connection.shaped?.isFull != true
    {
      connection.stream.resumeReading()
    } else {
      connection.stream.pauseReading()
    }
  }

  private func send(_ connection: ServedConnection) {
    guard !connection.core.outgoing.isEmpty else { return }
    connection.core.outgoing.withReadable { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      recorder?.sent(connection.core.id, bytes, at: now)
      if let shaped = connection.shaped { return shaped.take(Array(bytes), at: now) }
      let taken = connection.stream.tryWrite(bytes)
      guard taken < bytes.count else { return }
      connection.stream.write(UnsafeRawBufferPointer(rebasing: bytes[taken...])) { [weak self] _ in
        // Its turn ends with it being looked at again: an advertisement, a request or the end may have waited for this.
        self?.touch(connection)
      }
    }
    connection.core.outgoing.removeAll(keepingCapacityUpTo: ServedConnection.keptCapacity)
  }

  /// The new record goes out when the answer that made it so has left, or never can.
  private func advertiseIfDue(_ connection: ServedConnection) {
    guard let advertisement = connection.advertisement else { return }
    guard connection.stream.isClosed || (connection.unsentCount == 0 && connection.core.outgoing.isEmpty)
    else { return }
    connection.advertisement = nil
    owner?.advertise(advertisement)
  }

  private func arm() {
    let deadline = core.attributes.nextDeadline
    guard deadline != armedDeadline else { return }
    armedDeadline = deadline
    if let deadline { timer.start(after: deadline - now) } else { timer.cancel() }
  }
}
