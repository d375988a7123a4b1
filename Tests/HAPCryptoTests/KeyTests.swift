import HAPTestSupport
import Testing

@testable import HAPCrypto

@Suite struct KeyTests {
  // RFC 8032 §7.1, TEST 1, 2, 3.
  @Test(
    "Ed25519 of RFC 8032",
    arguments: [
      (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        """
        e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b
        d25bf5f0595bbe24655141438e7a100b
        """
      ),
      (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c
        387b2eaeb4302aeeb00d291612bb0c00
        """
      ),
      (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
        """
        6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659
        4a7c15e9716ed28dc027beceea1ec40a
        """
      ),
    ])
  func ed25519(_ seed: String, _ publicKey: String, _ message: String, _ signature: String) {
    let key = SigningKey(seed: SecretBytes(hex(seed)))
    #expect(key.publicKey == hex(publicKey))
    #expect(key.sign(hex(message)) == hex(signature))
    #expect(isValidSignature(hex(signature), of: hex(message), by: hex(publicKey)))
  }

  @Test("A signature with any byte changed, of another message, by another key or of another length is not valid")
  func tamperedSignature() {
    let key = SigningKey(seed: SecretBytes([UInt8](repeating: 1, count: 32)))
    let signature = key.sign([1, 2, 3])
    #expect(isValidSignature(signature, of: [1, 2, 3], by: key.publicKey))
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1
      #expect(!isValidSignature(changed, of: [1, 2, 3], by: key.publicKey))
    }
    #expect(!isValidSignature(signature, of: [1, 2], by: key.publicKey))
    for other in [[], Array(signature.dropLast()), signature + [0]] {
      #expect(!isValidSignature(other, of: [1, 2, 3], by: key.publicKey))
    }
    for other in [[], Array(key.publicKey.dropLast()), key.publicKey + [0], [UInt8](repeating: 0, count: 32)] {
      #expect(!isValidSignature(signature, of: [1, 2, 3], by: other))
    }
  }

  @Test("Keys and signatures of the session vectors") func sessionVectors() throws {
    let setup = try vectorFile("session").object("pairSetup"), verify = try vectorFile("session").object("pairVerify")
    let accessory = SigningKey(seed: SecretBytes(setup.bytes("accessoryLTSKSeed")))
    let controller = SigningKey(seed: SecretBytes(setup.bytes("controllerLTSKSeed")))
    #expect(accessory.publicKey == setup.bytes("accessoryLTPK"))
    #expect(controller.publicKey == setup.bytes("controllerLTPK"))
    for (key, message) in [
      (controller, setup.object("M5")), (accessory, setup.object("M6")), (accessory, verify.object("M2")),
      (controller, verify.object("M3")),
    ] {
      #expect(key.sign(message.bytes("signed")) == message.bytes("signature"))
      #expect(isValidSignature(message.bytes("signature"), of: message.bytes("signed"), by: key.publicKey))
    }
  }

  @Test("X25519 of RFC 7748 §6.1, from both ends") func diffieHellman() {
    let alice = AgreementKey(
      privateKey: SecretBytes(hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")))
    let bob = AgreementKey(
      privateKey: SecretBytes(hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")))
    #expect(alice.publicKey == hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
    #expect(bob.publicKey == hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    let shared = SecretBytes(hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"))
    #expect(alice.sharedSecret(with: bob.publicKey) == shared)
    #expect(bob.sharedSecret(with: alice.publicKey) == shared)
  }

  // RFC 7748 §5.2.
  @Test("X25519 of a scalar and a point")
  func scalarMultiplication() {
    let key = AgreementKey(
      privateKey: SecretBytes(hex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")))
    #expect(
      key.sharedSecret(with: hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        == SecretBytes(hex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")))
  }

  @Test("X25519 of the session vectors, from both ends") func agreementVectors() throws {
    let verify = try vectorFile("session").object("pairVerify")
    let accessory = AgreementKey(privateKey: SecretBytes(verify.bytes("accessorySecret")))
    let controller = AgreementKey(privateKey: SecretBytes(verify.bytes("controllerSecret")))
    #expect(accessory.publicKey == verify.bytes("accessoryPublic"))
    #expect(controller.publicKey == verify.bytes("controllerPublic"))
    let shared = SecretBytes(verify.bytes("sharedSecret"))
    #expect(accessory.sharedSecret(with: controller.publicKey) == shared)
    #expect(controller.sharedSecret(with: accessory.publicKey) == shared)
  }

  @Test(
    "[PV.10] X25519 with a point of small order, whose result is all zero, is refused",
    arguments: [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
  func smallOrder(_ point: String) {
    let key = AgreementKey(privateKey: SecretBytes([UInt8](repeating: 5, count: 32)))
    #expect(key.sharedSecret(with: hex(point)) == nil)
  }

  @Test("X25519 with a public key of another length is refused", arguments: [0, 31, 33])
  func wrongLength(_ count: Int) {
    let key = AgreementKey(privateKey: SecretBytes([UInt8](repeating: 5, count: 32)))
    #expect(key.sharedSecret(with: [UInt8](repeating: 9, count: count)) == nil)
  }

  @Test("A private key of another length is a programming error and traps") func traps() async {
    await #expect(processExitsWith: .failure) { _ = SigningKey(seed: SecretBytes([1])) }
    await #expect(processExitsWith: .failure) { _ = AgreementKey(privateKey: SecretBytes([1])) }
  }
}
