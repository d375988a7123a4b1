import HAPAttributes
import HAPDiscovery
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPStore
import HAPTransport
import HAPWire

/// An accessory that controllers pair with, and that forwards all other requests to another accessory.
///
/// Belongs to its loop's thread.
final class Proxy: ActionOwner, AccessoryServerOwner {
  /// The maximum number of controller sessions. Each has a separate session with the accessory.
  static let mostSessions = 16

  let server: AccessoryServer
  private let core: AccessoryCore
  private let identity: ProxyIdentity
  private let pairing: ControllerPairing
  private let addresses: [SocketAddress]
  private let identify: AttributeID?
  private let timeout: Duration
  private let observer: any ProxyObserver
  private let loop: EventLoop
  private var advertiser: (any Advertiser)?
  private var sessions: [ConnectionID: ProxySession] = [:]
  /// The session for an Identify from a controller without a pairing; only one at a time.
  private var identifying: ProxySession?
  /// The changes that wait until the current one is stored. They are stored in order.
  private var storing: [(change: StoredChange, done: (Bool) -> Void)] = []
  private var isStoring = false

  /// - Parameters:
  ///   - pairing: the pairing with the target accessory.
  ///   - addresses: the addresses of that accessory.
  ///   - identify: its Identify characteristic; nil if it has none.
  ///   - timeout: the timeout for connecting and for each answer.
  init(
    _ identity: ProxyIdentity, before pairing: ControllerPairing, at addresses: [SocketAddress], identify: AttributeID?,
    timeout: Duration, _ observer: any ProxyObserver, on loop: EventLoop
  ) {
    self.identity = identity
    self.pairing = pairing
    self.addresses = addresses
    self.identify = identify
    self.timeout = timeout
    self.observer = observer
    self.loop = loop
    var quirks = IPQuirks()
    quirks.maximumSessions = Self.mostSessions
    guard let nothing = try? AttributeDatabase([]) else { preconditionFailure("an empty database is valid") }
    core = AccessoryCore(
      identity: identity.identity, advertisement: identity.advertisement, database: nothing,
      pairings: identity.pairings, failedAttempts: identity.failedAttempts, quirks: quirks,
      attributeQuirks: AttributeQuirks(), pairingQuirks: PairingQuirks(), random: loop.random)
    core.forwards = true
    core.onPlain = { connection, isFromController, head, body in
      observer.message([UInt8](head) + [UInt8](body), isFromController: isFromController, on: connection.number)
    }
    server = AccessoryServer(core, on: loop)
    server.setOwner(self)
  }

  // MARK: Start and stop

  /// Listens, and advertises the proxy if there is an advertiser.
  func start(on host: IPAddress, port: UInt16, advertiser: (any Advertiser)?) throws(LoopError) {
    try server.listen(on: [ListeningPlace(host)], port: port)
    self.advertiser = advertiser
    let record = ServiceRecord(
      name: identity.name, port: server.port, txt: core.advertisement.txt, host: identity.hostName,
      addresses: host.isUnspecified ? [] : [host])
    advertiser?.publish(record) { [observer] event in
      switch event {
      case .established(let name): observer.note(.advertised(name))
      case .renamed(let old, let new): observer.note(.renamed(old, to: new))
      case .failed(let reason): observer.note(.notVisible(reason))
      case .addresses, .seen, .unseen: break
      }
    }
  }

  /// Sends an mDNS goodbye, sends the pending answers and closes. Call it once.
  func stop() {
    advertiser?.close()
    server.stop()
    for (_, session) in sessions.sorted(by: { $0.key < $1.key }) { session.close() }
    sessions = [:]
    identifying?.close()
  }

  // MARK: Forwarding

  func forward(_ request: ControllerRequest, of id: ConnectionID, ticket: Ticket) {
    let session = sessions[id] ?? newSession(for: id)
    session.send(request) { [weak self] result in
      switch result {
      case .success(let answer): self?.server.forwarded(answer, ticket: ticket)
      case .failure(let error): self?.failed(request, of: id, session, error, ticket)
      }
    }
  }

