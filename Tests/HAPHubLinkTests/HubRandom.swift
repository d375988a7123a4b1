import HAPAlmanac
import HAPModel
import HAPTestSupport

@testable import HAPHome
@testable import HAPHomeEngine
@testable import HAPHubLink

/// A model that random commands change, most of which are valid.
struct RandomHomes {
  var model = HomeModel()
  var generator: SeededGenerator
  private var commandCount = 0

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    _ = try? perform(.addHome(name: "My Home", zone: .utc, location: nil, owner: "Anna"))
    _ = try? perform(.addDevice(home: model.homes[0].id, .bridge(1)))
  }

  mutating func perform(_ command: HomeCommand) throws(HomeError) -> [HomeChange] {
    let context = HomeContext(now: Instant(seconds: 1_780_000_000)) { _ in .utc }
    return try model.perform(command, in: context, using: &generator)
  }

  /// Performs random commands until one is accepted and changes something.
  mutating func step() -> (command: HomeCommand, changes: [HomeChange]) {
    while true {
      let command = command()
      if let changes = try? perform(command), !changes.isEmpty { return (command, changes) }
    }
  }

  private mutating func pick<T>(_ list: [T]) -> T? { list.randomElement(using: &generator) }

  /// Returns a random command, valid or not.
  mutating func command() -> HomeCommand {
    commandCount += 1
    let homes = model.homes
    let name = "N\(UInt8.random(in: 0...40, using: &generator)) é\(commandCount % 7)"
    guard let home = pick(homes) else { return .addHome(name: name, zone: .utc, location: nil, owner: "Anna") }
    let none = HomeObjectID.random(using: &generator)
    let room = pick(home.rooms)?.id ?? none, accessory = pick(home.accessories)?.id ?? none
    let set = pick(home.actionSets)?.id ?? none, trigger = pick(home.triggers)?.id ?? none
    let user = pick(home.users)?.id ?? none
    let on =
      pick(home.accessories.flatMap(\.services).flatMap(\.characteristics).filter { $0.type == 0x25 })?.id ?? none
    let evening = try! DateParts(hour: 18)
    let lights = HomeEvent.characteristic(on, equals: true)
    let commands: [HomeCommand] = [
      homes.count < 4 ? .addHome(name: name, zone: .utc, location: nil, owner: "Anna") : .removeHome(home.id),
      homes.count > 1 ? .removeHome(home.id) : .addRoom(home: home.id, name: name), .setPrimaryHome(home.id),
      .rename(pick([home.id, room, accessory, set, trigger]) ?? none, name), .addRoom(home: home.id, name: name),
      .addRoom(home: home.id, name: name), .removeRoom(room), .moveAccessory(accessory, room: room),
      .addActionSet(home: home.id, name: name), .addAction(actionSet: set, HomeAction(on, true)),
      .removeAction(actionSet: set, characteristic: on), .removeActionSet(set),
      .addTrigger(
        home: home.id, name: name, .event(EventTrigger(events: [lights], condition: .time(.before(evening))))),
      .addActionSetToTrigger(actionSet: set, trigger: trigger), .enableTrigger(trigger), .removeTrigger(trigger),
      .addUser(home: home.id, name: name, role: .guest), .removeUser(user),
      .addDevice(home: home.id, .bridge(UInt8.random(in: 2...9, using: &generator))), .removeAccessory(accessory),
    ]
    return pick(commands) ?? commands[0]
  }
}

extension DeviceDescription {
  /// A bridge with two lights.
  static func bridge(_ number: UInt8) -> DeviceDescription {
    let accessories = (1...3).map { aid in
      let name = Characteristic(
        iid: 2, type: 0x23, format: .string, perms: .pairedRead, value: .string("D\(number) \(aid)"))
      let on = Characteristic(
        iid: 11, type: 0x25, format: .bool, perms: [.pairedRead, .pairedWrite, .events], value: false)
      let light = Service(iid: 10, type: 0x43, characteristics: [on])
      return Accessory(
        aid: UInt64(aid), services: [Service(iid: 1, type: 0x3E, characteristics: [name])] + (aid > 1 ? [light] : []))
    }
    return DeviceDescription(
      device: DeviceID(bytes: [0xAA, 0xBB, 0xCC, 0, 0, number])!, configurationNumber: 1, category: 2,
      accessories: accessories)
  }
}

