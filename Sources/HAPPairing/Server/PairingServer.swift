import HAPCrypto
import HAPModel
import HAPWire

/// Performs the work that a pairing server doesn't do itself.
package protocol PairingActions: ReportSink {
  /// Runs `work.perform()` off the loop, and passes the result to `PairingServer.computed`, never before this returns.
  func compute(_ work: SlowWork) -> Ticket
  /// Stores the change durably, and calls `PairingServer.stored`, never before this returns. The answer to the controller waits for it.
  func store(_ change: StoredChange) -> Ticket
}

/// The pairings of one accessory, and the accessory's side of every pairing procedure, for all controllers on all front ends: Pair Setup, Pair
/// Verify, and the requests that add, remove and list pairings. HAP R2 §5.
///
/// It is independent of the transport: front ends pass decoded messages to it, and encode its answers. It does no I/O and reads no clock. All
/// its work runs on the caller's thread.
package final class PairingServer {
  package let identity: AccessoryIdentity
  /// In order of creation.
  package internal(set) var pairings: [Pairing]
  /// The number of wrong setup codes since the last correct one.
  package internal(set) var failedAttempts: Int
  /// The computations of Pair Setup. A change applies to later messages.
  package var setupArithmetic: any SetupArithmetic = OrdinarySetupArithmetic()

  package let quirks: PairingQuirks
  let random: RandomSource
  let actions: any PairingActions
  var waiting: [Ticket: Continuation] = [:]
  /// Connections that may have a current Pair Setup.
  var setups: [any PairingConnection] = []
  /// Connections that are sessions.
  private(set) var sessions: [any PairingConnection] = []
  /// Whether a change of the pairings is being stored. Other requests wait in the queue.
  var isStoringPairings = false
  var pairingsQueue: [PairingsTurn] = []
  private var frontEnds: [ListedFrontEnd] = []

  private struct ListedFrontEnd {
    // Not weak: a weak reference makes each retain and release of the front end slower, even in a request.
    unowned let frontEnd: any PairingFrontEnd
  }

  /// The next step when the work or the change of a ticket is done.
  enum Continuation {
    case pairSetup(any PairingConnection)
    case pairVerify(any PairingConnection)
    case newPairing(Pairing, any PairingConnection)
    /// A wrong setup code is counted and stored before it is answered, so that killing the process gives no free tries.
    case failedAttempt(any PairingConnection, then: [PairSetupServer.Action])
    case pairings(any PairingConnection, PairingsRequest.Outcome)
    /// Pairings are removed by hand.
    case unpairing([[UInt8]], done: (Bool) -> Void)
    /// No request waits for the result.
    case nothing
  }

  /// - Parameters:
  ///   - pairings: the stored pairings, in order of creation.
  ///   - failedAttempts: the number of wrong setup codes since the last correct one.
  ///   - random: the source of keys, nonces and salts.
  ///   - actions: retained, so it must not own the server.
  package init(
    identity: AccessoryIdentity, pairings: [Pairing], failedAttempts: Int, quirks: PairingQuirks, random: RandomSource,
    _ actions: any PairingActions
  ) {
    self.identity = identity
    self.pairings = pairings
    self.failedAttempts = failedAttempts
    self.quirks = quirks
    self.random = random
    self.actions = actions
  }

  /// Whether the accessory has an admin pairing. HAP R2 §5.10.
  package var isPaired: Bool { pairings.contains { $0.isAdmin } }

  /// Whether there were too many wrong setup codes.
  var isLocked: Bool { quirks.maximumTries > 0 && failedAttempts >= quirks.maximumTries }

  /// Whether the controller with this identifier currently has an admin pairing. nil: a transient session, which has none.
  package func isAdmin(_ controller: [UInt8]?) -> Bool {
    guard let controller else { return false }
    return pairings.contains { $0.identifier == controller && $0.isAdmin }
  }

  // MARK: Connections

  /// Adds a front end. It is notified when the accessory becomes paired or unpaired.
  ///
  /// A front end is not retained. It must outlive the server and every ticket of its connections.
  package func add(_ frontEnd: any PairingFrontEnd) { frontEnds.append(ListedFrontEnd(frontEnd: frontEnd)) }

  /// Returns the procedures of a new connection.
  package func makeSession(_ frontEnd: any PairingFrontEnd) -> PairingSession {
    PairingSession(
      PairSetupServer(identity: identity, random: random, quirks: quirks), PairVerifyServer(quirks: quirks),
      frontEnd: frontEnd)
  }

  func secure(_ connection: any PairingConnection, _ keys: SessionKeys, controller: [UInt8]?) {
    connection.pairing.peer = controller.map(PairingSession.Peer.controller) ?? .transient
    sessions.append(connection)
    connection.pairing.frontEnd.secure(connection, keys, controller: controller)
  }

  /// Handles a closed connection, and drops its unfinished procedure. Its `isOpen` must be false. A waiting ticket retains it.
  package func closed(_ connection: any PairingConnection) {
    connection.pairing.setup.reset()
    setups.removeAll { $0 === connection }
    if connection.pairing.peer != .none { sessions.removeAll { $0 === connection } }
  }

  // MARK: Inputs

  /// Handles the result of a ticket's slow work.
  package func computed(_ result: SlowWork.Result, ticket: Ticket, at now: Duration) {
    switch waiting.removeValue(forKey: ticket) {
    case .pairSetup(let connection)?:
      perform(connection.pairing.setup.computed(result), for: connection)
      proceed(with: connection, at: now)
    case .pairVerify(let connection)?:
      finishPairVerify(result, on: connection, at: now)
      proceed(with: connection, at: now)
    case .newPairing?, .failedAttempt?, .pairings?, .unpairing?, .nothing?, nil: break
    }
  }

  /// Handles the end of a ticket's store: the change is durable, or could not be stored.
  package func stored(_ ticket: Ticket, succeeded: Bool, at now: Duration) {
    switch waiting.removeValue(forKey: ticket) {
    case .newPairing(let pairing, let connection)?:
      finishPairSetup(pairing, on: connection, stored: succeeded)
      proceed(with: connection, at: now)
    case .failedAttempt(let connection, let steps)?:
      // This process has counted the failed attempt, even if it could not be stored.
      perform(steps, for: connection)
      proceed(with: connection, at: now)
    case .pairings(let connection, let outcome)?:
      isStoringPairings = false
      finishPairings(outcome, for: connection, stored: succeeded)
      proceed(with: connection, at: now)
      takeUpQueuedPairings(at: now)
    case .unpairing(let identifiers, let done)?:
      isStoringPairings = false
      if succeeded { finishUnpairing(identifiers) }
      done(succeeded)
      takeUpQueuedPairings(at: now)
    case .pairSetup?, .pairVerify?, .nothing?, nil: break
    }
  }

  // MARK: Internal

  func proceed(with connection: any PairingConnection, at now: Duration) {
    connection.pairing.frontEnd.proceed(with: connection, at: now)
  }

  /// Answers the current request. No answer is pending after that.
  func answer(_ answer: PairingAnswer, on connection: any PairingConnection) {
    connection.isWaiting = false
    if connection.isOpen { connection.pairing.frontEnd.answer(answer, on: connection) }
  }

  func close(_ connection: any PairingConnection) { connection.pairing.frontEnd.close(connection) }

  func pairedStateChanged(after connection: (any PairingConnection)?) {
    for listed in frontEnds {
      // The answers of another front end's connection do not concern this one.
      let isOwn = connection?.pairing.frontEnd === listed.frontEnd
      listed.frontEnd.pairedStateChanged(after: isOwn ? connection : nil)
    }
  }

  func refuse(
    _ operation: PairingOperation?, _ connection: any PairingConnection, _ reason: @autoclosure () -> String
  ) {
    guard actions.makesReports else { return }
    connection.pairing.frontEnd.reportRefusal(of: operation, reason: reason(), on: connection)
  }
}
