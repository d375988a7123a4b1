/// A report of a running hub. It is not a change of the model.
package enum HomeReport: String, CaseIterable, Hashable, Sendable {
  /// The homes are known: at the start of an app, and after it was detached from the hub.
  case homesLoaded
  /// An accessory can be reached, or no longer.
  case reachabilityChanged
  /// An event gave a characteristic another value.
  case valueChanged
  /// The state of the home hub.
  case hubStateChanged
  /// The results of the actions of an execution.
  case executionEnded
  /// The position of a person, or whether the person is at home.
  case personMoved
  /// The comparisons of an evaluation of a trigger.
  case triggerEvaluated
}

/// How the apps of a hub learn of a change or a report. The core's stream has all of them.
package enum Announcement: Hashable, Sendable {
  /// A call of one method. The note says who is not called, or when.
  case call(DelegateMethod, note: String? = nil)
  /// No method of Apple's delegates: only the core's stream. The reason says why.
  case streamOnly(reason: String)
}

extension HomeReport {
  /// The method that reports it.
  package var announcement: Announcement {
    switch self {
    case .homesLoaded: .call(.managerUpdatedHomes, note: "once at the start, and once after an absence")
    case .reachabilityChanged: .call(.accessoryUpdatedReachability)
    case .valueChanged: .call(.accessoryUpdatedValue, note: "only in apps that enabled notifications")
    case .hubStateChanged: .call(.homeUpdatedHubState)
    case .executionEnded: .streamOnly(reason: "the app that executes has the result in its completion")
    case .personMoved: .streamOnly(reason: "Apple's API does not give the positions of people to apps")
    case .triggerEvaluated: .streamOnly(reason: "Apple's API does not explain triggers")
    }
  }
}

extension HomeChangeName {
  /// The method that reports it.
  package var announcement: Announcement {
    switch self {
    case .homeAdded: .call(.managerAddedHome)
    case .homeRemoved: .call(.managerRemovedHome)
    case .homeMadePrimary: .call(.managerUpdatedPrimaryHome)
    case .homeRenamed: .call(.homeUpdatedName)
    case .timeZoneChanged, .locationChanged, .copyRenewed: .streamOnly(reason: "HMHome has no such property")
    case .roomAdded: .call(.homeAddedRoom)
    case .roomRenamed: .call(.homeRenamedRoom)
    case .roomRemoved: .call(.homeRemovedRoom)
    case .zoneAdded: .call(.homeAddedZone)
    case .zoneRenamed: .call(.homeRenamedZone)
    case .zoneRemoved: .call(.homeRemovedZone)
    case .roomAddedToZone: .call(.homeAddedRoomToZone)
    case .roomRemovedFromZone: .call(.homeRemovedRoomFromZone)
    case .groupAdded: .call(.homeAddedGroup)
    case .groupRenamed: .call(.homeRenamedGroup)
    case .groupRemoved: .call(.homeRemovedGroup)
    case .serviceAddedToGroup: .call(.homeAddedServiceToGroup)
    case .serviceRemovedFromGroup: .call(.homeRemovedServiceFromGroup)
    case .accessoryAdded, .accessoryRenamed, .accessoryMoved, .accessoryRemoved, .accessoryBlocked, .accessoryUnblocked,
      .servicesUpdated, .firmwareUpdated, .accessoryDetailsUpdated, .serviceRenamed, .associatedTypeChanged:
      accessoryAnnouncement
    case .actionSetAdded, .actionSetRenamed, .actionSetRemoved, .actionsChanged, .actionSetExecuted, .triggerAdded,
      .triggerRenamed, .triggerUpdated, .triggerFired, .triggerRemoved, .userAdded, .userRoleChanged, .userRemoved:
      automationAnnouncement
    }
  }

  private var accessoryAnnouncement: Announcement {
    switch self {
    case .accessoryAdded: .call(.homeAddedAccessory)
    case .accessoryRenamed: .call(.accessoryUpdatedName)
    case .accessoryMoved: .call(.homeMovedAccessory)
    case .accessoryRemoved: .call(.homeRemovedAccessory)
    case .accessoryBlocked: .call(.homeEncounteredError, note: "with accessoryIsBlocked")
    case .accessoryUnblocked: .call(.homeUnblockedAccessory)
    case .servicesUpdated: .call(.accessoryUpdatedServices)
    case .firmwareUpdated: .call(.accessoryUpdatedFirmware)
    case .accessoryDetailsUpdated:
      .streamOnly(reason: "no method reports manufacturer, model, serial number, category or c#")
    case .serviceRenamed: .call(.accessoryRenamedService)
    case .associatedTypeChanged: .call(.accessoryUpdatedAssociatedType)
    default: preconditionFailure("\(self) is not a change of accessories")
    }
  }

  private var automationAnnouncement: Announcement {
    switch self {
    case .actionSetAdded: .call(.homeAddedActionSet, note: "not for a set that a trigger owns (S4)")
    case .actionSetRenamed: .call(.homeRenamedActionSet)
    case .actionSetRemoved: .call(.homeRemovedActionSet, note: "not for a set that a trigger owns (S4)")
    case .actionsChanged: .call(.homeUpdatedActions, note: "not for a set that a trigger owns (S4)")
    case .actionSetExecuted: .streamOnly(reason: "no method reports lastExecutionDate")
    case .triggerAdded: .call(.homeAddedTrigger)
    case .triggerRenamed: .call(.homeRenamedTrigger)
    case .triggerUpdated: .call(.homeUpdatedTrigger)
    case .triggerFired: .call(.homeUpdatedTrigger, note: "in each app: a fired trigger has no origin")
    case .triggerRemoved: .call(.homeRemovedTrigger)
    case .userAdded: .call(.homeAddedUser)
    case .userRoleChanged: .call(.homeUpdatedAccessControl, note: "only in the apps of this user")
    case .userRemoved: .call(.homeRemovedUser)
    default: preconditionFailure("\(self) is not a change of action sets, triggers or users")
    }
  }
}
