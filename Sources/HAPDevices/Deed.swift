import HAPModel

/// What a person, or the world, does to a device that is more than setting a value.
package enum Deed: Equatable, Sendable {
  /// Press a button.
  case press(ButtonPress)
  /// Let a sensor notice something once, or an alarm go off.
  case trigger
  /// Let a mechanism get stuck, or loosen it.
  case jam(Bool)
  /// Open or close the housing.
  case tamper(Bool)
  /// Charge or drain the battery to a percentage, 0...100.
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
