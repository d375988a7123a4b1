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
  /// Charge or drain the battery to so many percent, 0...100.
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

/// How a button is pressed; the values of Programmable Switch Event. HAP R2 §9.75.
public enum ButtonPress: Int, CaseIterable, Sendable {
  /// Once.
  case single = 0
  /// Twice, quickly.
  case double = 1
  /// And held.
  case long = 2

  /// Its name in commands.
  package var name: String {
    switch self {
    case .single: "single"
    case .double: "double"
    case .long: "long"
    }
  }
}
