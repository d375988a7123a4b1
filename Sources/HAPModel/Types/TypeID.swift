/// The type of a service or characteristic: a UUID on Apple's base or of a vendor.
///
/// HAP R2 §6.6.1 "Service and Characteristic Types": a type on Apple's base `XXXXXXXX-0000-1000-8000-0026BB765291` is
/// sent in its short form (upper-case hexadecimal, no leading zeros), any other type as the full UUID. Two spellings
/// of one type are equal.
public struct TypeID: Hashable, Sendable {
  private var bits: UInt128

  /// The low 96 bits of every type that Apple defines.
  private static let appleBase: UInt128 = 0x0000_0000_0000_1000_8000_0026_BB76_5291
  private static let lowMask: UInt128 = (1 << 96) - 1

  /// Creates a type on Apple's base, such as 0x43 for Light Bulb.
  public init(apple short: UInt32) {
    bits = (UInt128(short) << 96) | Self.appleBase
  }

  /// Parses a short form of 1 to 8 hexadecimal digits ("43") or a full UUID with its dashes, in any case.
  /// - Returns: nil for anything else.
  public init?(_ text: String) {
    let utf8: String.UTF8View = text.utf8
    if utf8.count <= 8 {
      guard !utf8.isEmpty else { return nil }
      var short: UInt32 = 0
      for byte: UInt8 in utf8 {
        guard let digit: UInt8 = hexDigit(byte) else { return nil }
        short = short << 4 | UInt32(digit)
      }
      self.init(apple: short)
      return
    }
    guard utf8.count == 36 else { return nil }
    self.init(apple: 0)
    var bits: UInt128 = 0
    var position: Int = 0
    for byte: UInt8 in utf8 {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit: UInt8 = hexDigit(byte) else { return nil }
        bits = bits << 4 | UInt128(digit)
      }
      position += 1
    }
    self.bits = bits
  }

  /// Whether the type is on Apple's base UUID.
  public var isAppleDefined: Bool { bits & Self.lowMask == Self.appleBase }

  /// The number of a type on Apple's base (0x43 for Light Bulb); nil for a vendor's type.
  public var appleShort: UInt32? { isAppleDefined ? UInt32(truncatingIfNeeded: bits >> 96) : nil }

  /// The text on the wire: the short form on Apple's base, otherwise the full UUID; upper case.
  public var wireForm: String {
    guard let short: UInt32 = appleShort else { return uuid }
    return String(short, radix: 16, uppercase: true)
  }

  /// The full UUID, 36 characters, upper case.
  public var uuid: String {
    var text: String = ""
    text.reserveCapacity(36)
    for position: Int in 0..<32 {
      if position == 8 || position == 12 || position == 16 || position == 20 { text += "-" }
      let digit: UInt8 = UInt8(truncatingIfNeeded: bits >> UInt128(124 - 4 * position)) & 0xF
      text.unicodeScalars.append(Unicode.Scalar(digit < 10 ? 0x30 + digit : 0x37 + digit))
    }
    return text
  }
}

extension TypeID: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Creates a type on Apple's base.
  public init(integerLiteral value: UInt32) { self.init(apple: value) }

  /// The same as `wireForm`.
  public var description: String { wireForm }
}

/// Returns 0...15 for an ASCII hexadecimal digit of either case.
func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
  case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
  default: return nil
  }
}