/// Random requests, answers and events. Each function of a name has a switch without a default, so that a new case has
/// to be added here.
struct HubRandom {
  var homes: RandomHomes
  private var lastChanges: [HomeChange] = []

  init(seed: UInt64) { homes = RandomHomes(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &homes.generator) }
  mutating func flag() -> Bool { Bool.random(using: &homes.generator) }
  mutating func pick<T>(_ list: [T]) -> T { list.randomElement(using: &homes.generator)! }
  mutating func optional<T>(_ make: (inout HubRandom) -> T) -> T? { flag() ? make(&self) : nil }
  mutating func list<T>(_ make: (inout HubRandom) -> T) -> [T] { (0..<number(0...3)).map { _ in make(&self) } }
  mutating func id() -> HomeObjectID { .random(using: &homes.generator) }
  mutating func ids() -> [HomeObjectID] { list { $0.id() } }
  mutating func bytes(_ count: Int) -> [UInt8] { homes.generator.bytes(count) }

  mutating func text() -> String {
    pick(["Kitchen", "a \"quoted\" text", "Küche\n", "灯", "\u{0}\\/\u{2028}", "", "👩‍👩‍👧 e\u{301}"]) + "\(number(0...99))"
  }

  mutating func app() -> String { pick(["hapctl", "Küche 灯", "x", String(repeating: "a", count: 64)]) }

  mutating func instant() -> Instant {
    pick([
      Instant(seconds: Int64(number(-4_000_000_000...8_000_000_000))), .distantPast, .distantFuture,
      Instant(seconds: 1_780_000_000, nanosecond: Int64(number(0...999_999_999))),
    ])
  }

  mutating func value() -> Value {
    pick([
      .null, .bool(flag()), .integer(Int128(number(-300...300))), .integer(.max), .float(1), .float(-0.1),
      .float(-.infinity), .string(text()), .data([]), .data(bytes(5)),
    ])
  }

  mutating func action() -> HomeAction { HomeAction(id(), value()) }
  mutating func device() -> DeviceID { DeviceID(bytes: bytes(6))! }

  mutating func error() -> HomeError {
    HomeError(pick(HomeError.Code.allCases), optional { $0.pick(HomeRule.allCases) }, text())
  }

  mutating func person() -> PersonState {
    let position = Coordinate(latitude: pick([0, -90, 37.33]), longitude: pick([180, 0.1 + 0.2]))!
    return PersonState(id(), pick([.home, .away, .position(position)]))
  }

  mutating func changes() -> [HomeChange] { list { $0.homes.step().changes }.flatMap { $0 } }

  mutating func reading() -> CharacteristicReading {
    CharacteristicReading(id(), value: optional { $0.value() }, error: optional { $0.error() })
  }

  mutating func result() -> ExecutionResult {
    ExecutionResult(
      actions: list { random in
        ExecutionResult.Action(
          actionSet: random.optional { $0.id() }, action: random.action(),
          outcome: random.pick(ExecutionResult.Outcome.allCases), status: random.optional { $0.number(-70412...0) },
          error: random.optional { $0.error() })
      }, skipped: list { ExecutionResult.SkippedSet($0.id(), $0.error()) }, error: optional { $0.error() })
  }

