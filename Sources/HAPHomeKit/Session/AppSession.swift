import Dispatch
import Foundation
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel

/// The connection of a manager or a browser with its hub, and the objects that the app has got.
///
/// What the app sees changes only in work items of the main queue, in the order in which the hub sent it: first the
/// objects, then the delegates, then the completion handler. Any thread may read.
final class AppSession: Sendable {
  struct State: Sendable {
    var connection = Connection.connecting([])
    /// The present link, and the number of links so far.
    var link: (any HomeLink)?
    var generation = 0
    /// The homes as the app sees them; nil before the first attachment.
    var snapshot: HubSnapshot?
    /// The objects that the app has got, by their identifier.
    var objects: [HomeObjectID: SessionObject] = [:]
    /// The last known values.
    var values: [HomeObjectID: Value] = [:]
    /// The characteristics whose notifications the app enabled.
    var subscribed: Set<HomeObjectID> = []
    /// Those whose notifications are being enabled (true) or disabled.
    var subscribing: [HomeObjectID: Bool] = [:]
    /// The action sets that this app executes.
    var executing: Set<HomeObjectID> = []
    /// Whether the delegates learned that the hub has ended.
    var hasToldEnd = false
  }

  struct PendingRequest: Sendable {
    let request: HubRequest
    let reply: Reply
  }

  typealias Reply = @Sendable (Result<HubAnswer, HMError>) -> Void

  enum Connection: Sendable {
    /// Requests wait for the attachment.
    case connecting([PendingRequest])
    case attached
    /// The hub has ended, or there is none. The session tries again.
    case lost(HMError)
    case closed
  }

  struct SessionObject: Sendable {
    let object: any NSObject & Sendable
    let record: any SessionRecord
  }

  private struct Owner: Sendable { weak var object: (any SessionOwner)? }

  let place: any AppPlace
  let state = Guarded(State())
  private let owner = Guarded(Owner())

  init(_ place: any AppPlace) { self.place = place }

  /// Called in work items of the main queue.
  var sessionOwner: (any SessionOwner)? {
    get { owner.withLock { $0.object } }
    set { owner.withLock { $0.object = newValue } }
  }

  // MARK: Connection

  /// Attaches to the hub. If the hub ends, the session attaches again.
  func open() {
    place.whenEnded { [weak self] in self?.close() }
    place.start { [weak self, place] in
      place.requestBegins()
      await self?.attach()
      place.onMain { place.requestEnds() }
    }
  }

  private func attach() async {
    do throws(HomeError) {
      let link = try await place.connect()
      guard let generation = begin(link) else { return await link.close() }
      link.replica.observe { [weak self] news in  // not the place, which can be what keeps the link
        self?.place.onMain { [weak self] in self?.take(news, generation) }
      }
      _ = try await link.ask(.attach(app: ProcessInfo.processInfo.processName))
    } catch { isLost(HMError(error)) }
  }

  /// - Returns: the number of the link; nil: the session was closed meanwhile.
  private func begin(_ link: any HomeLink) -> Int? {
    state.withLock { state in
      if case .closed = state.connection { return nil }
      state.link = link
      state.generation += 1
      return state.generation
    }
  }

  /// - Returns: the requests that waited.
  private func become(_ connection: Connection) -> [PendingRequest] {
    state.withLock { state in
      if case .closed = state.connection { return [] }
      defer { state.connection = connection }
      if case .connecting(let pending) = state.connection { return pending }
      return []
    }
  }

  private func isLost(_ error: HMError) {
    for pending in become(.lost(error)) { pending.reply(.failure(error)) }
    place.start { [weak self, place] in
      guard await place.pause() else { return }
      await self?.attach()
    }
  }

  /// Ends the session, because its manager or its world does not exist any more.
  func close() {
    let (link, pending) = state.withLock { state -> ((any HomeLink)?, [PendingRequest]) in
      defer { (state.connection, state.link) = (.closed, nil) }
      if case .connecting(let pending) = state.connection { return (state.link, pending) }
      return (state.link, [])
    }
    for pending in pending { pending.reply(.failure(.sessionEnded)) }
    if let link { place.start { await link.close() } }
  }

  private var isClosed: Bool { state.withLock { if case .closed = $0.connection { true } else { false } } }

  // MARK: Requests

  /// Sends a request, after all earlier ones of this app.
  /// - Parameter done: called once on the main queue, after the objects show the changes.
  func ask(_ request: HubRequest, _ done: @escaping (Result<HubAnswer, HMError>) -> Void) {
    let handler = MainHandler(done)
    place.perform { [self, place] in
      place.requestBegins()
      submit(request) { result in
        place.onMain {
          handler.call(result)
          place.requestEnds()
        }
      }
    }
  }

