import HAPHome

/// The result of a condition in Kleene's three-valued logic: an unknown value is propagated unless the other values
/// decide (rule E5).
public enum Truth: Int, CaseIterable, Hashable, Sendable {
  case `false`
  /// A value is not known.
  case unknown
  case `true`

  /// Creates `true` or `false`.
  public init(_ value: Bool) { self = value ? .true : .false }

  /// False, unknown and true are exchanged with true, unknown and false.
  static prefix func ! (value: Truth) -> Truth {
    switch value {
    case .false: .true
    case .unknown: .unknown
    case .true: .false
    }
  }

  /// True if all values are true, false if one is false; true without values.
  static func all(_ values: some Sequence<Truth>) -> Truth {
    values.reduce(.true) { $1.rawValue < $0.rawValue ? $1 : $0 }
  }

  /// True if one value is true, false if all are false; false without values.
  static func any(_ values: some Sequence<Truth>) -> Truth {
    values.reduce(.false) { $1.rawValue > $0.rawValue ? $1 : $0 }
  }
}
