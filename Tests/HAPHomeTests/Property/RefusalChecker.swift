import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// Checks that a refusal has a reason: the rule has this number in the table of home.md §4, and the command breaks it.
struct RefusalChecker {
  let before: HomeModel
  let step: PropertyStep
  let policy: HomePolicy

  /// The numbers of each rule, also those that the page of the model names as the project's own.
  static let numbers: [HomeRule: Set<Int>] = [
    .n1: [32], .n2: [31], .n4: [35, 36, 60], .n5: [51, 46], .n6: [33], .o1: [12, 2, 48], .o2: [11, 1, 13],
    .r1: [29, 24], .z1: [1, 2], .a2: [34], .a3: [81, 48], .s1: [83], .s2: [5, 43, 44, 45, 46, 3], .s3: [1, 2],
    .s4: [48, 2], .t1: [70], .t2: [42, 72], .t3: [28], .t4: [25, 26, 71, 3], .t6: [84], .t7: [7, 6, 43], .t8: [3],
    .u1: [17, 48, 1], .l1: [49],
  ]

  func violations(_ error: HomeError) -> [String] {
    guard let rule = error.rule else {
      return [3, 50, 62].contains(error.code.rawValue) ? [] : ["\(error.code) without a rule"]
    }
    if Self.numbers[rule]?.contains(error.code.rawValue) != true { return ["\(rule) with the number \(error.code)"] }
    return isBroken(rule, error.code) ? [] : ["\(rule.rawValue) is not broken: \(error.message)"]
  }

  private var ids: [HomeObjectID] { step.command.identifiers }
  private var text: String? {
    switch step.command {
    case .addHome(let name, _, _, _), .rename(_, let name), .addRoom(_, let name), .addZone(_, let name),
      .addGroup(_, let name), .addActionSet(_, let name), .addTrigger(_, let name, _), .addUser(_, let name, _):
      name
    default: nil
    }
  }
  /// The home of the first object.
  private var home: Home? { before.homes.first { home in ids.first.map(home.allIdentifiers.contains) ?? false } }

  private func isBroken(_ rule: HomeRule, _ code: HomeError.Code) -> Bool {
    switch rule {
    case .n1: return before.homes.contains { InvariantChecker.key($0.name.text) == text.map(InvariantChecker.key) }
    case .n2:
      let key = InvariantChecker.key(text ?? "")
      if ids.isEmpty { return ["defaultroom", "goodmorning", "goodnight", "leavehome", "arrivehome"].contains(key) }
      let renamed = step.command.name == .rename ? ids[0] : nil
      return home.map { InvariantChecker.namespace(of: $0).contains { $0.key == key && $0.object != renamed } } ?? false
    case .n4:
      let symbols = policy.names == .reference
      return names.contains { !InvariantChecker.isAllowed($0, symbols: symbols) }
    case .n5: return names.contains { !(1...64).contains($0.count) }
    case .n6: return true  // The transition checks the accepted renames; the name is that of the object.
    case .o1: return isObjectWrong
    case .o2: return isInOtherHome
    case .r1: return before.homes.contains { ids.contains($0.roomForEntireHome.id) }
    case .z1: return isAssociated == (code == .alreadyExists)
    case .a2, .a3: return before.homes.flatMap(\.accessories).contains { $0.id == ids[0] && $0.bridge != nil }
    case .s1: return before.homes.flatMap(\.actionSets).contains { $0.id == ids[0] && $0.kind.isBuiltIn }
    case .s4:
      let owned = before.homes.flatMap(\.actionSets).filter { $0.kind == .triggerOwned }.map(\.id)
      return code == .notFound ? !isAssociated : !Set(owned).isDisjoint(with: ids)
    case .u1: return isUserWrong
    case .l1: return isFull
    case .t3, .t1, .t2:
      if case .event = step.command.triggerKind { return false }
      return true
    case .t6: return home?.location == nil
    case .t4, .t7, .t8, .s2, .s3: return true  // The vectors of the other tests have these reasons.
    case .n3, .n7, .r2, .a1, .t5: return false  // Rules that refuse nothing.
    }
  }

  private var names: [String] {
    var names = text.map { [$0] } ?? []
    if case .addHome(_, _, _, let owner) = step.command { names.append(owner) }
    return names
  }

