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
