import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

/// A lamp that switches on when the lock of its accessory moves, and that reports each notification.
private final class Lantern: Behaviour {
  private let on, lock: AttributeID?

  init(_ service: DeviceService) {
    on = service[.on]
    lock = service.companions(.lockMechanism).first?[.lockCurrentState]
  }

  static let kind = BehaviourKind(service: .lightBulb, summary: "", parameters: []) { service, _ in Lantern(service) }

  func start(_ context: inout DeviceContext) {}
  var watched: [AttributeID] { [lock, on].compactMap { $0 } }
  func noticed(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { context.set(on, true) }
  var actions: Set<PhysicalAction.Kind> { [.trigger, .press] }
  func perform(_ action: PhysicalAction, _ context: inout DeviceContext) throws(CommandError) {
    guard action == .trigger else { throw CommandError(.notPossible, "no") }
    context.set(on, false)
  }
}

@Suite("Interaction of behaviours")
struct BehaviourSeamTests {
  private let registry = BehaviourRegistry(kinds: [Lantern.kind, LockMechanism.kind])

  private func world() -> VirtualWorld { VirtualWorld(Garage.database(), registry: registry) }

  @Test("A behaviour is notified of watched characteristics of other services, whatever changed them")
  func watching() throws {
    let world = world()
    world.write(Garage.lockTarget, 0)
    #expect(world.changes() == [])
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.31=0", "1.21=true"])
    try world.setByHand(Garage.lockCurrent, 1)
    #expect(world.changes() == ["1.31=1", "1.32=1", "1.21=true"])
    world.write(Garage.lockCurrent, 0)
    #expect(world.changes() == ["1.21=true"])
    world.write(Garage.on, false)
    #expect(world.changes() == [])
  }

  @Test("With mindsWrites false, a behaviour is notified of changes by hand, but not of writes")
  func unminded() throws {
    let world = VirtualWorld(Garage.database(), registry: BehaviourRegistry(kinds: [Deaf.kind]))
    world.write(Garage.on, false)
    #expect(world.changes() == [])
    try world.setByHand(Garage.on, true)
    #expect(world.changes() == ["1.21=true", "1.21=false"])
  }

  @Test("A behaviour may set values 20000 times without being stopped as endless") func much() throws {
    let world = VirtualWorld(Garage.database(), registry: BehaviourRegistry(kinds: [Restless.kind]))
    #expect(world.changes().count == 20_000)
  }

  private final class Restless: Behaviour {
    private let on: AttributeID?
    init(_ service: DeviceService) { on = service[.on] }
    static let kind = BehaviourKind(service: .lightBulb, summary: "", parameters: []) { service, _ in Restless(service)
    }
    func start(_ context: inout DeviceContext) { for _ in 0..<20_000 { context.set(on, true) } }
  }

  private final class Deaf: Behaviour {
    private let on: AttributeID?
    init(_ service: DeviceService) { on = service[.on] }
    static let kind = BehaviourKind(service: .lightBulb, summary: "", parameters: []) { service, _ in Deaf(service) }
    func start(_ context: inout DeviceContext) {}
    var mindsWrites: Bool { false }
    func written(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { context.set(on, true) }
    func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) { context.set(on, false) }
  }

  @Test("An action goes to the one service that supports it")
  func actions() throws {
    let world = world()
    try world.physical(.trigger)
    #expect(world.changes() == ["1.21=false"])
    try world.physical(.trigger, at: Garage.lamp)
    #expect(world.changes() == ["1.21=false"])
    for (action, service, says) in [
      (PhysicalAction.press(.single), nil, "no"), (.battery(5), nil, "this accessory does not support battery"),
      (.trigger, Garage.lock, "service 1.30 does not support trigger"),
    ] as [(PhysicalAction, AttributeID?, String)] {
      let error = #expect(throws: CommandError.self) { try world.physical(action, at: service) }
      #expect(error?.code == .notPossible && error?.message == says)
    }
    #expect(world.changes() == [])
    let both = VirtualWorld(Garage.database(isBridge: true), registry: BehaviourRegistry(kinds: [Bell.kind]))
    let error = #expect(throws: CommandError.self) { try both.physical(.trigger) }
    #expect(error?.code == .ambiguous && error?.message.contains("1.8, 2.8") == true)
  }

