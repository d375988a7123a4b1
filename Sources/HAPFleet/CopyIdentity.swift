import HAPCrypto
import HAPModel

/// The identity of a copy, derived from a text. It is the same on every machine. The text gives access to all keys.
///
/// Each part is HKDF-SHA-512 of the text, with the salt "hapsim fleet 1" and an info that contains the part, the group and the copy.
package struct CopyIdentity: Equatable, Sendable {
  package let deviceID: DeviceID
  /// The seed of the long-term Ed25519 key: 32 bytes.
  package let keySeed: SecretBytes
  package let setupCode: SetupCode
  package let setupID: SetupID
  /// The salt of the SRP verifier: 16 bytes.
  package let salt: [UInt8]
  /// The secret from which front ends of other protocols derive identifiers and keys: 32 bytes.
  package let frontEndSecret: SecretBytes

  /// - Parameters:
  ///   - text: not empty.
  ///   - group: the key of the group.
  ///   - number: the number of the copy in its group, from 1.
  package init(_ text: String, group: String, number: Int) {
    precondition(!text.isEmpty, "the text of an identity must not be empty")
    let key = SecretBytes(Array(text.utf8))
    func part(_ what: String, _ count: Int) -> SecretBytes {
      HKDF.sha512(key, salt: "hapsim fleet 1", info: "\(what)\n\(number)\n\(group)", count: count)
    }
    func bytes(_ what: String, _ count: Int) -> [UInt8] { part(what, count).withBytes { Array($0) } }
    func draw(_ what: String, below limit: UInt32) -> UInt32 {
      // From 64 bits, so the bias of the remainder is negligible.
      UInt32(bytes(what, 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % UInt64(limit))
    }
    guard let deviceID = DeviceID(bytes: bytes("device ID", 6)),
      let setupID = SetupID(number: draw("setup ID", below: SetupID.count))
    else { preconditionFailure("6 bytes are a device ID, and a number below the count is a setup ID") }
    self.deviceID = deviceID
    self.setupID = setupID
    keySeed = part("key", 32)
    frontEndSecret = part("front ends", 32)
    salt = SRPVerifier.salt { bytes($0 == 0 ? "salt" : "salt \($0)", SRPVerifier.saltCount) }
    var code: SetupCode?
    var attempt = 0
    while code == nil {
      // Twelve codes are forbidden.
      code = try? SetupCode(number: draw("setup code \(attempt)", below: 100_000_000))
      attempt += 1
    }
    setupCode = code!
  }
}
