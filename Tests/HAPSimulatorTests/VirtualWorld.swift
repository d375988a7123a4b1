import HAPModel
import HAPProtocol
import HAPWire

@testable import HAPDevices
@testable import HAPSimulator

/// A device, a database and a clock that only moves when told: what the shell does for a device, without the shell.
final class VirtualWorld {
  private(set) var database: AttributeDatabase
  private(set) var now = Duration.zero
  private let device: any Device
  private var random: SimulationRandom
  private var timers: [Int: Duration] = [:]
  /// What was set since it was last asked, as "1.10=2".
  private var log: [String] = []

  init(
    _ database: AttributeDatabase, behaviours: [AttributeID: String] = [:], seed: UInt64 = 1,
    registry: BehaviourRegistry = .standard, files: ReplayFiles? = nil
  ) {
    self.database = database
    random = SimulationRandom(seed: seed)
    let nodes = behaviours.mapValues { try! JSONNode.parse(Array($0.utf8)) }
    device = registry.device(
      for: database, parameters: registry.parameters(for: database, nodes: nodes, files: files))
    visit { $0.start(&$1) }
  }

  var pendingTimers: Int { timers.count }

  /// What changed since the last call, in order.
  func changes() -> [String] {
    defer { log = [] }
    return log
  }

  subscript(id: AttributeID) -> Value? { database[id] }

  /// A controller's write.
  func write(_ id: AttributeID, _ value: Value) {
    database[id] = value
    visit { $0.written(ServiceWrite(first: .init(id, value)), &$1) }
  }

  /// One request's writes to one service.
  func write(_ first: (AttributeID, Value), _ others: (AttributeID, Value)...) {
    for (id, value) in [first] + others { database[id] = value }
    let write = ServiceWrite(first: .init(first.0, first.1), others: others.map { .init($0.0, $0.1) })
    visit { $0.written(write, &$1) }
  }

  func deed(_ deed: Deed, at service: AttributeID? = nil) throws(CommandError) {
    try command(.deed(deed, service: service))
  }

  func command(_ command: DeviceCommand) throws(CommandError) {
    var failure: CommandError?
    visit { device, context in
      do throws(CommandError) { try device.command(command, &context) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func setByHand(_ id: AttributeID, _ value: Value) throws(CommandError) { try command(.set(id, value)) }

  /// A controller's read.
  func read(_ id: AttributeID) -> Value? {
    if device.live.contains(id) { visit { $0.read([id], ticket: Ticket(number: 1), &$1) } }
    return database[id]
  }

  /// Lets time pass; timers fire when they are due, the earliest first.
  func pass(_ duration: Duration) {
    let end = now + duration
    while let (token, due) = timers.min(by: { $0.value < $1.value }), due <= end {
      now = max(now, due)
      timers[token] = nil
      visit { $0.timerFired(token, &$1) }
    }
    now = end
  }

  /// Lets time pass in which no timer fires, as when the machine is held up.
  func sleep(_ duration: Duration) { now += duration }

  func fire(_ token: Int) { visit { $0.timerFired(token, &$1) } }

  private func visit(_ body: (any Device, inout DeviceContext) -> Void) {
    let snapshot = database
    var context = DeviceContext(now: now, random: random) { id in
      snapshot.slot(of: id).map { snapshot.characteristics[$0] }
    }
    body(device, &context)
    random = context.random
    for action in context.actions {
      switch action {
      case .set(let id, let value):
        database[id] = value
        log.append("\(id)=\(value.text)")
      case .schedule(let token, let delay): timers[token] = now + delay
      case .cancel(let token): timers[token] = nil
      case .answerRead(let id, .success(let value), _): database[id] = value
      case .answerRead, .answerWrite: break
      }
    }
  }
}

extension Characteristic {
  static func make(_ iid: UInt64, _ definition: CharacteristicDefinition, _ value: Value) -> Characteristic {
    Characteristic(
      iid: iid, type: definition.type, format: definition.format, perms: definition.perms, value: value,
      unit: definition.unit, constraints: definition.constraints)
  }
}

/// A garage with a door (iid 8…), a lamp (20…), a lock (30…) and a door behind a bridge (aid 2).
enum Garage {
  static let door = AttributeID(aid: 1, iid: 8), current = AttributeID(aid: 1, iid: 9)
  static let target = AttributeID(aid: 1, iid: 10), obstruction = AttributeID(aid: 1, iid: 11)
  static let lamp = AttributeID(aid: 1, iid: 20), on = AttributeID(aid: 1, iid: 21),
    fadeRate = AttributeID(aid: 1, iid: 22)
  static let lock = AttributeID(aid: 1, iid: 30), lockCurrent = AttributeID(aid: 1, iid: 31)
  static let lockTarget = AttributeID(aid: 1, iid: 32)
  static let otherDoor = AttributeID(aid: 2, iid: 8), otherObstruction = AttributeID(aid: 2, iid: 11)

  static func database(
    current: Value = 1, target: Value = 1, obstruction: Value = false, lockCurrent: Value = 1, lockTarget: Value = 1,
    isBridge: Bool = false
  ) -> AttributeDatabase {
    let door = Service(
      iid: 8, type: ServiceDefinition.garageDoorOpener.type,
      characteristics: [
        .make(9, .currentDoorState, current), .make(10, .targetDoorState, target),
        .make(11, .obstructionDetected, obstruction), .make(12, .name, "Big Door"),
      ])
    let lamp = Service(
      iid: 20, type: ServiceDefinition.lightBulb.type,
      characteristics: [
        .make(21, .on, false),
        Characteristic(
          iid: 22, type: TypeID("7E536242-341C-4862-BE90-272CE15BD633")!, format: .float,
          perms: [.pairedRead, .pairedWrite, .events], value: 1.5, description: "Fade Rate",
          constraints: Constraints(minValue: 0, maxValue: 10, minStep: 0.1)),
        .make(23, .name, "Lamp"),
      ])
    let lock = Service(
      iid: 30, type: ServiceDefinition.lockMechanism.type,
      characteristics: [.make(31, .lockCurrentState, lockCurrent), .make(32, .lockTargetState, lockTarget)])
    var accessories = [Accessory(aid: 1, services: [door, lamp, lock])]
    if isBridge { accessories.append(Accessory(aid: 2, services: [door])) }
    return try! AttributeDatabase(accessories)
  }
}
