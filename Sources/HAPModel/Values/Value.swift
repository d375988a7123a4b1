/// The value of a characteristic, in the model's own form.
///
/// A value at rest is *canonical* for its format: `.bool` for bool, `.integer` for the integer formats, `.float` for float, `.string` for
/// string, `.data` for tlv8 and data. `.null` means "no value" (a Programmable Switch Event that is read).
/// What comes off the wire may be another case; `Characteristic.admit` makes it canonical or refuses it.
public enum Value: Hashable, Sendable {
  /// JSON's null: no value.
  case null
  /// A truth value; 0 and 1 are `.integer` until admitted.
  case bool(Bool)
  /// Wide enough for uint64 and for numbers off the wire that are too large for their format.
  case integer(Int128)
  /// A number written with a fraction or exponent.
  case float(Double)
  /// Text. Also base64 text off the wire, until admitted.
  case string(String)
  /// The bytes of a tlv8 or data value, decoded.
  case data([UInt8])
}

extension Value {
  /// The truth value, nil for any other case.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer when the value is one and fits an `Int`.
  public var intValue: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }

  /// The number of an integer, float or truth value (1 and 0).
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(fast: value)
    case .float(let value): value
    case .bool(let value): value ? 1 : 0
    case .null, .string, .data: nil
    }
  }

  /// The text, nil for any other case.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The bytes, nil for any other case.
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
  /// The number nearest to an integer. The conversion of an Int128 takes 0.2 µs, which a written number would pay for each of its limits.
  init(fast integer: Int128) {
    let small: Int64 = Int64(truncatingIfNeeded: integer)
    self = Int128(small) == integer ? Double(small) : Double(integer)
  }
}
