import HAPAlmanac
import HAPModel

@testable import HAPHome
@testable import HAPHomeEngine

/// The kinds of commands. A new case of `HomeCommand` does not compile until `HomeCommand.kind` has a kind for it, and
/// a new kind not until `CommandMaker.command` makes a command of it.
enum CommandKind: String, CaseIterable {
  case addHome, removeHome, setPrimaryHome, setTimeZone, setLocation, rename
  case addRoom, removeRoom, addZone, removeZone, addRoomToZone, removeRoomFromZone
  case addGroup, removeGroup, addServiceToGroup, removeServiceFromGroup
  case addDevice, updateDevice, removeAccessory, moveAccessory, blockAccessory, unblockAccessory, setAssociatedType
  case addActionSet, removeActionSet, addAction, updateAction, removeAction
  case addTrigger, updateTrigger, removeTrigger, enableTrigger, disableTrigger
  case addActionSetToTrigger, removeActionSetFromTrigger, addOwnedActionSet
  case addUser, setRole, removeUser
}

extension HomeCommand {
  var kind: CommandKind {
    switch self {
    case .addHome: .addHome
    case .removeHome: .removeHome
    case .setPrimaryHome: .setPrimaryHome
    case .setTimeZone: .setTimeZone
    case .setLocation: .setLocation
    case .rename: .rename
    case .addRoom: .addRoom
    case .removeRoom: .removeRoom
    case .addZone: .addZone
    case .removeZone: .removeZone
    case .addRoomToZone: .addRoomToZone
    case .removeRoomFromZone: .removeRoomFromZone
    case .addGroup: .addGroup
    case .removeGroup: .removeGroup
    case .addServiceToGroup: .addServiceToGroup
    case .removeServiceFromGroup: .removeServiceFromGroup
    case .addDevice: .addDevice
    case .updateDevice: .updateDevice
    case .removeAccessory: .removeAccessory
    case .moveAccessory: .moveAccessory
    case .blockAccessory: .blockAccessory
    case .unblockAccessory: .unblockAccessory
    case .setAssociatedType: .setAssociatedType
    case .addActionSet: .addActionSet
    case .removeActionSet: .removeActionSet
    case .addAction: .addAction
    case .updateAction: .updateAction
    case .removeAction: .removeAction
    case .addTrigger: .addTrigger
    case .updateTrigger: .updateTrigger
    case .removeTrigger: .removeTrigger
    case .enableTrigger: .enableTrigger
    case .disableTrigger: .disableTrigger
    case .addActionSetToTrigger: .addActionSetToTrigger
    case .removeActionSetFromTrigger: .removeActionSetFromTrigger
    case .addOwnedActionSet: .addOwnedActionSet
    case .addUser: .addUser
    case .setRole: .setRole
    case .removeUser: .removeUser
    }
  }

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
