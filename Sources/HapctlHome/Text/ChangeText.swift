import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

/// Writes changes of homes as phrases for people. It follows the changes, so that the names of removed objects are known.
struct ChangeText: Sendable {
  private(set) var model: HomeModel

  /// - Parameter model: the homes before the first change.
  init(_ model: HomeModel) { self.model = model }

  /// Returns the phrases of a change, usually one, and applies it: "added the room "Kitchen"".
  mutating func lines(_ change: HomeChange) -> [String] {
    let before = model.home(change.home)
    model.apply([change])
    guard let home = model.home(change.home) ?? before else { return [] }
    return PhraseWriter(before: before, home: home).phrases(change.detail)
  }
}

private struct PhraseWriter {
  /// Nil for a new home.
  let before: Home?
  let home: Home

  private func name(_ id: HomeObjectID) -> String {
    for home in [before, home].compactMap({ $0 }) {
      let lookup = HomeLookup(home)
      if let object = lookup.objects.first(where: { $0.id == id }) { return object.name.quoted }
      if home.service(id) != nil { return lookup.path(ofService: id).quoted }
    }
    return id.description
  }

  func phrases(_ detail: HomeChange.Detail) -> [String] {
    switch detail {
    case .homeAdded(let home): ["added the home \(home.name.text.quoted)"]
    case .homeRemoved: ["removed the home \(home.name.text.quoted)"]
    case .homeMadePrimary: ["made \(home.name.text.quoted) the primary home"]
    case .homeRenamed(let name): renamed("home", home.id, name)
    case .copyRenewed: ["renewed the copy of the home \(home.name.text.quoted)"]
    case .timeZoneChanged(let zone): ["set the time zone of \(home.name.text.quoted) to \(zone)"]
    case .locationChanged(let place):
      [
        place.map { "set the location of \(home.name.text.quoted) to \($0.latitude), \($0.longitude)" }
          ?? "removed the location of \(home.name.text.quoted)"
      ]
    case .roomAdded(let room): ["added the room \(room.name.text.quoted)"]
    case .roomRenamed(let id, let name): renamed("room", id, name)
    case .roomRemoved(let id): ["removed the room \(name(id))"]
    case .zoneAdded(let zone): ["added the zone \(zone.name.text.quoted)"]
    case .zoneRenamed(let id, let name): renamed("zone", id, name)
    case .zoneRemoved(let id): ["removed the zone \(name(id))"]
    case .roomAddedToZone(let room, let zone): ["added the room \(name(room)) to the zone \(name(zone))"]
    case .roomRemovedFromZone(let room, let zone): ["removed the room \(name(room)) from the zone \(name(zone))"]
    case .groupAdded(let group): ["added the group \(group.name.text.quoted)"]
    case .groupRenamed(let id, let name): renamed("group", id, name)
    case .groupRemoved(let id): ["removed the group \(name(id))"]
    case .serviceAddedToGroup(let service, let group):
      ["added the service \(name(service)) to the group \(name(group))"]
    case .serviceRemovedFromGroup(let service, let group):
      ["removed the service \(name(service)) from the group \(name(group))"]
    default: otherPhrases(detail)
    }
  }

  private func renamed(_ kind: String, _ id: HomeObjectID, _ new: HomeName) -> [String] {
    let old = before.map { HomeLookup($0) }?.objects.first { $0.id == id }?.name
    return ["renamed the \(kind) \((old ?? id.description).quoted) to \(new.text.quoted)"]
  }

  private func otherPhrases(_ detail: HomeChange.Detail) -> [String] {
    switch detail {
    case .accessoryAdded(let accessory): ["added the accessory \(accessory.name.text.quoted)"]
    case .accessoryRenamed(let id, let name): renamed("accessory", id, name)
    case .accessoryMoved(let id, room: let room): ["moved \(name(id)) to the room \(name(room))"]
    case .accessoryRemoved(let id): ["removed the accessory \(name(id))"]
    case .accessoryBlocked(let id): ["blocked \(name(id))"]
    case .accessoryUnblocked(let id): ["unblocked \(name(id))"]
    case .servicesUpdated(let id, _): ["the services of \(name(id)) changed"]
    case .firmwareUpdated(let id, let version): ["the firmware of \(name(id)) is \(version?.oneLine ?? "unknown")"]
    case .accessoryDetailsUpdated(let id, _, category: _, configurationNumber: _):
      ["the details of \(name(id)) changed"]
    case .serviceRenamed(accessory: let accessory, service: let id, let new):
      ["renamed the service \(serviceName(id)) of \(name(accessory)) to \(new.text.quoted)"]
    case .associatedTypeChanged(accessory: _, service: let id, let type):
      [
        type.map { "the service \(name(id)) controls a \(Catalogue.service($0)?.name ?? $0.wireForm)" }
          ?? "the service \(name(id)) controls no particular device"
      ]
    case .userAdded(let user): ["added the user \(user.name.quoted) as \(user.role.withArticle)"]
    case .userRoleChanged(let id, let role): ["made the user \(name(id)) \(role.withArticle)"]
    case .userRemoved(let id): ["removed the user \(name(id))"]
    default: automationPhrases(detail)
    }
  }

