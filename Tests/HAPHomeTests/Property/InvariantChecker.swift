import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// Checks the rules of home.md §4 that concern a model, one after the other. It is written from the table and shares no
/// code with the commands.
struct InvariantChecker {
  let model: HomeModel
  let policy: HomePolicy

  /// Returns the rules that the model breaks, each with the error.
  func violations() -> [String] {
    var found: [String] = []
    let names = model.homes.map { Self.key($0.name.text) }
    if Set(names).count < names.count { found.append("N1: two homes have one name: \(names)") }
    if model.homes.count > policy.homes { found.append("L1: \(model.homes.count) homes") }
    if model.homes.isEmpty != (model.primaryHome == nil) { found.append("M2: homes without a primary home") }
    if let primary = model.primaryHome, !model.homes.contains(where: { $0.id == primary }) {
      found.append("M2: the primary home does not exist")
    }
    let devices = model.homes.flatMap { home in Set(home.accessories.map(\.deviceID)) }
    if Set(devices).count < devices.count { found.append("O2: a device is in two homes") }
    let ids = model.homes.flatMap(\.allIdentifiers)
    if Set(ids).count < ids.count { found.append("two objects have one identifier") }
    for home in model.homes { found += violations(in: home) }
    return found
  }

  private func violations(in home: Home) -> [String] {
    nameViolations(in: home) + placeViolations(in: home) + accessoryViolations(in: home)
      + actionSetViolations(in: home) + triggerViolations(in: home) + limitViolations(in: home)
      + Self.danglingReferences(in: home)
  }

  // MARK: Names

