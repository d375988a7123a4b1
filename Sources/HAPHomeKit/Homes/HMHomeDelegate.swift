import Foundation

/// Called on the main queue for the changes of a home that another app, a person or the hub made. HMHomeDelegate
///
/// An app gets no call for its own changes: their completion handlers report them.
public protocol HMHomeDelegate: NSObjectProtocol {
  /// The home has another name.
  func homeDidUpdateName(_ home: HMHome)
  /// The current user has another role in the home.
  func homeDidUpdateAccessControl(forCurrentUser home: HMHome)
  /// An accessory was added, or a bridged accessory of a bridge that this app added.
  func home(_ home: HMHome, didAdd accessory: HMAccessory)
  /// An accessory was removed, and keeps its last properties.
  func home(_ home: HMHome, didRemove accessory: HMAccessory)
  /// A user was added.
  func home(_ home: HMHome, didAdd user: HMUser)
  /// A user was removed.
  func home(_ home: HMHome, didRemove user: HMUser)
  /// An accessory was moved to a room.
  func home(_ home: HMHome, didUpdate room: HMRoom, for accessory: HMAccessory)
  /// A room was added.
  func home(_ home: HMHome, didAdd room: HMRoom)
  /// A room was removed.
  func home(_ home: HMHome, didRemove room: HMRoom)
  /// A room has another name.
  func home(_ home: HMHome, didUpdateNameFor room: HMRoom)
  /// A zone was added.
  func home(_ home: HMHome, didAdd zone: HMZone)
  /// A zone was removed.
  func home(_ home: HMHome, didRemove zone: HMZone)
  /// A zone has another name.
  func home(_ home: HMHome, didUpdateNameFor zone: HMZone)
  /// A room was added to a zone.
  func home(_ home: HMHome, didAdd room: HMRoom, to zone: HMZone)
  /// A room was removed from a zone.
  func home(_ home: HMHome, didRemove room: HMRoom, from zone: HMZone)
  /// A service group was added.
  func home(_ home: HMHome, didAdd group: HMServiceGroup)
  /// A service group was removed.
  func home(_ home: HMHome, didRemove group: HMServiceGroup)
  /// A service group has another name.
  func home(_ home: HMHome, didUpdateNameFor group: HMServiceGroup)
  /// A service was added to a group.
  func home(_ home: HMHome, didAdd service: HMService, to group: HMServiceGroup)
  /// A service was removed from a group.
  func home(_ home: HMHome, didRemove service: HMService, from group: HMServiceGroup)
  /// An action set was added.
  func home(_ home: HMHome, didAdd actionSet: HMActionSet)
  /// An action set was removed.
  func home(_ home: HMHome, didRemove actionSet: HMActionSet)
  /// An action set has another name.
  func home(_ home: HMHome, didUpdateNameFor actionSet: HMActionSet)
  /// An action set has other actions, or an action another value.
  func home(_ home: HMHome, didUpdateActionsFor actionSet: HMActionSet)
  /// A trigger was added.
  func home(_ home: HMHome, didAdd trigger: HMTrigger)
  /// A trigger was removed.
  func home(_ home: HMHome, didRemove trigger: HMTrigger)
  /// A trigger has another name.
  func home(_ home: HMHome, didUpdateNameFor trigger: HMTrigger)
  /// A trigger was changed, enabled or disabled, or it fired.
  func home(_ home: HMHome, didUpdate trigger: HMTrigger)
  /// The hub uses a blocked accessory again.
  func home(_ home: HMHome, didUnblockAccessory accessory: HMAccessory)
  /// The hub blocked an accessory that broke the protocol several times.
  func home(_ home: HMHome, didEncounterError error: any Error, for accessory: HMAccessory)
  /// The hub can be reached, or has ended.
  func home(_ home: HMHome, didUpdate homeHubState: HMHomeHubState)
  /// Never called: the one feature is the addition of a router, which the hub does not support.
  func homeDidUpdateSupportedFeatures(_ home: HMHome)
}

// Apple's protocol has optional methods. Swift has them only with Objective-C.
extension HMHomeDelegate {
  /// Does nothing.
  public func homeDidUpdateName(_ home: HMHome) {}
  /// Does nothing.
  public func homeDidUpdateAccessControl(forCurrentUser home: HMHome) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd accessory: HMAccessory) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove accessory: HMAccessory) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd user: HMUser) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove user: HMUser) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdate room: HMRoom, for accessory: HMAccessory) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd room: HMRoom) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove room: HMRoom) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdateNameFor room: HMRoom) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd zone: HMZone) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove zone: HMZone) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdateNameFor zone: HMZone) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd room: HMRoom, to zone: HMZone) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove room: HMRoom, from zone: HMZone) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd group: HMServiceGroup) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove group: HMServiceGroup) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdateNameFor group: HMServiceGroup) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd service: HMService, to group: HMServiceGroup) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove service: HMService, from group: HMServiceGroup) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd actionSet: HMActionSet) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove actionSet: HMActionSet) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdateNameFor actionSet: HMActionSet) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdateActionsFor actionSet: HMActionSet) {}
  /// Does nothing.
  public func home(_ home: HMHome, didAdd trigger: HMTrigger) {}
  /// Does nothing.
  public func home(_ home: HMHome, didRemove trigger: HMTrigger) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdateNameFor trigger: HMTrigger) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdate trigger: HMTrigger) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUnblockAccessory accessory: HMAccessory) {}
  /// Does nothing.
  public func home(_ home: HMHome, didEncounterError error: any Error, for accessory: HMAccessory) {}
  /// Does nothing.
  public func home(_ home: HMHome, didUpdate homeHubState: HMHomeHubState) {}
  /// Does nothing.
  public func homeDidUpdateSupportedFeatures(_ home: HMHome) {}
}