  private func serviceName(_ id: HomeObjectID) -> String {
    (before?.service(id)?.service.name.text ?? id.description).quoted
  }

  private func automationPhrases(_ detail: HomeChange.Detail) -> [String] {
    switch detail {
    case .actionSetAdded(let set):
      set.kind == .triggerOwned
        ? ["added \(set.actions.count.of("action")) to the trigger \(set.name.text.quoted)"]
        : ["added the scene \(set.name.text.quoted)"]
    case .actionSetRenamed(let id, let name): renamed("scene", id, name)
    case .actionSetRemoved(let id):
      before?.actionSets.find(id)?.kind == .triggerOwned ? [] : ["removed the scene \(name(id))"]
    case .actionsChanged(let id, let actions): actionPhrases(id, actions)
    case .actionSetExecuted(let id, at: _):
      before?.actionSets.find(id)?.kind == .triggerOwned ? [] : ["ran \(name(id))"]
    case .triggerAdded(let trigger): ["added the trigger \(trigger.name.text.quoted)"]
    case .triggerRenamed(let id, let name): renamed("trigger", id, name)
    case .triggerUpdated(let trigger): triggerPhrases(trigger)
    case .triggerFired(let id, at: _): ["the trigger \(name(id)) fired"]
    case .triggerRemoved(let id): ["removed the trigger \(name(id))"]
    default: []
    }
  }

  private func actionPhrases(_ id: HomeObjectID, _ actions: [HomeAction]) -> [String] {
    let lookup = HomeLookup(home)
    let set = home.actionSets.find(id)
    let owner = set?.kind == .triggerOwned ? "the trigger \((set?.name.text ?? "").quoted)" : "the scene \(name(id))"
    let old = Dictionary((before?.actionSets.find(id)?.actions ?? []).map { ($0.characteristic, $0.value) }) { $1 }
    let new = Set(actions.map(\.characteristic))
    let assigned = actions.filter { old[$0.characteristic] != $0.value }.map { action in
      "\(owner) sets \(lookup.path(ofCharacteristic: action.characteristic)) to \(home.text(of: action.value, action.characteristic))"
    }
    let unset = old.keys.filter { !new.contains($0) }.sorted().map { id in
      let path = before.map { HomeLookup($0).path(ofCharacteristic: id) } ?? id.description
      return "\(owner) no longer sets \(path)"
    }
    return assigned + unset
  }

  private func triggerPhrases(_ trigger: Trigger) -> [String] {
    let title = "the trigger \(trigger.name.text.quoted)"
    guard let old = before?.triggers.find(trigger.id) else { return ["changed \(title)"] }
    var phrases: [String] = []
    if old.kind != trigger.kind { phrases.append("changed \(title)") }
    for set in trigger.actionSets where !old.actionSets.contains(set) {
      if home.actionSets.find(set)?.kind != .triggerOwned { phrases.append("\(title) runs \(name(set))") }
    }
    for set in old.actionSets where !trigger.actionSets.contains(set) {
      let isOwned = before?.actionSets.find(set)?.kind == .triggerOwned
      phrases.append(isOwned ? "removed the own actions of \(title)" : "\(title) no longer runs \(name(set))")
    }
    if old.isEnabled != trigger.isEnabled { phrases.append("\(trigger.isEnabled ? "enabled" : "disabled") \(title)") }
    return phrases
  }
}

extension Home {
  /// The value of a characteristic for people.
  func text(of value: Value, _ id: HomeObjectID) -> String {
    characteristic(id)?.characteristic.text(of: value) ?? "\(value)"
  }
}

extension HomeUser.Role {
  fileprivate var withArticle: String { self == .guest ? "a guest" : self == .owner ? "the owner" : "an administrator" }
}
