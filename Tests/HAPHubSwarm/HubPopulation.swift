import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWorld

/// A home with random triggers, each of which has its own lamp: a write to a lamp shows which trigger was executed.
struct HubPopulation {
  /// A sensor, whose value the surroundings change.
  struct Sensor {
    enum Kind: CaseIterable { case flag, level, button }
    let id: HomeObjectID
    let kind: Kind
    let device: Int
  }

  struct PlannedTrigger {
    let id: HomeObjectID
    let kind: Trigger.Kind
    /// The writes of its set.
    let writes: [HomeAction]
    /// The device with its lamp.
    let device: Int
  }

  static let place = Coordinate(latitude: 52.52, longitude: 13.41)!
  static let deviceCount = 4

  private(set) var model = HomeModel()
  private(set) var sensors: [Sensor] = []
  private(set) var triggers: [PlannedTrigger] = []
  private(set) var users: [HomeObjectID] = []
  /// The first values of all characteristics.
  private(set) var values: [HomeObjectID: Value] = [:]
  /// The device of each characteristic.
  private(set) var devices: [HomeObjectID: Int] = [:]
  let zone: HubZone
  /// The time of the hub's clock at the start, compared with the start of the world.
  let clockOffset: Duration
  private var random: WorldRandom
  private let start: Instant

  /// Creates a home, in some runs on the day of a clock change in its zone.
  init(_ random: WorldRandom) {
    self.random = random
    zone = HubZone.all[Int(self.random.upTo(UInt64(HubZone.all.count - 1)))]
    let worldBegin = Instant(nanoseconds: 0).advanced(by: SimulatedHost.worldBegin)
    let change = zone.transitions.isEmpty ? nil : zone.transitions[Int(self.random.upTo(1))]
    let begin = change.map { $0.advanced(by: .seconds(-12 * 3600)) } ?? worldBegin
    start = self.random.chance(0.7) ? begin : worldBegin
    clockOffset = worldBegin.duration(to: start)
    let count = 6 + Int(self.random.upTo(6))
    perform(.addHome(name: "Home", zone: zone.name, location: Self.place, owner: "Anna"))
    let home = model.homes[0].id
    for name in ["Ben", "Cleo"].prefix(Int(self.random.upTo(2))) {
      perform(.addUser(home: home, name: name, role: .guest))
    }
    users = model.homes[0].users.map(\.id)
    for device in 0..<2 { addSensors(device, to: home) }
    let devices = (2..<Self.deviceCount).map { device in addLamps(device, count: count, to: home) }
    let lamps = (0..<count).map { devices[$0 % 2][$0] }
    for number in 0..<count { addTrigger(number, lamps, to: home) }
  }

  private mutating func perform(_ command: HomeCommand) {
    let rules = zone.rules
    let context = HomeContext(now: start) { _ in rules }
    do throws(HomeError) { _ = try model.perform(command, in: context, using: &random) } catch {
      preconditionFailure("the command \(command) is valid: \(error)")
    }
  }

  // MARK: Devices

  private mutating func addSensors(_ device: Int, to home: HomeObjectID) {
    let notifies: Permissions = [.pairedRead, .events]
    let characteristics = [
      (TypeID(0x85), Characteristic(iid: 11, type: 0x22, format: .bool, perms: notifies, value: false)),
      (
        TypeID(0x96),
        Characteristic(
          iid: 21, type: 0x68, format: .uint8, perms: notifies, value: 50,
          constraints: Constraints(minValue: 0, maxValue: 100, minStep: 1))
      ),
      (TypeID(0x89), Characteristic(iid: 31, type: 0x73, format: .uint8, perms: notifies, value: .null)),
    ]
    let services = characteristics.map { type, characteristic in
      Service(iid: characteristic.iid - 1, type: type, characteristics: [characteristic])
    }
    let ids = add(device, "Sensor", services, to: home)
    for (kind, id) in zip(Sensor.Kind.allCases, ids) {
      sensors.append(Sensor(id: id, kind: kind, device: device))
      values[id] = kind == .flag ? false : kind == .level ? 50 : .null
    }
  }

  /// - Returns: the characteristics On and Brightness of each lamp.
  private mutating func addLamps(_ device: Int, count: Int, to home: HomeObjectID) -> [[HomeObjectID]] {
    let control: Permissions = [.pairedRead, .pairedWrite, .events]
    let services = (0..<count).map { number in
      let iid = UInt64(100 + 10 * number)
      return Service(
        iid: iid, type: 0x43,
        characteristics: [
          Characteristic(iid: iid + 1, type: 0x25, format: .bool, perms: control, value: false),
          Characteristic(
            iid: iid + 2, type: 0x8, format: .int, perms: control, value: 0,
            constraints: Constraints(minValue: 0, maxValue: 100, minStep: 1)),
        ])
    }
    let ids = add(device, "Lamp", services, to: home)
    for (index, id) in ids.enumerated() { values[id] = index % 2 == 0 ? false : 0 }
    return (0..<count).map { [ids[2 * $0], ids[2 * $0 + 1]] }
  }

