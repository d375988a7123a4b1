import HAPAlmanac
import HAPModel
import HAPTestSupport

@testable import HAPHome
@testable import HAPHomeEngine

/// Random commands for a model, most of which are valid. The switch has no default, so that a new command has to be added.
struct JSONRandomModel {
  var bench = HomeBench()
  var random: JSONRandom
  private var nextDevice: UInt8 = 0

  init(seed: UInt64) {
    random = JSONRandom(seed: seed)
    bench.generator = SeededGenerator(seed: seed &+ 1)
    _ = try! bench.addHome()
  }

  var model: HomeModel { bench.model }

  /// Performs a random command, or adds an execution. Returns the command, and the changes if there are any.
  mutating func step() -> (command: HomeCommand?, changes: [HomeChange]) {
    if random.number(0...19) == 0, let home = model.homes.randomElement(using: &random.generator) {
      let changes = [
        random.any(home.actionSets.map(\.id)).map { HomeChange(home.id, .actionSetExecuted($0, at: bench.now)) },
        random.any(home.triggers.map(\.id)).map { HomeChange(home.id, .triggerFired($0, at: bench.now)) },
      ].compactMap { $0 }
      bench.model.apply(changes)
      return (nil, changes)
    }
    bench.now = bench.now.advanced(by: .seconds(random.number(0...90)))
    let command = command(random.pick(Self.names))
    return (command, (try? bench.perform(command)) ?? [])
  }

  /// Commands that add objects are more frequent.
  private static let names: [HomeCommandName] =
    HomeCommandName.allCases.filter { $0 != .removeHome }
    + [.removeHome, .addRoom, .addZone, .addGroup, .addActionSet, .addTrigger, .addTrigger, .addUser, .addDevice]
    + [
      .addAction, .addAction, .addActionSetToTrigger, .addOwnedActionSet, .enableTrigger, .disableTrigger,
      .addRoomToZone,
    ]

  private mutating func name() -> String { "N\(random.number(0...60))" }

  private mutating func home() -> Home? { random.any(model.homes) }

  private mutating func id(_ list: (Home) -> [HomeObjectID]) -> HomeObjectID {
    home().flatMap { random.any(list($0)) } ?? random.id()
  }

  private mutating func homeID() -> HomeObjectID { id { [$0.id] } }

  private mutating func characteristic() -> HomeCharacteristic? {
    guard let home = home() else { return nil }
    let all = home.accessories.flatMap(\.services).flatMap(\.characteristics)
    return random.any(random.number(0...4) == 0 ? all : all.filter { $0.permissions == .control })
  }

  private mutating func action() -> HomeAction {
    guard let characteristic = characteristic() else { return random.action() }
    return action(characteristic)
  }

  private mutating func action(_ characteristic: HomeCharacteristic) -> HomeAction {
    let value: Value =
      switch characteristic.rules.format {
      case .bool: .bool(random.flag())
      case .float: .float(Double(random.number(0...400)))
      case .string: .string("x")
      default: .integer(Int128(random.number(0...120)))
      }
    return HomeAction(characteristic.id, value)
  }

  private mutating func device(_ number: UInt8) -> DeviceDescription {
    if random.flag() {
      let maximum = random.pick([50, 100])
      return .device(number, [.light(aid: 1, name(), maximum: maximum)], c: UInt32(random.number(1...9)))
    }
    return .bridge(number, name(), lights: random.list { "N\($0.number(0...60))" })
  }

  private mutating func presence() -> PresenceEvent {
    let user = id { $0.users.map(\.id) }
    let kinds = PresenceEvent.Kind.allCases + [.firstEntry, .lastExit, .firstEntry, .lastExit]
    return PresenceEvent(random.pick(kinds), of: random.pick([.homeUsers, .currentUser, .users([user])]))
  }

  private mutating func event() -> HomeEvent {
    let action = action()
    switch random.number(0...5) {
    case 0: return .characteristic(action.characteristic, equals: action.value)
    case 1: return .characteristic(action.characteristic, equals: nil)
    case 2: return .threshold(action.characteristic, ThresholdRange(min: 1, max: 2)!)
    case 3: return .presence(presence())
    default: return random.event(random.pick([.at, .sun, .region]))
    }
  }

