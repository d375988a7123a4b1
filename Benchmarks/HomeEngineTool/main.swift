// Runs the automation engine in virtual time, and prints the times, for Benchmarks/home_engine.py.
//
//   HomeEngineTool week            prints the seconds of a virtual week of 100 triggers, the number of its actions, and their checksum
//   HomeEngineTool events COUNT    prints the microseconds of a value that no trigger uses, of one with 3 conditions that are false,
//                                  and of one with 3 conditions that leads to an execution, each the mean of COUNT
import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPModel

/// Ten lights and ten sensors, each with a temperature and a motion.
struct Bench {
  var model = HomeModel()
  var generator = Numbers()
  let start: Instant
  let zone: ZoneRules
  let home: HomeObjectID
  var motions: [HomeObjectID] = [], temperatures: [HomeObjectID] = [], unused: HomeObjectID
  var sets: [HomeObjectID] = []

  init() throws {
    zone = try ZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3")
    start = zone.instant(of: try CivilTime("2026-10-20T00:00"))
    guard let berlin = Coordinate(latitude: 52.52, longitude: 13.405), let name = ZoneName("Europe/Berlin") else {
      preconditionFailure("the place and the name are valid")
    }
    let context = HomeContext(now: start) { [zone] _ in zone }
    _ = try model.perform(
      .addHome(name: "Home", zone: name, location: berlin, owner: "Anna"), in: context, using: &generator)
    home = model.homes[0].id
    unused = home
    for number in 0..<10 {
      let device = DeviceDescription(
        device: DeviceID(bytes: [1, 2, 3, 4, 5, UInt8(number)])!, configurationNumber: 1, category: 5,
        accessories: [Self.accessory(number)])
      try perform(.addDevice(home: home, device))
      let characteristics = model.homes[0].accessories[number].services.flatMap(\.characteristics)
      func id(_ type: TypeID) -> HomeObjectID { characteristics.first { $0.type == type }!.id }
      motions.append(id(0x22))
      temperatures.append(id(0x11))
      unused = id(0x8)
      try perform(.addActionSet(home: home, name: "Set \(number)"))
      sets.append(model.homes[0].actionSets.last!.id)
      try perform(.addAction(actionSet: sets[number], HomeAction(id(0x25), .bool(number % 2 == 0))))
    }
  }

  mutating func perform(_ command: HomeCommand) throws {
    let context = HomeContext(now: start) { [zone] _ in zone }
    _ = try model.perform(command, in: context, using: &generator)
  }

  mutating func addTrigger(_ kind: Trigger.Kind) throws {
    let number = model.homes[0].triggers.count
    try perform(.addTrigger(home: home, name: "Trigger \(number)", kind))
    let id = model.homes[0].triggers[number].id
    try perform(.addActionSetToTrigger(actionSet: sets[number % sets.count], trigger: id))
    try perform(.enableTrigger(id))
  }

  func engine() -> HomeEngine { HomeEngine { [zone] _ in zone } }

  private static func accessory(_ number: Int) -> Accessory {
    func text(_ iid: UInt64, _ type: TypeID, _ text: String) -> Characteristic {
      Characteristic(iid: iid, type: type, format: .string, perms: .pairedRead, value: .string(text))
    }
    let control: Permissions = [.pairedRead, .pairedWrite, .events], sensor: Permissions = [.pairedRead, .events]
    return Accessory(
      aid: 1,
      services: [
        Service(
          iid: 1, type: 0x3E,
          characteristics: [
            text(2, 0x23, "Device \(number)"), text(3, 0x20, "Example"), text(4, 0x21, "M"), text(5, 0x30, "\(number)"),
            text(6, 0x52, "1.0"),
          ]),
        Service(
          iid: 10, type: 0x43,
          characteristics: [
            Characteristic(iid: 11, type: 0x25, format: .bool, perms: control),
            Characteristic(iid: 12, type: 0x8, format: .int, perms: control), text(13, 0x23, "Light \(number)"),
          ]),
        Service(
          iid: 20, type: 0x85,
          characteristics: [
            Characteristic(iid: 21, type: 0x22, format: .bool, perms: sensor),
            Characteristic(
              iid: 22, type: 0x11, format: .float, perms: sensor, constraints: Constraints(minStep: 0.1)),
            text(23, 0x23, "Sensor \(number)"),
          ]),
      ])
  }
}

/// SplitMix64.
struct Numbers: RandomNumberGenerator {
  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A shell that answers each action at once, and counts the actions.
struct Shell {
  var engine: HomeEngine
  var count = 0
  /// All actions as texts; nil: they are not written.
  var trace: [String]?

  mutating func perform(_ actions: [EngineAction]) {
    var queue = actions
    var next = 0
    while next < queue.count {
      let action = queue[next]
      next += 1
      count += 1
      trace?.append("\(action)")
      switch action {
      case .record(_, with: _, let ticket), .recordPerson(_, let ticket): queue += engine.recorded(ticket)
      case .read(let ids, let ticket): queue += engine.readEnded(ticket, Dictionary(ids.map { ($0, false) }) { $1 })
      case .execute(_, trigger: _, let ticket): queue += engine.sceneEnded(ticket, ExecutionReport(done: 1))
      case .restore(let writes, trigger: _, let ticket):
        queue += engine.sceneEnded(ticket, ExecutionReport(done: writes.count))
      case .subscribe, .tell, .explain: break
      }
    }
  }

