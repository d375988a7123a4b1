/// The names of the changes in JSON.
package enum HomeChangeName: String, CaseIterable, Sendable {
  case homeAdded = "home-added"
  case homeRemoved = "home-removed"
  case homeMadePrimary = "home-made-primary"
  case homeRenamed = "home-renamed"
  case timeZoneChanged = "time-zone-changed"
  case locationChanged = "location-changed"
  case roomAdded = "room-added"
  case roomRenamed = "room-renamed"
  case roomRemoved = "room-removed"
  case zoneAdded = "zone-added"
  case zoneRenamed = "zone-renamed"
  case zoneRemoved = "zone-removed"
  case roomAddedToZone = "room-added-to-zone"
  case roomRemovedFromZone = "room-removed-from-zone"
  case groupAdded = "group-added"
  case groupRenamed = "group-renamed"
  case groupRemoved = "group-removed"
  case serviceAddedToGroup = "service-added-to-group"
  case serviceRemovedFromGroup = "service-removed-from-group"
  case accessoryAdded = "accessory-added"
  case accessoryRenamed = "accessory-renamed"
  case accessoryMoved = "accessory-moved"
  case accessoryRemoved = "accessory-removed"
  case accessoryBlocked = "accessory-blocked"
  case accessoryUnblocked = "accessory-unblocked"
  case servicesUpdated = "services-updated"
  case firmwareUpdated = "firmware-updated"
  case accessoryDetailsUpdated = "accessory-details-updated"
  case serviceRenamed = "service-renamed"
  case associatedTypeChanged = "associated-type-changed"
  case actionSetAdded = "action-set-added"
  case actionSetRenamed = "action-set-renamed"
  case actionSetRemoved = "action-set-removed"
  case actionsChanged = "actions-changed"
  case actionSetExecuted = "action-set-executed"
  case triggerAdded = "trigger-added"
  case triggerRenamed = "trigger-renamed"
  case triggerUpdated = "trigger-updated"
  case triggerFired = "trigger-fired"
  case triggerRemoved = "trigger-removed"
  case userAdded = "user-added"
  case userRoleChanged = "user-role-changed"
  case userRemoved = "user-removed"
  case copyRenewed = "copy-renewed"
}

extension HomeChange.Detail {
  /// The name in JSON.
  package var name: HomeChangeName {
    switch self {
    case .homeAdded: .homeAdded
    case .homeRemoved: .homeRemoved
    case .homeMadePrimary: .homeMadePrimary
    case .homeRenamed: .homeRenamed
    case .timeZoneChanged: .timeZoneChanged
    case .locationChanged: .locationChanged
    case .roomAdded: .roomAdded
    case .roomRenamed: .roomRenamed
    case .roomRemoved: .roomRemoved
    case .zoneAdded: .zoneAdded
    case .zoneRenamed: .zoneRenamed
    case .zoneRemoved: .zoneRemoved
    case .roomAddedToZone: .roomAddedToZone
    case .roomRemovedFromZone: .roomRemovedFromZone
    case .groupAdded: .groupAdded
    case .groupRenamed: .groupRenamed
    case .groupRemoved: .groupRemoved
    case .serviceAddedToGroup: .serviceAddedToGroup
    case .serviceRemovedFromGroup: .serviceRemovedFromGroup
    case .accessoryAdded: .accessoryAdded
    case .accessoryRenamed: .accessoryRenamed
    case .accessoryMoved: .accessoryMoved
    case .accessoryRemoved: .accessoryRemoved
    case .accessoryBlocked: .accessoryBlocked
    case .accessoryUnblocked: .accessoryUnblocked
    case .servicesUpdated: .servicesUpdated
    case .firmwareUpdated: .firmwareUpdated
    case .accessoryDetailsUpdated: .accessoryDetailsUpdated
    case .serviceRenamed: .serviceRenamed
    case .associatedTypeChanged: .associatedTypeChanged
    case .actionSetAdded: .actionSetAdded
    case .actionSetRenamed: .actionSetRenamed
    case .actionSetRemoved: .actionSetRemoved
    case .actionsChanged: .actionsChanged
    case .actionSetExecuted: .actionSetExecuted
    case .triggerAdded: .triggerAdded
    case .triggerRenamed: .triggerRenamed
    case .triggerUpdated: .triggerUpdated
    case .triggerFired: .triggerFired
    case .triggerRemoved: .triggerRemoved
    case .userAdded: .userAdded
    case .userRoleChanged: .userRoleChanged
    case .userRemoved: .userRemoved
    case .copyRenewed: .copyRenewed
    }
  }
}