  private final class Bell: Behaviour {
    static let kind = BehaviourKind(service: .garageDoorOpener, summary: "", parameters: []) { _, _ in Bell() }
    func start(_ context: inout DeviceContext) {}
    var actions: Set<PhysicalAction.Kind> { [.trigger] }
  }

  @Test("Each service with Status Tampered can be tampered with")
  func tampering() throws {
    let contact = Service(
      iid: 8, type: ServiceDefinition.contactSensor.type,
      characteristics: [.make(9, .contactSensorState, 0), .make(10, .statusTampered, 0)])
    let world = VirtualWorld(try AttributeDatabase([Accessory(aid: 1, services: [contact])]), registry: registry)
    try world.physical(.tamper(true))
    try world.physical(.tamper(false))
    #expect(world.changes() == ["1.10=1", "1.10=0"])
  }

  @Test("Companions are the linked services, or all of the accessory")
  func companions() throws {
    func valve(_ iid: UInt64) -> Service {
      Service(iid: iid, type: ServiceDefinition.valve.type, characteristics: [.make(iid + 1, .active, 0)])
    }
    func services(_ linked: [UInt64]) throws -> DeviceService {
      let faucet = Service(iid: 8, type: ServiceDefinition.faucet.type, linked: linked)
      let database = try AttributeDatabase([
        Accessory(aid: 1, services: [faucet, valve(10), valve(20)]), Accessory(aid: 2, services: [valve(10)]),
      ])
      return DeviceService.all(of: database.accessoryEntries[0], in: database)[0]
    }
    #expect(try services([20]).companions(.valve).map(\.id.iid) == [20])
    #expect(try services([]).companions(.valve).map(\.id.iid) == [10, 20])
    #expect(try services([]).linked(.valve).isEmpty)
    #expect(try services([20]).companions(.fan).isEmpty)
  }
}

/// A clock whose values are computed at each read.
private final class Hours: Behaviour {
  private let hour, name: AttributeID?
  init(_ service: DeviceService) {
    hour = service[.currentTemperature]
    name = service[.name]
  }
  static let kind = BehaviourKind(service: .temperatureSensor, summary: "", parameters: []) { service, _ in
    Hours(service)
  }
  func start(_ context: inout DeviceContext) {}
  var live: [AttributeID] { [hour, name].compactMap { $0 } }
  func read(_ id: AttributeID, _ context: inout DeviceContext) -> Value? {
    id == hour ? .float(context.now / .seconds(3600)) : nil
  }
}

@Suite("Live values") struct LiveValueTests {
  @Test("A behaviour answers reads of its live values at once; nil means the stored value")
  func live() throws {
    let hour = AttributeID(aid: 1, iid: 9), name = AttributeID(aid: 1, iid: 10)
    let service = Service(
      iid: 8, type: ServiceDefinition.temperatureSensor.type,
      characteristics: [.make(9, .currentTemperature, 0), .make(10, .name, "Clock")])
    let database = try AttributeDatabase([
      Accessory(aid: 1, services: [service]), Accessory(aid: 2, services: [service]),
    ])
    let device = BehaviourRegistry(kinds: [Hours.kind]).device(
      for: database, parameters: BehaviourRegistry(kinds: [Hours.kind]).parameters(for: database, nodes: [:]))
    #expect(device.live == [hour, name, AttributeID(aid: 2, iid: 9), AttributeID(aid: 2, iid: 10)])
    var context = DeviceContext(now: .seconds(7200), random: SimulationRandom(seed: 1)) { id in
      database.slot(of: id).map { database.characteristics[$0] }
    }
    device.read([name, hour], ticket: Ticket(number: 5), &context)
    #expect(
      context.actions == [
        .answerRead(name, .success("Clock"), ticket: Ticket(number: 5)),
        .answerRead(hour, .success(.float(2)), ticket: Ticket(number: 5)),
      ])
  }

  @Test("Without live values, no reads are passed to the device") func none() {
    let registry = BehaviourRegistry.standard
    let database = Garage.database()
    #expect(registry.device(for: database, parameters: registry.parameters(for: database, nodes: [:])).live.isEmpty)
  }
}
