import Foundation
import HomeKit

extension HMAccessory {
  /// Whether the app is for this accessory.
  var isKilgo: Bool { manufacturer == "Kilgo Devices, Inc." }
}

extension HMService {
  /// The characteristic that a tap changes; nil: a tap changes nothing.
  var primaryControl: HMCharacteristic? {
    switch serviceType {
    case HMServiceTypeGarageDoorOpener: characteristic(HMCharacteristicTypeTargetDoorState)
    case HMServiceTypeLightbulb: characteristic(HMCharacteristicTypePowerState)
    case HMServiceTypeLockMechanism: characteristic(HMCharacteristicTypeTargetLockMechanismState)
    default: nil
    }
  }

  /// The state of the device, such as "open".
  var stateText: String {
    guard accessory?.isReachable == true else { return "no response" }
    let type =
      switch serviceType {
      case HMServiceTypeGarageDoorOpener: HMCharacteristicTypeCurrentDoorState
      case HMServiceTypeLockMechanism: HMCharacteristicTypeCurrentLockMechanismState
      default: HMCharacteristicTypePowerState
      }
    return characteristic(type)?.text ?? ""
  }

  /// The characteristics of the settings, in the order of the screen.
  var settings: [HMCharacteristic] { HMCharacteristic.settingTypes.compactMap { characteristic($0) } }

  private func characteristic(_ type: String) -> HMCharacteristic? {
    characteristics.first { $0.characteristicType == type }
  }
}
