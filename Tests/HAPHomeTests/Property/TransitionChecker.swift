import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// Checks the rules of home.md §4 that concern an accepted command: what must have been true before it, and what it must
/// leave as it was. Written from the table, like `InvariantChecker`.
struct TransitionChecker {
  let before: HomeModel
  let step: PropertyStep
  let after: HomeModel
  let policy: HomePolicy

  func violations() -> [String] {
    objectViolations() + commandViolations() + triggerCommandViolations() + after.homes.flatMap(homeViolations)
      + orderViolations()
  }

  // MARK: Objects and users

  private func objectViolations() -> [String] {
    let ids = step.command.identifiers
    let homes = before.homes.filter { home in !Set(home.allIdentifiers).isDisjoint(with: ids) }
    let known = Set(homes.flatMap(\.allIdentifiers))
    if !known.isSuperset(of: ids) { return ["O1: accepted with an object that no home has"] }
    if homes.count > 1 { return ["O2: accepted with objects of two homes"] }
    if case .addHome = step.command, let user = step.user, !Self.editors(of: before).contains(user) {
      return ["U1: a user without the right added a home"]
    }
    guard let home = homes.first, let user = step.user else { return [] }
    let role = home.users.first { $0.id == user }?.role
    return role == .owner || role == .administrator ? [] : ["U1: a user without the right made a change"]
  }

  /// The owners and administrators of all homes.
  static func editors(of model: HomeModel) -> Set<HomeObjectID> {
    Set(model.homes.flatMap(\.users).filter { $0.role == .owner || $0.role == .administrator }.map(\.id))
  }

  // MARK: One command

  private func commandViolations() -> [String] {
    switch step.command {
    case .rename(let id, let text): return renameViolations(id, text)
    case .addDevice(let home, let device):
      let added = accessories(after).filter { !Set(accessories(before).map(\.id)).contains($0.id) }
      let isKnown = accessories(before).contains { $0.deviceID == device.device }
      return (isKnown ? ["O2: a device was added twice"] : [])
        + (added.map(\.aid).sorted() == device.accessories.map(\.aid).sorted() ? [] : ["A2: not all accessories"])
        + (after.home(home)?.accessories.suffix(added.count) == added[...] ? [] : ["A2: not at the end"])
        + (added.first?.aid == 1 && added.dropFirst().allSatisfy { $0.bridge == added[0].id } ? [] : ["A2: bridges"])
    case .removeAccessory(let id):
      let gone = accessories(before).filter { $0.id == id || $0.bridge == id }.map(\.id)
      let left = accessories(before).map(\.id).filter { !gone.contains($0) }
      return (accessories(before).first { $0.id == id }?.bridge == nil ? [] : ["A2: a bridged accessory was removed"])
        + (accessories(after).map(\.id) == left ? [] : ["A3: other accessories than those of the bridge are gone"])
    case .blockAccessory(let id), .unblockAccessory(let id):
      return accessories(before).first { $0.id == id }?.bridge == nil ? [] : ["A3: a bridged accessory was accepted"]
    case .removeRoom(let id):
      let wholes = Dictionary(uniqueKeysWithValues: before.homes.map { ($0.id, $0.roomForEntireHome.id) })
      if wholes.values.contains(id) { return ["R1: the room for the entire home was removed"] }
      let expected = before.homes.flatMap { home in home.accessories.map { $0.room == id ? wholes[home.id]! : $0.room }
      }
      return accessories(after).map(\.room) == expected ? [] : ["R2: the accessories are not in the right rooms"]
    case .removeActionSet(let id):
      let kind = before.homes.flatMap(\.actionSets).first { $0.id == id }?.kind
      return kind == .userDefined ? [] : ["S1, S4: a set of the kind \(kind.map { "\($0)" } ?? "–") was removed"]
    case .addActionSetToTrigger(let id, _):
      let kind = before.homes.flatMap(\.actionSets).first { $0.id == id }?.kind
      return kind == .triggerOwned ? ["S4: a set of a trigger was shared"] : []
    case .addUser(_, _, let role), .setRole(_, let role): return role == .owner ? ["U1: a second owner"] : []
    default: return []
    }
  }

  private func renameViolations(_ id: HomeObjectID, _ text: String) -> [String] {
    var found: [String] = []
    let names = { (home: Home) in
      [(home.id, home.name), (home.roomForEntireHome.id, home.roomForEntireHome.name)]
        + home.rooms.map { ($0.id, $0.name) } + home.zones.map { ($0.id, $0.name) }
        + home.groups.map { ($0.id, $0.name) } + home.actionSets.map { ($0.id, $0.name) }
        + home.triggers.map { ($0.id, $0.name) }
        + home.accessories.flatMap { [($0.id, $0.name)] + $0.services.map { ($0.id, $0.name) } }
    }
    var expected = Dictionary(uniqueKeysWithValues: before.homes.flatMap(names))
    if expected[id]?.text == text { found.append("N6: renamed to the same name") }
    if before.homes.contains(where: { $0.roomForEntireHome.id == id }) { found.append("R1: renamed") }
    if before.homes.flatMap(\.actionSets).contains(where: { $0.id == id && $0.kind == .triggerOwned }) {
      found.append("S4: renamed")
    }
    if !InvariantChecker.isAllowed(text, symbols: policy.names == .reference) { found.append("N4: \"\(text)\"") }
    expected[id] = HomeName(text)
    if Dictionary(uniqueKeysWithValues: after.homes.flatMap(names)) != expected {
      found.append("rename changed others")
    }
    return found
  }

