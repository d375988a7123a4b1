import HAPAlmanac
import HAPHome
import HAPModel
import HAPTestSupport

/// Random commands, of which the home refuses some.
struct RandomHome {
  var bench: HomeFileBench
  private var random: SeededGenerator

  /// Whether no command changes a part of the home that a document can't change back: the type of a controlled device, which is not
  /// written if there is none, and names of the vendor's accessory, which a person can't enter.
  private let keepsTypesAndVendor: Bool

  /// - Parameter commands: the number of attempted commands.
  init(seed: UInt64, commands: Int, keepsTypesAndVendor: Bool = false) throws {
    self.keepsTypesAndVendor = keepsTypesAndVendor
    random = SeededGenerator(seed: seed)
    bench = try HomeFileBench.filled(seed: seed, zone: seed % 2 == 0 ? .utc : HomeFileBench.city)
    if seed % 5 == 0 { try bench.perform(.setLocation(home: bench.home.id, nil)) }
    for _ in 0..<commands {
      let command = command()
      _ = try? bench.perform(command)
    }
    // A scene of an enabled trigger can lose its last action, but no command enables such a trigger.
    for trigger in bench.home.triggers where trigger.isEnabled {
      let sets = trigger.actionSets.compactMap { id in bench.home.actionSets.first { $0.id == id } }
      if sets.contains(where: \.actions.isEmpty) { try bench.perform(.disableTrigger(trigger.id)) }
    }
    // The same for its own set without actions, which a home can't get by a command.
    for trigger in bench.home.triggers {
      for set in bench.home.actionSets
      where set.kind == .triggerOwned && set.actions.isEmpty && trigger.actionSets.contains(set.id) {
        try bench.perform(.removeActionSetFromTrigger(actionSet: set.id, trigger: trigger.id))
      }
    }
  }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func pick<C: Collection>(_ values: C) -> C.Element { values.randomElement(using: &random)! }

  private mutating func name() -> String {
    pick([
      "Hall", "hall", "Kitchen", "Living Room", "livingroom", "Upstairs", "Night", "It's 5", "05 06", "on", "null",
      "Küche",
      "Ünter", "a", "12", "true", "Home 1", "home1", "Straße", "STRASSE", "日本", "Évé", "Scene", "Lamp", "Lamp 2", "Sun",
    ])
  }

  private mutating func command() -> HomeCommand {
    let home = bench.home
    let trigger = home.triggers.randomElement(using: &random)
    let set = pick(home.actionSets)
    let characteristic = characteristic()
    switch number(20) {
    case 0: return .addRoom(home: home.id, name: name())
    case 1: return .addZone(home: home.id, name: name())
    case 2: return .addGroup(home: home.id, name: name())
    case 3: return .addActionSet(home: home.id, name: name())
    case 4, 5:
      let ids = [home.id] + home.rooms.map(\.id) + home.zones.map(\.id) + home.groups.map(\.id)
      let accessories = keepsTypesAndVendor ? home.accessories.dropLast() : home.accessories[...]
      let others = accessories.map(\.id) + home.actionSets.map(\.id) + home.triggers.map(\.id)
      let services = accessories.flatMap(\.services).filter(\.isUserInteractive).map(\.id)
      return .rename(pick(ids + others + services), name())
    case 6:
      guard let room = home.rooms.randomElement(using: &random) else { return .addRoom(home: home.id, name: name()) }
      return .moveAccessory(pick(home.accessories).id, room: room.id)
    case 7:
      guard let room = home.rooms.randomElement(using: &random), let zone = home.zones.randomElement(using: &random)
      else { return .addZone(home: home.id, name: name()) }
      return zone.rooms.contains(room.id)
        ? .removeRoomFromZone(room: room.id, zone: zone.id) : .addRoomToZone(room: room.id, zone: zone.id)
    case 8:
      guard let group = home.groups.randomElement(using: &random) else { return .addGroup(home: home.id, name: name()) }
      return .addServiceToGroup(service: pick(pick(home.accessories).services).id, group: group.id)
    case 9:
      if keepsTypesAndVendor { return .addGroup(home: home.id, name: name()) }
      return .setAssociatedType(
        service: pick(pick(home.accessories).services).id, pick([0x43, 0x40, 0x47, nil] as [TypeID?]))
    case 10, 11: return .addAction(actionSet: set.id, HomeAction(characteristic.id, value(of: characteristic)))
    case 12:
      guard let action = set.actions.randomElement(using: &random) else { return .setTimeZone(home: home.id, .utc) }
      return .removeAction(actionSet: set.id, characteristic: action.characteristic)
    case 13, 14: return .addTrigger(home: home.id, name: name(), kind())
    default: break
    }
    guard let trigger else { return .addTrigger(home: home.id, name: name(), kind()) }
    switch number(6) {
    case 0: return .enableTrigger(trigger.id)
    case 1: return .updateTrigger(trigger.id, kind())
    case 2: return .addOwnedActionSet(trigger: trigger.id, [HomeAction(characteristic.id, value(of: characteristic))])
    case 3 where number(3) == 0: return .removeTrigger(trigger.id)
    default: return .addActionSetToTrigger(actionSet: set.id, trigger: trigger.id)
    }
  }