  /// Whether an object is in no home, or not of a kind that the command takes.
  private var isObjectWrong: Bool {
    if case .updateDevice(_, let device) = step.command {
      return !before.homes.contains { home in
        home.id == ids[0] && home.accessories.contains { $0.deviceID == device.device }
      }
    }
    let known = Set(before.homes.flatMap(\.allIdentifiers))
    if !known.isSuperset(of: ids) { return true }
    let kindOf = before.homes.reduce(into: [HomeObjectID: String]()) {
      $0.merge(self.kinds(of: $1)) { first, _ in first }
    }
    let found = ids.map { kindOf[$0]! }
    switch step.command.name {
    case .rename: return ["user", "characteristic"].contains(found[0])
    case .addRoomToZone, .removeRoomFromZone: return found != ["room", "zone"]
    case .addServiceToGroup, .removeServiceFromGroup: return found != ["service", "group"]
    case .moveAccessory: return found != ["accessory", "room"]
    case .addActionSetToTrigger, .removeActionSetFromTrigger: return found != ["set", "trigger"]
    case .removeRoom: return found != ["room"]
    case .removeZone: return found != ["zone"]
    case .removeGroup: return found != ["group"]
    case .removeAccessory, .blockAccessory, .unblockAccessory: return found != ["accessory"]
    case .setAssociatedType: return found != ["service"]
    case .removeActionSet: return found != ["set"]
    case .addAction, .updateAction, .removeAction: return found != ["set", "characteristic"]
    case .removeTrigger, .enableTrigger, .disableTrigger: return found != ["trigger"]
    case .setRole, .removeUser: return found != ["user"]
    case .addOwnedActionSet: return found[0] != "trigger" || found.dropFirst().contains { $0 != "characteristic" }
    case .updateTrigger, .addTrigger:
      return found[0] != (step.command.name == .addTrigger ? "home" : "trigger")
        || found.dropFirst().contains { $0 != "characteristic" && $0 != "user" } || found.count > 1
    default: return found[0] != "home"
    }
  }

  private func kinds(of home: Home) -> [HomeObjectID: String] {
    var kinds = [home.id: "home", home.roomForEntireHome.id: "room"]
    for room in home.rooms { kinds[room.id] = "room" }
    for zone in home.zones { kinds[zone.id] = "zone" }
    for group in home.groups { kinds[group.id] = "group" }
    for set in home.actionSets { kinds[set.id] = "set" }
    for trigger in home.triggers { kinds[trigger.id] = "trigger" }
    for user in home.users { kinds[user.id] = "user" }
    for accessory in home.accessories { kinds[accessory.id] = "accessory" }
    for service in home.accessories.flatMap(\.services) {
      kinds[service.id] = "service"
      for characteristic in service.characteristics { kinds[characteristic.id] = "characteristic" }
    }
    return kinds
  }

  private var isInOtherHome: Bool {
    if case .addDevice(_, let device) = step.command {
      return before.homes.contains { $0.accessories.contains { $0.deviceID == device.device } }
    }
    return before.homes.count { !Set($0.allIdentifiers).isDisjoint(with: ids) } > 1
  }

  /// Whether the first object is already in the second one.
  private var isAssociated: Bool {
    before.homes.contains { home in
      home.zones.contains { $0.id == ids[1] && $0.rooms.contains(ids[0]) }
        || home.groups.contains { $0.id == ids[1] && $0.services.contains(ids[0]) }
        || home.triggers.contains { $0.id == ids[1] && $0.actionSets.contains(ids[0]) }
    }
  }

  private var isUserWrong: Bool {
    switch step.command {
    case .addUser(_, let name, let role):
      let isTaken = home?.users.contains { InvariantChecker.key($0.name) == InvariantChecker.key(name) } ?? false
      if role == .owner || isTaken { return true }
    case .setRole(_, .owner): return true
    case .setRole(let id, _), .removeUser(let id): if home?.users.first?.id == id { return true }
    default: break
    }
    guard let user = step.user else { return false }
    if case .addHome = step.command { return !TransitionChecker.editors(of: before).contains(user) }
    return before.homes.contains { home in
      let role = home.users.first { $0.id == user }?.role
      return home.allIdentifiers.contains(where: ids.contains) && (role == nil || role == .guest)
    }
  }

  private var isFull: Bool {
    guard let home else { return before.homes.count >= policy.homes }
    switch step.command {
    case .addRoom: return home.rooms.count >= policy.objects
    case .addZone: return home.zones.count >= policy.objects
    case .addGroup: return home.groups.count >= policy.objects
    case .addActionSet: return home.actionSets.count >= policy.objects
    case .addOwnedActionSet(_, let actions):
      return home.actionSets.count >= policy.objects || actions.count > policy.actions
    case .addUser: return home.users.count >= policy.users
    case .addAction(let set, _):
      return home.actionSets.first { $0.id == set }.map { $0.actions.count >= policy.actions } ?? false
    case .addDevice(_, let device): return home.accessories.count + device.accessories.count > policy.accessories
    case .updateDevice(_, let device):
      let others = home.accessories.count { $0.deviceID != device.device }
      return others + device.accessories.count > policy.accessories
    case .addTrigger, .updateTrigger:
      if case .addTrigger = step.command, home.triggers.count >= policy.objects { return true }
      guard case .event(let events) = step.command.triggerKind else { return false }
      var (depth, count) = (0, events.events.count + events.endEvents.count)
      events.condition?.visit(level: 1) { _, level in (depth, count) = (max(depth, level), count + 1) }
      return depth > policy.conditionDepth || count > policy.objects
    default: return false
    }
  }
}

extension HomeCommand {
  var triggerKind: Trigger.Kind? {
    switch self {
    case .addTrigger(_, _, let kind), .updateTrigger(_, let kind): kind
    default: nil
    }
  }
}