  mutating func report() -> EvaluationReport {
    EvaluationReport(
      trigger: id(), number: number(0...99), time: instant(), outcome: text(), text: "\(text())\n  \(text())",
      detail: pick(["{}", #"{"a":[1.50,null,{"b":"ü\n"}],"c":1e5}"#]))
  }

  mutating func newAccessory() -> NewAccessory {
    NewAccessory(
      device: device(), name: text(), model: optional { $0.text() }, category: optional { UInt8($0.number(0...255)) },
      setupHash: optional { $0.bytes(4) })
  }

  mutating func status() -> HubStatus {
    HubStatus(
      version: text(), processID: number(0...99), started: instant(),
      devices: list { random in
        HubStatus.Device(
          device: random.device(), isReachable: random.flag(), why: random.optional { $0.text() },
          address: random.optional { $0.text() }, subscriptions: random.number(0...9))
      },
      apps: list { random in
        HubStatus.App(
          name: random.text(), processID: random.optional { $0.number(0...99) }, subscriptions: random.number(0...9),
          gaps: random.number(0...9))
      }, problems: list { $0.text() })
  }

  mutating func snapshot() -> HubSnapshot {
    for _ in 0..<number(0...20) { _ = homes.step() }
    let persons = list { $0.person() }.sorted { $0.user < $1.user }
    return HubSnapshot(
      model: flag() ? homes.model : HomeModel(),
      unreachable: Dictionary(list { ($0.id(), $0.text()) }) { first, _ in first }, persons: persons)
  }
}

extension HubRandom {
  mutating func request(_ name: HubRequestName) -> HubRequest {
    switch name {
    case .attach: .attach(app: app())
    case .perform: .perform(homes.command())
    case .execute: .execute(ids())
    case .write: .write(home: id(), list { $0.action() })
    case .read: .read(ids())
    case .subscribe: .subscribe(ids())
    case .unsubscribe: .unsubscribe(ids())
    case .fire: .fire(id())
    case .explain: .explain(id())
    case .place: .place(person())
    case .authorize: .authorize(id(), optional { random in (0..<random.number(1...9)).map { UInt8($0) } })
    case .identify: .identify(id())
    case .search: .search
    case .endSearch: .endSearch
    case .identifyNew: .identifyNew(device())
    case .add: .add(AccessoryAddition(home: id(), device: optional { $0.device() }, code: text()))
    case .adopt: .adopt(adoption())
    case .remove: .remove(id(), forgets: flag())
    case .drop: .drop(device())
    case .requestShare: .requestShare(name: text())
    case .share: .share(HomeSharing(home: id(), request: text(), role: pick([.administrator, .guest])))
    case .renewShare: .renewShare(user: id())
    case .acceptShare: .acceptShare(text())
    case .pageToken: .pageToken(user: optional { $0.id() }, renews: flag())
    case .status: .status
    case .stop: .stop
    }
  }

  private mutating func adoption() -> PairingAdoption {
    func texts(_ random: inout HubRandom) -> [UInt64: String] {
      Dictionary(random.list { ($0.pick([0, 1, 2, .max]), $0.text()) }) { first, _ in first }
    }
    return PairingAdoption(
      home: id(), device: device(), accessoryKey: bytes(32),
      controllerID: pick(["a", "é", String(repeating: "x", count: 36)]), controllerSeed: bytes(32),
      addresses: list { $0.text() }, rooms: texts(&self), names: texts(&self))
  }

  mutating func answer(_ name: HubAnswerName) -> HubAnswer {
    switch name {
    case .attached: .attached(snapshot())
    case .changed: .changed(changes())
    case .added: .added(ids(), changes())
    case .executed: .executed(result())
    case .values: .values(list { $0.reading() })
    case .evaluated: .evaluated(report())
    case .explained: .explained(list { $0.report() })
    case .found: .found(list { $0.newAccessory() })
    case .document: .document(text())
    case .shared: .shared(SharedHome(user: id(), document: optional { $0.text() }, later: ids(), changes: changes()))
    case .status: .status(status())
    case .done: .done
    }
  }

  mutating func event(_ name: HubEventName) -> HubEvent {
    switch name {
    case .changed: .changed(changes(), app: optional { $0.app() })
    case .values: .values(list { $0.reading() }, isCatchUp: flag())
    case .reachability: .reachability(id(), isReachable: flag(), why: optional { $0.text() })
    case .evaluated: .evaluated(report())
    case .executed:
      .executed(result(), sets: ids(), trigger: optional { $0.id() }, app: optional { $0.app() })
    case .person: .person(person())
    case .found: .found(newAccessory())
    case .gone: .gone(device())
    case .missed: .missed
    case .stopping: .stopping
    }
  }
}
