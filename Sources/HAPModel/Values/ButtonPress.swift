/// A kind of button press; the values of Programmable Switch Event. HAP R2 §9.75.
public enum ButtonPress: Int, CaseIterable, Sendable {
  /// Pressed once.
  case single = 0
  /// Pressed twice quickly.
  case double = 1
  /// Pressed and held.
  case long = 2

  /// The name in commands.
  package var name: String {
    switch self {
    case .single: "single"
    case .double: "double"
    case .long: "long"
    }
  }
}
