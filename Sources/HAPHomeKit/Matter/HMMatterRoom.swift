import Foundation

/// A room of another system, as its Matter extension describes it. HMMatterRoom
public final class HMMatterRoom: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The identifier.
  public let uuid: UUID
  /// The name.
  public let name: String

  /// Creates a room.
  public init(uuid: UUID, name: String) { (self.uuid, self.name) = (uuid, name) }

  /// Reads a room from an archive; nil for other content.
  public convenience init?(coder: NSCoder) {
    guard let (uuid, name) = coder.matterObject() else { return nil }
    self.init(uuid: uuid, name: name)
  }

  /// True.
  public static var supportsSecureCoding: Bool { true }
  /// Writes the room into an archive.
  public func encode(with coder: NSCoder) { coder.encodeMatterObject(uuid, name) }
  /// Returns the room itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Compares the identifiers and the names.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? HMMatterRoom).map { $0.uuid == uuid && $0.name == name } ?? false
  }
  /// The hash of the identifier.
  public override var hash: Int { uuid.hashValue }
}
