import Dispatch
import Foundation
import HAPAlmanac
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import HAPTestSupport

@testable import HAPHomeKit

/// A hub in memory with accessories that can be added, for tests of the questions and of the search. Each connection is
/// another app.
final class ScriptedHub: AppPlace {
  struct State: Sendable {
    var model = HomeModel()
    var generator = SeededGenerator(seed: 1)
    /// On the network, in no home.
    var present: [NewAccessory] = []
    var descriptions: [DeviceID: DeviceDescription] = [:]
    var links: [ScriptedLink] = []
    /// Refuses the next additions with this error.
    var additionError: HomeError?
    /// Refuses the next removals with this error.
    var removalError: HomeError?
    /// Answers additions as other requests, as a hub of another version may do.
    var confusesAdditions = false
    /// The requests, without their arguments.
    var requests: [String] = []
    /// The requests of apps that have begun and not ended.
    var openCount = 0
    /// The tasks that wait until the test runs them; nil: each one runs at once.
    var heldTasks: [@Sendable () async -> Void]?
    var isDown = false
  }

  static let code = "031-45-154"
  /// The setup hash of the accessory 1 with the setup ID 7OSX, computed with Python's hashlib.
  static let hash: [UInt8] = [144, 152, 162, 127]
  let state = Guarded(State())
  private let hasNoTime: Bool

  /// - Parameter hasNoTime: whether all waits end at once.
  init(homes: [String] = ["My Home"], hasNoTime: Bool = false) {
    self.hasNoTime = hasNoTime
    for name in homes { perform(.addHome(name: name, zone: .utc, location: nil, owner: "Anna")) }
  }

  // MARK: The place

  func start(_ body: nonisolated(nonsending) @escaping @Sendable () async -> Void) {
    let isHeld = state.withLock { state in
      state.heldTasks?.append { await body() }
      return state.heldTasks != nil
    }
    if !isHeld { Task { await body() } }
  }

  func perform(_ work: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: work) }
  func whenEnded(_ body: @escaping @Sendable () -> Void) {}

  func connect() async throws(HomeError) -> any HomeLink {
    let link = ScriptedLink(self)
    let isDown = state.withLock { state in
      if !state.isDown { state.links.append(link) }
      return state.isDown
    }
    if isDown { throw HomeError(.noHomeHub, nil, "no hub runs") }
    return link
  }

  /// Some turns of the main queue, which has the events, and of other tasks: tests wait for events, and no time passes.
  /// Without the turns of the queue, the pauses of another thread can end before it has run once.
  func pause() async -> Bool {
    if hasNoTime { return true }
    for _ in 0..<100 {
      await Task.yield()
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
    return true
  }

  func requestBegins() { state.withLock { $0.openCount += 1 } }
  func mainWorkBegins() {}
  func requestEnds() { state.withLock { $0.openCount -= 1 } }
  var zone: ZoneName { .utc }

  /// The number of requests that have begun and not ended, after the main queue has run.
  @MainActor func openCount() async -> Int {
    for _ in 0..<1000 where state.withLock({ $0.openCount > 0 }) { await Task.yield() }
    return state.withLock { $0.openCount }
  }

  // MARK: The homes

  var model: HomeModel { state.withLock { $0.model } }
  var home: Home { model.homes[0] }
  var requests: [String] { state.withLock { $0.requests } }

  /// Performs a command as another app.
  func perform(_ command: HomeCommand) {
    state.withLock { state in
      guard let changes = try? state.perform(command) else { preconditionFailure("\(command) is refused") }
      for link in state.links where link.isAttached { link.send(.changed(changes, app: nil)) }
    }
  }

  /// The accessory appears on the network.
  func appear(_ number: UInt8, _ name: String, bridged: [String] = [], hash: [UInt8]? = nil) {
    let description = DeviceDescription(number, name, bridged: bridged)
    let news = NewAccessory(
      device: description.device, name: name, model: "M1", category: description.category, setupHash: hash)
    state.withLock { state in
      state.descriptions[news.device] = description
      state.present.removeAll { $0.device == news.device }
      state.present.append(news)
      for link in state.links where link.isSearching { link.send(.found(news)) }
    }
  }

  /// Adds an accessory to the first home, as another app.
  func add(_ number: UInt8, _ name: String) {
    perform(.addDevice(home: home.id, DeviceDescription(number, name, bridged: [])))
  }

  func disappear(_ number: UInt8) { state.withLock { $0.remove(DeviceDescription.device(number)) } }

  /// The hub ends. Links of apps end with it.
  func end() {
    let links = state.withLock { state in
      defer { (state.links, state.isDown) = ([], true) }
      return state.links
    }
    for link in links { link.end() }
  }

  func restart() { state.withLock { $0.isDown = false } }
}

extension ScriptedHub.State {
  fileprivate mutating func perform(_ command: HomeCommand) throws(HomeError) -> [HomeChange] {
    let context = HomeContext(now: Instant(seconds: 1_780_000_000), zoneRules: { _ in .utc })
    return try model.perform(command, in: context, using: &generator)
  }

  fileprivate mutating func remove(_ device: DeviceID) {
    present.removeAll { $0.device == device }
    for link in links where link.isSearching { link.send(.gone(device)) }
  }

