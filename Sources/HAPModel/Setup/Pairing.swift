/// One paired controller. HAP R2 §5.11 "Pairings": identifier and key are stored and returned as the bytes that were
/// sent.
public struct Pairing: Hashable, Sendable {
  /// The controller's identifier as sent: usually a 36-byte upper-case UUID, at most 36 bytes.
  public var identifier: [UInt8]
  /// Ed25519 public key, 32 bytes.
  public var publicKey: [UInt8]
  /// Whether the controller may manage pairings.
  public var isAdmin: Bool

  /// The maximum length of an identifier in bytes (ADK).
  public static let maxIdentifierCount: Int = 36

  /// Creates a pairing; the caller must check the lengths.
  public init(identifier: [UInt8], publicKey: [UInt8], isAdmin: Bool) {
    self.identifier = identifier
    self.publicKey = publicKey
    self.isAdmin = isAdmin
  }

  /// The identifier as text for people; bytes that are not UTF-8 are replaced.
  public var name: String { String(decoding: identifier, as: UTF8.self) }
}
