import HAPAccessoryPort
import HAPController
import HAPHome
import HAPHomeEngine
import HAPHub
import HAPHubLink
import HAPLoop
import HAPModel

/// Changes at the borders of a hub: what a test observes, and the errors that mutations cause. Confined to the world's
/// thread.
package final class LabHooks: @unchecked Sendable {  // see above
  /// Called before a PUT is sent.
  package var onWrite: ((DeviceID, [ScenePut.Entry]) -> Void)?
  /// Whether each PUT is sent twice.
  var sendsTwice = false
  /// Whether each entry is sent in a PUT of its own.
  var splitsPuts = false
  /// Whether pairings of users are reported as done without being sent.
  var losesUsers = false
  /// Returns whether news are passed to the hub.
  var passes: (DeviceNews) -> Bool = { _ in true }
  /// Returns whether an event is passed to apps.
  var reports: (HubEvent) -> Bool = { _ in true }
  /// Returns whether a request of an app is answered.
  var answers: (HubRequest) -> Bool = { _ in true }
  /// Sockets that nothing closes.
  var leaked: [UDPSocket] = []
}

/// A port with hooks.
struct HookedPort: AccessoryPort {
  private let base: any AccessoryPort
  private let hooks: LabHooks

  init(_ base: any AccessoryPort, _ hooks: LabHooks) { (self.base, self.hooks) = (base, hooks) }

  func open(
    _ pairing: DevicePairing, isNew: Bool,
    onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void
  ) -> any DeviceConnection {
    let hooks = hooks
    let connection = base.open(pairing, isNew: isNew) { news in if hooks.passes(news) { await onNews(news) } }
    return HookedConnection(base: connection, device: pairing.device, hooks: hooks)
  }

  func search(onNews: @escaping @Sendable (SearchNews) async -> Void) -> any AccessorySearching {
    base.search(onNews: onNews)
  }

  func pair(
    with device: DeviceID?, code: String, as identity: ControllerIdentity, own: Set<DeviceID>,
    store: @escaping @Sendable (DevicePairing) async throws(HomeError) -> Void
  ) async throws(HomeError) -> DevicePairing {
    try await base.pair(with: device, code: code, as: identity, own: own, store: store)
  }

  func identifyUnpaired(_ device: DeviceID) async throws(HomeError) { try await base.identifyUnpaired(device) }
}

private struct HookedConnection: DeviceConnection {
  let base: any DeviceConnection
  let device: DeviceID
  let hooks: LabHooks

  func write(
    _ entries: [ScenePut.Entry], _ authorizations: [HomeObjectID: [UInt8]], isTimed: Bool
  ) async -> SceneAnswer {
    hooks.onWrite?(device, entries)
    if hooks.splitsPuts {
      var answer = SceneAnswer.done
      for entry in entries { answer = await base.write([entry], authorizations, isTimed: isTimed) }
      return answer
    }
    let answer = await base.write(entries, authorizations, isTimed: isTimed)
    return hooks.sendsTwice ? await base.write(entries, authorizations, isTimed: isTimed) : answer
  }

  func read(_ ids: [AttributeID]) async throws(HomeError) -> [DeviceValue] { try await base.read(ids) }
  func subscribe(exactly ids: Set<AttributeID>) async { await base.subscribe(exactly: ids) }
  func drop() async { await base.drop() }
  func identify(aid: UInt64) async throws(HomeError) { try await base.identify(aid: aid) }
  func addController(_ pairing: Pairing) async throws(HomeError) {
    if !hooks.losesUsers { try await base.addController(pairing) }
  }
  func removeController(_ identifier: [UInt8]) async throws(HomeError) { try await base.removeController(identifier) }
  func close() async { await base.close() }
}

/// A hub with hooks.
actor HookedHub: HubServing {
  private let base: HomeHub
  private let hooks: LabHooks
  private var apps: [ObjectIdentifier: HookedApp] = [:]

  init(_ base: HomeHub, _ hooks: LabHooks) { (self.base, self.hooks) = (base, hooks) }

  nonisolated var unownedExecutor: UnownedSerialExecutor { base.unownedExecutor }

  func connect(_ app: any HubApp) async {
    let hooked = HookedApp(app, hooks)
    apps[ObjectIdentifier(app)] = hooked
    await base.connect(hooked)
  }

  func take(
    _ request: HubRequest, from app: any HubApp, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void
  ) async {
    guard let hooked = apps[ObjectIdentifier(app)] else { return reply(.failure(HomeError(.noHomeHub, nil, "gone"))) }
    let answers = hooks.answers(request)
    await base.take(request, from: hooked) { if answers { reply($0) } }
  }

  func holder(ofToken token: String) -> TokenHolder? { base.assumeIsolated { $0.holder(ofToken: token) } }
  func whenTokenEnds(_ body: @escaping @Sendable () -> Void) async { await base.whenTokenEnds(body) }

  func disconnect(_ app: any HubApp) async {
    guard let hooked = apps.removeValue(forKey: ObjectIdentifier(app)) else { return }
    await base.disconnect(hooked)
  }
}

private final class HookedApp: HubApp {
  private let base: any HubApp
  private let hooks: LabHooks

  init(_ base: any HubApp, _ hooks: LabHooks) { (self.base, self.hooks) = (base, hooks) }

  var processID: Int? { base.processID }
  var user: HomeObjectID? { base.user }
  var gaps: Int { base.gaps }
  func receive(_ event: SharedHubEvent) { if hooks.reports(event.event) { base.receive(event) } }
  func end() { base.end() }
}
