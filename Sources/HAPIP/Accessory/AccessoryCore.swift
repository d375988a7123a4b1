import HAPAttributes
import HAPCrypto
import HAPModel
import HAPPairing
import HAPWire

/// The accessory side of HAP over IP: connections, frames and HTTP in front of the accessory's attributes and pairings.
///
/// It does no I/O and reads no clock. The shell hands it bytes (`ConnectionCore.incoming`, then `received`), the time with every input, and
/// the results of slow work; it leaves bytes in each connection's `outgoing` and a list of actions to be performed. Everything happens on the
/// caller's thread; nothing inside waits.
package final class AccessoryCore {
  package let quirks: IPQuirks
  /// The attributes, for this front end and others.
  package let attributes: AttributeServer
  /// The pairings, for this front end and others.
  package let pairingServer: PairingServer
  package internal(set) var connections: [ConnectionCore] = []
  /// The slots that they share.
  package internal(set) var slots: ConnectionSlots<ConnectionCore>
  private let outbox = Outbox()
  /// Makes the pictures that `POST /resource` asks for; without it there is no such resource.
  package var snapshotSource: (any SnapshotSource)?
  /// Whether another accessory answers the requests of verified controllers, all but those about pairings: `forward` actions.
  package var forwards = false
  /// Whether each request is reported, too.
  package var reportsRequests = false

  /// Of the attributes, the pairings and all front ends.
  package let queue: ActionQueue
  var advertised: Advertisement
  /// Connections whose request was forwarded.
  var forwarded: [Ticket: ConnectionCore] = [:]
  var rendering: AttributeRendering
  /// Kept for their room: reading a request into them allocates nothing once they have grown.
  var writeRequest = WriteRequest()

  /// A front end of attributes and pairings that other front ends may share.
  /// - Parameter queue: of the attributes and the pairings.
  package init(
    _ attributes: AttributeServer, _ pairingServer: PairingServer, _ queue: ActionQueue,
    advertisement: Advertisement, quirks: IPQuirks
  ) {
    self.attributes = attributes
    self.pairingServer = pairingServer
    self.queue = queue
    self.quirks = quirks
    advertised = advertisement
    slots = ConnectionSlots(limit: quirks.maximumSessions, sessionPatience: quirks.reclaimsAfter)
    rendering = AttributeRendering(attributes.database, quirks: quirks)
    advertised.statusFlags = pairingServer.isPaired ? [] : .notPaired
    advertised.protocolVersion = quirks.protocolVersion.rawValue
    pairingServer.add(self)
  }

  /// The only front end of its attributes and pairings.
  /// - Parameters:
  ///   - pairings: those stored, in the order in which they were made.
  ///   - failedAttempts: wrong setup codes since the last right one.
  ///   - random: keys, nonces and salts come from here.
  package convenience init(
    identity: AccessoryIdentity, advertisement: Advertisement, database: AttributeDatabase, pairings: [Pairing],
    failedAttempts: Int, quirks: IPQuirks, attributeQuirks: AttributeQuirks, pairingQuirks: PairingQuirks,
    random: RandomSource
  ) {
    let queue = ActionQueue()
    self.init(
      AttributeServer(database, quirks: attributeQuirks, queue),
      PairingServer(
        identity: identity, pairings: pairings, failedAttempts: failedAttempts, quirks: pairingQuirks, random: random,
        queue),
      queue, advertisement: advertisement, quirks: quirks)
  }

  /// Connections that still had something to send know the outbox, and it knows them: their keys would outlive the accessory.
  deinit { outbox.drain { _ in } }

  package var advertisement: Advertisement { advertised }

  /// Whether `report` actions are made. Without them, a request costs nothing for them.
  package var makesReports: Bool {
    get { queue.makesReports }
    set { queue.makesReports = newValue }
  }

  // MARK: Connections

  /// Shown every message in plain as it is worked off or answered; true: from the controller. The bytes of a request's head come with the empty line, and
  /// those of its body as they are after chunks were joined; an answer comes in one piece.
  package var onPlain: ((ConnectionID, Bool, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void)? {
    get { outbox.onPlain }
    set { outbox.onPlain = newValue }
  }

  /// Alters requests, answers and events on their way; held weakly.
  package var tap: (any MessageTap)? {
    get { outbox.tap }
    set { outbox.tap = newValue }
  }

  /// Calls `body` with every connection that has something to send or takes requests again since the last call.
  package func takeOutbox(_ body: (ConnectionCore) -> Void) { outbox.drain(body) }

  /// Takes up an accepted connection, which waits until its first request takes a slot.
  /// - Returns: nil when its request could take no slot: the shell closes the connection at once.
  package func open(peer: String, at now: Duration) -> ConnectionCore? {
    let connection = ConnectionCore(
      id: queue.nextConnection, peer: peer, openedAt: now,
      pairing: pairingServer.makeSession(self), quirks: quirks, outbox: outbox)
    guard case .admitted(let evicted) = slots.open(connection, at: now) else {
      report(.refused(ConnectionID(number: 0), request: peer, reason: "all \(slots.takenCount) slots are in use"))
      return nil
    }
    if let evicted { evict(evicted) }
    queue.newConnection()
    connections.append(connection)
    report(.connected(connection.id, peer: peer))
    return connection
  }

  /// Connections that may wait for a slot at once.
  package var waitingLimit: Int {
    get { slots.waitingLimit }
    set { slots.waitingLimit = newValue }
  }

  /// Fits the connections that may wait or have a slot into the open files that the port may use.
  package func limitConnections(openFiles: Int) {
    slots.waitingLimit = slotWaitingLimit(openFiles: openFiles)
    slots.limit = slotLimit(quirks.maximumSessions, openFiles: openFiles)
  }

  /// Evicts half of the waiting connections, because the process has no open file left.
  package func shrinkWaiting(at now: Duration) { for evicted in slots.shrinkWaiting(at: now) { evict(evicted) } }

  /// Gives a connection its slot when its first whole request has come, or evicts it.
  /// - Returns: whether it has one.
  func takeSlot(for connection: ConnectionCore, at now: Duration) -> Bool {
    guard connection.slotState.isBeforeRequest else { return true }
    guard case .admitted(let evicted) = slots.take(connection, at: now) else {
      evict(connection, reason: "all \(slots.takenCount) slots are in use")
      return false
    }
    if let evicted { evict(evicted) }
    return true
  }

  /// Lets a connection without a slot send on its first body, which is long, and evicts another one if too many do.
  func sendLongBody(_ connection: ConnectionCore) {
    if let evicted = slots.send(connection) { evict(evicted) }
  }

  private func evict(
    _ connection: ConnectionCore, reason: String = "evicted: another connection needed its place"
  ) {
    refuse(connection, request: "", reason: reason)
    close(connection, with: .evict(connection.id))
  }

  /// The connection is gone: its subscriptions, its session and a half-done procedure go with it.
  package func closed(_ connection: ConnectionCore) {
    guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
    connections.remove(at: index)
    slots.remove(connection)
    if let session = connection.session { attributes.close(session.attributes) }
    connection.phase = .closed
    pairingServer.closed(connection)
    report(.disconnected(connection.id, peer: connection.peer))
  }

  // MARK: Inputs

  /// Bytes were added to `connection.incoming`; works off every whole request in them.
  package func received(on connection: ConnectionCore, at now: Duration) {
    work(off: connection, at: now)
  }

  /// What lay in `connection.outgoing` has been taken: works off requests that came whole and had to wait for room.
  package func resume(_ connection: ConnectionCore, at now: Duration) {
    guard connection.phase == .open, connection.hasInput else { return }
    work(off: connection, at: now)
  }

  // MARK: Outputs

  /// Hands over what is to be done, in order, and forgets it.
  package func takeActions() -> [AccessoryAction] {
    var taken: [AccessoryAction] = []
    takeActions(into: &taken)
    return taken
  }

  /// The same, into room that is used again and again.
  /// - Parameter taken: what was in it is gone.
  package func takeActions(into taken: inout [AccessoryAction]) {
    queue.takeActions(into: &taken)
  }

  package var hasActions: Bool { queue.hasActions }

  // MARK: Within

  func report(_ report: @autoclosure () -> AccessoryReport) { queue.report(report()) }

  func refuse(_ connection: ConnectionCore, request: @autoclosure () -> String, reason: @autoclosure () -> String) {
    report(.refused(connection.id, request: request(), reason: reason()))
  }

  /// Takes nothing more from the connection and has it closed when its answers have left.
  /// - Parameter action: nil: `.close`.
  func close(_ connection: ConnectionCore, with action: AccessoryAction? = nil) {
    guard connection.phase != .closed else { return }
    connection.phase = .closed
    slots.remove(connection)
    if let session = connection.session { attributes.silence(session.attributes) }
    queue.actions.append(action ?? .close(connection.id))
  }

  func advertise(after connection: ConnectionID?) {
    advertised.statusFlags =
      pairingServer.isPaired ? advertised.statusFlags.subtracting(.notPaired) : advertised.statusFlags.union(.notPaired)
    if quirks.stateNumberGrows {
      advertised.stateNumber = advertised.stateNumber == .max ? 1 : advertised.stateNumber + 1
    }
    queue.actions.append(.advertise(advertised, after: connection))
  }
}
