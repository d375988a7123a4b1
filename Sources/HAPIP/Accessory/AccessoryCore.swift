import HAPAttributes
import HAPCrypto
import HAPModel
import HAPPairing
import HAPWire

/// The accessory side of HAP over IP: connections, frames and HTTP on top of the accessory's attributes and pairings.
///
/// It does no I/O and reads no clock. The shell passes in bytes (`ConnectionCore.incoming`, then `received`), the
/// time with every input, and the results of slow work. The core leaves bytes in each connection's `outgoing` buffer
/// and a list of actions for the shell. Everything runs on the caller's thread and never waits.
package final class AccessoryCore {
  package let quirks: IPQuirks
  /// The attributes, for this front end and others.
  package let attributes: AttributeServer
  /// The pairings, for this front end and others.
  package let pairingServer: PairingServer
  package internal(set) var connections: [ConnectionCore] = []
  /// The slots that the connections share.
  package internal(set) var slots: ConnectionSlots<ConnectionCore>
  private let outbox = Outbox()
  /// Provides the images for `POST /resource`; nil: the resource does not exist.
  package var snapshotSource: (any SnapshotSource)?
  /// Whether another accessory answers the requests of verified controllers, except pairing requests, through
  /// `forward` actions.
  package var forwards = false
  /// Whether each request is reported as well.
  package var reportsRequests = false

  /// The queue of the attributes, the pairings and all front ends.
  package let queue: ActionQueue
  var advertised: Advertisement
  /// Connections whose request was forwarded.
  var forwarded: [Ticket: ConnectionCore] = [:]
  var rendering: AttributeRendering
  /// Kept for its buffers: reading a request into it allocates nothing once they have grown.
  var writeRequest = WriteRequest()

  /// Creates a front end of attributes and pairings that other front ends may share.
  /// - Parameter queue: the queue of the attributes and the pairings.
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

  /// Creates the only front end of its attributes and pairings.
  /// - Parameters:
  ///   - pairings: the stored pairings, in the order in which they were added.
  ///   - failedAttempts: the number of wrong setup codes since the last correct one.
  ///   - random: the source of keys, nonces and salts.
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

  /// Connections with pending output and the outbox refer to each other: without this, their keys would outlive the
  /// accessory.
  deinit { outbox.drain { _ in } }

  package var advertisement: Advertisement { advertised }

  /// Whether `report` actions are created. Without them, a request does no reporting work.
  package var makesReports: Bool {
    get { queue.makesReports }
    set { queue.makesReports = newValue }
  }

  // MARK: Connections

  /// Called for every plaintext message when it is handled or answered; true: from the controller. The head of a
  /// request includes the empty line, and its body has its chunks joined. A response comes in one piece.
  package var onPlain: ((ConnectionID, Bool, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void)? {
    get { outbox.onPlain }
    set { outbox.onPlain = newValue }
  }

  /// Alters requests, responses and events in transit; held weakly.
  package var tap: (any MessageTap)? {
    get { outbox.tap }
    set { outbox.tap = newValue }
  }

  /// Calls `body` for every connection that, since the last call, has something to send or accepts requests again.
  package func takeOutbox(_ body: (ConnectionCore) -> Void) { outbox.drain(body) }

  /// Leaves out numbers of connections that another front end has taken.
  /// - Returns: false if the number is none that a new connection can have.
  package func reserveConnections(before next: ConnectionID) -> Bool {
    guard (1...ActionQueue.lastNumber).contains(next.number) else { return false }
    queue.reserveConnections(before: next)
    return true
  }

  /// Adds an accepted connection, which waits until its first request takes a slot.
  /// - Returns: nil if its request could not take a slot: the shell closes the connection at once.
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

  /// The maximum number of connections that wait for a slot.
  package var waitingLimit: Int {
    get { slots.waitingLimit }
    set { slots.waitingLimit = newValue }
  }

  /// Limits the number of waiting connections and of slots to fit the open files that the port may use.
  package func limitConnections(openFiles: Int) {
    slots.waitingLimit = slotWaitingLimit(openFiles: openFiles)
    slots.limit = slotLimit(quirks.maximumSessions, openFiles: openFiles)
  }

  /// Evicts half of the waiting connections, because the process has no file descriptor left.
  package func shrinkWaiting(at now: Duration) { for evicted in slots.shrinkWaiting(at: now) { evict(evicted) } }

  /// Gives a connection its slot after its first complete request, or evicts the connection.
  /// - Returns: whether it has a slot.
  func takeSlot(for connection: ConnectionCore, at now: Duration) -> Bool {
    guard connection.slotState.isBeforeRequest else { return true }
    guard case .admitted(let evicted) = slots.take(connection, at: now) else {
      evict(connection, reason: "all \(slots.takenCount) slots are in use")
      return false
    }
    if let evicted { evict(evicted) }
    return true
  }

  /// Allows a connection without a slot to continue its first body, which is long. Evicts another such connection if
  /// there are too many.
  func sendLongBody(_ connection: ConnectionCore) {
    if let evicted = slots.send(connection) { evict(evicted) }
  }

  private func evict(
    _ connection: ConnectionCore, reason: String = "evicted: another connection needed its place"
  ) {
    refuse(connection, request: "", reason: reason)
    close(connection, with: .evict(connection.id))
  }

  /// Removes a closed connection with its subscriptions, its session and an unfinished pairing procedure.
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

  /// Handles every complete request in the bytes that were added to `connection.incoming`.
  package func received(on connection: ConnectionCore, at now: Duration) {
    work(off: connection, at: now)
  }

  /// Handles complete requests that had to wait until `connection.outgoing` was emptied.
  package func resume(_ connection: ConnectionCore, at now: Duration) {
    guard connection.phase == .open, connection.hasInput else { return }
    work(off: connection, at: now)
  }

  // MARK: Outputs

  /// Returns the pending actions in order, and removes them.
  package func takeActions() -> [AccessoryAction] {
    var taken: [AccessoryAction] = []
    takeActions(into: &taken)
    return taken
  }

  /// Moves the pending actions into a buffer that is reused.
  /// - Parameter taken: its previous contents are discarded.
  package func takeActions(into taken: inout [AccessoryAction]) {
    queue.takeActions(into: &taken)
  }

  package var hasActions: Bool { queue.hasActions }

  // MARK: Internal

  func report(_ report: @autoclosure () -> AccessoryReport) { queue.report(report()) }

  func refuse(_ connection: ConnectionCore, request: @autoclosure () -> String, reason: @autoclosure () -> String) {
    report(.refused(connection.id, request: request(), reason: reason()))
  }

  /// Accepts no more input from the connection, and closes it after its responses have been sent.
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
