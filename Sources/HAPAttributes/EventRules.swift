import HAPModel

/// What the specification says of single characteristic types whose value is a moment rather than a state.
package enum EventRules {
  /// Programmable Switch Event: it is not pressed at the moment of a read. HAP R2 §9.75.
  static let programmableSwitchEvent: TypeID = 0x73
  /// Button Event of a remote.
  static let buttonEvent: TypeID = 0x126

  /// Remaining Duration of a valve or an irrigation system.
  static let remainingDuration: TypeID = 0xD4

  /// Identify: only true says something; HomeKitADK refuses false.
  static let identify: TypeID = 0x14

  /// Whether a read, also in `/accessories`, answers null.
  package static func readsAsNull(_ type: TypeID) -> Bool { type == programmableSwitchEvent }

  /// What a read gives for a value: a button was not pressed at the moment of asking, a control point has nothing to say.
  package static func listedValue(of characteristic: Characteristic) -> Value {
    readsAsNull(characteristic.type) ? .null : characteristic.value
  }

  /// Whether setting the same value again is an event of its own.
  static func everyEventCounts(_ type: TypeID) -> Bool { type == programmableSwitchEvent || type == buttonEvent }

  /// Whether the value changes as time passes, which is no event, and everything else that sets it is one. HAP R14 §9.78, as HomeKitADK
  /// tells it.
  static func countsDown(_ type: TypeID) -> Bool { type == remainingDuration }
}
