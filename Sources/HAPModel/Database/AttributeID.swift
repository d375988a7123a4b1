/// The address of a service or characteristic within a server: accessory and instance ID, "1.9" in a query.
public struct AttributeID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Accessory instance ID.
  public var aid: UInt64
  /// Instance ID within the accessory.
  public var iid: UInt64

  /// Creates an ID from any two numbers; the database may not contain it.
  public init(aid: UInt64, iid: UInt64) {
    self.aid = aid
    self.iid = iid
  }

  /// Parses "1.9": two decimal numbers without signs, each within 64 bits. Nil for anything else.
  public init?(_ text: String) {
    let parts: [Substring] = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let aid: UInt64 = UInt64(parts[0]), let iid: UInt64 = UInt64(parts[1])
    else { return nil }
    self.init(aid: aid, iid: iid)
  }

  /// By accessory, then by instance.
  public static func < (left: AttributeID, right: AttributeID) -> Bool {
    left.aid != right.aid ? left.aid < right.aid : left.iid < right.iid
  }

  /// "1.9"
  public var description: String { "\(aid).\(iid)" }
}
