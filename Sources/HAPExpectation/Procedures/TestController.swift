import HAPCrypto
import HAPPairing

/// A controller that a case acts as.
package struct TestController: Sendable {
  package var name: String
  package var credentials: ControllerCredentials

  package init(name: String, identifier: [UInt8], key: SigningKey) {
    self.name = name
    credentials = ControllerCredentials(identifier: identifier, key: key)
  }

  /// Creates a controller with a random upper-case UUID.
  package init(name: String, random: RandomSource) {
    self.init(name: name, identifier: Self.uuid(random), key: SigningKey(seed: random.secret(32)))
  }

  /// Returns a UUID as 36 bytes of text. RFC 9562 version 4.
  package static func uuid(_ random: RandomSource) -> [UInt8] {
    var bytes = random.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return Array(text.utf8)
  }
}
