import HAPHome

extension HomeModel {
  /// Returns changes that lead from here to a later state of the same homes. The choice of the primary home is not
  /// compared.
  package func changes(to later: HomeModel) -> [HomeChange] {
    later.homes.filter { home($0.id) == nil }.map { HomeChange($0.id, .homeAdded($0)) }
      + homes.flatMap { home in
        later.home(home.id).map { home.changes(to: $0) } ?? [HomeChange(home.id, .homeRemoved)]
      }
  }
}

extension Home {
  /// Returns changes that lead from here to a later state of this home, with the fewest announcements for apps. A
  /// difference that no change describes, such as another order, removes the home and adds it again.
  package func changes(to later: Home) -> [HomeChange] {
    let changes = (ownChanges(to: later) + additions(in: later) + updates(in: later) + removals(in: later)).map {
      HomeChange(id, $0)
    }
    var model = HomeModel()
    model.apply([HomeChange(id, .homeAdded(self))] + changes)
    return model.homes == [later] ? changes : [HomeChange(id, .homeRemoved), HomeChange(later.id, .homeAdded(later))]
  }

  private func ownChanges(to later: Home) -> [HomeChange.Detail] {
    var changes: [HomeChange.Detail] = []
    if let copy = later.copy, copy != self.copy { changes.append(.copyRenewed(copy)) }
    if name != later.name { changes.append(.homeRenamed(later.name)) }
    if zone != later.zone { changes.append(.timeZoneChanged(later.zone)) }
    if location != later.location { changes.append(.locationChanged(later.location)) }
    return changes
  }

  /// New objects: first those that others refer to.
  private func additions(in later: Home) -> [HomeChange.Detail] {
    func new<Object: HomeObject>(_ list: KeyPath<Home, [Object]>) -> [Object] {
      later[keyPath: list].filter { self[keyPath: list].find($0.id) == nil }
    }
    return new(\.users).map { .userAdded($0) } + new(\.rooms).map { .roomAdded($0) }
      + new(\.accessories).map { .accessoryAdded($0) } + new(\.zones).map { .zoneAdded($0) }
      + new(\.groups).map { .groupAdded($0) } + new(\.actionSets).map { .actionSetAdded($0) }
      + new(\.triggers).map { .triggerAdded($0) }
  }

  /// Objects that are gone: first those that refer to others.
  private func removals(in later: Home) -> [HomeChange.Detail] {
    func gone<Object: HomeObject>(_ list: KeyPath<Home, [Object]>) -> [HomeObjectID] {
      self[keyPath: list].map(\.id).filter { later[keyPath: list].find($0) == nil }
    }
    return gone(\.triggers).map { .triggerRemoved($0) } + gone(\.actionSets).map { .actionSetRemoved($0) }
      + gone(\.groups).map { .groupRemoved($0) } + gone(\.zones).map { .zoneRemoved($0) }
      + gone(\.accessories).map { .accessoryRemoved($0) } + gone(\.rooms).map { .roomRemoved($0) }
      + gone(\.users).map { .userRemoved($0) }
  }

  private func updates(in later: Home) -> [HomeChange.Detail] {
    func both<Object: HomeObject>(
      _ list: KeyPath<Home, [Object]>, _ compare: (Object, Object) -> [HomeChange.Detail]
    ) -> [HomeChange.Detail] {
      self[keyPath: list].flatMap { old in later[keyPath: list].find(old.id).map { compare(old, $0) } ?? [] }
    }
    return both(\.rooms) { $0.name == $1.name ? [] : [.roomRenamed($0.id, $1.name)] }
      + both(\.accessories) { $0.changes(to: $1) } + both(\.zones) { $0.changes(to: $1) }
      + both(\.groups) { $0.changes(to: $1) } + both(\.actionSets) { $0.changes(to: $1) }
      + both(\.triggers) { $0.changes(to: $1) }
      + both(\.users) { $0.role == $1.role ? [] : [.userRoleChanged($0.id, $1.role)] }
  }
}

extension HomeAccessory {
  fileprivate func changes(to later: HomeAccessory) -> [HomeChange.Detail] {
    var changes: [HomeChange.Detail] = []
    if name != later.name { changes.append(.accessoryRenamed(id, later.name)) }
    if room != later.room { changes.append(.accessoryMoved(id, room: later.room)) }
    if services != later.services { changes.append(.servicesUpdated(id, later.services)) }
    if information.firmware != later.information.firmware {
      changes.append(.firmwareUpdated(id, later.information.firmware))
    }
    var details = information
    details.firmware = later.information.firmware
    if (category, configurationNumber, details) != (later.category, later.configurationNumber, later.information) {
      changes.append(
        .accessoryDetailsUpdated(
          id, later.information, category: later.category, configurationNumber: later.configurationNumber))
    }
    if isBlocked != later.isBlocked {
      changes.append(later.isBlocked ? .accessoryBlocked(id) : .accessoryUnblocked(id))
    }
    return changes
  }
}

extension RoomZone {
  fileprivate func changes(to later: RoomZone) -> [HomeChange.Detail] {
    (name == later.name ? [] : [.zoneRenamed(id, later.name)])
      + rooms.filter { !later.rooms.contains($0) }.map { .roomRemovedFromZone(room: $0, zone: id) }
      + later.rooms.filter { !rooms.contains($0) }.map { .roomAddedToZone(room: $0, zone: id) }
  }
}

extension ServiceGroup {
  fileprivate func changes(to later: ServiceGroup) -> [HomeChange.Detail] {
    (name == later.name ? [] : [.groupRenamed(id, later.name)])
      + services.filter { !later.services.contains($0) }.map { .serviceRemovedFromGroup(service: $0, group: id) }
      + later.services.filter { !services.contains($0) }.map { .serviceAddedToGroup(service: $0, group: id) }
  }
}

extension ActionSet {
  fileprivate func changes(to later: ActionSet) -> [HomeChange.Detail] {
    var changes: [HomeChange.Detail] = []
    if name != later.name { changes.append(.actionSetRenamed(id, later.name)) }
    if actions != later.actions { changes.append(.actionsChanged(id, later.actions)) }
    if let time = later.lastExecution, time != lastExecution { changes.append(.actionSetExecuted(id, at: time)) }
    return changes
  }
}

extension Trigger {
  fileprivate func changes(to later: Trigger) -> [HomeChange.Detail] {
    var changes: [HomeChange.Detail] = []
    if name != later.name { changes.append(.triggerRenamed(id, later.name)) }
    if kind != later.kind || actionSets != later.actionSets || isEnabled != later.isEnabled {
      changes.append(.triggerUpdated(later))
    }
    if lastFire != later.lastFire { changes.append(.triggerFired(id, at: later.lastFire)) }
    return changes
  }
}

extension HomeChange.Detail {
  /// Whether the change concerns the index.
  package var movesCharacteristics: Bool {
    switch self {
    case .homeAdded, .homeRemoved, .accessoryAdded, .accessoryRemoved, .servicesUpdated, .accessoryBlocked,
      .accessoryUnblocked:
      true
    default: false
    }
  }
}