  private mutating func characteristic() -> HomeCharacteristic {
    pick(pick(pick(bench.home.accessories.filter { $0.services.count > 1 }).services).characteristics)
  }

  /// A value that is often allowed.
  private mutating func value(of characteristic: HomeCharacteristic) -> Value {
    switch characteristic.rules.format {
    case .bool: pick([true, false, .integer(1), .integer(0)])
    case .uint8: .integer(Int128(number(4)))
    case .uint64: pick([.integer(Int128(UInt64.max)), 7])
    case .int: .integer(Int128(number(101)))
    case .uint16, .uint32: 5
    case .float: pick([.float(20), .integer(21), .float(20.5), .float(36)])
    case .string: pick(["", "on", "12", "true", "a: b", "a\nb", " x", "#", "💡", "null", "1e3"])
    case .tlv8, .data: pick([.data([]), .data([1, 2, 255])])
    }
  }

  // MARK: Triggers

  private mutating func kind() -> Trigger.Kind {
    if number(3) == 0 {
      let start = Instant(seconds: (HomeFileBench.now.seconds / 60 + Int64(number(40_000)) + 1) * 60)
      let period = pick([
        nil, CivilPeriod(days: 1), CivilPeriod(months: 1, days: 2), CivilPeriod(weeks: 2),
        CivilPeriod(hours: 5, minutes: 5),
      ])
      return .timer(
        TimerTrigger(fireDate: start, recurrence: period, zone: pick([nil, ZoneName.utc, HomeFileBench.city])))
    }
    return .event(
      EventTrigger(
        events: (0...number(2)).map { _ in event() },
        endEvents: (0..<number(2)).map { _ in
          number(2) == 0 ? .duration(seconds: pick([1, 90, 600, 7200])) : event()
        },
        weekdays: Set(Weekday.allCases.filter { _ in number(4) == 0 }),
        condition: number(2) == 0 ? condition(number(5) == 0 ? 31 : 3) : nil, executesOnce: number(3) == 0))
  }

  private mutating func sunMoment() -> SunMoment {
    SunMoment(pick(SunEvent.allCases), offset: pick([0, 0, -1800, 3600, 61]))!
  }

  private mutating func presence() -> PresenceEvent {
    let users = bench.home.users.map(\.id)
    let kind = pick(PresenceEvent.Kind.allCases)
    return PresenceEvent(kind, of: pick([.homeUsers, .currentUser, .users([pick(users)]), .users(Set(users))]))
  }

  private mutating func parts() -> DateParts {
    pick([
      try! DateParts(hour: 18, minute: 0), try! DateParts(hour: 7, minute: 30, second: 15), try! DateParts(hour: 9),
      try! DateParts(weekday: .sunday), try! DateParts(month: 12, day: 24, hour: 18, minute: 5),
      try! DateParts(year: 2027, second: 3), try! DateParts(hour: 0, minute: 0),
    ])
  }

  private mutating func event() -> HomeEvent {
    let characteristic = characteristic()
    switch number(7) {
    case 0, 1:
      return .characteristic(characteristic.id, equals: number(3) == 0 ? nil : value(of: characteristic))
    case 2:
      let range = pick([
        ThresholdRange(min: 20, max: nil), ThresholdRange(min: nil, max: 0.5), ThresholdRange(min: -1.25, max: 1e22),
      ])
      return .threshold(characteristic.id, range!)
    case 3: return .calendar(parts())
    case 4: return .sun(sunMoment())
    case 5: return .presence(presence())
    default:
      let region = Region(centre: Coordinate(latitude: -12.5, longitude: 7)!, radius: pick([1, 150.5, 1e6]))!
      return .location(region, onEntry: number(2) == 0, onExit: number(2) == 0)
    }
  }

  private mutating func condition(_ depth: Int) -> Condition {
    if depth > 1, number(8) > 0 {
      let parts = (0..<(depth > 5 ? 1 : number(3) + 1)).map { _ in condition(depth - 1) }
      return pick([.all(parts), .any(parts), .not(parts[0]), .any([parts[0], .unknown])])
    }
    let characteristic = characteristic()
    switch number(9) {
    case 0: return .time(.before(parts()))
    case 1: return .time(.after(parts()))
    case 2: return .time(.on(parts()))
    case 3: return .time(.between(parts(), parts()))
    case 4:
      return pick([.sun(.before(sunMoment())), .sun(.after(sunMoment())), .sun(.between(sunMoment(), sunMoment()))])
    case 5: return .presence(PresenceEvent(.firstEntry, of: presence().users))
    case 6: return pick([.all([]), .any([]), .unknown])
    default:
      return .characteristic(characteristic.id, pick(Comparison.allCases), value(of: characteristic))
    }
  }
}
