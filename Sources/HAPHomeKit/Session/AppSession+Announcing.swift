import HAPHome
import HAPModel

extension AppSession {
  /// Returns the call of the delegate that reports a change, as the table in HAPHome has it. It is called after the change.
  /// - Parameter before: the home before the change, or the new home.
  func announcement(of change: HomeChange, _ before: Home) -> (() -> Void)? {
    let id = change.home
    switch change.detail {
    case .homeAdded:
      return { [self] in if let home = home(id) { sessionOwner?.homeAdded(home) } }
    case .homeRemoved:
      guard let home = home(id) else { return nil }
      return { [self] in sessionOwner?.homeRemoved(home) }
    case .homeMadePrimary: return { [self] in sessionOwner?.primaryHomeChanged() }
    case .timeZoneChanged, .locationChanged, .copyRenewed: return nil
    case .homeRenamed: return tell(id) { $0.homeDidUpdateName($1) }
    case .roomAdded, .roomRenamed, .roomRemoved, .zoneAdded, .zoneRenamed, .zoneRemoved, .roomAddedToZone,
      .roomRemovedFromZone, .groupAdded, .groupRenamed, .groupRemoved, .serviceAddedToGroup, .serviceRemovedFromGroup:
      return placeAnnouncement(of: change, before)
    case .accessoryAdded, .accessoryRenamed, .accessoryMoved, .accessoryRemoved, .accessoryBlocked, .accessoryUnblocked,
      .servicesUpdated, .firmwareUpdated, .accessoryDetailsUpdated, .serviceRenamed, .associatedTypeChanged:
      return accessoryAnnouncement(of: change, before)
    case .actionSetAdded, .actionSetRenamed, .actionSetRemoved, .actionsChanged, .actionSetExecuted, .triggerAdded,
      .triggerRenamed, .triggerUpdated, .triggerFired, .triggerRemoved, .userAdded, .userRoleChanged, .userRemoved:
      return automationAnnouncement(of: change, before)
    }
  }

  // MARK: Rooms, zones, groups

  private func placeAnnouncement(of change: HomeChange, _ before: Home) -> (() -> Void)? {
    let id = change.home
    switch change.detail {
    case .roomAdded(let room): return tell(id) { $0.home($1, didAdd: self.room(room, in: id)) }
    case .roomRenamed(let room, _): return tell(id, room, in: before) { $0.home($1, didUpdateNameFor: $2) }
    case .roomRemoved(let room): return tell(id, room, in: before) { $0.home($1, didRemove: $2) }
    case .zoneAdded(let zone): return tell(id) { $0.home($1, didAdd: self.zone(zone, in: id)) }
    case .zoneRenamed(let zone, _): return tell(id, zone: zone, in: before) { $0.home($1, didUpdateNameFor: $2) }
    case .zoneRemoved(let zone): return tell(id, zone: zone, in: before) { $0.home($1, didRemove: $2) }
    case .roomAddedToZone(let room, let zone):
      guard let room = self.room(room, in: before) else { return nil }
      return tell(id, zone: zone, in: before) { $0.home($1, didAdd: room, to: $2) }
    case .roomRemovedFromZone(let room, let zone):
      guard let room = self.room(room, in: before) else { return nil }
      return tell(id, zone: zone, in: before) { $0.home($1, didRemove: room, from: $2) }
    case .groupAdded(let group): return tell(id) { $0.home($1, didAdd: self.group(group, in: id)) }
    case .groupRenamed(let group, _): return tell(id, group: group, in: before) { $0.home($1, didUpdateNameFor: $2) }
    case .groupRemoved(let group): return tell(id, group: group, in: before) { $0.home($1, didRemove: $2) }
    case .serviceAddedToGroup(let service, let group):
      guard let service = self.service(service, in: before) else { return nil }
      return tell(id, group: group, in: before) { $0.home($1, didAdd: service, to: $2) }
    case .serviceRemovedFromGroup(let service, let group):
      guard let service = self.service(service, in: before) else { return nil }
      return tell(id, group: group, in: before) { $0.home($1, didRemove: service, from: $2) }
    default: preconditionFailure("\(change.detail) is not a change of rooms, zones or groups")
    }
  }

  // MARK: Accessories

  private func accessoryAnnouncement(of change: HomeChange, _ before: Home) -> (() -> Void)? {
    let id = change.home
    switch change.detail {
    case .accessoryAdded(let accessory): return tell(id) { $0.home($1, didAdd: self.accessory(accessory, in: id)) }
    case .accessoryRenamed(let accessory, _):
      return tell(accessory, in: before) { $0.accessoryDidUpdateName($1) }
    case .accessoryMoved(let accessory, let room):
      guard let accessory = self.accessory(accessory, in: before), let room = self.room(room, in: before) else {
        return nil
      }
      return tell(id) { $0.home($1, didUpdate: room, for: accessory) }
    case .accessoryRemoved(let accessory):
      return tell(id, accessory: accessory, in: before) { $0.home($1, didRemove: $2) }
    case .accessoryBlocked(let accessory):
      return tell(id, accessory: accessory, in: before) {
        let error = HMError(
          .accessoryIsBlocked, "\"\($2.name)\" broke the protocol several times: unblock it to try again")
        $0.home($1, didEncounterError: error, for: $2)
      }
    case .accessoryUnblocked(let accessory):
      return tell(id, accessory: accessory, in: before) { $0.home($1, didUnblockAccessory: $2) }
    case .servicesUpdated(let accessory, _): return tell(accessory, in: before) { $0.accessoryDidUpdateServices($1) }
    case .firmwareUpdated(let accessory, let version):
      return tell(accessory, in: before) { $0.accessory($1, didUpdateFirmwareVersion: version ?? "") }
    case .accessoryDetailsUpdated: return nil
    case .serviceRenamed(let accessory, let service, _):
      guard let service = self.service(service, in: before) else { return nil }
      return tell(accessory, in: before) { $0.accessory($1, didUpdateNameFor: service) }
    case .associatedTypeChanged(let accessory, let service, _):
      guard let service = self.service(service, in: before) else { return nil }
      return tell(accessory, in: before) { $0.accessory($1, didUpdateAssociatedServiceTypeFor: service) }
    default: preconditionFailure("\(change.detail) is not a change of accessories")
    }
  }