  /// - Returns: the characteristics of the services.
  private mutating func add(_ device: Int, _ name: String, _ services: [Service], to home: HomeObjectID)
    -> [HomeObjectID]
  {
    let information = Service(
      iid: 1, type: 0x3E,
      characteristics: [
        Characteristic(iid: 2, type: 0x23, format: .string, perms: .pairedRead, value: .string("\(name) \(device)"))
      ])
    let description = DeviceDescription(
      device: DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, UInt8(device)])!, configurationNumber: 1, category: 10,
      accessories: [Accessory(aid: 1, services: [information] + services)])
    perform(.addDevice(home: home, description))
    let added = model.homes[0].accessories.last!
    let ids = added.services.filter { $0.iid != 1 }.flatMap(\.characteristics).map(\.id)
    for id in ids { devices[id] = device }
    return ids
  }

  // MARK: Triggers

  /// - Parameter lamps: On and Brightness of the lamp of each trigger.
  private mutating func addTrigger(_ number: Int, _ lamps: [[HomeObjectID]], to home: HomeObjectID) {
    let (lamp, device) = (lamps[number], 2 + number % 2)
    let kind = number % 5 == 0 ? .timer(timer()) : Trigger.Kind.event(eventTrigger(number, lamps.map { $0[0] }))
    perform(.addTrigger(home: home, name: "Trigger \(number)", kind))
    perform(.addActionSet(home: home, name: "Scene \(number)"))
    let (trigger, set) = (model.homes[0].triggers.last!.id, model.homes[0].actionSets.last!.id)
    let writes = [HomeAction(lamp[0], true), HomeAction(lamp[1], .integer(Int128(10 + number)))]
    for write in writes { perform(.addAction(actionSet: set, write)) }
    perform(.addActionSetToTrigger(actionSet: set, trigger: trigger))
    perform(.enableTrigger(trigger))
    triggers.append(PlannedTrigger(id: trigger, kind: kind, writes: writes, device: device))
  }

  private mutating func timer() -> TimerTrigger {
    let minutes = (start.seconds / 60 + 1 + Int64(random.upTo(30))) * 60
    let periods = [5, 7, 20, 60, 240].map { CivilPeriod(minutes: $0)! } + [CivilPeriod(days: 1)!]
    return TimerTrigger(fireDate: Instant(seconds: minutes), recurrence: pick(periods))
  }

  private mutating func eventTrigger(_ number: Int, _ lamps: [HomeObjectID]) -> EventTrigger {
    var events = [event(number % 5)]
    if random.chance(0.3) {
      // Another trigger switches this lamp.
      events.append(.characteristic(lamps[Int(random.upTo(UInt64(number - 1)))], equals: lampValue()))
    }
    if random.chance(0.2) { events.append(event(Int(random.upTo(4)))) }
    var trigger = EventTrigger(events: events)
    if random.chance(0.5) {
      trigger.endEvents = [.duration(seconds: Int(60 + random.upTo(1500)))]
      if random.chance(0.3) { trigger.endEvents.append(event(3)) }
    }
    if random.chance(0.6) { trigger.condition = condition(depth: 2) }
    if random.chance(0.15) { trigger.weekdays = Set(Weekday.allCases.filter { _ in random.chance(0.6) }) }
    trigger.executesOnce = random.chance(0.15)
    return trigger
  }

  private mutating func event(_ number: Int) -> HomeEvent {
    switch number {
    case 1: .calendar(calendar())
    case 2: .sun(SunMoment(random.chance(0.5) ? .sunrise : .sunset, offset: Int(random.upTo(7200)) - 3600)!)
    case 3: characteristicEvent()
    case 4: random.chance(0.4) ? location() : .presence(presence())
    default: characteristicEvent()
    }
  }

  private mutating func lampValue() -> Value? { random.chance(0.3) ? nil : .bool(random.chance(0.6)) }

  private mutating func location() -> HomeEvent {
    let isEntry = random.chance(0.5)
    return .location(
      random.chance(0.5) ? HubSpot.officeRegion : HubSpot.homeRegion, onEntry: isEntry,
      onExit: !isEntry || random.chance(0.5))
  }

  private mutating func calendar() -> DateParts {
    let minute = Int(random.upTo(59))
    let hour = random.chance(0.6) ? nil : Int(random.upTo(23))
    do throws(CivilError) { return try DateParts(hour: hour, minute: minute) } catch {
      preconditionFailure("the parts are valid: \(error)")
    }
  }

  private mutating func characteristicEvent() -> HomeEvent {
    let sensor = pick(sensors)
    switch sensor.kind {
    case .flag: return .characteristic(sensor.id, equals: random.chance(0.3) ? nil : .bool(random.chance(0.5)))
    case .level: return .threshold(sensor.id, ThresholdRange(min: 60, max: nil)!)
    case .button: return .characteristic(sensor.id, equals: .integer(Int128(random.upTo(1))))
    }
  }

  private mutating func presence() -> PresenceEvent {
    let kind = pick(PresenceEvent.Kind.allCases)
    return PresenceEvent(kind, of: random.chance(0.3) ? .currentUser : .homeUsers)
  }

  private mutating func condition(depth: Int) -> Condition {
    if depth > 0 {
      switch random.upTo(5) {
      case 0: return .all([condition(depth: depth - 1), condition(depth: depth - 1)])
      case 1: return .any([condition(depth: depth - 1), condition(depth: depth - 1)])
      case 2: return .not(condition(depth: depth - 1))
      default: break
      }
    }
    switch random.upTo(4) {
    case 0:
      let hour = Int(random.upTo(23))
      let parts = try! DateParts(hour: hour, minute: 0)
      return .time(random.chance(0.5) ? .before(parts) : .after(parts))
    case 1: return .presence(PresenceEvent(random.chance(0.5) ? .firstEntry : .lastExit, of: .homeUsers))
    default:
      let sensor = pick(sensors.filter { $0.kind != .button })
      if sensor.kind == .flag { return .characteristic(sensor.id, .equal, .bool(random.chance(0.5))) }
      return .characteristic(sensor.id, random.chance(0.5) ? .less : .greaterOrEqual, 50)
    }
  }

  private mutating func pick<T>(_ list: [T]) -> T { list[Int(random.upTo(UInt64(list.count - 1)))] }
}
