import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

extension HomeCommand {
  /// All identifiers that the command contains. Rules O1 and O2 concern them.
  var identifiers: [HomeObjectID] {
    switch self {
    case .addHome: []
    case .removeHome(let id), .setPrimaryHome(let id), .setTimeZone(home: let id, _), .setLocation(home: let id, _),
      .rename(let id, _), .addRoom(home: let id, name: _), .removeRoom(let id), .addZone(home: let id, name: _),
      .removeZone(let id), .addGroup(home: let id, name: _), .removeGroup(let id), .addDevice(home: let id, _),
      .updateDevice(home: let id, _), .removeAccessory(let id), .blockAccessory(let id), .unblockAccessory(let id),
      .setAssociatedType(service: let id, _), .addActionSet(home: let id, name: _), .removeActionSet(let id),
      .removeTrigger(let id), .enableTrigger(let id), .disableTrigger(let id), .addUser(home: let id, name: _, role: _),
      .setRole(user: let id, _), .removeUser(let id):
      [id]
    case .addRoomToZone(let one, let other), .removeRoomFromZone(let one, let other),
      .addServiceToGroup(let one, let other), .removeServiceFromGroup(let one, let other),
      .moveAccessory(let one, room: let other), .removeAction(let one, let other),
      .addActionSetToTrigger(let one, let other), .removeActionSetFromTrigger(let one, let other):
      [one, other]
    case .addAction(let id, let action), .updateAction(let id, let action): [id, action.characteristic]
    case .addOwnedActionSet(let id, let actions): [id] + actions.map(\.characteristic)
    case .addTrigger(home: let id, name: _, let kind), .updateTrigger(let id, let kind): [id] + kind.identifiers
    }
  }
}

extension Trigger.Kind {
  /// The identifiers in events and conditions.
  var identifiers: [HomeObjectID] {
    guard case .event(let trigger) = self else { return [] }
    return (trigger.events + trigger.endEvents).flatMap(\.identifiers) + (trigger.condition?.identifiers ?? [])
  }
}

extension HomeEvent {
  fileprivate var identifiers: [HomeObjectID] {
    switch self {
    case .characteristic(let id, equals: _), .threshold(let id, _): [id]
    case .presence(let presence): presence.identifiers
    case .calendar, .sun, .location, .duration: []
    }
  }
}

extension Condition {
  fileprivate var identifiers: [HomeObjectID] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.identifiers)
    case .not(let part): part.identifiers
    case .characteristic(let id, _, _): [id]
    case .presence(let presence): presence.identifiers
    case .time, .sun, .unknown: []
    }
  }
}

extension PresenceEvent {
  fileprivate var identifiers: [HomeObjectID] {
    if case .users(let users) = users { Array(users) } else { [] }
  }
}
