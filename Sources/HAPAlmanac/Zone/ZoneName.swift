/// The name of a time zone, such as "Europe/Berlin". It is also a path in the folder of the zones, in which it cannot
/// lead to another folder.
public struct ZoneName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// ASCII letters, digits, "+", "-" and "_" in parts that are separated by "/"; at most 255 bytes.
  public let text: String

  /// UTC, which needs no data.
  public static let utc = ZoneName(unchecked: "UTC")

  private init(unchecked text: String) { self.text = text }

  /// Returns nil if the text has other characters, an empty part, or more than 255 bytes.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard text.utf8.count <= 255, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) }) else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "+-_".utf8.contains(byte)
    }
  }

  /// The same as `text`.
  public var description: String { text }

  /// Compares the bytes.
  public static func < (left: ZoneName, right: ZoneName) -> Bool { left.text < right.text }
}