  private mutating func condition(depth: Int) -> Condition {
    let action = action()
    switch random.number(0...(depth > 1 ? 6 : 3)) {
    case 0: return .characteristic(action.characteristic, .equal, action.value)
    case 1: return .presence(presence())
    case 2: return .time(.before(.hour(4)))
    case 3: return .sun(.after(random.moment()))
    case 4: return .not(condition(depth: depth - 1))
    case 5: return .all([condition(depth: depth - 1), condition(depth: depth - 1)])
    default: return .any([condition(depth: depth - 1)])
    }
  }

  private mutating func triggerKind() -> Trigger.Kind {
    guard random.flag() else {
      let date = bench.minute(after: Int64(random.number(-9...9)))
      return .timer(TimerTrigger(fireDate: date, recurrence: random.pick([nil, CivilPeriod(days: 1)])))
    }
    let ends: [HomeEvent] = [.duration(seconds: 60), .duration(seconds: 600), event()]
    let events = EventTrigger(
      events: [event(), event()], endEvents: random.flag() ? [random.pick(ends)] : [],
      condition: random.flag() ? condition(depth: 3) : nil, executesOnce: random.flag())
    return .event(events)
  }

  private mutating func command(_ name: HomeCommandName) -> HomeCommand {
    switch name {
    case .addHome: .addHome(name: self.name(), zone: .utc, location: HomeBench.cupertino, owner: "Anna")
    case .removeHome: .removeHome(model.homes.count > 2 ? homeID() : random.id())
    case .setPrimaryHome: .setPrimaryHome(homeID())
    case .setTimeZone: .setTimeZone(home: homeID(), random.zone())
    case .setLocation: .setLocation(home: homeID(), random.pick([nil, HomeBench.cupertino]))
    case .rename: .rename(anyID(), self.name())
    case .addRoom: .addRoom(home: homeID(), name: self.name())
    case .removeRoom: .removeRoom(id { $0.rooms.map(\.id) })
    case .addZone: .addZone(home: homeID(), name: self.name())
    case .removeZone: .removeZone(id { $0.zones.map(\.id) })
    case .addRoomToZone: .addRoomToZone(room: id { $0.rooms.map(\.id) }, zone: id { $0.zones.map(\.id) })
    case .removeRoomFromZone: removeRoomFromZone()
    case .addGroup: .addGroup(home: homeID(), name: self.name())
    case .removeGroup: .removeGroup(id { $0.groups.map(\.id) })
    case .addServiceToGroup: .addServiceToGroup(service: serviceID(), group: id { $0.groups.map(\.id) })
    case .removeServiceFromGroup: removeServiceFromGroup()
    case .addDevice: addDevice()
    case .updateDevice:
      .updateDevice(home: homeID(), device(UInt8(random.number(0...Int(nextDevice)))))
    case .removeAccessory: .removeAccessory(accessoryID())
    case .moveAccessory: .moveAccessory(accessoryID(), room: id { $0.rooms.map(\.id) })
    case .blockAccessory: .blockAccessory(accessoryID())
    case .unblockAccessory: .unblockAccessory(accessoryID())
    case .setAssociatedType: .setAssociatedType(service: serviceID(), random.pick([nil, 0xB7, 0x43]))
    case .addActionSet: .addActionSet(home: homeID(), name: self.name())
    case .removeActionSet: .removeActionSet(setID())
    case .addAction: .addAction(actionSet: setID(), action())
    case .updateAction: updateAction()
    case .removeAction: removeAction()
    case .addTrigger: .addTrigger(home: homeID(), name: self.name(), triggerKind())
    case .updateTrigger: .updateTrigger(triggerID(), triggerKind())
    case .removeTrigger: .removeTrigger(triggerID())
    case .enableTrigger: enableTrigger()
    case .disableTrigger: .disableTrigger(trigger(where: \.isEnabled))
    case .addActionSetToTrigger: .addActionSetToTrigger(actionSet: setID(), trigger: triggerID())
    case .removeActionSetFromTrigger: removeActionSetFromTrigger()
    case .addOwnedActionSet: .addOwnedActionSet(trigger: triggerID(), [action()])
    case .addUser: .addUser(home: homeID(), name: self.name(), role: random.pick(HomeUser.Role.allCases))
    case .setRole: .setRole(user: id { $0.users.map(\.id) }, random.pick(HomeUser.Role.allCases))
    case .removeUser: .removeUser(id { $0.users.map(\.id) })
    }
  }

