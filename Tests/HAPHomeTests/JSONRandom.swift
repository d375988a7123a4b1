import HAPAlmanac
import HAPModel
import HAPTestSupport

@testable import HAPHome
@testable import HAPHomeEngine

/// Random values for tests of the JSON forms. Each function of a word has a switch without a default, so that a new case
/// has to be added here.
struct JSONRandom {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func flag() -> Bool { Bool.random(using: &generator) }

  mutating func pick<T>(_ list: [T]) -> T { list.randomElement(using: &generator)! }

  mutating func optional<T>(_ make: (inout JSONRandom) -> T) -> T? { flag() ? make(&self) : nil }

  mutating func list<T>(_ range: ClosedRange<Int> = 0...3, _ make: (inout JSONRandom) -> T) -> [T] {
    (0..<number(range)).map { _ in make(&self) }
  }

  mutating func id() -> HomeObjectID { HomeObjectID.random(using: &generator) }

  mutating func ids() -> [HomeObjectID] { list { $0.id() } }

  mutating func text() -> String {
    pick(["Kitchen", "a \"quoted\" text", "Küche\n", "灯", "\u{0}\\/", "x", "👩‍👩‍👧 e\u{301}"]) + "\(number(0...999))"
  }

  mutating func name() -> HomeName { HomeName(text()) }

  mutating func zone() -> ZoneName { pick(["Europe/Berlin", "UTC", "Etc/GMT+12"].map { ZoneName($0)! }) }

  mutating func place() -> Coordinate {
    Coordinate(
      latitude: pick([0, 37.33, -90, 0.1 + 0.2]), longitude: pick([-122.03, 180, 2.5e-308, 13.4]))!
  }

  mutating func instant() -> Instant {
    pick([
      Instant(seconds: Int64(number(-4_000_000_000...8_000_000_000))), .distantPast, .distantFuture,
      Instant(seconds: 1_780_000_000, nanosecond: Int64(number(0...999_999_999))),
    ])
  }

  mutating func value() -> Value {
    pick([
      .null, .bool(flag()), .integer(Int128(number(-300...300))), .integer(.max), .integer(.min), .float(1),
      .float(-0.1), .float(1e300), .float(2.5e-308), .float(-.infinity), .string(text()), .string(""), .string("AA=="),
      .data([]), .data(list { UInt8($0.number(0...255)) }),
    ])
  }

  mutating func action() -> HomeAction { HomeAction(id(), value()) }

  mutating func parts() -> DateParts {
    let weekday = optional { $0.pick(Weekday.allCases) }
    switch number(0...3) {
    case 0: return .hour(number(0...23))
    case 1: return try! DateParts(hour: number(0...23), minute: number(0...59), second: number(0...59))
    case 2:
      return try! DateParts(year: number(1...9999), month: number(1...12), day: number(1...31), hour: 0, minute: 5)
    default:
      return try! DateParts(
        year: optional { $0.number(1...9999) }, month: optional { $0.number(1...12) },
        day: optional { $0.number(1...31) }, weekday: weekday, hour: optional { $0.number(0...23) },
        minute: optional { $0.number(0...59) }, second: optional { $0.number(0...59) })
    }
  }

  mutating func moment() -> SunMoment {
    SunMoment(pick(SunEvent.allCases), offset: pick([0, -1800, 3600, number(-43_200...43_200)]))!
  }

  mutating func presence() -> PresenceEvent {
    PresenceEvent(
      pick(PresenceEvent.Kind.allCases), of: pick([.currentUser, .homeUsers, .users(Set(ids()))]))
  }

  mutating func event(_ word: EventWord) -> HomeEvent {
    switch word {
    case .characteristic:
      if flag() { return .characteristic(id(), equals: optional { $0.value() }) }
      let ranges = [
        ThresholdRange(min: nil, max: 0.1), ThresholdRange(min: -5, max: nil), ThresholdRange(min: 20, max: 25.5),
      ]
      return .threshold(id(), pick(ranges)!)
    case .at: return .calendar(parts())
    case .sun: return .sun(moment())
    case .presence: return .presence(presence())
    case .region:
      let region = Region(centre: place(), radius: pick([0.5, 100, 1_000_000]))!
      return .location(region, onEntry: flag(), onExit: flag())
    case .after:
      let seconds: [Int] = [0, 1, 59, 600, 3_600_000, 3_600_001, -90, .max, .min]
      return .duration(seconds: pick(seconds))
    }
  }

  mutating func event() -> HomeEvent { event(pick(EventWord.allCases)) }