  /// Answers a request of an app. The other apps get its changes as events.
  fileprivate mutating func answer(_ request: HubRequest, from app: ScriptedLink) throws(HomeError) -> HubAnswer {
    requests.append(String("\(request)".prefix { $0 != "(" }))
    switch request {
    case .attach:
      app.isAttached = true
      return .attached(HubSnapshot(model: model, unreachable: [:], persons: []))
    case .search:
      app.isSearching = true
      return .found(present)
    case .endSearch: app.isSearching = false
    case .perform(let command): return .changed(share(try perform(command), from: app))
    case .remove(let id, forgets: _):
      if let removalError { throw removalError }
      return .changed(share(try perform(.removeAccessory(id)), from: app))
    case .add(let addition): return try add(addition, from: app)
    default: break
    }
    return .done
  }

  private mutating func add(_ addition: AccessoryAddition, from app: ScriptedLink) throws(HomeError) -> HubAnswer {
    let payload = try? SetupPayload(uri: addition.code)
    let target = present.first { news in
      news.device == addition.device || addition.device == nil && payload?.canBelong(to: news) == true
    }
    guard let target, let description = descriptions[target.device] else {
      throw HomeError(.accessoryDiscoveryFailed, nil, "the accessory is not on the network")
    }
    if let additionError { throw additionError }
    if confusesAdditions { return .done }
    guard (payload?.code?.text ?? addition.code) == ScriptedHub.code else {
      throw HomeError(.accessoryPairingFailed, nil, "the setup code is wrong")
    }
    let changes = try perform(.addDevice(home: addition.home, description))
    remove(target.device)
    let ids = changes.compactMap { if case .accessoryAdded(let accessory) = $0.detail { accessory.id } else { nil } }
    return .added(ids, share(changes, from: app))
  }

  private func share(_ changes: [HomeChange], from app: ScriptedLink) -> [HomeChange] {
    for link in links where link !== app && link.isAttached { link.send(.changed(changes, app: "other")) }
    return changes
  }
}

/// The link of an app. The lock of the hub protects its state.
// Safe: its variables are used with the lock of the hub alone, and the rest are constants.
final class ScriptedLink: HomeLink, @unchecked Sendable {
  let replica = HomeReplica()
  let events = AsyncStream<HubEvent> { $0.finish() }
  fileprivate var isAttached = false
  fileprivate var isSearching = false
  private let hub: ScriptedHub

  fileprivate init(_ hub: ScriptedHub) { self.hub = hub }

  func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer { try result(of: request).get() }

  func send(_ request: HubRequest, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void) {
    reply(result(of: request))
  }

  private func result(of request: HubRequest) -> Result<HubAnswer, HomeError> {
    hub.state.withLock { state -> Result<HubAnswer, HomeError> in
      guard state.links.contains(where: { $0 === self }) else {
        return .failure(HomeError(.noHomeHub, nil, "the hub has ended"))
      }
      do throws(HomeError) {
        let answer = try state.answer(request, from: self)
        replica.receive(answer)
        return .success(answer)
      } catch { return .failure(error) }
    }
  }

  fileprivate func send(_ event: HubEvent) { replica.receive(event) }
  fileprivate func end() { replica.end() }

  func close() async {
    hub.state.withLock { state in state.links.removeAll { $0 === self } }
  }
}

/// An app of a scripted hub, with its homes.
@MainActor final class ScriptedApp {
  let hub: ScriptedHub
  let manager: HMHomeManager
  var home: HMHome { manager.homes[0] }

  init(_ hub: ScriptedHub) async throws {
    (self.hub, manager) = (hub, HMHomeManager(hub))
    // The homes are known before the answer.
    _ = try await manager.session.answer(to: .endSearch)
  }
}

// MARK: Devices

extension DeviceDescription {
  static func device(_ number: UInt8) -> DeviceID { DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, number])! }

  /// A lamp, or a bridge with lamps.
  init(_ number: UInt8, _ name: String, bridged: [String]) {
    let accessories =
      bridged.isEmpty
      ? [Accessory.lamp(1, name)]
      : [Accessory.described(1, name, [])] + bridged.enumerated().map { .lamp(UInt64($0 + 2), $1) }
    self.init(
      device: Self.device(number), configurationNumber: 1, category: bridged.isEmpty ? 5 : 2, accessories: accessories)
  }
}

extension Accessory {
  fileprivate static func described(_ aid: UInt64, _ name: String, _ services: [Service]) -> Accessory {
    let texts: [(UInt64, TypeID, String)] = [(2, 0x23, name), (3, 0x20, "Acme"), (4, 0x21, "M1"), (5, 0x30, "S\(aid)")]
    let characteristics = texts.map {
      Characteristic(iid: $0, type: $1, format: .string, perms: [.pairedRead], value: .string($2))
    }
    return Accessory(aid: aid, services: [Service(iid: 1, type: 0x3E, characteristics: characteristics)] + services)
  }

  fileprivate static func lamp(_ aid: UInt64, _ name: String) -> Accessory {
    let on = Characteristic(
      iid: 11, type: 0x25, format: .bool, perms: [.pairedRead, .pairedWrite, .events], value: false)
    return .described(aid, name, [Service(iid: 10, type: 0x43, isPrimary: true, characteristics: [on])])
  }
}
