import HAPTestSupport
import Testing

@testable import HAPCrypto

@Suite("Messages that are sealed for the owner of a key")
struct SealedMessageTests {
  private let ben = SigningKey(seed: SecretBytes(Array(repeating: 7, count: 32)))
  private let eve = SigningKey(seed: SecretBytes(Array(repeating: 8, count: 32)))

  private func sealed(_ plain: [UInt8]) throws -> SealedMessage {
    try #require(
      SealedMessage(plain, to: ben.publicKey, RandomSource { $0.copyBytes(from: Array(repeating: 9, count: $0.count)) })
    )
  }

  @Test(
    "The keys for sealing fit together: what is sealed for the public key is opened by the secret one",
    arguments: [0, 1, 100_000])
  func opens(count: Int) throws {
    let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let message = try sealed(plain)
    #expect(message.opened(by: ben) == plain && message.opened(by: eve) == nil)
    #expect(message.bytes.count == count + ChaChaPoly.tagCount)
  }

  @Test("The X25519 key of an Ed25519 key is that of the birational map, RFC 7748 §4.1")
  func map() throws {
    #expect(SigningKey.agreementKey(of: ben.publicKey) == ben.agreementKey.publicKey)
    // The base point: y = 4/5 gives u = 9.
    let base: [UInt8] = [0x58] + Array(repeating: 0x66, count: 31)
    #expect(SigningKey.agreementKey(of: base) == [9] + Array(repeating: 0, count: 31))
  }

  @Test("A changed message is not opened, wherever it was changed")
  func changed() throws {
    let message = try sealed(Array("a home".utf8))
    for index in message.bytes.indices {
      var bytes = message.bytes
      bytes[index] ^= 1
      #expect(SealedMessage(ephemeralKey: message.ephemeralKey, bytes: bytes).opened(by: ben) == nil)
    }
    for index in message.ephemeralKey.indices {
      var key = message.ephemeralKey
      key[index] ^= 1
      #expect(SealedMessage(ephemeralKey: key, bytes: message.bytes).opened(by: ben) == nil)
    }
    for key in [[], Array(repeating: 0, count: 32), Array(repeating: 1, count: 31)] as [[UInt8]] {
      #expect(SealedMessage(ephemeralKey: key, bytes: message.bytes).opened(by: ben) == nil)
    }
    #expect(SealedMessage(ephemeralKey: message.ephemeralKey, bytes: []).opened(by: ben) == nil)
  }

  @Test("A key that is no point, or of small order, is refused")
  func invalidKeys() {
    let random = RandomSource { $0.copyBytes(from: Array(repeating: 9, count: $0.count)) }
    for key in [
      [], Array(repeating: 0, count: 32), Array(repeating: 0xFF, count: 32), [1] + Array(repeating: 0, count: 31),
    ] as [[UInt8]] {
      #expect(SealedMessage([1], to: key, random) == nil)
    }
  }
}
