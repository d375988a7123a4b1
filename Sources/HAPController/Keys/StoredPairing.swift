import HAPCrypto
import HAPPairing
import HAPStore

/// A pairing in a controller's storage.
public struct StoredPairing: Sendable {
  package var pairing: ControllerPairing

  package init(_ pairing: ControllerPairing) { self.pairing = pairing }

  /// - Parameters:
  ///   - name: the name, unique in a storage.
  ///   - accessoryID: the identifier of the accessory in M6 of Pair Setup, normally the text of its device ID.
  ///   - accessoryKey: the Ed25519 public key, 32 bytes.
  ///   - identity: the controller's identifier and keys for this accessory.
  ///   - addresses: addresses such as "192.0.2.7:51826" or "[fe80::1%eth0]:51826".
  /// - Returns: nil if the key is not 32 bytes long.
  public init?(
    name: String, accessoryID: String, accessoryKey: [UInt8], identity: ControllerIdentity, addresses: [String]
  ) {
    guard accessoryKey.count == 32 else { return nil }
    pairing = ControllerPairing(
      alias: name, accessoryID: Array(accessoryID.utf8), accessoryKey: accessoryKey,
      controllerID: Array(identity.identifier.utf8), controllerKey: identity.key, addresses: addresses)
  }

  /// The name of the accessory, unique in a storage.
  public var name: String {
    get { pairing.alias }
    set { pairing.alias = newValue }
  }
  /// The identifier of the accessory, normally the text of its device ID: "AA:BB:CC:DD:EE:FF".
  public var accessoryID: String { pairing.accessoryName }
  /// The accessory's Ed25519 public key, 32 bytes.
  public var accessoryKey: [UInt8] { pairing.accessoryKey }
  /// The controller's identifier and keys for this accessory.
  public var identity: ControllerIdentity {
    ControllerIdentity(
      identifier: String(decoding: pairing.controllerID, as: UTF8.self), key: pairing.controllerKey)
  }
  /// The last known addresses: "192.0.2.7:51826", "[fe80::1%eth0]:51826".
  public var addresses: [String] {
    get { pairing.addresses }
    set { pairing.addresses = newValue }
  }
}

/// A controller's identity: an identifier and an Ed25519 key pair. HAP R2 §5.6.5.
public struct ControllerIdentity: Sendable {
  /// The identifier, 1 to 36 bytes in UTF-8, normally an uppercase UUID.
  public let identifier: String
  package let key: SigningKey

  package init(identifier: String, key: SigningKey) {
    self.identifier = identifier
    self.key = key
  }

  /// - Parameters:
  ///   - identifier: the identifier, 1 to 36 bytes in UTF-8.
  ///   - seed: the secret key, 32 bytes.
  /// - Returns: nil if a length is wrong.
  public init?(identifier: String, seed: [UInt8]) {
    guard (1...36).contains(identifier.utf8.count), seed.count == 32 else { return nil }
    self.init(identifier: identifier, key: SigningKey(seed: SecretBytes(seed)))
  }

  /// Creates a random identity.
  package init(drawnFrom random: RandomSource) {
    self.init(identifier: Self.uuid(random), key: SigningKey(seed: random.secret(32)))
  }

  /// The Ed25519 public key, 32 bytes.
  public var publicKey: [UInt8] { key.publicKey }

  /// The identifier and the keys for the pairing procedures.
  package var credentials: ControllerCredentials {
    ControllerCredentials(identifier: Array(identifier.utf8), key: key)
  }

  /// Passes the secret key, 32 bytes, to `body`. The pointer is valid only inside `body`.
  public func withSeed<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try key.seed.withBytes(body) }

  /// Returns a random UUID in uppercase.
  private static func uuid(_ random: RandomSource) -> String {
    var bytes = random.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    var rest = digits[...]
    let groups = [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }
    return groups.joined(separator: "-")
  }
}
