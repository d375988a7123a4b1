import HAPAlmanac
import HAPModel

/// A change that a person or an app asks for. The hub's socket, HTTP, `.hashome` files and hapctl use the same commands.
public enum HomeCommand: Hashable, Sendable {
  // MARK: Homes

  case addHome(name: String, zone: ZoneName, location: Coordinate?, owner: String)
  case removeHome(HomeObjectID)
  case setPrimaryHome(HomeObjectID)
  case setTimeZone(home: HomeObjectID, ZoneName)
  case setLocation(home: HomeObjectID, Coordinate?)

  // MARK: Objects with names

  /// Renames any object with a name: a home, room, zone, group, accessory, service, action set or trigger.
  case rename(HomeObjectID, String)
  case addRoom(home: HomeObjectID, name: String)
  case removeRoom(HomeObjectID)
  case addZone(home: HomeObjectID, name: String)
  case removeZone(HomeObjectID)
  case addRoomToZone(room: HomeObjectID, zone: HomeObjectID)
  case removeRoomFromZone(room: HomeObjectID, zone: HomeObjectID)
  case addGroup(home: HomeObjectID, name: String)
  case removeGroup(HomeObjectID)
  case addServiceToGroup(service: HomeObjectID, group: HomeObjectID)
  case removeServiceFromGroup(service: HomeObjectID, group: HomeObjectID)

  // MARK: Accessories

  /// Adds a paired device: an accessory, or a bridge with its bridged accessories.
  case addDevice(home: HomeObjectID, DeviceDescription)
  /// Replaces the databases of a paired device, after its `c#` rose.
  case updateDevice(home: HomeObjectID, DeviceDescription)
  case removeAccessory(HomeObjectID)
  case moveAccessory(HomeObjectID, room: HomeObjectID)
  case blockAccessory(HomeObjectID)
  case unblockAccessory(HomeObjectID)
  case setAssociatedType(service: HomeObjectID, TypeID?)

  // MARK: Action sets

  case addActionSet(home: HomeObjectID, name: String)
  case removeActionSet(HomeObjectID)
  case addAction(actionSet: HomeObjectID, HomeAction)
  /// Changes the value of the action for this characteristic.
  case updateAction(actionSet: HomeObjectID, HomeAction)
  case removeAction(actionSet: HomeObjectID, characteristic: HomeObjectID)

  // MARK: Triggers

  case addTrigger(home: HomeObjectID, name: String, Trigger.Kind)
  /// Replaces the time or the events of a trigger. The kind itself, timer or event, stays.
  case updateTrigger(HomeObjectID, Trigger.Kind)
  case removeTrigger(HomeObjectID)
  case enableTrigger(HomeObjectID)
  case disableTrigger(HomeObjectID)
  case addActionSetToTrigger(actionSet: HomeObjectID, trigger: HomeObjectID)
  /// Removes a set from a trigger. A set that the trigger owns is removed from the home, too.
  case removeActionSetFromTrigger(actionSet: HomeObjectID, trigger: HomeObjectID)
  /// Creates an action set that belongs to this trigger alone (rule S4).
  case addOwnedActionSet(trigger: HomeObjectID, [HomeAction])

  // MARK: Users

  case addUser(home: HomeObjectID, name: String, role: HomeUser.Role)
  case setRole(user: HomeObjectID, HomeUser.Role)
  case removeUser(HomeObjectID)
}

/// A paired device as its database and its Bonjour record describe it.
public struct DeviceDescription: Hashable, Sendable {
  /// The device ID.
  public var device: DeviceID
  /// `c#` of the database; HAP R2 §6.4.
  public var configurationNumber: UInt32
  /// `ci` of the Bonjour record: the category's number; 2 for a bridge.
  public var category: UInt8
  /// The accessories of the answer to `GET /accessories`, aid 1 first. The values of Name, Manufacturer, Model, Serial
  /// Number and Firmware Revision are used.
  public var accessories: [Accessory]

  /// Creates a description.
  public init(device: DeviceID, configurationNumber: UInt32, category: UInt8, accessories: [Accessory]) {
    (self.device, self.configurationNumber) = (device, configurationNumber)
    (self.category, self.accessories) = (category, accessories)
  }
}
