extension HomeModel {
  /// Applies changes that `perform` gave for an equal model. Then both models are equal again.
  ///
  /// A change of a home or an object that the model does not have is ignored: a reader that lost changes reads the
  /// model again. So is a change that would remove the owner of a home or add a second one, which `perform` never gives.
  public mutating func apply(_ changes: [HomeChange]) {
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: HomeChange) {
    switch change.detail {
    case .homeAdded(let home):
      homes.append(home)
    case .homeRemoved:
      homes.removeAll { $0.id == change.home }
      if primaryHome == change.home { primaryHome = nil }
    case .homeMadePrimary:
      if home(change.home) != nil { primaryHome = change.home }
    case .homeRenamed(let name): update(change.home) { $0.name = name }
    case .timeZoneChanged(let zone): update(change.home) { $0.zone = zone }
    case .locationChanged(let location): update(change.home) { $0.location = location }
    case .copyRenewed(let copy): update(change.home) { if $0.copy != nil { $0.copy = copy } }
    case .roomAdded, .roomRenamed, .roomRemoved, .zoneAdded, .zoneRenamed, .zoneRemoved, .roomAddedToZone,
      .roomRemovedFromZone, .groupAdded, .groupRenamed, .groupRemoved, .serviceAddedToGroup, .serviceRemovedFromGroup:
      update(change.home) { $0.applyPlace(change.detail) }
    case .accessoryAdded, .accessoryRenamed, .accessoryMoved, .accessoryRemoved, .accessoryBlocked, .accessoryUnblocked,
      .servicesUpdated, .firmwareUpdated, .accessoryDetailsUpdated, .serviceRenamed, .associatedTypeChanged:
      update(change.home) { $0.applyAccessory(change.detail) }
    case .actionSetAdded, .actionSetRenamed, .actionSetRemoved, .actionsChanged, .actionSetExecuted, .triggerAdded,
      .triggerRenamed, .triggerUpdated, .triggerFired, .triggerRemoved, .userAdded, .userRoleChanged, .userRemoved:
      update(change.home) { $0.applyAutomation(change.detail) }
    }
  }

  private mutating func update(_ id: HomeObjectID, _ body: (inout Home) -> Void) {
    guard let index = homes.firstIndex(where: { $0.id == id }) else { return }
    body(&homes[index])
  }
}

extension Home {
  /// Applies a change of rooms, zones and groups.
  fileprivate mutating func applyPlace(_ detail: HomeChange.Detail) {
    switch detail {
    case .roomAdded(let room): rooms.append(room)
    case .roomRenamed(let id, let name): rooms.update(id) { $0.name = name }
    case .roomRemoved(let id): rooms.remove(id)
    case .zoneAdded(let zone): zones.append(zone)
    case .zoneRenamed(let id, let name): zones.update(id) { $0.name = name }
    case .zoneRemoved(let id): zones.remove(id)
    case .roomAddedToZone(let room, let zone): zones.update(zone) { $0.rooms.append(room) }
    case .roomRemovedFromZone(let room, let zone): zones.update(zone) { $0.rooms.removeAll { $0 == room } }
    case .groupAdded(let group): groups.append(group)
    case .groupRenamed(let id, let name): groups.update(id) { $0.name = name }
    case .groupRemoved(let id): groups.remove(id)
    case .serviceAddedToGroup(let service, let group): groups.update(group) { $0.services.append(service) }
    case .serviceRemovedFromGroup(let service, let group):
      groups.update(group) { $0.services.removeAll { $0 == service } }
    default: preconditionFailure("\(detail) does not change rooms, zones or groups")
    }
  }

  fileprivate mutating func applyAccessory(_ detail: HomeChange.Detail) {
    switch detail {
    case .accessoryAdded(let accessory): accessories.append(accessory)
    case .accessoryRenamed(let id, let name): accessories.update(id) { $0.name = name }
    case .accessoryMoved(let id, let room): accessories.update(id) { $0.room = room }
    case .accessoryRemoved(let id): accessories.remove(id)
    case .accessoryBlocked(let id): accessories.update(id) { $0.isBlocked = true }
    case .accessoryUnblocked(let id): accessories.update(id) { $0.isBlocked = false }
    case .servicesUpdated(let id, let services): accessories.update(id) { $0.services = services }
    case .firmwareUpdated(let id, let firmware): accessories.update(id) { $0.information.firmware = firmware }
    case .accessoryDetailsUpdated(let id, let information, let category, let number):
      accessories.update(id) { accessory in
        let firmware = accessory.information.firmware
        accessory.information = information
        accessory.information.firmware = firmware
        (accessory.category, accessory.configurationNumber) = (category, number)
      }
    case .serviceRenamed(let accessory, let service, let name):
      accessories.update(accessory) { $0.services.update(service) { $0.name = name } }
    case .associatedTypeChanged(let accessory, let service, let type):
      accessories.update(accessory) { $0.services.update(service) { $0.associatedType = type } }
    default: preconditionFailure("\(detail) does not change accessories")
    }
  }

  /// Applies a change of action sets, triggers and users.
  fileprivate mutating func applyAutomation(_ detail: HomeChange.Detail) {
    switch detail {
    case .actionSetAdded(let set): actionSets.append(set)
    case .actionSetRenamed(let id, let name): actionSets.update(id) { $0.name = name }
    case .actionSetRemoved(let id): actionSets.remove(id)
    case .actionsChanged(let id, let actions): actionSets.update(id) { $0.actions = actions }
    case .actionSetExecuted(let id, let time): actionSets.update(id) { $0.lastExecution = time }
    case .triggerAdded(let trigger): triggers.append(trigger)
    case .triggerRenamed(let id, let name): triggers.update(id) { $0.name = name }
    case .triggerUpdated(let trigger):
      triggers.update(trigger.id) { old in
        let (name, lastFire) = (old.name, old.lastFire)
        old = trigger
        (old.name, old.lastFire) = (name, lastFire)
      }
    case .triggerFired(let id, let time): triggers.update(id) { $0.lastFire = time }
    case .triggerRemoved(let id): triggers.remove(id)
    case .userAdded(let user): if user.role != .owner { users.append(user) }
    case .userRoleChanged(let id, let role):
      if role != .owner, id != users.first?.id { users.update(id) { $0.role = role } }
    case .userRemoved(let id): if id != users.first?.id { users.remove(id) }
    default: preconditionFailure("\(detail) does not change action sets, triggers or users")
    }
  }
}

/// An object that is stored in a list of a home.
package protocol HomeObject {
  var id: HomeObjectID { get }
}
extension Home: HomeObject {}
extension Room: HomeObject {}
extension RoomZone: HomeObject {}
extension ServiceGroup: HomeObject {}
extension HomeAccessory: HomeObject {}
extension HomeService: HomeObject {}
extension HomeCharacteristic: HomeObject {}
extension ActionSet: HomeObject {}
extension Trigger: HomeObject {}
extension HomeUser: HomeObject {}

extension Array where Element: HomeObject {
  /// Returns the object with this identifier.
  package func find(_ id: HomeObjectID) -> Element? { first { $0.id == id } }

  /// Changes the object with this identifier, if the list has it.
  mutating func update(_ id: HomeObjectID, _ body: (inout Element) -> Void) {
    guard let index = firstIndex(where: { $0.id == id }) else { return }
    body(&self[index])
  }

  /// Removes the object with this identifier, if the list has it.
  mutating func remove(_ id: HomeObjectID) { removeAll { $0.id == id } }
}
