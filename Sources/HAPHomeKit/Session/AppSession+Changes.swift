import Foundation
import HAPHome
import HAPHubLink
import HAPModel

// All of this runs in work items of the main queue.
extension AppSession {
  // MARK: All homes

  /// The app is attached: at the start, or after an absence.
  func attached(_ snapshot: HubSnapshot) {
    let (subscribed, wasAway) = state.withLock { state in
      defer { state.hasToldEnd = false }
      state.snapshot = snapshot
      return (state.subscribed, state.hasToldEnd)
    }
    for home in snapshot.model.homes { refresh(home) }
    endMissing(in: snapshot.model)
    if !subscribed.isEmpty { subscribeAgain(subscribed) }
    sessionOwner?.homesLoaded()
    if wasAway { hubStateChanged() }
  }

  private func subscribeAgain(_ ids: Set<HomeObjectID>) {
    let present = ids.filter { known(HMCharacteristic.self, $0)?.handle.isGone == false }
    state.withLock { $0.subscribed = present }
    if present.isEmpty { return }
    // A new subscription gives the present values; the same link may still have the old one.
    ask(.unsubscribe(present.sorted())) { _ in }
    ask(.subscribe(present.sorted())) { _ in }
  }

  private func refresh(_ home: Home) {
    replace(home)
    for room in home.rooms + [home.roomForEntireHome] { replace(room) }
    for zone in home.zones { replace(zone) }
    for group in home.groups { replace(group) }
    for accessory in home.accessories { refresh(accessory) }
    for set in home.actionSets { replace(set) }
    for trigger in home.triggers { replace(trigger) }
    for user in home.users { replace(user) }
  }

  private func refresh(_ accessory: HomeAccessory) {
    replace(accessory)
    for service in accessory.services {
      replace(service)
      for characteristic in service.characteristics { replace(characteristic) }
    }
  }

  private func replace(_ record: some HomeObject & Sendable) {
    state.withLock { $0.objects[record.id]?.record }?.replace(by: record)
  }

  /// Ends the objects that do not exist any more.
  private func endMissing(in model: HomeModel) {
    var present: Set<HomeObjectID> = []
    for home in model.homes { home.forEachID { present.insert($0) } }
    let gone = state.withLock { state in state.objects.keys.filter { !present.contains($0) } }
    end(gone)
  }

  /// The objects stay known, so that an app that has a removed accessory gets the same services from it.
  private func end(_ ids: some Sequence<HomeObjectID>) {
    let ended = state.withLock { state in
      ids.compactMap { id in
        state.executing.remove(id)
        state.subscribed.remove(id)
        state.subscribing[id] = nil
        return state.objects[id]
      }
    }
    for object in ended { object.record.end() }
  }

  // MARK: Changes

  /// Applies changes one by one, so that a delegate sees the homes as of its change.
  /// - Parameter isOwn: whether this app asked for them. Then its delegates are not called.
  func apply(_ changes: [HomeChange], isOwn: Bool) {
    for change in changes { apply(change, announces: !isOwn) }
  }

  /// Applies the addition of a device. The app that added a bridge gets a call for each of its bridged accessories.
  func applyAddition(_ ids: [HomeObjectID], _ changes: [HomeChange]) {
    for change in changes {
      var announces = false
      if case .accessoryAdded(let accessory) = change.detail { announces = accessory.bridge != nil }
      apply(change, announces: announces)
    }
  }

  private func apply(_ change: HomeChange, announces: Bool) {
    guard let before = homeRecord(change.home) ?? change.newHome else { return }
    let announcement = announces ? self.announcement(of: change, before) : nil
    var vanished = before.parts(removedBy: change)
    state.withLock { $0.snapshot?.apply([change]) }
    if let home = homeRecord(change.home) {
      replace(home)
      for id in change.changedObjects { refresh(id, in: home) }
      if case .servicesUpdated(let id, _) = change.detail, let accessory = home.accessories.find(id) {
        accessory.forEachID { vanished.remove($0) }
      }
    }
    end(vanished)
    announcement?()
  }

  private func refresh(_ id: HomeObjectID, in home: Home) {
    if let accessory = home.accessories.find(id) { return refresh(accessory) }
    if let part = home.part(id) { replace(part) }
  }

  // MARK: Values and states