  private mutating func addDevice() -> HomeCommand {
    nextDevice &+= 1
    return .addDevice(home: homeID(), device(nextDevice))
  }

  // These need an object with a part.

  private mutating func trigger(where isWanted: (Trigger) -> Bool) -> HomeObjectID {
    random.any(model.homes.flatMap(\.triggers).filter(isWanted))?.id ?? triggerID()
  }

  private mutating func enableTrigger() -> HomeCommand {
    let full = Set(model.homes.flatMap(\.actionSets).filter { !$0.actions.isEmpty }.map(\.id))
    return .enableTrigger(
      trigger { !$0.isEnabled && !$0.actionSets.isEmpty && $0.actionSets.allSatisfy(full.contains) })
  }

  private mutating func removeActionSetFromTrigger() -> HomeCommand {
    let trigger = random.any(model.homes.flatMap(\.triggers).filter { !$0.actionSets.isEmpty })
    return .removeActionSetFromTrigger(
      actionSet: trigger?.actionSets.last ?? setID(), trigger: trigger?.id ?? triggerID())
  }

  private mutating func removeRoomFromZone() -> HomeCommand {
    let zone = random.any(model.homes.flatMap(\.zones).filter { !$0.rooms.isEmpty })
    return .removeRoomFromZone(room: zone?.rooms.last ?? id { $0.rooms.map(\.id) }, zone: zone?.id ?? random.id())
  }

  private mutating func removeServiceFromGroup() -> HomeCommand {
    let group = random.any(model.homes.flatMap(\.groups).filter { !$0.services.isEmpty })
    return .removeServiceFromGroup(service: group?.services.last ?? serviceID(), group: group?.id ?? random.id())
  }

  private mutating func setWithAction() -> (set: HomeObjectID, action: HomeAction) {
    let set = random.any(model.homes.flatMap(\.actionSets).filter { !$0.actions.isEmpty })
    return (set?.id ?? random.id(), set?.actions.last ?? action())
  }

  private mutating func updateAction() -> HomeCommand {
    let (set, old) = setWithAction()
    let characteristic = model.homes.lazy.compactMap { $0.characteristic(old.characteristic)?.characteristic }.first
    let new = characteristic.map { action($0) } ?? action()
    return .updateAction(actionSet: set, new)
  }

  private mutating func removeAction() -> HomeCommand {
    let (set, action) = setWithAction()
    return .removeAction(actionSet: set, characteristic: action.characteristic)
  }

  private mutating func serviceID() -> HomeObjectID { id { $0.accessories.flatMap(\.services).map(\.id) } }

  private mutating func accessoryID() -> HomeObjectID { id { $0.accessories.map(\.id) } }

  private mutating func setID() -> HomeObjectID { id { $0.actionSets.map(\.id) } }

  private mutating func triggerID() -> HomeObjectID { id { $0.triggers.map(\.id) } }

  private mutating func anyID() -> HomeObjectID {
    switch random.number(0...5) {
    case 0: homeID()
    case 1: serviceID()
    case 2: accessoryID()
    case 3: setID()
    case 4: triggerID()
    default: id { $0.rooms.map(\.id) + $0.zones.map(\.id) + $0.groups.map(\.id) }
    }
  }
}

extension JSONRandom {
  mutating func any<T>(_ list: [T]) -> T? { list.randomElement(using: &generator) }
}
