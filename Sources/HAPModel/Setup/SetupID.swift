/// Four characters of 0-9 and A-Z that identify an accessory before pairing. HAP R2 §4.2.2 "Setup ID".
public struct SetupID: Hashable, Sendable, CustomStringConvertible {
  /// Four characters of 0-9 and A-Z.
  public let text: String

  /// The number of setup IDs: 36⁴.
  public static let count: UInt32 = 1_679_616

  /// Returns nil unless the text has four characters of 0-9 and A-Z (lower case is refused).
  public init?(_ text: String) {
    guard text.utf8.count == 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
    else {
      return nil
    }
    self.text = text
  }

  /// Creates the setup ID of a number 0..<`count`, for random IDs; nil beyond.
  public init?(number: UInt32) {
    guard number < Self.count else { return nil }
    let digits: String = String(number, radix: 36, uppercase: true)
    text = String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }

  /// The same as `text`.
  public var description: String { text }
}
