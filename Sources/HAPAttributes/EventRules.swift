import HAPModel

/// Rules of the specification for single characteristic types, mainly those whose value is a momentary event and not
/// a state.
package enum EventRules {
  /// Programmable Switch Event: there is no press at the time of a read. HAP R2 §9.75.
  static let programmableSwitchEvent: TypeID = 0x73
  /// Button Event of a remote.
  static let buttonEvent: TypeID = 0x126

  /// Remaining Duration of a valve or an irrigation system.
  static let remainingDuration: TypeID = 0xD4

  /// Identify: only true has a meaning; HomeKitADK refuses false.
  static let identify: TypeID = 0x14

  /// Returns whether a read, also of `/accessories`, returns null.
  package static func readsAsNull(_ type: TypeID) -> Bool { type == programmableSwitchEvent }

  /// Returns the value for a read: null for a button, because there is no press at the time of the read.
  package static func listedValue(of characteristic: Characteristic) -> Value {
    readsAsNull(characteristic.type) ? .null : characteristic.value
  }

  /// Returns whether setting the same value again is a separate event.
  static func everyEventCounts(_ type: TypeID) -> Bool { type == programmableSwitchEvent || type == buttonEvent }

  /// Returns whether the value counts down with time. The countdown causes no events; every other change does. HAP
  /// R14 §9.78, as implemented by HomeKitADK.
  static func countsDown(_ type: TypeID) -> Bool { type == remainingDuration }
}
