import HAPCrypto

/// A controller's identity: the identifier and long-term key of its pairings.
package struct ControllerIdentity: Sendable {
  package let identifier: [UInt8]
  package let key: SigningKey

  /// Equal numbers give equal identities.
  package init(_ number: UInt64) {
    let tail = String(number, radix: 16, uppercase: true)
    identifier = Array("7F4B1C2E-09A8-4E5D-8C21-\(String(repeating: "0", count: 12 - tail.count))\(tail)".utf8)
    key = SigningKey(seed: RandomSource.seeded(0xC0_0000 &+ number).secret(32))
  }

  package init(identifier: [UInt8], key: SigningKey) { (self.identifier, self.key) = (identifier, key) }
}