  // MARK: Action sets, triggers, users

  private func automationAnnouncement(of change: HomeChange, _ before: Home) -> (() -> Void)? {
    let id = change.home
    switch change.detail {
    case .actionSetAdded(let set):
      return set.kind == .triggerOwned ? nil : tell(id) { $0.home($1, didAdd: self.actionSet(set, in: id)) }
    case .actionSetRenamed(let set, _): return tell(id, set: set, in: before) { $0.home($1, didUpdateNameFor: $2) }
    case .actionSetRemoved(let set): return tell(id, set: set, in: before) { $0.home($1, didRemove: $2) }
    case .actionsChanged(let set, _): return tell(id, set: set, in: before) { $0.home($1, didUpdateActionsFor: $2) }
    case .actionSetExecuted: return nil
    case .triggerAdded(let trigger): return tell(id) { $0.home($1, didAdd: self.trigger(trigger, in: id)) }
    case .triggerRenamed(let trigger, _):
      return tell(id, trigger: trigger, in: before) { $0.home($1, didUpdateNameFor: $2) }
    case .triggerUpdated(let trigger): return tell(id, trigger: trigger.id, in: before) { $0.home($1, didUpdate: $2) }
    case .triggerFired(let trigger, _): return tell(id, trigger: trigger, in: before) { $0.home($1, didUpdate: $2) }
    case .triggerRemoved(let trigger): return tell(id, trigger: trigger, in: before) { $0.home($1, didRemove: $2) }
    case .userAdded(let user): return tell(id) { $0.home($1, didAdd: self.user(user, in: id)) }
    case .userRoleChanged(let user, _):
      return user == before.ownUser.id ? tell(id) { $0.homeDidUpdateAccessControl(forCurrentUser: $1) } : nil
    case .userRemoved(let user):
      guard let user = before.users.find(user).map({ self.user($0, in: id) }) else { return nil }
      return tell(id) { $0.home($1, didRemove: user) }
    default: preconditionFailure("\(change.detail) is not a change of action sets, triggers or users")
    }
  }
}

// MARK: Calls

extension AppSession {
  /// Calls the delegate of a home.
  private func tell(_ home: HomeObjectID, _ call: @escaping (any HMHomeDelegate, HMHome) -> Void) -> () -> Void {
    { [self] in
      guard let home = self.home(home), let delegate = home.delegate else { return }
      call(delegate, home)
    }
  }

  /// Calls the delegate of a home with an object, which is found before the change.
  private func tell<Object>(
    _ home: HomeObjectID, about object: Object?, _ call: @escaping (any HMHomeDelegate, HMHome, Object) -> Void
  ) -> (() -> Void)? {
    object.map { object in tell(home) { call($0, $1, object) } }
  }

  private func tell(
    _ home: HomeObjectID, _ room: HomeObjectID, in before: Home,
    _ call: @escaping (any HMHomeDelegate, HMHome, HMRoom) -> Void
  ) -> (() -> Void)? {
    tell(home, about: self.room(room, in: before), call)
  }

  private func tell(
    _ home: HomeObjectID, zone: HomeObjectID, in before: Home,
    _ call: @escaping (any HMHomeDelegate, HMHome, HMZone) -> Void
  ) -> (() -> Void)? {
    tell(home, about: before.zones.find(zone).map { self.zone($0, in: before.id) }, call)
  }

  private func tell(
    _ home: HomeObjectID, group: HomeObjectID, in before: Home,
    _ call: @escaping (any HMHomeDelegate, HMHome, HMServiceGroup) -> Void
  ) -> (() -> Void)? {
    tell(home, about: before.groups.find(group).map { self.group($0, in: before.id) }, call)
  }

  private func tell(
    _ home: HomeObjectID, accessory: HomeObjectID, in before: Home,
    _ call: @escaping (any HMHomeDelegate, HMHome, HMAccessory) -> Void
  ) -> (() -> Void)? {
    tell(home, about: self.accessory(accessory, in: before), call)
  }

  /// Calls the delegate of a home with an action set, unless a trigger owns it (rule S4).
  private func tell(
    _ home: HomeObjectID, set: HomeObjectID, in before: Home,
    _ call: @escaping (any HMHomeDelegate, HMHome, HMActionSet) -> Void
  ) -> (() -> Void)? {
    let set = before.listedActionSets.find(set)
    return tell(home, about: set.map { actionSet($0, in: before.id) }, call)
  }

  private func tell(
    _ home: HomeObjectID, trigger: HomeObjectID, in before: Home,
    _ call: @escaping (any HMHomeDelegate, HMHome, HMTrigger) -> Void
  ) -> (() -> Void)? {
    tell(home, about: before.triggers.find(trigger).map { self.trigger($0, in: before.id) }, call)
  }

  /// Calls the delegate of an accessory.
  private func tell(
    _ accessory: HomeObjectID, in before: Home, _ call: @escaping (any HMAccessoryDelegate, HMAccessory) -> Void
  ) -> (() -> Void)? {
    guard let accessory = self.accessory(accessory, in: before) else { return nil }
    return { if let delegate = accessory.delegate { call(delegate, accessory) } }
  }
}