  // MARK: Triggers

  private func triggerCommandViolations() -> [String] {
    let (old, new) = (before.homes.flatMap(\.triggers), after.homes.flatMap(\.triggers))
    var found: [String] = []
    for trigger in new {
      let previous = old.first { $0.id == trigger.id }
      if previous == nil, trigger.isEnabled { found.append("T5: a new trigger is enabled") }
      if previous == nil || step.command.name == .updateTrigger && previous?.kind != trigger.kind {
        if case .timer(let timer) = trigger.kind, timer.recurrence == nil, timer.fireDate <= step.now {
          found.append("T3: the time is over")
        }
        found += locationViolations(trigger)
      }
      let isChecked = [.enableTrigger, .updateTrigger, .addActionSetToTrigger].contains(step.command.name)
      if trigger.isEnabled, isChecked, previous != trigger { found += enabledViolations(trigger) }
    }
    return found
  }

  private func locationViolations(_ trigger: Trigger) -> [String] {
    let home = after.homes.first { $0.triggers.contains { $0.id == trigger.id } }
    guard home?.location == nil, case .event(let events) = trigger.kind else { return [] }
    var needsLocation = false
    for event in events.events {
      switch event {
      case .sun, .location: needsLocation = true
      default: break
      }
    }
    events.condition?.visit(level: 1) { condition, _ in if case .sun = condition { needsLocation = true } }
    return needsLocation ? ["T6: the home has no location"] : []
  }

  private func enabledViolations(_ trigger: Trigger) -> [String] {
    var found = locationViolations(trigger)
    let sets = after.homes.flatMap(\.actionSets).filter { trigger.actionSets.contains($0.id) }
    if sets.isEmpty || sets.contains(where: \.actions.isEmpty) { found.append("T4: no set, or a set without actions") }
    if case .timer(let timer) = trigger.kind {
      if timer.recurrence == nil, timer.fireDate <= step.now { found.append("T3: enabled after its time") }
      if timer.fireDate.nanoseconds - step.now.nanoseconds >= 35 * 86_400_000_000_000 { found.append("T4: too late") }
    }
    return found
  }

  // MARK: What stays

  private func homeViolations(_ home: Home) -> [String] {
    guard let old = before.home(home.id) else {
      return home.roomForEntireHome.name.text == "Default Room" && home.users.count == 1 ? [] : ["R1: a new home"]
    }
    var found: [String] = []
    if home.roomForEntireHome != old.roomForEntireHome { found.append("R1: the room for the entire home changed") }
    let oldRooms = Dictionary(uniqueKeysWithValues: old.accessories.map { ($0.id, $0.room) })
    for accessory in home.accessories {
      if let room = oldRooms[accessory.id] {
        let moves = [.moveAccessory, .removeRoom].contains(step.command.name)
        if room != accessory.room, !moves { found.append("A2: an accessory moved") }
      } else if accessory.room != home.roomForEntireHome.id {
        found.append("A1: a new accessory is in another room")
      }
    }
    for set in home.actionSets {
      guard let before = old.actionSets.first(where: { $0.id == set.id }) else { continue }
      if before.kind != set.kind { found.append("S1: a set changed its type") }
    }
    for trigger in home.triggers {
      guard let before = old.triggers.first(where: { $0.id == trigger.id }) else { continue }
      if before.kind.isTimer != trigger.kind.isTimer { found.append("a trigger changed its kind") }
      if trigger.isEnabled, !before.isEnabled, step.command.name != .enableTrigger { found.append("T5: enabled") }
    }
    return found
  }

  /// Objects that stay keep their order; new ones are at the end.
  private func orderViolations() -> [String] {
    var found = isOrdered(before.homes.map(\.id), after.homes.map(\.id)) ? [] : ["M3: the order of homes"]
    for home in after.homes {
      guard let old = before.home(home.id) else { continue }
      let lists: [(Home) -> [HomeObjectID]] = [
        { $0.rooms.map(\.id) }, { $0.zones.map(\.id) }, { $0.groups.map(\.id) }, { $0.accessories.map(\.id) },
        { $0.actionSets.map(\.id) }, { $0.triggers.map(\.id) }, { $0.users.map(\.id) },
      ]
      if !lists.allSatisfy({ isOrdered($0(old), $0(home)) }) { found.append("M3: the order of objects") }
    }
    return found
  }

  private func isOrdered(_ old: [HomeObjectID], _ new: [HomeObjectID]) -> Bool {
    let (oldSet, newSet) = (Set(old), Set(new))
    return old.filter(newSet.contains) + new.filter { !oldSet.contains($0) } == new
  }

  private func accessories(_ model: HomeModel) -> [HomeAccessory] { model.homes.flatMap(\.accessories) }
}
