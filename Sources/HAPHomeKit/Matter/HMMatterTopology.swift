import Foundation

/// The homes of another system. HMMatterTopology
public final class HMMatterTopology: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The homes.
  public let homes: [HMMatterHome]

  /// Creates a list of homes.
  public init(homes: [HMMatterHome]) { self.homes = homes }

  /// Reads a list from an archive; nil for other content.
  public convenience init?(coder: NSCoder) {
    let list = coder.decodeObject(of: [NSArray.self, HMMatterHome.self], forKey: "homes")
    guard let homes = list as? [HMMatterHome] else { return nil }
    self.init(homes: homes)
  }

  /// True.
  public static var supportsSecureCoding: Bool { true }
  /// Writes the list into an archive.
  public func encode(with coder: NSCoder) { coder.encode(NSArray(array: homes), forKey: "homes") }
  /// Returns the list itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Compares the homes.
  public override func isEqual(_ object: Any?) -> Bool { (object as? HMMatterTopology)?.homes == homes }
  /// The hash of the homes.
  public override var hash: Int { homes.hashValue }
}
