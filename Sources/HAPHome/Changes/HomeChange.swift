import HAPAlmanac
import HAPModel

/// One change of a home. A command gives a list of changes in an order in which no object refers to a removed one.
public struct HomeChange: Hashable, Sendable {
  /// The home.
  public let home: HomeObjectID
  /// The change.
  public let detail: Detail

  /// Creates a change.
  public init(_ home: HomeObjectID, _ detail: Detail) { (self.home, self.detail) = (home, detail) }

  /// What changed.
  public enum Detail: Hashable, Sendable {
    case homeAdded(Home)
    case homeRemoved
    case homeMadePrimary
    case homeRenamed(HomeName)
    case timeZoneChanged(ZoneName)
    case locationChanged(Coordinate?)
    case roomAdded(Room)
    case roomRenamed(HomeObjectID, HomeName)
    case roomRemoved(HomeObjectID)
    case zoneAdded(RoomZone)
    case zoneRenamed(HomeObjectID, HomeName)
    case zoneRemoved(HomeObjectID)
    case roomAddedToZone(room: HomeObjectID, zone: HomeObjectID)
    case roomRemovedFromZone(room: HomeObjectID, zone: HomeObjectID)
    case groupAdded(ServiceGroup)
    case groupRenamed(HomeObjectID, HomeName)
    case groupRemoved(HomeObjectID)
    case serviceAddedToGroup(service: HomeObjectID, group: HomeObjectID)
    case serviceRemovedFromGroup(service: HomeObjectID, group: HomeObjectID)
    case accessoryAdded(HomeAccessory)
    case accessoryRenamed(HomeObjectID, HomeName)
    case accessoryMoved(HomeObjectID, room: HomeObjectID)
    case accessoryRemoved(HomeObjectID)
    case accessoryBlocked(HomeObjectID)
    case accessoryUnblocked(HomeObjectID)
    /// New services of an accessory, after its database changed.
    case servicesUpdated(HomeObjectID, [HomeService])
    case firmwareUpdated(HomeObjectID, String?)
    /// The other texts of Accessory Information, the category and `c#`.
    case accessoryDetailsUpdated(HomeObjectID, AccessoryInformation, category: UInt8, configurationNumber: UInt32)
    case serviceRenamed(accessory: HomeObjectID, service: HomeObjectID, HomeName)
    case associatedTypeChanged(accessory: HomeObjectID, service: HomeObjectID, TypeID?)
    case actionSetAdded(ActionSet)
    case actionSetRenamed(HomeObjectID, HomeName)
    case actionSetRemoved(HomeObjectID)
    case actionsChanged(HomeObjectID, [HomeAction])
    case actionSetExecuted(HomeObjectID, at: Instant)
    case triggerAdded(Trigger)
    case triggerRenamed(HomeObjectID, HomeName)
    /// The trigger with its new events, condition, sets or state. Its name and last fire are as before.
    case triggerUpdated(Trigger)
    /// The time of the last execution; nil: never. It is an earlier one if an execution could not be stored.
    case triggerFired(HomeObjectID, at: Instant?)
    case triggerRemoved(HomeObjectID)
    case userAdded(HomeUser)
    case userRoleChanged(HomeObjectID, HomeUser.Role)
    case userRemoved(HomeObjectID)
    /// The owner has shared the home again.
    case copyRenewed(HomeCopy)
  }
}
