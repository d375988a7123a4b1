import Foundation

/// A home of another system, as its Matter extension describes it. HMMatterHome
public final class HMMatterHome: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The identifier.
  public let uuid: UUID
  /// The name.
  public let name: String

  /// Creates a home.
  public init(uuid: UUID, name: String) { (self.uuid, self.name) = (uuid, name) }

  /// Reads a home from an archive; nil for other content.
  public convenience init?(coder: NSCoder) {
    guard let (uuid, name) = coder.matterObject() else { return nil }
    self.init(uuid: uuid, name: name)
  }

  /// True.
  public static var supportsSecureCoding: Bool { true }
  /// Writes the home into an archive.
  public func encode(with coder: NSCoder) { coder.encodeMatterObject(uuid, name) }
  /// Returns the home itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Compares the identifiers and the names.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? HMMatterHome).map { $0.uuid == uuid && $0.name == name } ?? false
  }
  /// The hash of the identifier.
  public override var hash: Int { uuid.hashValue }
}

extension NSCoder {
  func encodeMatterObject(_ uuid: UUID, _ name: String) {
    encode(NSString(string: uuid.uuidString), forKey: "uuid")
    encode(NSString(string: name), forKey: "name")
  }

  func matterObject() -> (UUID, String)? {
    guard let text = decodeObject(of: NSString.self, forKey: "uuid"), let uuid = UUID(uuidString: text.description),
      let name = decodeObject(of: NSString.self, forKey: "name")
    else { return nil }
    return (uuid, name.description)
  }
}
