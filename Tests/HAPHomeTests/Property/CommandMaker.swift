import HAPAlmanac
import HAPModel
import HAPTestSupport

@testable import HAPHome
@testable import HAPHomeEngine

/// Makes random commands for a model: most arguments are right, some are wrong. A new case of `HomeCommand` does not compile
/// until `HomeCommandName` and `command` have it.
struct CommandMaker {
  var random: SeededGenerator
  /// The model before the command.
  var model = HomeModel()
  /// Identifiers of removed objects.
  var removed: [HomeObjectID] = []
  var now = Instant(seconds: 1_780_000_020)

  /// Whether there was no right identifier for a command. Then most often another command is made.
  private var isMissing = false

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Each kind as often as it is drawn. Removals are rarer, so that the models grow.
  private static let draws: [HomeCommandName] = HomeCommandName.allCases.flatMap { kind in
    let count =
      switch kind {
      case .addHome, .removeHome: 1
      case .removeRoom, .removeZone, .removeGroup, .removeAccessory, .removeActionSet, .removeTrigger, .removeUser: 2
      case .addAction, .addTrigger, .addActionSetToTrigger, .enableTrigger, .addDevice, .addRoomToZone,
        .addServiceToGroup, .addRoom:
        9
      default: 5
      }
    return Array(repeating: kind, count: count)
  }

  /// Returns the next command of random kind, with its user, time and identifiers.
  mutating func step() -> PropertyStep {
    now = now.advanced(by: .seconds(number(below: 10) == 0 ? number(below: 20 * 86_400) : number(below: 600)))
    isMissing = false
    var command = command(pick(Self.draws)!)
    for _ in 0..<10 where isMissing {
      isMissing = false
      command = self.command(pick(Self.draws)!)
    }
    return PropertyStep(command: command, user: user(), now: now, seed: random.next())
  }

  private mutating func user() -> HomeObjectID? {
    guard chance(15) else { return nil }
    return id(model.homes.flatMap(\.users).filter { chance(60) || $0.role != .guest }.map(\.id))
  }

  // MARK: Draws

  mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[number(below: elements.count)]
  }

  /// Returns one of the right identifiers, or in one of 25 cases another one: of an object of any kind in any home, of
  /// a removed object, or of none.
  mutating func id(_ right: [HomeObjectID]) -> HomeObjectID {
    if number(below: 25) > 0, let id = pick(right) { return id }
    if right.isEmpty { isMissing = true }
    switch number(below: 3) {
    case 0: return pick(model.homes.flatMap(\.allIdentifiers)) ?? HomeObjectID.random(using: &random)
    case 1: return pick(removed) ?? HomeObjectID.random(using: &random)
    default: return HomeObjectID.random(using: &random)
    }
  }

  /// The same name occurs in several spellings. The last ones are wrong.
  private static let names = [
    "Kitchen", "kitchen", "Anna's Room", "annas room", "Café", "cafe\u{301}", "Hall", "Lamp", "lamp 2", "Villa",
    "Cottage", "Beach House", "Downstairs", "Night Lights", "Movie", "Evening", "Good Night", "Straße", "strasse", "7",
    "Upstairs", "Dinner", "Fan", "Office", "Garden", "Morning", "Bridge", "Default Room", "b 1", "b 2", "b 3", "b 4",
    "", " Hall", "Hall ", "a_b", "a\nb", "🙂", String(repeating: "x", count: 64), String(repeating: "x", count: 65),
  ]
  /// A few names that no other name equals.
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz")

  mutating func name() -> String {
    guard chance(65) else { return pick(Self.names)! }
    return String((0..<3).map { _ in pick(Self.letters)! })
  }

  // MARK: Commands

  /// A home of the model; `nil` if it has none.
  mutating func home() -> Home? { pick(model.homes) }

  mutating func command(_ kind: HomeCommandName) -> HomeCommand {
    let home = home()
    switch kind {
    case .addHome:
      return .addHome(
        name: name(), zone: zone(), location: chance(60) ? HomeBench.cupertino : nil,
        owner: chance(90) ? "Anna" : name())
    case .removeHome: return .removeHome(id(of: home))
    case .setPrimaryHome: return .setPrimaryHome(id(of: home))
    case .setTimeZone: return .setTimeZone(home: id(of: home), zone())
    case .setLocation: return .setLocation(home: id(of: home), chance(80) ? HomeBench.cupertino : nil)
    case .rename: return rename(home)
    case .addRoom: return .addRoom(home: id(of: home), name: name())
    case .addZone: return .addZone(home: id(of: home), name: name())
    case .addGroup: return .addGroup(home: id(of: home), name: name())
    case .removeRoom: return .removeRoom(id(rooms(home)))
    case .removeZone: return .removeZone(id(home?.zones.map(\.id) ?? []))
    case .removeGroup: return .removeGroup(id(home?.groups.map(\.id) ?? []))
    case .addRoomToZone, .removeRoomFromZone, .addServiceToGroup, .removeServiceFromGroup:
      return association(kind, home)
    case .addDevice: return .addDevice(home: id(of: home), device(pick([1, 2, 3, 4, 5])!))
    case .updateDevice: return updateDevice(home)
    case .removeAccessory: return .removeAccessory(accessory(home))
    case .moveAccessory: return .moveAccessory(accessory(home), room: id(rooms(home)))
    case .blockAccessory: return .blockAccessory(accessory(home))
    case .unblockAccessory: return .unblockAccessory(accessory(home))
    case .setAssociatedType:
      return .setAssociatedType(service: id(services(home)), pick([nil, 0x40, 0x43, 0x47, 0x3E, 0xA2, 0x9999])!)
    case .addActionSet, .removeActionSet, .addAction, .updateAction, .removeAction, .addTrigger, .updateTrigger,
      .removeTrigger, .enableTrigger, .disableTrigger, .addActionSetToTrigger, .removeActionSetFromTrigger,
      .addOwnedActionSet:
      return automation(kind, home)
    case .addUser: return .addUser(home: id(of: home), name: name(), role: role())
    case .setRole: return .setRole(user: id(home?.users.map(\.id) ?? []), role())
    case .removeUser: return .removeUser(id(home?.users.map(\.id) ?? []))
    }
  }

  mutating func id(of home: Home?) -> HomeObjectID { id(home.map { [$0.id] } ?? []) }

  private mutating func role() -> HomeUser.Role { pick(chance(90) ? [.administrator, .guest] : [.owner])! }

  private mutating func zone() -> ZoneName {
    ZoneName(pick(chance(90) ? ["UTC", "Europe/Berlin"] : ["Nowhere/City"])!)!
  }

  private mutating func rename(_ home: Home?) -> HomeCommand {
    guard let home else { return .rename(id([]), name()) }
    let named =
      home.rooms.map { ($0.id, $0.name) } + home.zones.map { ($0.id, $0.name) } + home.groups.map { ($0.id, $0.name) }
      + home.actionSets.map { ($0.id, $0.name) } + home.triggers.map { ($0.id, $0.name) }
      + home.accessories.flatMap { [($0.id, $0.name)] + $0.services.map { ($0.id, $0.name) } }
      + [(home.id, home.name), (home.roomForEntireHome.id, home.roomForEntireHome.name)]
    let (object, current) = pick(named)!
    return .rename(id([object]), chance(10) ? current.text : chance(10) ? current.text.uppercased() : name())
  }

  private mutating func association(_ kind: HomeCommandName, _ home: Home?) -> HomeCommand {
    let removes = kind == .removeRoomFromZone || kind == .removeServiceFromGroup
    let zone = pick(home?.zones.filter { !removes || !$0.rooms.isEmpty } ?? [])
    let group = pick(home?.groups.filter { !removes || !$0.services.isEmpty } ?? [])
    let (zones, groups) = (zone.map { [$0.id] } ?? [], group.map { [$0.id] } ?? [])
    switch kind {
    case .addRoomToZone: return .addRoomToZone(room: id(rooms(home)), zone: id(zones))
    case .removeRoomFromZone:
      return .removeRoomFromZone(room: id(chance(80) ? zone?.rooms ?? [] : rooms(home)), zone: id(zones))
    case .addServiceToGroup: return .addServiceToGroup(service: id(services(home)), group: id(groups))
    default:
      return .removeServiceFromGroup(
        service: id(chance(80) ? group?.services ?? [] : services(home)), group: id(groups))
    }
  }

  mutating func rooms(_ home: Home?) -> [HomeObjectID] {
    guard let home else { return [] }
    return home.rooms.map(\.id) + (chance(20) ? [home.roomForEntireHome.id] : [])
  }

  private func services(_ home: Home?) -> [HomeObjectID] {
    home?.accessories.flatMap(\.services).map(\.id) ?? []
  }

  /// The accessory of a command, less often a bridged one.
  private mutating func accessory(_ home: Home?) -> HomeObjectID {
    let withBridged = chance(30)
    return id(home?.accessories.filter { withBridged || $0.bridge == nil }.map(\.id) ?? [])
  }
}

extension Home {
  /// The identifiers of all objects, also of the home.
  var allIdentifiers: [HomeObjectID] {
    [id, roomForEntireHome.id] + rooms.map(\.id) + zones.map(\.id) + groups.map(\.id) + actionSets.map(\.id)
      + triggers.map(\.id) + users.map(\.id) + accessories.map(\.id) + partIdentifiers
  }

  /// The identifiers of services and characteristics. They are derived from that of the accessory.
  var partIdentifiers: [HomeObjectID] {
    accessories.flatMap(\.services).flatMap { [$0.id] + $0.characteristics.map(\.id) }
  }
}
