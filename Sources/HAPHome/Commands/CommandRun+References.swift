import HAPModel

/// Decides which references to objects of a home stay after some objects were removed or changed.
struct ReferenceFilter {
  /// Whether an action stays.
  var keepsAction: (HomeAction) -> Bool = { _ in true }
  /// The event that stays; nil: it is removed.
  var event: (HomeEvent) -> HomeEvent? = { $0 }
  /// The condition that replaces a condition without parts.
  var condition: (Condition) -> Condition = { $0 }
  /// The services that are removed.
  var removedServices: Set<HomeObjectID> = []
}

extension CommandRun {
  /// Removes references from action sets, groups and triggers, in this order. A trigger without events is disabled.
  mutating func removeReferences(in homeID: HomeObjectID, _ filter: ReferenceFilter) {
    guard let home = model.home(homeID) else { preconditionFailure("the home was found before") }
    for set in home.actionSets {
      let actions = set.actions.filter(filter.keepsAction)
      if actions.count < set.actions.count { emit(homeID, .actionsChanged(set.id, actions)) }
    }
    for group in home.groups {
      for service in group.services where filter.removedServices.contains(service) {
        emit(homeID, .serviceRemovedFromGroup(service: service, group: group.id))
      }
    }
    for var trigger in home.triggers {
      guard case .event(var events) = trigger.kind else { continue }
      events.events = events.events.compactMap(filter.event)
      events.endEvents = events.endEvents.compactMap(filter.event)
      events.condition = events.condition?.mapLeaves(filter.condition)
      guard trigger.kind != .event(events) else { continue }
      trigger.kind = .event(events)
      if events.events.isEmpty { trigger.isEnabled = false }
      emit(homeID, .triggerUpdated(trigger))
    }
  }

  /// Removes an accessory and all references to it.
  mutating func remove(_ accessory: HomeAccessory, from homeID: HomeObjectID) {
    removeReferences(from: accessory, to: [], in: homeID)
    emit(homeID, .accessoryRemoved(accessory.id))
  }

  /// Removes the references that are no longer valid when the services of an accessory are replaced. An iid of another
  /// type is another object: a scene for a lamp must not write to a lock.
  mutating func removeReferences(
    from accessory: HomeAccessory, to services: [HomeService], in homeID: HomeObjectID
  ) {
    let characteristics = accessory.services.flatMap(\.characteristics)
    let old = Set(characteristics.map(\.id))
    let types = Set(characteristics.map(TypedPart.init))
    let new = Dictionary(
      uniqueKeysWithValues: services.flatMap(\.characteristics).filter { types.contains(TypedPart($0)) }
        .map { ($0.id, $0) })
    let removedServices = Set(accessory.services.map(TypedPart.init)).subtracting(services.map(TypedPart.init))
    removeReferences(
      in: homeID,
      ReferenceFilter(
        keepsAction: { action in
          guard old.contains(action.characteristic) else { return true }
          return new[action.characteristic].map { $0.takes(action.value) } ?? false
        },
        event: { event in
          guard let id = event.characteristic, old.contains(id) else { return event }
          return new[id].flatMap { $0.violation(of: event) == nil ? event : nil }
        },
        condition: { condition in
          guard case .characteristic(let id, _, _) = condition, old.contains(id) else { return condition }
          return new[id].flatMap { $0.violation(of: condition) == nil ? condition : nil } ?? .unknown
        },
        removedServices: Set(removedServices.map(\.id))))
  }

  /// Removes the references to a user from triggers.
  mutating func removeReferences(toUser user: HomeObjectID, in homeID: HomeObjectID) {
    func remaining(_ presence: PresenceEvent) -> PresenceEvent? {
      guard case .users(var users) = presence.users, users.remove(user) != nil else { return presence }
      return users.isEmpty ? nil : PresenceEvent(presence.kind, of: .users(users))
    }
    removeReferences(
      in: homeID,
      ReferenceFilter(
        event: { event in
          guard case .presence(let presence) = event else { return event }
          return remaining(presence).map { .presence($0) }
        },
        condition: { condition in
          guard case .presence(let presence) = condition else { return condition }
          return remaining(presence).map { .presence($0) } ?? .unknown
        }))
  }

  /// Removes an action set from a trigger. A trigger without sets is disabled.
  mutating func detach(_ set: HomeObjectID, from trigger: HomeObjectID, in homeID: HomeObjectID) {
    guard var changed = model.home(homeID)?.triggers.find(trigger), changed.actionSets.contains(set) else { return }
    changed.actionSets.removeAll { $0 == set }
    if changed.actionSets.isEmpty { changed.isEnabled = false }
    emit(homeID, .triggerUpdated(changed))
  }
}

/// A service or a characteristic with its type.
private struct TypedPart: Hashable {
  let id: HomeObjectID
  let type: TypeID

  init(_ service: HomeService) { (id, type) = (service.id, service.type) }
  init(_ characteristic: HomeCharacteristic) { (id, type) = (characteristic.id, characteristic.type) }
}

extension HomeCharacteristic {
  /// Whether an action can write this value (rule S2).
  func takes(_ value: Value) -> Bool {
    permissions.contains(.pairedWrite) && (try? canonical(value)) == value
  }
}