  private func submit(_ request: HubRequest, _ reply: @escaping Reply) {
    let place = state.withLock { state -> Result<any HomeLink, HMError>? in
      switch (state.connection, state.link) {
      case (.connecting(let pending), _):
        state.connection = .connecting(pending + [PendingRequest(request: request, reply: reply)])
        return nil
      case (.attached, let link?): return .success(link)
      case (.lost(let error), _): return .failure(error)
      case (.attached, nil), (.closed, _): return .failure(.sessionEnded)
      }
    }
    switch place {
    case .success(let link): Self.send(request, to: link, reply)
    case .failure(let error): reply(.failure(error))
    case nil: break
    }
  }

  private static func send(_ request: HubRequest, to link: any HomeLink, _ reply: @escaping Reply) {
    link.send(request) { result in reply(result.mapError { HMError($0) }) }
  }

  /// Refuses a request without the hub.
  static func refuse(_ error: HMError, _ done: @escaping (Result<HubAnswer, HMError>) -> Void) {
    let handler = MainHandler(done)
    DispatchQueue.main.async { handler.call(.failure(error)) }
  }

  /// Sends a request about an object, unless the object or its manager does not exist any more.
  static func ask(
    _ request: HubRequest, in session: AppSession?, isGone: Bool,
    _ done: @escaping (Result<HubAnswer, HMError>) -> Void
  ) {
    guard let session else { return refuse(.sessionEnded, done) }
    if isGone { return refuse(.removedObject, done) }
    session.ask(request, done)
  }

  // MARK: News

  /// In a work item of the main queue.
  private func take(_ news: HomeReplica.News, _ generation: Int) {
    guard state.withLock({ $0.generation }) == generation, !isClosed else { return }
    switch news {
    case .answer(.attached(let snapshot)): isAttached(snapshot)
    case .answer(.changed(let changes)): apply(changes, isOwn: true)
    case .answer(.added(let ids, let changes)): applyAddition(ids, changes)
    case .answer(.values(let readings)): for reading in readings { setValue(of: reading) }
    case .answer(.executed(let result)): executed(result)
    case .answer: break
    case .event(.changed(let changes, app: _)): apply(changes, isOwn: false)
    case .event(.values(let readings, isCatchUp: let isCatchUp)): take(readings, isCatchUp: isCatchUp)
    case .event(.reachability(let id, let isReachable, let why)): reachability(of: id, isReachable, why)
    case .event(.person(let person)): state.withLock { $0.snapshot?.apply(.person(person)) }
    case .event(.found(let accessory)): sessionOwner?.found(accessory)
    case .event(.gone(let device)): sessionOwner?.gone(device)
    case .event(.missed): attachAgain()
    case .event(.evaluated), .event(.executed), .event(.stopping): break
    case .end: hubEnded()
    }
  }

  private func isAttached(_ snapshot: HubSnapshot) {
    let pending = become(.attached)
    // Before the delegates, which can send further requests.
    if let link = state.withLock({ $0.link }), !pending.isEmpty {
      place.perform {
        for pending in pending { Self.send(pending.request, to: link, pending.reply) }
      }
    }
    attached(snapshot)
  }

  /// Events were lost: the same link gives all homes again.
  private func attachAgain() {
    guard let link = state.withLock({ $0.link }) else { return }
    place.start { _ = try? await link.ask(.attach(app: ProcessInfo.processInfo.processName)) }
  }

  private func hubEnded() {
    let wasAttached = state.withLock { state in
      guard case .attached = state.connection else { return false }
      state.link = nil
      return true
    }
    guard wasAttached else { return }
    isLost(HMError(.noHomeHub, "the home hub has ended: start 'hapctl hub run'; the app attaches again by itself"))
    state.withLock { $0.hasToldEnd = true }
    hubStateChanged()
  }
}

/// The manager or the browser of a session. Called in work items of the main queue.
protocol SessionOwner: AnyObject, Sendable {
  func homesLoaded()
  func homeAdded(_ home: HMHome)
  func homeRemoved(_ home: HMHome)
  func primaryHomeChanged()
  func found(_ accessory: NewAccessory)
  func gone(_ device: DeviceID)
}

extension SessionOwner {
  func homesLoaded() {}
  func homeAdded(_ home: HMHome) {}
  func homeRemoved(_ home: HMHome) {}
  func primaryHomeChanged() {}
  func found(_ accessory: NewAccessory) {}
  func gone(_ device: DeviceID) {}
}

extension HMError {
  static let sessionEnded = HMError(
    .objectNotAssociatedToAnyHome, "the HMHomeManager of the object does not exist any more: keep a reference to it")
  static let removedObject = HMError(
    .objectNotAssociatedToAnyHome, "the object was removed from its home")
}
