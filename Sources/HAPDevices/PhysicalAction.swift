import HAPModel

/// A physical action on a device, other than setting a value.
package enum PhysicalAction: Equatable, Sendable {
  /// Presses a button.
  case press(ButtonPress)
  /// Triggers a sensor once, or an alarm.
  case trigger
  /// Jams or frees a mechanism.
  case jam(Bool)
  /// Opens or closes the housing.
  case tamper(Bool)
  /// Charges or drains the battery to a percentage, 0...100.
  case battery(Int)

  package enum Kind: String, CaseIterable, Sendable { case press, trigger, jam, tamper, battery }

  package var kind: Kind {
    switch self {
    case .press: .press
    case .trigger: .trigger
    case .jam: .jam
    case .tamper: .tamper
    case .battery: .battery
    }
  }
}