  mutating func condition(_ word: ConditionWord, depth: Int) -> Condition {
    func parts(_ random: inout JSONRandom) -> [Condition] {
      random.list { $0.condition(depth: depth - 1) }
    }
    switch word {
    case .all: return depth > 1 ? .all(parts(&self)) : .all([])
    case .any: return depth > 1 ? .any(parts(&self)) : .any([])
    case .not: return .not(depth > 1 ? condition(depth: depth - 1) : .unknown)
    case .characteristic: return .characteristic(id(), pick(Comparison.allCases), value())
    case .before: return flag() ? .time(.before(self.parts())) : .sun(.before(moment()))
    case .on: return .time(.on(self.parts()))
    case .after: return flag() ? .time(.after(self.parts())) : .sun(.after(moment()))
    case .between:
      return flag() ? .time(.between(self.parts(), self.parts())) : .sun(.between(moment(), moment()))
    case .presence: return .presence(presence())
    case .unknown: return .unknown
    }
  }

  mutating func condition(depth: Int) -> Condition { condition(pick(ConditionWord.allCases), depth: depth) }

  mutating func period() -> CivilPeriod {
    let months = flag() ? number(1...120_000) : 0
    let days = flag() ? number(1...99) : 0
    let minutes = pick([5, 59, 5_260_320_000])
    return CivilPeriod(months: months, weeks: number(0...2), days: days, hours: number(0...2), minutes: minutes)!
  }

  mutating func triggerKind() -> Trigger.Kind {
    guard flag() else {
      return .timer(
        TimerTrigger(fireDate: instant(), recurrence: optional { $0.period() }, zone: optional { $0.zone() }))
    }
    return .event(
      EventTrigger(
        events: list { $0.event() }, endEvents: list { $0.event() },
        weekdays: Set(list { $0.pick(Weekday.allCases) }), condition: optional { $0.condition(depth: 4) },
        executesOnce: flag()))
  }
}

// MARK: Accessories

extension JSONRandom {
  mutating func type() -> TypeID {
    pick([0x43, TypeID(apple: UInt32(number(0...0xFFFF))), TypeID("12345678-0000-1000-8000-ABCDEF012345")!])
  }

  mutating func constraints() -> Constraints {
    func limit(_ random: inout JSONRandom) -> Value { random.pick([0, 1.0, -20.5, .integer(1 << 70)]) }
    let numbers = list { $0.number(-5...5) }
    return Constraints(
      minValue: optional(limit), maxValue: optional(limit), minStep: optional(limit),
      maxLen: optional { $0.number(0...256) }, maxDataLen: optional { $0.number(0...9999) },
      validValues: flag() ? numbers : nil, validValuesRange: optional { -1...$0.number(-1...9) })
  }

  private mutating func value(_ format: Format) -> Value {
    switch format {
    case .bool: .bool(flag())
    case .uint8, .uint16, .uint32, .uint64, .int: .integer(Int128(number(-9...999)))
    case .float: .float(pick([0, -1.5, 1e-9]))
    case .string: .string(text())
    case .tlv8, .data: .data([1, UInt8(number(0...255))])
    }
  }

  mutating func characteristic(iid: UInt64) -> Characteristic {
    let format = pick(Format.allCases)
    return Characteristic(
      iid: iid, type: type(), format: format, perms: Permissions(rawValue: UInt8(number(0...127))),
      value: optional { $0.value(format) } ?? .null, unit: optional { $0.pick(Unit.allCases) },
      description: optional { $0.text() }, constraints: constraints())
  }

  mutating func services() -> [Service] {
    var iid: UInt64 = flag() ? 1 : UInt64.max - 20
    func next() -> UInt64 {
      iid += 1
      return iid
    }
    return list { random in
      Service(
        iid: next(), type: random.type(), isPrimary: random.flag(), isHidden: random.flag(),
        linked: random.list { _ in iid }, characteristics: random.list { $0.characteristic(iid: next()) })
    }
  }

  mutating func device() -> DeviceDescription {
    DeviceDescription(
      device: DeviceID(bytes: (0..<6).map { _ in UInt8(number(0...255)) })!,
      configurationNumber: UInt32(number(0...Int(UInt32.max))), category: UInt8(number(0...255)),
      accessories: list { Accessory(aid: $0.pick([1, 2, .max]), services: $0.services()) })
  }

