/// The allowed operations on a characteristic. HAP R2 §6.6.3 "Characteristic Objects", member `perms`.
public struct Permissions: OptionSet, Hashable, Sendable {
  /// Bit 0 is the first permission of `names`.
  public let rawValue: UInt8

  /// Creates a set from its bits; bits above 6 are ignored.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// "pr": a paired controller may read the value.
  public static let pairedRead: Permissions = Permissions(rawValue: 1 << 0)
  /// "pw": a paired controller may write the value.
  public static let pairedWrite: Permissions = Permissions(rawValue: 1 << 1)
  /// "ev": controllers may subscribe to changes.
  public static let events: Permissions = Permissions(rawValue: 1 << 2)
  /// "aa": a write may include additional authorization data.
  public static let additionalAuthorization: Permissions = Permissions(rawValue: 1 << 3)
  /// "tw": a write must be a timed write.
  public static let timedWrite: Permissions = Permissions(rawValue: 1 << 4)
  /// "hd": hidden from users.
  public static let hidden: Permissions = Permissions(rawValue: 1 << 5)
  /// "wr": a write may request a response with a value.
  public static let writeResponse: Permissions = Permissions(rawValue: 1 << 6)

  private static let allNames: [String] = ["pr", "pw", "ev", "aa", "tw", "hd", "wr"]

  /// The names on the wire, in the order of the specification.
  public var names: [String] {
    var result: [String] = []
    for (bit, name): (Int, String) in Self.allNames.enumerated() where rawValue & (1 << UInt8(bit)) != 0 {
      result.append(name)
    }
    return result
  }

  /// Creates one permission from its name on the wire; nil for an unknown name.
  public init?(name: String) {
    guard let bit: Int = Self.allNames.firstIndex(of: name) else { return nil }
    self.init(rawValue: 1 << UInt8(bit))
  }
}
