/// The value of a characteristic, in the form of the model.
///
/// A stored value is *canonical* for its format: `.bool` for bool, `.integer` for the integer formats, `.float` for
/// float, `.string` for string, `.data` for tlv8 and data. `.null` means "no value" (a read of a Programmable Switch
/// Event). A value from the wire may be a different case; `Characteristic.admit` makes it canonical or refuses it.
public enum Value: Hashable, Sendable {
  /// JSON's null: no value.
  case null
  /// A Boolean; 0 and 1 are `.integer` until `admit`.
  case bool(Bool)
  /// An integer; wide enough for uint64, and for numbers from the wire that are too large for their format.
  case integer(Int128)
  /// A number written with a fraction or exponent.
  case float(Double)
  /// Text; also base64 text from the wire, until `admit`.
  case string(String)
  /// The bytes of a tlv8 or data value, decoded.
  case data([UInt8])
}

extension Value {
  /// The Boolean; nil for any other case.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer if the value is one and fits into an `Int`.
  public var intValue: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }

  /// The number of an integer, a float or a Boolean (1 and 0).
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(fast: value)
    case .float(let value): value
    case .bool(let value): value ? 1 : 0
    case .null, .string, .data: nil
    }
  }

  /// The text; nil for any other case.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The bytes; nil for any other case.
  public var dataValue: [UInt8]? { if case .data(let value) = self { value } else { nil } }

  /// Whether this is `.null`.
  public var isNull: Bool { self == .null }
}

extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral
{
  /// `.bool`
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// `.integer`
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
  /// `.float`
  public init(floatLiteral value: Double) { self = .float(value) }
  /// `.string`
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Double {
  /// Converts an integer to the nearest double. The standard conversion of an Int128 takes 0.2 µs, and each limit of a
  /// written number needs one.
  init(fast integer: Int128) {
    let small: Int64 = Int64(truncatingIfNeeded: integer)
    self = Int128(small) == integer ? Double(small) : Double(integer)
  }
}
