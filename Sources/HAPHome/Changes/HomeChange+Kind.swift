extension HomeChange {
  /// The kinds of changes, without their values. `ReportRow` says which method of a delegate reports each of them.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case homeAdded, homeRemoved, homeMadePrimary, homeRenamed, timeZoneChanged, locationChanged
    case roomAdded, roomRenamed, roomRemoved
    case zoneAdded, zoneRenamed, zoneRemoved, roomAddedToZone, roomRemovedFromZone
    case groupAdded, groupRenamed, groupRemoved, serviceAddedToGroup, serviceRemovedFromGroup
    case accessoryAdded, accessoryRenamed, accessoryMoved, accessoryRemoved, accessoryBlocked, accessoryUnblocked
    case servicesUpdated, firmwareUpdated, accessoryDetailsUpdated, serviceRenamed, associatedTypeChanged
    case actionSetAdded, actionSetRenamed, actionSetRemoved, actionsChanged, actionSetExecuted
    case triggerAdded, triggerRenamed, triggerUpdated, triggerFired, triggerRemoved
    case userAdded, userRoleChanged, userRemoved
  }
}

extension HomeChange.Detail {
  /// The kind of the change.
  public var kind: HomeChange.Kind {
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
    }
  }
}