  private func newSession(for id: ConnectionID) -> ProxySession {
    let session = ProxySession(pairing, at: addresses, timeout: timeout, on: loop)
    session.onEvent = { [weak self] event in
      self?.server.forwardEvent(event, to: id)
      return true
    }
    session.onLoss = { [weak self, weak session] error in
      guard let self, sessions[id] === session else { return }
      observer.note(.accessoryLost(error), on: id.number)
      sessions[id] = nil
      server.disconnect(id)
    }
    sessions[id] = session
    return session
  }

  /// Handles a request without an answer. The subscriptions of a lost session are lost too, so the controller must
  /// reconnect.
  private func failed(
    _ request: ControllerRequest, of id: ConnectionID, _ session: ProxySession, _ error: ClientError, _ ticket: Ticket
  ) {
    // The request is from a controller that has disconnected.
    guard sessions[id] === session else { return server.forwarded(nil, ticket: ticket) }
    sessions[id] = nil
    let answer = LinkMessage.unreachable(for: request)
    observer.note(session.wasOpen ? .accessoryLost(error) : .accessoryUnreachable(error), on: id.number)
    session.close()
    server.forwarded(answer, ticket: ticket, closing: session.wasOpen)
  }

  func identify(aid: UInt64) {
    guard let identify, identifying == nil else { return }
    let session = ProxySession(pairing, at: addresses, timeout: timeout, on: loop)
    identifying = session
    session.send(.write([.init(identify, value: .bool(true))])) { [weak self] result in
      self?.identifying = nil
      if case .failure(let error) = result { self?.observer.note(.identifyFailed(error)) }
      session.close()
    }
  }

  // MARK: Callbacks of the server

  func store(_ change: StoredChange, done: @escaping (Bool) -> Void) {
    storing.append((change, done))
    storeNext()
  }

  private func storeNext() {
    guard !isStoring, !storing.isEmpty else { return }
    isStoring = true
    let (change, done) = storing.removeFirst()
    let store = identity.store
    loop.offload { () -> StoreError? in
      do throws(StoreError) {
        try store.keep(change)
        return nil
      } catch { return error }
    } then: { [self] error in
      isStoring = false
      if let error { observer.note(.storeFailed(reason: "\(error)")) }
      done(error == nil)
      storeNext()
    }
  }

  /// Receives the accessory's database after a change. If its structure changed, the proxy advertises a new
  /// configuration number.
  func take(_ database: AttributeDatabase) {
    let identity = identity
    loop.offload { () -> Result<UInt16, StoreError> in
      Result { () throws(StoreError) in try identity.configurationNumber(of: database) }
    } then: { [self] result in
      switch result {
      case .failure(let error): observer.note(.storeFailed(reason: "\(error)"))
      case .success(let number):
        guard number != core.advertisement.configurationNumber else { return }
        observer.note(.otherDatabase(configurationNumber: number))
        server.replace(
          core.attributes.database, model: core.advertisement.model, configurationNumber: number,
          live: EmptyCollection())
      }
    }
  }

  func advertise(_ advertisement: Advertisement) { advertiser?.update(txt: advertisement.txt) }

  func report(_ report: AccessoryReport) {
    switch report {
    case .connected(let id, let peer): observer.note(.connected(peer), on: id.number)
    case .disconnected(let id, _):
      observer.note(.disconnected, on: id.number)
      sessions.removeValue(forKey: id)?.close()
    case .paired(let controller, let isAdmin):
      observer.note(.paired(controller: "\(controller)", isAdmin: isAdmin))
    case .unpaired(let controller): observer.note(.unpaired(controller: "\(controller)"))
    case .verified(let id, let controller): observer.note(.verified(controller: "\(controller)"), on: id.number)
    case .refused(let id, let request, let reason):
      observer.note(.refused(request: request, reason: "\(reason)"), on: id.number)
    case .unreadable(let id, let reason): observer.note(.unreadable(reason: "\(reason)"), on: id.number)
    case .identified: observer.note(.identified)
    // Events that the proxy does not report, and those of Matter.
    case .requested, .wrote, .subscribed, .unsubscribed, .told, .slow, .refusedPeer, .matter: break
    }
  }

  // The accessory itself stores, writes and reads these values.
  func keep(_ changes: [(id: AttributeID, value: Value)]) {}
  func wrote(_ write: ServiceWrite) {}
  func read(_ ids: [AttributeID], ticket: Ticket) {}
}