  mutating func homeServices(of accessory: HomeObjectID) -> [HomeService] {
    services().map { service in
      HomeService(
        id: accessory.part(iid: service.iid), iid: service.iid, type: service.type, name: name(),
        associatedType: optional { $0.type() }, isPrimary: service.isPrimary, isUserInteractive: flag(),
        linked: service.linked, characteristics: service.characteristics.map { HomeCharacteristic($0, of: accessory) })
    }
  }

  mutating func information() -> AccessoryInformation {
    AccessoryInformation(
      manufacturer: optional { $0.text() }, model: optional { $0.text() }, serialNumber: optional { $0.text() },
      firmware: optional { $0.text() })
  }

  mutating func accessory() -> HomeAccessory {
    let id = id()
    return HomeAccessory(
      id: id, name: name(), room: self.id(), category: UInt8(number(0...255)),
      transport: .hap(DeviceID("AA:BB:CC:00:00:01")!, aid: UInt64(number(1...3))), bridge: optional { $0.id() },
      services: homeServices(of: id), isBlocked: flag(), information: information(),
      configurationNumber: UInt32(number(0...9)))
  }

  mutating func actionSet() -> ActionSet {
    ActionSet(
      id: id(), name: name(), kind: pick(ActionSet.Kind.allCases), actions: list { $0.action() },
      lastExecution: optional { $0.instant() })
  }

  mutating func trigger() -> Trigger {
    Trigger(
      id: id(), name: name(), kind: triggerKind(), actionSets: ids(), isEnabled: flag(),
      lastFire: optional { $0.instant() })
  }

  mutating func user(_ roles: [HomeUser.Role] = [.administrator, .guest]) -> HomeUser {
    HomeUser(id: id(), name: text(), role: pick(roles), controller: optional { $0.controller() })
  }

  private mutating func controller() -> UserController {
    UserController(
      identifier: "controller-\(pick([1, 22, 333]))", publicKey: Array(repeating: pick([0, 7, 255]), count: 32))!
  }

  private mutating func copy() -> HomeCopy { HomeCopy(user: id(), issued: instant()) }

  mutating func home() -> Home {
    var home = Home(
      id: id(), name: name(), zone: zone(), location: optional { $0.place() },
      roomForEntireHome: Room(id: id(), name: name()), users: [user([.owner])] + list { $0.user() })
    home.rooms = list { Room(id: $0.id(), name: $0.name()) }
    home.zones = list { RoomZone(id: $0.id(), name: $0.name(), rooms: $0.ids()) }
    home.groups = list { ServiceGroup(id: $0.id(), name: $0.name(), services: $0.ids()) }
    home.accessories = list { $0.accessory() }
    home.actionSets = list { $0.actionSet() }
    home.triggers = list { $0.trigger() }
    home.copy = optional { $0.copy() }
    return home
  }
}

// MARK: Commands and changes

extension JSONRandom {
  mutating func command(_ name: HomeCommandName) -> HomeCommand {
    switch name {
    case .addHome: .addHome(name: text(), zone: zone(), location: optional { $0.place() }, owner: text())
    case .removeHome: .removeHome(id())
    case .setPrimaryHome: .setPrimaryHome(id())
    case .setTimeZone: .setTimeZone(home: id(), zone())
    case .setLocation: .setLocation(home: id(), optional { $0.place() })
    case .rename: .rename(id(), text())
    case .addRoom: .addRoom(home: id(), name: text())
    case .removeRoom: .removeRoom(id())
    case .addZone: .addZone(home: id(), name: text())
    case .removeZone: .removeZone(id())
    case .addRoomToZone: .addRoomToZone(room: id(), zone: id())
    case .removeRoomFromZone: .removeRoomFromZone(room: id(), zone: id())
    case .addGroup: .addGroup(home: id(), name: text())
    case .removeGroup: .removeGroup(id())
    case .addServiceToGroup: .addServiceToGroup(service: id(), group: id())
    case .removeServiceFromGroup: .removeServiceFromGroup(service: id(), group: id())
    case .addDevice: .addDevice(home: id(), device())
    case .updateDevice: .updateDevice(home: id(), device())
    case .removeAccessory: .removeAccessory(id())
    case .moveAccessory: .moveAccessory(id(), room: id())
    case .blockAccessory: .blockAccessory(id())
    case .unblockAccessory: .unblockAccessory(id())
    case .setAssociatedType: .setAssociatedType(service: id(), optional { $0.type() })
    case .addActionSet: .addActionSet(home: id(), name: text())
    case .removeActionSet: .removeActionSet(id())
    case .addAction: .addAction(actionSet: id(), action())
    case .updateAction: .updateAction(actionSet: id(), action())
    case .removeAction: .removeAction(actionSet: id(), characteristic: id())
    case .addTrigger: .addTrigger(home: id(), name: text(), triggerKind())
    case .updateTrigger: .updateTrigger(id(), triggerKind())
    case .removeTrigger: .removeTrigger(id())
    case .enableTrigger: .enableTrigger(id())
    case .disableTrigger: .disableTrigger(id())
    case .addActionSetToTrigger: .addActionSetToTrigger(actionSet: id(), trigger: id())
    case .removeActionSetFromTrigger: .removeActionSetFromTrigger(actionSet: id(), trigger: id())
    case .addOwnedActionSet: .addOwnedActionSet(trigger: id(), list { $0.action() })
    case .addUser: .addUser(home: id(), name: text(), role: pick(HomeUser.Role.allCases))
    case .setRole: .setRole(user: id(), pick(HomeUser.Role.allCases))
    case .removeUser: .removeUser(id())
    }
  }

