import HAPTestSupport
import Testing

@testable import HAPCrypto

@Suite struct HashTests {
  @Test("SHA-512 of FIPS 180-4's examples")
  func sha512() {
    #expect(
      SHA512.hash(Array("abc".utf8))
        == hex(
          """
          ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
          2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
          """))
    #expect(
      SHA512.hash([])
        == hex(
          """
          cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce
          47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
          """))
  }

  // Inputs of RFC 5869 appendix A; outputs for SHA-512 computed with Python's hmac module.
  @Test(
    "HKDF-SHA-512 on the inputs of RFC 5869",
    arguments: [
      (
        [UInt8](repeating: 0x0b, count: 22), hex("000102030405060708090a0b0c"), hex("f0f1f2f3f4f5f6f7f8f9"),
        """
        832390086cda71fb47625bb5ceb168e4c8e26a1a16ed34d9fc7fe92c1481579338da362cb8d9f925d7cb
        """
      ),
      (
        Array(0x00...0x4f), Array(0x60...0xaf), Array(0xb0...0xff),
        """
        ce6c97192805b346e6161e821ed165673b84f400a2b514b2fe23d84cd189ddf1b695b48cbd1c8388441137b3ce
        28f16aa64ba33ba466b24df6cfcb021ecff235f6a2056ce3af1de44d572097a8505d9e7a93
        """
      ),
      (
        [UInt8](repeating: 0x0b, count: 22), [], [],
        """
        f5fa02b18298a72a8c23898a8703472c6eb179dc204c03425c970e3b164bf90fff22d04836d0e2343bac
        """
      ),
    ])
  func hkdf(_ key: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ output: String) {
    let expected = hex(output)
    #expect(HKDF.sha512(SecretBytes(key), salt: salt, info: info, count: expected.count) == SecretBytes(expected))
  }

  @Test("HKDF with text for salt and info, 32 bytes by default") func hkdfText() {
    #expect(
      HKDF.sha512(
        SecretBytes(Array("secret".utf8)), salt: "Pair-Setup-Encrypt-Salt", info: "Pair-Setup-Encrypt-Info")
        == SecretBytes(hex("9ba61fd9bf136fa77d322023e40aa03824f6d4d1b2524654e5342ef8ec94d468")))
  }

  @Test("HKDF gives up to 255 blocks, each a prefix of the longer") func hkdfLengths() {
    let key = SecretBytes([1])
    let longest = HKDF.sha512(key, salt: [], info: [], count: 255 * 64).withBytes { Array($0) }
    for count in [1, 63, 64, 65, 128, 255 * 64 - 1] {
      #expect(HKDF.sha512(key, salt: [], info: [], count: count) == SecretBytes(Array(longest[..<count])))
    }
  }

  @Test("HKDF of zero bytes or too many is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) { _ = HKDF.sha512(SecretBytes([1]), salt: [], info: [], count: 0) }
    await #expect(processExitsWith: .failure) { _ = HKDF.sha512(SecretBytes([1]), salt: [], info: [], count: 16321) }
  }

  @Test("[KD.1] [KD.2] [KD.3] [KD.4] HKDF of the Pair Setup and Pair Verify keys in the vectors") func sessionVectors()
    throws
  {
    let setup = try vectorFile("session").object("pairSetup")
    let key = SecretBytes(setup.bytes("K"))
    for vector in setup.list("hkdf") {
      let output = HKDF.sha512(key, salt: vector.text("salt"), info: vector.text("info"))
      #expect(output == SecretBytes(vector.bytes("output")), "\(vector.text("name"))")
    }
    let verify = try vectorFile("session").object("pairVerify")
    let secret = SecretBytes(verify.bytes("sharedSecret"))
    for (name, salt, info, count) in [
      ("sessionKey", "Pair-Verify-Encrypt-Salt", "Pair-Verify-Encrypt-Info", 32),
      ("accessoryToController", "Control-Salt", "Control-Read-Encryption-Key", 32),
      ("controllerToAccessory", "Control-Salt", "Control-Write-Encryption-Key", 32),
      ("resumeSessionID", "Pair-Verify-ResumeSessionID-Salt", "Pair-Verify-ResumeSessionID-Info", 8),
    ] {
      #expect(HKDF.sha512(secret, salt: salt, info: info, count: count) == SecretBytes(verify.bytes(name)), "\(name)")
    }
  }
}
