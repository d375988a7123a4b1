import HAPAccessoryPort
import HAPHome
import HAPHomeEngine
import HAPLoop
import HAPModel

/// A paired device of a scripted port: an accessory or a bridge in memory. Confined to the world's thread.
final class ScriptedDevice: @unchecked Sendable {  // see above
  let id: DeviceID
  var description: DeviceDescription
  var values: [AttributeID: Value] = [:]
  /// Statuses that replace success, for reads and writes.
  var statuses: [AttributeID: Int] = [:]
  /// The time until an answer.
  var latency = Duration.milliseconds(5)
  /// The time until the answer to a subscription.
  var subscriptionTime: Duration?
  /// Whether connections succeed and requests are answered.
  var isOn = true
  /// Whether Pair Verify succeeds.
  var knowsHub = true
  /// The identifier of the controller that paired with it.
  var pairedIdentity: [UInt8] = []
  /// The data of the writes that had some.
  var authorizations: [[HomeObjectID: [UInt8]]] = []
  /// Replaces the answers to writes.
  var writeAnswer: SceneAnswer?
  /// Called before a write arrives; false: it does not arrive.
  var onWrite: (() -> Bool)?

  struct Put: Equatable {
    let time: Duration
    let entries: [AttributeID: Value]
    let isTimed: Bool
  }
  private(set) var puts: [Put] = []
  private(set) var reads: [[AttributeID]] = []
  /// The sets that were requested, in order.
  private(set) var subscriptions: [Set<AttributeID>] = []
  private(set) var identified: [UInt64] = []
  /// The identifiers of the controllers that were removed.
  private(set) var removed: [[UInt8]] = []
  private(set) var openCount = 0
  /// The connections that are not closed.
  private(set) var openConnections: Set<Int> = []
  /// Called when a hub opens a connection.
  var onOpen: (() -> Void)?
  /// Replaces the answer to Remove Pairing.
  var removalError: HomeError?
  /// The identifiers with which hubs have connected.
  fileprivate var hubs: Set<String> = []
  /// The pairings of users of other hubs: whether they are administrators.
  private(set) var users: [String: Bool] = [:]
  /// Replaces the answer to Add Pairing.
  var additionError: HomeError?
  /// Called when Add or Remove Pairing of a user arrives.
  var onUser: (() -> Void)?
  private var news: AsyncStream<DeviceNews>.Continuation?
  private var loop: EventLoop?

  init(_ id: DeviceID, _ accessories: [Accessory], category: UInt8 = 1) {
    self.id = id
    description = DeviceDescription(
      device: id, configurationNumber: 1, category: category, accessories: accessories)
    takeValues()
  }

  private func takeValues() {
    for accessory in description.accessories {
      for characteristic in accessory.services.flatMap(\.characteristics) {
        values[AttributeID(aid: accessory.aid, iid: characteristic.iid)] = characteristic.value
      }
    }
  }

  // MARK: What the test does

  /// Another controller has paired with it, as an administrator.
  func know(_ controller: String) { users[controller] = true }

  /// Replaces the database, and reports it.
  func replace(_ accessories: [Accessory]) {
    description.accessories = accessories
    description.configurationNumber += 1
    takeValues()
    send(.database(description))
  }

  func connect() {
    guard isOn else { return }
    if !knowsHub { return send(.gaveUp(why: "authentication failed")) }
    send(.connected(address: "192.0.2.1:\(id.bytes[5])"))
    send(.database(description))
  }

  func lose() {
    isOn = false
    send(.lost(why: "no answer"))
  }

  func send(_ news: DeviceNews) { self.news?.yield(news) }

  /// Changes a value, and sends an event if the hub subscribed to it.
  func event(_ id: AttributeID, _ value: Value) {
    values[id] = value
    if subscriptions.last?.contains(id) == true { send(.values([DeviceValue(id: id, value: value)], isCatchUp: false)) }
  }

  // MARK: The connection

  func open(
    on loop: EventLoop, as hub: String,
    _ onNews: nonisolated(nonsending) @escaping @Sendable (DeviceNews) async -> Void
  ) -> any DeviceConnection {
    hubs.insert(hub)
    let (stream, continuation) = AsyncStream.makeStream(of: DeviceNews.self)
    news = continuation
    self.loop = loop
    openCount += 1
    openConnections.insert(openCount)
    onOpen?()
    loop.whenEnded { continuation.finish() }
    loop.startTask { for await news in stream { await onNews(news) } }
    connect()
    return ScriptedConnection(device: self, number: openCount)
  }

