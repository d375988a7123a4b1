/// The names of the commands, in the order in which messages and pages list them.
package enum HomeCommandName: String, CaseIterable, Sendable {
  case addHome = "add-home"
  case removeHome = "remove-home"
  case setPrimaryHome = "set-primary-home"
  case setTimeZone = "set-time-zone"
  case setLocation = "set-location"
  case rename
  case addRoom = "add-room"
  case removeRoom = "remove-room"
  case addZone = "add-zone"
  case removeZone = "remove-zone"
  case addRoomToZone = "add-room-to-zone"
  case removeRoomFromZone = "remove-room-from-zone"
  case addGroup = "add-group"
  case removeGroup = "remove-group"
  case addServiceToGroup = "add-service-to-group"
  case removeServiceFromGroup = "remove-service-from-group"
  case addDevice = "add-device"
  case updateDevice = "update-device"
  case removeAccessory = "remove-accessory"
  case moveAccessory = "move-accessory"
  case blockAccessory = "block-accessory"
  case unblockAccessory = "unblock-accessory"
  case setAssociatedType = "set-associated-type"
  case addActionSet = "add-action-set"
  case removeActionSet = "remove-action-set"
  case addAction = "add-action"
  case updateAction = "update-action"
  case removeAction = "remove-action"
  case addTrigger = "add-trigger"
  case updateTrigger = "update-trigger"
  case removeTrigger = "remove-trigger"
  case enableTrigger = "enable-trigger"
  case disableTrigger = "disable-trigger"
  case addActionSetToTrigger = "add-action-set-to-trigger"
  case removeActionSetFromTrigger = "remove-action-set-from-trigger"
  case addOwnedActionSet = "add-owned-action-set"
  case addUser = "add-user"
  case setRole = "set-role"
  case removeUser = "remove-user"
}

extension HomeCommand {
  /// The name in JSON.
  package var name: HomeCommandName {
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
}
