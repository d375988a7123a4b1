/// The format of a characteristic's value. HAP R2 §6.6.3 "Characteristic Objects". The 32-bit format is called "int",
/// not "int32".
public enum Format: String, CaseIterable, Hashable, Sendable {
  /// true or false; 1 and 0 are also accepted.
  case bool
  /// 0 to 255.
  case uint8
  /// 0 to 65535.
  case uint16
  /// 0 to 2³²-1.
  case uint32
  /// 0 to 2⁶⁴-1.
  case uint64
  /// -2³¹ to 2³¹-1.
  case int
  /// A number with a fraction.
  case float
  /// UTF-8 text.
  case string
  /// TLV8 bytes, base64 on the wire.
  case tlv8
  /// Any bytes, base64 on the wire.
  case data

  /// The range of an integer format; nil for the other formats.
  public var integerRange: ClosedRange<Int128>? {
    switch self {
    case .uint8: 0...Int128(UInt8.max)
    case .uint16: 0...Int128(UInt16.max)
    case .uint32: 0...Int128(UInt32.max)
    case .uint64: 0...Int128(UInt64.max)
    case .int: Int128(Int32.min)...Int128(Int32.max)
    case .bool, .float, .string, .tlv8, .data: nil
    }
  }

  /// Whether values are numbers, to which minimum, maximum and step apply.
  public var isNumeric: Bool { integerRange != nil || self == .float }

  /// Whether values are bytes, which are base64 on the wire.
  public var isBytes: Bool { self == .tlv8 || self == .data }
}

/// The unit of a characteristic's value. HAP R2 §6.6.3 "Characteristic Objects".
public enum Unit: String, CaseIterable, Hashable, Sendable {
  /// Degrees Celsius, whatever unit the user interface shows.
  case celsius
  /// Usually 0 to 100.
  case percentage
  /// Degrees of an angle.
  case arcdegrees
  /// Illuminance.
  case lux
  /// Duration in seconds.
  case seconds

  /// The unit after a number, for people: "20 %", "120°".
  package var suffix: String {
    switch self {
    case .celsius: " °C"
    case .percentage: " %"
    case .arcdegrees: "°"
    case .lux: " lx"
    case .seconds: " s"
    }
  }
}
