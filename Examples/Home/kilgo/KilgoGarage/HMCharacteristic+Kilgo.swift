import Foundation
import HomeKit

extension HMCharacteristic {
  /// Kilgo's characteristic for the seconds in which a light becomes bright or dark.
  static let fadeRate = "7E536242-341C-4862-BE90-272CE15BD633"

  /// The types of the settings.
  static let settingTypes = [
    HMCharacteristicTypePowerState, HMCharacteristicTypeBrightness, HMCharacteristicTypeHue,
    HMCharacteristicTypeSaturation, HMCharacteristicTypeCurrentDoorState, HMCharacteristicTypeTargetDoorState,
    HMCharacteristicTypeObstructionDetected, HMCharacteristicTypeCurrentLockMechanismState,
    HMCharacteristicTypeTargetLockMechanismState, fadeRate,
  ]

  /// The name for the person, such as "Brightness".
  var title: String { localizedDescription }

  var isWritable: Bool { properties.contains(HMCharacteristicPropertyWritable) }

  /// The two values of a switch, off first; nil: it has other values.
  private var states: (NSNumber, NSNumber)? {
    switch characteristicType {
    case HMCharacteristicTypePowerState: (false, true)
    case HMCharacteristicTypeTargetDoorState:
      (
        HMCharacteristicValueTargetDoorState.closed.rawValue as NSNumber,
        HMCharacteristicValueTargetDoorState.open.rawValue as NSNumber
      )
    case HMCharacteristicTypeTargetLockMechanismState:
      (
        HMCharacteristicValueTargetLockMechanismState.secured.rawValue as NSNumber,
        HMCharacteristicValueTargetLockMechanismState.unsecured.rawValue as NSNumber
      )
    default: nil
    }
  }

  /// Whether a tap changes it.
  var isSwitch: Bool { isWritable && states != nil }

  /// Reads the value, and writes the opposite one.
  func toggle() async throws {
    guard let (off, on) = states else { return }
    try await readValue()
    try await writeValue(value as? NSNumber == on ? off : on)
  }

  /// Writes a number that the person entered.
  func write(_ text: String) async throws {
    guard let number = Double(text) else { throw NotANumber(text: text) }
    try await writeValue(NSNumber(value: number))
  }

  struct NotANumber: LocalizedError {
    let text: String
    var errorDescription: String? { "\"\(text)\" is not a number." }
  }
}

// MARK: Texts

extension HMCharacteristic {
  /// The value with its unit, such as "60 %".
  var text: String {
    guard let number = value as? NSNumber else { return "unknown" }
    switch characteristicType {
    case HMCharacteristicTypePowerState: return number.boolValue ? "on" : "off"
    case HMCharacteristicTypeObstructionDetected: return number.boolValue ? "yes" : "no"
    case HMCharacteristicTypeCurrentDoorState, HMCharacteristicTypeTargetDoorState:
      return HMCharacteristicValueDoorState(rawValue: number.intValue).map { "\($0)" } ?? "unknown"
    case HMCharacteristicTypeCurrentLockMechanismState, HMCharacteristicTypeTargetLockMechanismState:
      return HMCharacteristicValueLockMechanismState(rawValue: number.intValue).map { "\($0)" } ?? "unknown"
    default: return String(format: "%g", number.doubleValue) + unit
    }
  }

  private var unit: String {
    switch metadata?.units {
    case HMCharacteristicMetadataUnitsPercentage: " %"
    case HMCharacteristicMetadataUnitsArcDegree: "°"
    case HMCharacteristicMetadataUnitsSeconds: " s"
    default: ""
    }
  }
}
