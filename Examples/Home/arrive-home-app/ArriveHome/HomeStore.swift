import Foundation
import HomeKit

/// The home of the app, and the values of its lights and sensors.
@MainActor final class HomeStore: NSObject {
  private let manager: HMHomeManager

  init(manager: HMHomeManager) {
    self.manager = manager
    super.init()
    manager.delegate = self
  }

  /// nil: the homes are not known yet, or there is none.
  var home: HMHome? { manager.homes.first }

  /// The scenes that a person made.
  var scenes: [HMActionSet] { home?.actionSets.filter { $0.actionSetType == HMActionSetTypeUserDefined } ?? [] }

  /// The characteristics of the lights that a scene can set.
  var lights: [HMCharacteristic] {
    let types = [
      HMCharacteristicTypePowerState, HMCharacteristicTypeBrightness, HMCharacteristicTypeHue,
      HMCharacteristicTypeSaturation,
    ]
    return characteristics(HMServiceTypeLightbulb).filter { types.contains($0.characteristicType) }
  }

  /// The states that can start or restrict a trigger.
  var states: [HMCharacteristic] {
    let types = [HMCharacteristicTypeCurrentLockMechanismState, HMCharacteristicTypeMotionDetected]
    return (characteristics(HMServiceTypeLockMechanism) + characteristics(HMServiceTypeMotionSensor))
      .filter { types.contains($0.characteristicType) }
  }

  private func characteristics(_ serviceType: String) -> [HMCharacteristic] {
    home?.servicesWithTypes([serviceType])?.flatMap(\.characteristics) ?? []
  }

  /// Reads all values, and enables their notifications: triggers of the hub change them, too.
  private func watch() async {
    for characteristic in states + lights {
      try? await characteristic.enableNotification(true)
      try? await characteristic.readValue()
    }
  }
}

extension HomeStore: @MainActor HMHomeManagerDelegate {
  func homeManagerDidUpdateHomes(_ manager: HMHomeManager) { Task { await watch() } }
}

extension HMCharacteristic {
  /// "Stereo Light/Hue".
  var path: String { "\(service?.accessory?.name ?? "-")/\(localizedDescription)" }

  /// A value as text.
  func text(of value: Any?) -> String {
    guard let number = value as? NSNumber else { return "unknown" }
    switch characteristicType {
    case HMCharacteristicTypePowerState: return number.boolValue ? "on" : "off"
    case HMCharacteristicTypeMotionDetected: return number.boolValue ? "motion" : "no motion"
    case HMCharacteristicTypeCurrentLockMechanismState:
      return HMCharacteristicValueLockMechanismState(rawValue: number.intValue).map { "\($0)" } ?? "unknown"
    default: return String(format: "%g", number.doubleValue)
    }
  }

  /// The value of a text that a person entered for a light.
  func number(from text: String) throws -> NSNumber {
    if text == "on" || text == "off" { return NSNumber(value: text == "on") }
    guard let number = Int(text) else { throw EntryError("\"\(text)\" is not on, off or a number.") }
    return NSNumber(value: number)
  }
}

/// A text that the person entered, and that can't be used.
struct EntryError: LocalizedError {
  let errorDescription: String?
  init(_ text: String) { errorDescription = text }
}
