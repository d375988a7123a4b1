/// The identifier of a home or of an object in a home: 128 bits, written as a UUID. It is created once, stored, and
/// never used again for another object.
public struct HomeObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
  private let bits: UInt128

  private static let versionShift: UInt128 = 76
  private static let variantShift: UInt128 = 62
  /// The 122 bits that neither the version nor the variant occupies. RFC 9562 §4.
  private static let freeMask: UInt128 = ~((0xF << versionShift) | (0x3 << variantShift))
  /// An odd factor below 2¹²²: different numbers up to 2⁶⁴ give different products modulo 2¹²².
  private static let spread: UInt128 = 0x0271_9B3C_5E4D_A7F1_6C8E_23D9_B5F4_0A87

  private init(free: UInt128, version: UInt128) {
    bits = (free & Self.freeMask) | (version << Self.versionShift) | (0x2 << Self.variantShift)
  }

  /// Creates a random identifier, a UUID of version 4. RFC 9562 §5.4.
  public static func random(using generator: inout some RandomNumberGenerator) -> HomeObjectID {
    let free = UInt128(generator.next()) << 64 | UInt128(generator.next())
    return HomeObjectID(free: free, version: 4)
  }

  /// Parses a UUID of 36 characters in any case; nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 36 else { return nil }
    // The halves, because a message has hundreds of identifiers.
    var (high, low): (UInt64, UInt64) = (0, 0)
    var position = 0
    for byte in text.utf8 {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        let digit: UInt8
        switch byte {
        case 0x30...0x39: digit = byte - 0x30
        case 0x41...0x46: digit = byte - 0x37
        case 0x61...0x66: digit = byte - 0x57
        default: return nil
        }
        if position < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      }
      position += 1
    }
    bits = UInt128(high) << 64 | UInt128(low)
  }

  /// Returns the identifier of a service or characteristic of this accessory: a UUID of version 8 (RFC 9562 §5.8).
  ///
  /// It depends only on the accessory's identifier and on `iid`, so it does not have to be stored: an iid stays the
  /// same for the duration of a pairing (HAP R2 §6.6.1). Different iids of an accessory give different identifiers,
  /// and none of them equals a random one.
  public func part(iid: UInt64) -> HomeObjectID {
    let number = squeezed &+ (UInt128(iid) + 1) &* Self.spread
    return HomeObjectID(free: Self.stretched(number), version: 8)
  }

  /// Returns the identifier of a pair of objects that has none of its own, such as an action of an action set: a UUID of
  /// version 8. Other pairs of random identifiers give others.
  package func combined(with other: HomeObjectID) -> HomeObjectID {
    HomeObjectID(free: bits ^ (other.bits << 1 | other.bits >> 127), version: 8)
  }

  /// The 122 free bits, next to each other.
  private var squeezed: UInt128 {
    let low = bits & ((1 << Self.variantShift) - 1)
    let middle = (bits >> 64) & 0xFFF
    let high = bits >> 80
    return low | middle << 62 | high << 74
  }

  /// The reverse of `squeezed`; bits from 122 are ignored.
  private static func stretched(_ number: UInt128) -> UInt128 {
    let low = number & ((1 << 62) - 1)
    let middle = (number >> 62) & 0xFFF
    let high = (number >> 74) & ((1 << 48) - 1)
    return low | middle << 64 | high << 80
  }

  /// The UUID's text in upper case.
  public var description: String {
    // The result of an execution has two identifiers for each action.
    String(unsafeUninitializedCapacity: 36) { text in
      var rest = bits
      for position in (0..<36).reversed() {
        if position == 8 || position == 13 || position == 18 || position == 23 {
          text.initializeElement(at: position, to: UInt8(ascii: "-"))
          continue
        }
        let digit = UInt8(truncatingIfNeeded: rest) & 0xF
        rest >>= 4
        text.initializeElement(at: position, to: digit < 10 ? 0x30 + digit : 0x37 + digit)
      }
      return 36
    }
  }

  /// Compares the bits.
  public static func < (left: HomeObjectID, right: HomeObjectID) -> Bool { left.bits < right.bits }
}
