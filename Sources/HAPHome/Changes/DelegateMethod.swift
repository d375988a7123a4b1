/// A method of Apple's delegates for homes. The raw value is its Swift signature without labels of `_` parameters.
///
/// Headers of the iOS 16.4 SDK: HMHomeManager.h, HMHome.h, HMAccessory.h. Swift names:
/// developer.apple.com/documentation/homekit.
package enum DelegateMethod: String, CaseIterable, Hashable, Sendable {
  // MARK: HMHomeManagerDelegate

  case managerUpdatedHomes = "homeManagerDidUpdateHomes(HMHomeManager)"
  case managerUpdatedPrimaryHome = "homeManagerDidUpdatePrimaryHome(HMHomeManager)"
  case managerAddedHome = "homeManager(HMHomeManager, didAdd: HMHome)"
  case managerRemovedHome = "homeManager(HMHomeManager, didRemove: HMHome)"
  case managerUpdatedAuthorization = "homeManager(HMHomeManager, didUpdate: HMHomeManagerAuthorizationStatus)"
  case managerReceivedRequest = "homeManager(HMHomeManager, didReceiveAddAccessoryRequest: HMAddAccessoryRequest)"

  // MARK: HMHomeDelegate

  case homeUpdatedName = "homeDidUpdateName(HMHome)"
  case homeUpdatedAccessControl = "homeDidUpdateAccessControl(forCurrentUser: HMHome)"
  case homeAddedAccessory = "home(HMHome, didAdd: HMAccessory)"
  case homeRemovedAccessory = "home(HMHome, didRemove: HMAccessory)"
  case homeAddedUser = "home(HMHome, didAdd: HMUser)"
  case homeRemovedUser = "home(HMHome, didRemove: HMUser)"
  case homeMovedAccessory = "home(HMHome, didUpdate: HMRoom, for: HMAccessory)"
  case homeAddedRoom = "home(HMHome, didAdd: HMRoom)"
  case homeRemovedRoom = "home(HMHome, didRemove: HMRoom)"
  case homeRenamedRoom = "home(HMHome, didUpdateNameFor: HMRoom)"
  case homeAddedZone = "home(HMHome, didAdd: HMZone)"
  case homeRemovedZone = "home(HMHome, didRemove: HMZone)"
  case homeRenamedZone = "home(HMHome, didUpdateNameFor: HMZone)"
  case homeAddedRoomToZone = "home(HMHome, didAdd: HMRoom, to: HMZone)"
  case homeRemovedRoomFromZone = "home(HMHome, didRemove: HMRoom, from: HMZone)"
  case homeAddedGroup = "home(HMHome, didAdd: HMServiceGroup)"
  case homeRemovedGroup = "home(HMHome, didRemove: HMServiceGroup)"
  case homeRenamedGroup = "home(HMHome, didUpdateNameFor: HMServiceGroup)"
  case homeAddedServiceToGroup = "home(HMHome, didAdd: HMService, to: HMServiceGroup)"
  case homeRemovedServiceFromGroup = "home(HMHome, didRemove: HMService, from: HMServiceGroup)"
  case homeAddedActionSet = "home(HMHome, didAdd: HMActionSet)"
  case homeRemovedActionSet = "home(HMHome, didRemove: HMActionSet)"
  case homeRenamedActionSet = "home(HMHome, didUpdateNameFor: HMActionSet)"
  case homeUpdatedActions = "home(HMHome, didUpdateActionsFor: HMActionSet)"
  case homeAddedTrigger = "home(HMHome, didAdd: HMTrigger)"
  case homeRemovedTrigger = "home(HMHome, didRemove: HMTrigger)"
  case homeRenamedTrigger = "home(HMHome, didUpdateNameFor: HMTrigger)"
  case homeUpdatedTrigger = "home(HMHome, didUpdate: HMTrigger)"
  case homeUnblockedAccessory = "home(HMHome, didUnblockAccessory: HMAccessory)"
  case homeEncounteredError = "home(HMHome, didEncounterError: Error, for: HMAccessory)"
  case homeUpdatedHubState = "home(HMHome, didUpdate: HMHomeHubState)"
  case homeUpdatedSupportedFeatures = "homeDidUpdateSupportedFeatures(HMHome)"

  // MARK: HMAccessoryDelegate

  case accessoryUpdatedName = "accessoryDidUpdateName(HMAccessory)"
  case accessoryRenamedService = "accessory(HMAccessory, didUpdateNameFor: HMService)"
  case accessoryUpdatedAssociatedType = "accessory(HMAccessory, didUpdateAssociatedServiceTypeFor: HMService)"
  case accessoryUpdatedServices = "accessoryDidUpdateServices(HMAccessory)"
  case accessoryAddedProfile = "accessory(HMAccessory, didAdd: HMAccessoryProfile)"
  case accessoryRemovedProfile = "accessory(HMAccessory, didRemove: HMAccessoryProfile)"
  case accessoryUpdatedReachability = "accessoryDidUpdateReachability(HMAccessory)"
  case accessoryUpdatedValue = "accessory(HMAccessory, service: HMService, didUpdateValueFor: HMCharacteristic)"
  case accessoryUpdatedFirmware = "accessory(HMAccessory, didUpdateFirmwareVersion: String)"

  /// The protocol of the method.
  package var delegate: String {
    rawValue.hasPrefix("homeManager")
      ? "HMHomeManagerDelegate" : rawValue.hasPrefix("home") ? "HMHomeDelegate" : "HMAccessoryDelegate"
  }

  /// The reason why nothing causes a call of this method in this version; nil if something does.
  package var unusedReason: String? {
    switch self {
    case .managerUpdatedAuthorization:
      "`authorizationStatus` always has the flags `determined` and `authorized`, because no system setting exists."
    case .managerReceivedRequest: "Apple's header marks it as no longer supported, on each platform."
    case .homeUpdatedSupportedFeatures:
      "The one feature is the addition of a network router, which the hub does not support."
    case .accessoryAddedProfile, .accessoryRemovedProfile:
      "Profiles belong to cameras and to the configuration of networks, which are only declared."
    default: nil
    }
  }
}