  mutating func change(_ name: HomeChangeName) -> HomeChange { HomeChange(id(), detail(name)) }

  private mutating func detail(_ change: HomeChangeName) -> HomeChange.Detail {
    switch change {
    case .homeAdded: .homeAdded(home())
    case .homeRemoved: .homeRemoved
    case .homeMadePrimary: .homeMadePrimary
    case .homeRenamed: .homeRenamed(name())
    case .copyRenewed: .copyRenewed(copy())
    case .timeZoneChanged: .timeZoneChanged(zone())
    case .locationChanged: .locationChanged(optional { $0.place() })
    case .roomAdded: .roomAdded(Room(id: id(), name: name()))
    case .roomRenamed: .roomRenamed(id(), name())
    case .roomRemoved: .roomRemoved(id())
    case .zoneAdded: .zoneAdded(RoomZone(id: id(), name: name(), rooms: ids()))
    case .zoneRenamed: .zoneRenamed(id(), name())
    case .zoneRemoved: .zoneRemoved(id())
    case .roomAddedToZone: .roomAddedToZone(room: id(), zone: id())
    case .roomRemovedFromZone: .roomRemovedFromZone(room: id(), zone: id())
    case .groupAdded: .groupAdded(ServiceGroup(id: id(), name: name(), services: ids()))
    case .groupRenamed: .groupRenamed(id(), name())
    case .groupRemoved: .groupRemoved(id())
    case .serviceAddedToGroup: .serviceAddedToGroup(service: id(), group: id())
    case .serviceRemovedFromGroup: .serviceRemovedFromGroup(service: id(), group: id())
    case .accessoryAdded: .accessoryAdded(accessory())
    case .accessoryRenamed: .accessoryRenamed(id(), name())
    case .accessoryMoved: .accessoryMoved(id(), room: id())
    case .accessoryRemoved: .accessoryRemoved(id())
    case .accessoryBlocked: .accessoryBlocked(id())
    case .accessoryUnblocked: .accessoryUnblocked(id())
    case .servicesUpdated: servicesUpdated()
    case .firmwareUpdated: .firmwareUpdated(id(), optional { $0.text() })
    case .accessoryDetailsUpdated:
      .accessoryDetailsUpdated(id(), information(), category: UInt8(number(0...255)), configurationNumber: 7)
    case .serviceRenamed: .serviceRenamed(accessory: id(), service: id(), name())
    case .associatedTypeChanged: .associatedTypeChanged(accessory: id(), service: id(), optional { $0.type() })
    case .actionSetAdded: .actionSetAdded(actionSet())
    case .actionSetRenamed: .actionSetRenamed(id(), name())
    case .actionSetRemoved: .actionSetRemoved(id())
    case .actionsChanged: .actionsChanged(id(), list { $0.action() })
    case .actionSetExecuted: .actionSetExecuted(id(), at: instant())
    case .triggerAdded: .triggerAdded(trigger())
    case .triggerRenamed: .triggerRenamed(id(), name())
    case .triggerUpdated: .triggerUpdated(trigger())
    case .triggerFired: .triggerFired(id(), at: optional { $0.instant() })
    case .triggerRemoved: .triggerRemoved(id())
    case .userAdded: .userAdded(user())
    case .userRoleChanged: .userRoleChanged(id(), pick(HomeUser.Role.allCases))
    case .userRemoved: .userRemoved(id())
    }
  }

  private mutating func servicesUpdated() -> HomeChange.Detail {
    let id = id()
    return .servicesUpdated(id, homeServices(of: id))
  }
}
