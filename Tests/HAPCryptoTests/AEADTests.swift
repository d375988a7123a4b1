import HAPTestSupport
import Testing

@testable import HAPCrypto

// RFC 8439 §2.8.2.
private let key = SecretBytes(Array(0x80...0x9f))
private let nonce = hex("070000004041424344454647")
private let aad = hex("50515253c0c1c2c3c4c5c6c7")
private let plain = Array(
  "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    .utf8)
private let sealed = hex(
  """
  d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b
  1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
  3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691
  """)

@Suite struct ChaChaPolyTests {
  @Test("ChaCha20-Poly1305 of RFC 8439 §2.8.2") func vector() {
    #expect(ChaChaPoly.seal(plain, key: key, nonce: nonce, aad: aad) == sealed)
    #expect(ChaChaPoly.open(sealed, key: key, nonce: nonce, aad: aad) == plain)
  }

  @Test("A message with a changed byte, other AAD, another nonce or another key does not open") func tampering() {
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(ChaChaPoly.open(changed, key: key, nonce: nonce, aad: aad) == nil)
    }
    #expect(ChaChaPoly.open(sealed, key: key, nonce: nonce) == nil)
    #expect(ChaChaPoly.open(sealed, key: key, nonce: [UInt8](repeating: 0, count: 12), aad: aad) == nil)
    let other = SecretBytes([UInt8](repeating: 0, count: 32))
    #expect(ChaChaPoly.open(sealed, key: other, nonce: nonce, aad: aad) == nil)
  }

  @Test("A message that is shorter than a tag, or truncated, does not open", arguments: [0, 1, 15, 16, 129])
  func short(_ count: Int) {
    #expect(ChaChaPoly.open(Array(sealed[..<count]), key: key, nonce: nonce, aad: aad) == nil)
  }

  @Test("An empty message is sealed as a tag alone") func empty() {
    let tag = ChaChaPoly.seal([], key: key, nonce: "PS-Msg05")
    #expect(tag.count == 16)
    #expect(ChaChaPoly.open(tag, key: key, nonce: "PS-Msg05") == [])
    #expect(ChaChaPoly.open(tag, key: key, nonce: "PS-Msg06") == nil)
  }

  @Test("The pairing messages of the session vectors") func sessionVectors() throws {
    let setup = try vectorFile("session").object("pairSetup"), verify = try vectorFile("session").object("pairVerify")
    let setupKey = SecretBytes(setup.list("hkdf")[0].bytes("output"))
    let verifyKey = SecretBytes(verify.bytes("sessionKey"))
    for (message, key) in [
      (setup.object("M5"), setupKey), (setup.object("M6"), setupKey), (verify.object("M2"), verifyKey),
      (verify.object("M3"), verifyKey),
    ] {
      let plain = message.bytes("subTLV"), sealed = message.bytes("encryptedData"), nonce = message.text("nonce")
      #expect(ChaChaPoly.seal(plain, key: key, nonce: nonce) == sealed)
      #expect(ChaChaPoly.open(sealed, key: key, nonce: nonce) == plain)
    }
  }

  @Test("A key or nonce of another length is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) {
      _ = ChaChaPoly.seal([], key: SecretBytes([1]), nonce: "PS-Msg05")
    }
    await #expect(processExitsWith: .failure) {
      _ = ChaChaPoly.open([], key: SecretBytes([UInt8](repeating: 1, count: 32)), nonce: "PS-Msg5")
    }
    await #expect(processExitsWith: .failure) {
      _ = ChaChaPoly.open([], key: SecretBytes([UInt8](repeating: 1, count: 32)), nonce: [1, 2])
    }
  }
}

@Suite struct FrameCipherTests {
  private func seal(_ cipher: FrameCipher, _ plain: [UInt8], counter: UInt64, aad: [UInt8]) -> [UInt8] {
    var text = plain
    var tag = [UInt8](repeating: 0, count: 16)
    text.withUnsafeMutableBytes { text in
      aad.withUnsafeBytes { aad in
        tag.withUnsafeMutableBytes { cipher.seal(text, tag: $0.baseAddress!, counter: counter, aad: aad) }
      }
    }
    return text + tag
  }

  private func open(_ cipher: FrameCipher, _ sealed: [UInt8], counter: UInt64, aad: [UInt8]) -> [UInt8]? {
    var text = Array(sealed.dropLast(16))
    let tag = Array(sealed.suffix(16))
    let isGood = text.withUnsafeMutableBytes { text in
      aad.withUnsafeBytes { aad in
        tag.withUnsafeBytes { cipher.open(text, tag: $0.baseAddress!, counter: counter, aad: aad) }
      }
    }
    return isGood ? text : nil
  }

  @Test(
    "The frame cipher agrees with the other implementation of the cipher, for each length",
    arguments: [0, 1, 63, 64, 65, 1024])
  func agreement(_ count: Int) {
    let random = RandomSource.seeded(UInt64(count))
    let key = random.secret(32), plain = random.bytes(count)
    let cipher = FrameCipher(key: key)
    for counter in [0, 1, 0xFFFF_FFFF, 0x1_0000_0005, .max] as [UInt64] {
      let nonce = [0, 0, 0, 0] + withUnsafeBytes(of: counter.littleEndian, Array.init)
      let sealed = ChaChaPoly.seal(plain, key: key, nonce: nonce, aad: [1, 2])
      #expect(seal(cipher, plain, counter: counter, aad: [1, 2]) == sealed)
      #expect(open(cipher, sealed, counter: counter, aad: [1, 2]) == plain)
    }
  }

  @Test("The frames of the session vectors") func sessionVectors() throws {
    let session = try vectorFile("session")
    for name in ["accessoryToController", "controllerToAccessory"] {
      let cipher = FrameCipher(key: SecretBytes(session.object("pairVerify").bytes(name)))
      for message in session.list("frames") where message.text("direction") == name {
        var rest = message.bytes("plaintext")
        for frame in message.list("frames") {
          let aad = frame.bytes("aad"), counter = UInt64(frame["counter"] as! Int)
          let part = Array(rest.prefix(Int(aad[0]) | Int(aad[1]) << 8))
          rest.removeFirst(part.count)
          #expect(aad + seal(cipher, part, counter: counter, aad: aad) == frame.bytes("sealed"))
          #expect(open(cipher, Array(frame.bytes("sealed").dropFirst(2)), counter: counter, aad: aad) == part)
        }
        #expect(rest == [])
      }
    }
  }

  @Test("A frame with a changed byte, AAD or counter does not open, and the next valid frame does") func tampering() {
    let cipher = FrameCipher(key: key)
    let sealed = seal(cipher, plain, counter: 3, aad: aad)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x40
      #expect(open(cipher, changed, counter: 3, aad: aad) == nil)
    }
    #expect(open(cipher, sealed, counter: 4, aad: aad) == nil)
    #expect(open(cipher, sealed, counter: 3, aad: []) == nil)
    #expect(open(FrameCipher(key: SecretBytes([UInt8](repeating: 0, count: 32))), sealed, counter: 3, aad: aad) == nil)
    #expect(open(cipher, sealed, counter: 3, aad: aad) == plain)
  }

  @Test("A key of another length is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) { _ = FrameCipher(key: SecretBytes([1])) }
  }
}