  mutating func run(until time: Instant) {
    while let deadline = engine.nextDeadline, deadline <= time { perform(engine.advance(to: deadline)) }
    perform(engine.advance(to: time))
  }
}

func parts(_ hour: Int) throws -> DateParts { try DateParts(hour: hour, minute: 0) }

/// 50 timers of 5 minutes to a day, 20 sun events, and 30 characteristic events with up to three conditions; one value each
/// minute.
func week(_ trace: [String]?) throws -> (seconds: Double, shell: Shell) {
  var bench = try Bench()
  for number in 0..<50 {
    let period = CivilPeriod(minutes: 5 + number * 1435 / 49)
    let fireDate = bench.start.advanced(by: .seconds(60 * (1 + number)))
    try bench.addTrigger(.timer(TimerTrigger(fireDate: fireDate, recurrence: period)))
  }
  for number in 0..<20 {
    guard let moment = SunMoment(number % 2 == 0 ? .sunrise : .sunset, offset: (number - 10) * 600) else { continue }
    try bench.addTrigger(.event(EventTrigger(events: [.sun(moment)], weekdays: number % 5 == 0 ? [.monday] : [])))
  }
  for number in 0..<30 {
    let comparisons: [Condition] = [
      .time(.between(try parts(6), try parts(22))), .characteristic(bench.temperatures[number % 10], .greater, 20),
      .characteristic(bench.motions[(number + 1) % 10], .equal, true),
    ]
    let event = HomeEvent.characteristic(bench.motions[number % 10], equals: true)
    let ends = number % 10 == 0 ? [HomeEvent.duration(seconds: 600)] : []
    try bench.addTrigger(
      .event(EventTrigger(events: [event], endEvents: ends, condition: .all(Array(comparisons.prefix(number % 4))))))
  }
  var shell = Shell(engine: bench.engine(), trace: trace)
  let clock = ContinuousClock()
  let begin = clock.now
  shell.perform(shell.engine.start(bench.model, at: bench.start))
  for minute in 1...7 * 1440 {
    shell.run(until: bench.start.advanced(by: .seconds(minute * 60 - 30)))
    let id = minute % 3 == 0 ? bench.temperatures[minute / 3 % 10] : bench.motions[minute / 3 % 10]
    let isMotion = minute / 30 % 2 == minute % 3 - 1
    let value: Value = minute % 3 == 0 ? .float(Double(180 + minute % 50) / 10) : .bool(isMotion)
    shell.perform(shell.engine.value(value, of: id))
  }
  return ((clock.now - begin) / .seconds(1), shell)
}

/// FNV-1a of texts: equal in each process, unlike `hashValue`.
func checksum(_ texts: [String]) -> UInt64 {
  texts.lazy.flatMap(\.utf8).reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

/// The mean microseconds of a value event, with a trigger whose condition has three comparisons.
func events(_ count: Int, isTrue: Bool, isUsed: Bool) throws -> Double {
  var bench = try Bench()
  let condition = Condition.all([
    .time(.before(try parts(23))), .characteristic(bench.temperatures[0], .greater, 10),
    .characteristic(bench.motions[0], .equal, .bool(isTrue)),
  ])
  for motion in bench.motions.dropFirst() {
    try bench.addTrigger(.on(.characteristic(motion, equals: nil), if: condition))
  }
  var shell = Shell(engine: bench.engine())
  shell.perform(shell.engine.start(bench.model, at: bench.start))
  shell.perform(shell.engine.value(true, of: bench.motions[0], isCatchUp: true))
  shell.perform(shell.engine.value(20.0, of: bench.temperatures[0], isCatchUp: true))
  let id = isUsed ? bench.motions[1] : bench.unused
  let clock = ContinuousClock()
  var total = Duration.zero
  for number in 0..<count {
    // Time passes, so that this is no loop of triggers.
    let time = bench.start.advanced(by: .milliseconds(number * 200))
    let begin = clock.now
    var actions = shell.engine.advance(to: time)
    actions += shell.engine.value(.bool(number % 2 == 0), of: id)
    total += clock.now - begin
    shell.perform(actions)
  }
  return total / .microseconds(1) / Double(count)
}

extension Trigger.Kind {
  static func on(_ event: HomeEvent, if condition: Condition) -> Trigger.Kind {
    .event(EventTrigger(events: [event], condition: condition))
  }
}

let words = CommandLine.arguments.dropFirst()
switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
case ("week", nil):
  let (seconds, shell) = try week(nil)
  print(seconds, shell.count, checksum(try week([]).shell.trace ?? []))
case ("events", let count?) where count > 0:
  print(
    try events(count, isTrue: true, isUsed: false), try events(count, isTrue: false, isUsed: true),
    try events(count, isTrue: true, isUsed: true))
default: print("usage: HomeEngineTool week | events COUNT")
}