  func take(_ readings: [CharacteristicReading], isCatchUp: Bool) {
    for reading in readings {
      guard let value = reading.value else { continue }
      let isNew = state.withLock { state in
        defer { state.values[reading.characteristic] = value }
        return state.values[reading.characteristic] != value
      }
      // After a gap, only values that differ are news.
      if isCatchUp && !isNew { continue }
      known(HMCharacteristic.self, reading.characteristic)?.tellValue()
    }
  }

  func setValue(of reading: CharacteristicReading) {
    guard let value = reading.value else { return }
    state.withLock { $0.values[reading.characteristic] = value }
  }

  /// The app executed writes: the accessories do not report them to it.
  func executed(_ result: ExecutionResult) {
    state.withLock { state in
      for action in result.actions where action.outcome == .done {
        state.values[action.action.characteristic] = action.action.value
      }
    }
  }

  func reachability(of id: HomeObjectID, _ isReachable: Bool, _ why: String?) {
    state.withLock { $0.snapshot?.apply(.reachability(id, isReachable: isReachable, why: why)) }
    guard let home = model.homes.first(where: { $0.accessories.find(id) != nil }) else { return }
    guard let accessory = accessory(id, in: home) else { return }
    accessory.delegate?.accessoryDidUpdateReachability(accessory)
  }

  func hubStateChanged() {
    for home in homes { home.delegate?.home(home, didUpdate: home.homeHubState) }
  }
}

extension HomeChange {
  /// The home of a change that adds it.
  fileprivate var newHome: Home? { if case .homeAdded(let home) = detail { home } else { nil } }

  /// The objects, besides the home, whose records the change replaces.
  fileprivate var changedObjects: [HomeObjectID] {
    switch detail {
    case .homeAdded, .homeRemoved, .homeMadePrimary, .homeRenamed, .timeZoneChanged, .locationChanged, .roomAdded,
      .roomRemoved, .zoneAdded, .zoneRemoved, .groupAdded, .groupRemoved, .accessoryAdded, .accessoryRemoved,
      .actionSetAdded, .actionSetRemoved, .triggerAdded, .triggerRemoved, .userAdded, .userRemoved, .copyRenewed:
      []
    case .roomRenamed(let id, _), .zoneRenamed(let id, _), .groupRenamed(let id, _), .actionSetRenamed(let id, _),
      .triggerRenamed(let id, _), .accessoryRenamed(let id, _), .accessoryMoved(let id, _), .accessoryBlocked(let id),
      .accessoryUnblocked(let id), .servicesUpdated(let id, _), .firmwareUpdated(let id, _),
      .accessoryDetailsUpdated(let id, _, _, _), .serviceRenamed(let id, _, _), .associatedTypeChanged(let id, _, _),
      .actionsChanged(let id, _), .actionSetExecuted(let id, _), .triggerFired(let id, _), .userRoleChanged(let id, _),
      .roomAddedToZone(_, let id), .roomRemovedFromZone(_, let id), .serviceAddedToGroup(_, let id),
      .serviceRemovedFromGroup(_, let id):
      [id]
    case .triggerUpdated(let trigger): [trigger.id]
    }
  }
}

extension Home {
  /// Calls a function for the home's identifier and all in it.
  fileprivate func forEachID(_ body: (HomeObjectID) -> Void) {
    body(id)
    body(roomForEntireHome.id)
    for list: [any HomeObject] in [rooms, zones, groups, actionSets, triggers, users] {
      for part in list { body(part.id) }
    }
    for accessory in accessories { accessory.forEachID(body) }
  }

  /// The identifiers of the objects that may end with a change.
  fileprivate func parts(removedBy change: HomeChange) -> Set<HomeObjectID> {
    var parts: Set<HomeObjectID> = []
    switch change.detail {
    case .homeRemoved: forEachID { parts.insert($0) }
    case .roomRemoved(let id), .zoneRemoved(let id), .groupRemoved(let id), .actionSetRemoved(let id),
      .triggerRemoved(let id), .userRemoved(let id):
      parts = [id]
    case .accessoryRemoved(let id), .servicesUpdated(let id, _):
      accessories.find(id)?.forEachID { parts.insert($0) }
    default: break
    }
    return parts
  }
}

extension HomeAccessory {
  fileprivate func forEachID(_ body: (HomeObjectID) -> Void) {
    body(id)
    for service in services {
      body(service.id)
      for characteristic in service.characteristics { body(characteristic.id) }
    }
  }
}