  /// The form of a name that rule N3 compares: without case, spaces and apostrophes. Swift compares texts by canonical
  /// equivalence.
  static func key(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { !" '\u{2019}\n\t".unicodeScalars.contains($0) }))
      .uppercased().lowercased()
  }

  /// The names of the namespace of rule N2, each with the object, and with the accessory for an accessory and its services.
  static func namespace(of home: Home) -> [(key: String, object: HomeObjectID, accessory: HomeObjectID?)] {
    let things =
      [(home.id, home.name), (home.roomForEntireHome.id, home.roomForEntireHome.name)]
      + home.rooms.map { ($0.id, $0.name) } + home.zones.map { ($0.id, $0.name) } + home.groups.map { ($0.id, $0.name) }
      + home.listedActionSets.map { ($0.id, $0.name) } + home.triggers.map { ($0.id, $0.name) }
    return things.map { (key($0.1.text), $0.0, nil) }
      + home.accessories.flatMap { accessory in
        [(key(accessory.name.text), accessory.id, accessory.id)]
          + accessory.services.filter(\.isUserInteractive).map { (key($0.name.text), $0.id, accessory.id) }
      }
  }

  private func nameViolations(in home: Home) -> [String] {
    var found: [String] = []
    let space = Self.namespace(of: home)
    for (index, one) in space.enumerated() {
      for other in space[..<index] where other.key == one.key {
        // An accessory may have the name of its service.
        let isExempt =
          one.accessory != nil && one.accessory == other.accessory
          && (one.object == one.accessory || other.object == one.accessory)
        if !isExempt { found.append("N2: the name \"\(one.key)\" occurs twice") }
      }
    }
    let entered =
      [home.name] + home.rooms.map(\.name) + home.zones.map(\.name) + home.groups.map(\.name)
      + home.listedActionSets.map(\.name) + home.triggers.map(\.name)
    for name in entered where !Self.isAllowed(name.text, symbols: policy.names == .reference) {
      found.append("N4: the name \"\(name)\"")
    }
    let supplied = home.accessories.flatMap { [$0.name] + $0.services.map(\.name) }
    for name in entered + supplied where !(1...64).contains(name.text.count) {
      found.append("N5: the name \"\(name)\"")
    }
    return found
  }

  /// Whether rule N4 allows the characters of a name.
  static func isAllowed(_ text: String, symbols: Bool) -> Bool {
    func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    guard let first = text.first, let last = text.last, isWord(first), isWord(last) else { return false }
    return text.allSatisfy { isWord($0) || " '\u{2019}".contains($0) || (symbols && !$0.isNewline) }
  }

  // MARK: Places and accessories

  private func placeViolations(in home: Home) -> [String] {
    var found: [String] = []
    let whole = home.roomForEntireHome.id
    if home.rooms.contains(where: { $0.id == whole }) { found.append("R1: the room for the entire home is listed") }
    if home.zones.contains(where: { $0.rooms.contains(whole) }) { found.append("R1: it is in a zone") }
    for zone in home.zones where Set(zone.rooms).count < zone.rooms.count { found.append("Z1: a room twice in a zone") }
    for group in home.groups where Set(group.services).count < group.services.count {
      found.append("Z1: a service twice in a group")
    }
    for trigger in home.triggers where Set(trigger.actionSets).count < trigger.actionSets.count {
      found.append("Z1: a set twice in a trigger")
    }
    if home.users.filter({ $0.role == .owner }).map(\.id) != [home.users.first?.id] {
      found.append("U1: the first user, and no other, is the owner")
    }
    return found
  }

  private func accessoryViolations(in home: Home) -> [String] {
    var found: [String] = []
    for (index, accessory) in home.accessories.enumerated() {
      guard let bridgeID = accessory.bridge else {
        if accessory.aid != 1 { found.append("A2: an accessory with aid \(accessory.aid) has no bridge") }
        continue
      }
      let bridge = home.accessories[..<index].first { $0.id == bridgeID }
      if bridge == nil { found.append("A3: a bridged accessory is not after its bridge") }
      if bridge?.bridge != nil { found.append("A2: a bridge is bridged") }
      if bridge?.deviceID != accessory.deviceID { found.append("A2: a bridge is another device") }
      if accessory.isBlocked { found.append("A3: a bridged accessory is blocked") }
    }
    let places = home.accessories.map { "\($0.deviceID) \($0.aid)" }
    if Set(places).count < places.count { found.append("O2: an accessory is twice in the home") }
    return found
  }

  // MARK: Automations

  private func actionSetViolations(in home: Home) -> [String] {
    var found: [String] = []
    for kind in [ActionSet.Kind.wakeUp, .sleep, .homeDeparture, .homeArrival] {
      let count = home.actionSets.filter { $0.kind == kind }.count
      if count != 1 { found.append("S1: \(count) sets of the type \(kind)") }
    }
    for set in home.actionSets {
      if Set(set.actions.map(\.characteristic)).count < set.actions.count { found.append("S3: two actions for one") }
      for action in set.actions {
        let all = home.accessories.flatMap(\.services).flatMap(\.characteristics)
        guard let characteristic = all.first(where: { $0.id == action.characteristic }) else { continue }
        if !characteristic.permissions.contains(.pairedWrite) { found.append("S2: an action can't be written") }
        if !Self.takes(characteristic.rules, action.value) { found.append("S2: the value \(action.value)") }
      }
      let users = home.triggers.filter { $0.actionSets.contains(set.id) }.count
      if set.kind == .triggerOwned, users != 1 { found.append("S4: a set of a trigger is used by \(users) triggers") }
    }
    return found
  }

  /// Whether a value is within the metadata, for the formats that `CommandMaker` uses.
  static func takes(_ rules: ValueRules, _ value: Value) -> Bool {
    let limits = rules.constraints
    switch (rules.format, value) {
    case (.bool, .bool): return true
    case (.int, .integer(let number)): return number >= 0 && Double(number) <= limits.maxValue?.doubleValue ?? 0
    case (.uint8, .integer(let number)): return limits.validValues?.contains(Int(number)) ?? true
    case (.float, .float(let number)): return number >= 0 && number <= 360 && number == number.rounded()
    case (.string, .string(let text)): return text.utf8.count <= 4
    default: return false
    }
  }

  private func triggerViolations(in home: Home) -> [String] {
    var found: [String] = []
    for trigger in home.triggers {
      if trigger.isEnabled, trigger.actionSets.isEmpty { found.append("T4: an enabled trigger without sets") }
      switch trigger.kind {
      case .timer(let timer):
        if timer.fireDate.nanoseconds % 1_000_000_000 != 0 || timer.fireDate.seconds % 60 != 0 {
          found.append("T1: the time has seconds")
        }
        guard let period = timer.recurrence else { continue }
        let days = (least: period.months * 28 + period.weeks * 7, most: period.months * 31 + period.weeks * 7)
        let rest = (period.days * 24 + period.hours) * 60 + period.minutes
        if days.least * 1440 + rest < 5 || days.most * 1440 + rest > 50_400 { found.append("T2: \(period)") }
      case .event(let events):
        if trigger.isEnabled, events.events.isEmpty { found.append("T4: an enabled trigger without events") }
        found += eventViolations(of: events, in: home)
      }
    }
    return found
  }

  private func eventViolations(of trigger: EventTrigger, in home: Home) -> [String] {
    var found: [String] = []
    let all = home.accessories.flatMap(\.services).flatMap(\.characteristics)
    func permits(_ id: HomeObjectID, _ permission: Permissions) -> Bool {
      all.first { $0.id == id }?.permissions.contains(permission) ?? true
    }
    for event in trigger.events + trigger.endEvents {
      if let id = event.characteristic, !permits(id, .events) { found.append("T7: a characteristic without events") }
      if case .threshold(let id, _) = event, all.first(where: { $0.id == id })?.rules.format.isNumeric == false {
        found.append("T7: a range of a text")
      }
    }
    for case .duration in trigger.events { found.append("T8: a duration as an event") }
    for event in trigger.endEvents {
      switch event {
      case .duration(let seconds): if seconds <= 0 { found.append("T8: a duration of \(seconds) s") }
      case .characteristic, .threshold: break
      default: found.append("T8: the end event \(event)")
      }
    }
    var (depth, size) = (0, 0)
    trigger.condition?.visit(level: 1) { condition, level in
      (depth, size) = (max(depth, level), size + 1)
      switch condition {
      case .characteristic(let id, _, _):
        if !permits(id, .pairedRead) { found.append("T7: a condition on a characteristic that can't be read") }
      case .presence(let presence):
        if presence.kind == .everyEntry || presence.kind == .everyExit {
          found.append("T8: \(presence) as a condition")
        }
      default: break
      }
    }
    let count = trigger.events.count + trigger.endEvents.count + size
    if count > policy.objects { found.append("L1: \(count) events and conditions") }
    if depth > policy.conditionDepth { found.append("L1: a condition with \(depth) levels") }
    return found
  }

  private func limitViolations(in home: Home) -> [String] {
    let counts = [home.rooms.count, home.zones.count, home.groups.count, home.actionSets.count, home.triggers.count]
    var found = counts.filter { $0 > policy.objects }.map { "L1: \($0) objects of a kind" }
    if home.accessories.count > policy.accessories { found.append("L1: \(home.accessories.count) accessories") }
    if home.users.count > policy.users { found.append("L1: \(home.users.count) users") }
    for set in home.actionSets where set.actions.count > policy.actions {
      found.append("L1: \(set.actions.count) actions")
    }
    return found
  }

  // MARK: References

  /// Returns the references to objects that the home does not have.
  static func danglingReferences(in home: Home) -> [String] {
    let (services, accessories) = (home.accessories.flatMap(\.services), Set(home.accessories.map(\.id)))
    let characteristics = Set(services.flatMap(\.characteristics).map(\.id))
    let rooms = Set(home.rooms.map(\.id))
    let (serviceIDs, sets) = (Set(services.map(\.id)), Set(home.actionSets.map(\.id)))
    let (users, known) = (Set(home.users.map(\.id)), characteristics.union(home.users.map(\.id)))
    var found: [String] = []
    for accessory in home.accessories {
      if accessory.room != home.roomForEntireHome.id, !rooms.contains(accessory.room) { found.append("R2: a room") }
      if let bridge = accessory.bridge, !accessories.contains(bridge) { found.append("A3: a bridge") }
    }
    for zone in home.zones where !rooms.isSuperset(of: zone.rooms) { found.append("R2: a room of a zone") }
    for group in home.groups where !serviceIDs.isSuperset(of: group.services) { found.append("a service of a group") }
    for set in home.actionSets where !characteristics.isSuperset(of: set.actions.map(\.characteristic)) {
      found.append("S2: the characteristic of an action")
    }
    for trigger in home.triggers {
      if !sets.isSuperset(of: trigger.actionSets) { found.append("a set of a trigger") }
      if !known.isSuperset(of: trigger.kind.identifiers) { found.append("an event or a condition of a trigger") }
      guard case .event(let events) = trigger.kind else { continue }
      for case .presence(let presence) in events.events {
        if case .users(let listed) = presence.users, listed.isEmpty || !users.isSuperset(of: listed) {
          found.append("a user of a trigger")
        }
      }
    }
    return found.map { "refers to an object that does not exist: \($0)" }
  }
}

extension Condition {
  /// Calls the function for each condition, with its level from 1.
  func visit(level: Int, _ body: (Condition, Int) -> Void) {
    body(self, level)
    switch self {
    case .all(let parts), .any(let parts): for part in parts { part.visit(level: level + 1, body) }
    case .not(let part): part.visit(level: level + 1, body)
    case .characteristic, .time, .sun, .presence, .unknown: break
    }
  }
}
