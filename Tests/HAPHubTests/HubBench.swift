import HAPAccessoryPort
import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPLoop
import HAPModel
import HAPStore
import HAPWorld
import Testing

@testable import HAPHub

/// A simulated machine with a hub, its disk, and scripted devices. Confined to the world's thread.
final class HubBench: @unchecked Sendable {  // see above
  let world: SimulatedWorld
  let host: SimulatedHost
  let disk: SimulatedDisk
  let devices: [ScriptedDevice]
  private(set) var process: SimulatedProcess?
  private var running: (hub: HomeHub, port: ScriptedPort)?
  /// The loop of the test, which outlives the hub.
  let loop: EventLoop
  /// All hubs so far.
  let hubs = Guarded<[WeakHub]>([])

  struct WeakHub: Sendable { weak var hub: HomeHub? }

  init(_ world: SimulatedWorld, _ devices: [ScriptedDevice]) throws {
    self.world = world
    self.devices = devices
    host = world.network.addHost("hub")
    disk = SimulatedDisk(SimulatedDisk.Options(seed: world.seed))
    loop = world.makeLoop("test", of: try #require(world.network.addHost("test").startProcess("test")))
  }

  var hub: HomeHub { running!.hub }
  var port: ScriptedPort { running!.port }

  /// Starts the hub, after a crash too.
  func start() async throws {
    if disk.isDown { disk.start() }
    let process = try #require(host.startProcess("hub"))
    self.process = process
    let loop = world.makeLoop("hub", of: process)
    let port = ScriptedPort(loop, devices)
    let hub = HomeHub(
      on: loop, folder: "/hub", files: disk, port: port, zoneRules: { $0 == .utc ? .utc : nil }, version: "1")
    running = (hub, port)
    hubs.withLock { $0.append(WeakHub(hub: hub)) }
    try await hub.start()
    await settle()
  }

  /// Ends the process of the hub at once.
  func kill() {
    process?.kill()
    disk.kill()
    running = nil
  }

  /// Waits until the hub has done what it can do now.
  func settle(_ time: Duration = .milliseconds(100)) async { try? await loop.sleep(for: time) }

  func attach(_ name: String) async throws -> TestApp { TestApp(name, try await hub.attach(app: name)) }

  var now: Duration { world.now }
}

/// Runs a test with scripted devices.
func withHub(
  _ devices: [ScriptedDevice] = [], seed: UInt64 = 1, _ body: @escaping @Sendable (HubBench) async throws -> Void
) async throws {
  let world = SimulatedWorld(seed: seed)
  let devices = Unchecked(devices)
  let hubs = try await world.runApart(WorldLimits(time: .seconds(2_000_000), deniesForeignWork: true), atEnd: { $0 }) {
    let bench = try HubBench(world, devices.value)
    try await bench.start()
    try await body(bench)
    bench.kill()
    return bench.hubs
  }
  #expect(hubs.withLock { $0.allSatisfy { $0.hub == nil } }, "the world has ended, and a hub still exists")
}

/// Passes a value to the world's thread.
struct Unchecked<Value>: @unchecked Sendable {  // the caller does not use it any more
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// An app with the events that it got.
final class TestApp: Sendable {
  let name: String
  let link: InProcessLink
  private let received = Guarded<[HubEvent]>([])

  init(_ name: String, _ link: InProcessLink) {
    (self.name, self.link) = (name, link)
    let received = received
    let events = link.events
    Task { for await event in events { received.withLock { $0.append(event) } } }
  }

  /// All events so far.
  var events: [HubEvent] { received.withLock { $0 } }
  func forget() { received.withLock { $0 = [] } }

  /// The changes of other apps and of the hub, in order.
  var changes: [HomeChange.Detail] {
    events.flatMap { event -> [HomeChange.Detail] in
      if case .changed(let changes, app: _) = event { changes.map(\.detail) } else { [] }
    }
  }

  var model: HomeModel { link.replica.snapshot?.model ?? HomeModel() }
  var home: Home { model.homes[0] }

  @discardableResult
  func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer { try await link.ask(request) }

  @discardableResult
  func perform(_ command: HomeCommand) async throws(HomeError) -> [HomeChange] {
    guard case .changed(let changes) = try await link.ask(.perform(command)) else { return [] }
    return changes
  }

  /// The number of the error of a refused request; nil: it was not refused.
  func refusal(of request: HubRequest) async -> HomeError? {
    do throws(HomeError) {
      _ = try await link.ask(request)
      return nil
    } catch { return error }
  }