  fileprivate func close(_ number: Int) {
    openConnections.remove(number)
    if number == openCount { news?.finish() }
  }

  /// Waits in virtual time, as the device does before an answer.
  private func pass(_ time: Duration) async { try? await loop?.sleep(for: time) }

  fileprivate func read(_ ids: [AttributeID]) async throws(HomeError) -> [DeviceValue] {
    reads.append(ids)
    guard isOn else { throw HomeError(.accessoryNotReachable, nil, "no connection") }
    await pass(latency)
    guard isOn else { throw HomeError(.communicationFailure, nil, "the connection ended") }
    return ids.map { id in
      if let status = statuses[id] { return DeviceValue(id: id, value: nil, status: status) }
      guard let value = values[id] else {
        return DeviceValue(id: id, value: nil, status: Int(HAPStatus.doesNotExist.rawValue))
      }
      return DeviceValue(id: id, value: value)
    }
  }

  fileprivate func write(_ entries: [ScenePut.Entry], isTimed: Bool, at time: Duration) async -> SceneAnswer {
    guard isOn else { return .notSent }
    if onWrite?() == false { return .notSent }
    puts.append(
      Put(time: time, entries: Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0.value) }), isTimed: isTimed))
    await pass(latency)
    guard isOn else { return .connectionLost }
    for entry in entries where statuses[entry.id] == nil { values[entry.id] = entry.value }
    if let writeAnswer { return writeAnswer }
    if entries.allSatisfy({ statuses[$0.id] == nil }) { return .done }
    return .statuses(entries.map { SceneAnswer.Status($0.id, statuses[$0.id] ?? 0) })
  }

  fileprivate func subscribe(_ ids: Set<AttributeID>) async {
    subscriptions.append(ids)
    if let subscriptionTime, isOn { await pass(subscriptionTime) }
  }
  fileprivate func identify(_ aid: UInt64) { identified.append(aid) }

  fileprivate func removeController(_ identifier: [UInt8]) throws(HomeError) {
    guard isOn else { throw HomeError(.accessoryNotReachable, nil, "no connection") }
    if let removalError { throw removalError }
    let text = String(decoding: identifier, as: UTF8.self)
    guard hubs.contains(text) else {
      onUser?()
      users[text] = nil
      return
    }
    removed.append(identifier)
    knowsHub = false
  }

  fileprivate func addController(_ pairing: Pairing) async throws(HomeError) {
    guard isOn else { throw HomeError(.accessoryNotReachable, nil, "no connection") }
    onUser?()
    if additionError == nil { users[String(decoding: pairing.identifier, as: UTF8.self)] = pairing.isAdmin }
    await pass(latency)
    guard isOn else { throw HomeError(.communicationFailure, nil, "the connection ended") }
    if let additionError { throw additionError }
  }
}

private struct ScriptedConnection: DeviceConnection {
  let device: ScriptedDevice
  let number: Int

  func read(_ ids: [AttributeID]) async throws(HomeError) -> [DeviceValue] { try await device.read(ids) }
  func write(
    _ entries: [ScenePut.Entry], _ authorizations: [HomeObjectID: [UInt8]], isTimed: Bool
  ) async -> SceneAnswer {
    if !authorizations.isEmpty { device.authorizations.append(authorizations) }
    return await device.write(entries, isTimed: isTimed, at: device.now)
  }
  func subscribe(exactly ids: Set<AttributeID>) async { await device.subscribe(ids) }
  func drop() async {
    device.send(.lost(why: "the connection was closed, because an answer is overdue"))
    device.connect()
  }
  func identify(aid: UInt64) async throws(HomeError) { device.identify(aid) }
  func addController(_ pairing: Pairing) async throws(HomeError) { try await device.addController(pairing) }
  func removeController(_ identifier: [UInt8]) async throws(HomeError) { try device.removeController(identifier) }
  func close() async { device.close(number) }
}

extension ScriptedDevice {
  /// The time since the world began. The clock of a simulated loop begins at 1000 s.
  fileprivate var now: Duration { .nanoseconds(Int64(loop?.readClock() ?? 0)) - .seconds(1000) }
}
