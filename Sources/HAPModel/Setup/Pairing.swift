/// One paired controller. HAP R2 §5.11 "Pairings": identifier and key are kept and echoed as the bytes that were sent.
public struct Pairing: Hashable, Sendable {
  /// The controller's identifier as sent: mostly a 36-byte upper-case UUID, at most 36 bytes.
  public var identifier: [UInt8]
  /// Ed25519 public key, 32 bytes.
  public var publicKey: [UInt8]
  /// Whether the controller may manage pairings.
  public var isAdmin: Bool

  /// The longest identifier that is taken (ADK).
  public static let maxIdentifierCount: Int = 36

  /// Lengths are the caller's to have checked.
  public init(identifier: [UInt8], publicKey: [UInt8], isAdmin: Bool) {
    self.identifier = identifier
    self.publicKey = publicKey
    self.isAdmin = isAdmin
  }

  /// The identifier as text for people; bytes that are not UTF-8 are replaced.
  public var name: String { String(decoding: identifier, as: UTF8.self) }
}