  /// Adds a home and the devices.
  func setUp(_ bench: HubBench) async throws {
    try await perform(.addHome(name: "Home", zone: .utc, location: nil, owner: "Ann"))
    for device in bench.devices {
      let addition = AccessoryAddition(home: home.id, device: device.id, code: ScriptedPort.code)
      try await ask(.add(addition))
    }
    await bench.settle(.seconds(1))
    forget()
  }

  // MARK: Objects

  func accessory(_ name: String) throws -> HomeAccessory {
    try #require(home.accessories.first { $0.name.text == name })
  }

  /// A characteristic by the name of its accessory, and its type.
  func id(_ accessory: String, _ type: TypeID) throws -> HomeObjectID {
    let characteristics = try self.accessory(accessory).services.flatMap(\.characteristics)
    return try #require(characteristics.first { $0.type == type }).id
  }

  func set(_ name: String) throws -> HomeObjectID {
    try #require(home.actionSets.first { $0.name.text == name }).id
  }

  func trigger(_ name: String) throws -> Trigger { try #require(home.triggers.first { $0.name.text == name }) }

  func addSet(_ name: String, _ actions: [HomeAction]) async throws {
    try await perform(.addActionSet(home: home.id, name: name))
    for action in actions { try await perform(.addAction(actionSet: try set(name), action)) }
  }

  /// Adds a trigger with a set, and enables it.
  func addTrigger(_ name: String, _ kind: Trigger.Kind, runs set: String) async throws {
    try await perform(.addTrigger(home: home.id, name: name, kind))
    let id = try trigger(name).id
    try await perform(.addActionSetToTrigger(actionSet: try self.set(set), trigger: id))
    try await perform(.enableTrigger(id))
  }

  func explanations(_ trigger: String) async throws -> [EvaluationReport] {
    guard case .explained(let reports) = try await ask(.explain(try self.trigger(trigger).id)) else { return [] }
    return reports
  }
}

extension TypeID {
  static let on: TypeID = 0x25
  static let brightness: TypeID = 0x08
  static let lockCurrent: TypeID = 0x1D
  static let lockTarget: TypeID = 0x1E
  static let motion: TypeID = 0x22
  static let firmware: TypeID = 0x52
}

/// Accessories for scripted devices.
enum Script {
  static func id(_ number: UInt8) -> DeviceID { DeviceID(bytes: [0xAA, 0, 0, 0, 0, number])! }

  private static func information(_ name: String, firmware: String = "1.0") -> Service {
    func text(_ iid: UInt64, _ type: TypeID, _ text: String) -> Characteristic {
      Characteristic(iid: iid, type: type, format: .string, perms: [.pairedRead], value: .string(text))
    }
    return Service(
      iid: 1, type: 0x3E,
      characteristics: [
        text(2, 0x23, name), text(3, 0x20, "Maker"), text(4, 0x21, "Model"), text(5, 0x30, "1"),
        text(6, .firmware, firmware),
      ])
  }

  static func lamp(_ name: String, aid: UInt64 = 1, firmware: String = "1.0", more: [Service] = []) -> Accessory {
    Accessory(
      aid: aid,
      services: [
        information(name, firmware: firmware),
        Service(
          iid: 10, type: 0x43,
          characteristics: [
            Characteristic(
              iid: 11, type: .on, format: .bool, perms: [.pairedRead, .pairedWrite, .events], value: .bool(false)),
            Characteristic(
              iid: 12, type: .brightness, format: .int, perms: [.pairedRead, .pairedWrite, .events],
              value: .integer(0)),
          ]),
      ] + more)
  }

  static func bridge(_ name: String) -> Accessory { Accessory(aid: 1, services: [information(name)]) }

  static func lock(_ name: String) -> Accessory {
    Accessory(
      aid: 1,
      services: [
        information(name),
        Service(
          iid: 10, type: 0x45,
          characteristics: [
            Characteristic(
              iid: 11, type: .lockCurrent, format: .uint8, perms: [.pairedRead, .events], value: .integer(1)),
            Characteristic(
              iid: 12, type: .lockTarget, format: .uint8, perms: [.pairedRead, .pairedWrite, .events],
              value: .integer(1)),
          ]),
      ])
  }

  static func lampDevice(_ number: UInt8, _ name: String) -> ScriptedDevice { ScriptedDevice(id(number), [lamp(name)]) }

  static let on = AttributeID(aid: 1, iid: 11)
  static let brightness = AttributeID(aid: 1, iid: 12)
}
