/// An accessory's identifier, 6 random bytes, "AA:BB:CC:DD:EE:FF". HAP R2 §5.4 "Device ID": stable until factory reset.
public struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
  private let bits: UInt64

  /// Creates an ID from exactly six bytes; nil for any other count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 6 else { return nil }
    bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Parses six pairs of hexadecimal digits separated by colons, in any case. Nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 17 else { return nil }
    var bits: UInt64 = 0
    for (position, byte): (Int, UInt8) in text.utf8.enumerated() {
      if position % 3 == 2 {
        guard byte == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit: UInt8 = hexDigit(byte) else { return nil }
        bits = bits << 4 | UInt64(digit)
      }
    }
    self.bits = bits
  }

  /// The six bytes.
  public var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * $0)) } }

  /// The ID in upper case: the form on the wire, in signatures and in the setup hash.
  public var text: String {
    bytes.map { (byte: UInt8) -> String in
      let digits: String = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + digits : digits
    }.joined(separator: ":")
  }

  /// The same as `text`.
  public var description: String { text }

  /// Compares the bytes.
  public static func < (left: DeviceID, right: DeviceID) -> Bool { left.bits < right.bits }
}
