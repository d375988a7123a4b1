import HAPTestSupport
import Testing

@testable import HAPCrypto

/// The vectors name their sources: tests of connectedhomeip and of matter.js, and the draft of SPAKE2+.
@Suite("Primitives of Matter") struct MatterCryptoTests {
  private static var file: [String: Any] { try! vectorFile("matter") }

  private static func secret(_ vector: [String: Any], _ name: String) -> SecretBytes { SecretBytes(vector.bytes(name)) }

  @Test("SHA-256 and HKDF give the published values (FIPS 180-4 \"abc\"; RFC 5869 A.1 and A.3)")
  func published() {
    #expect(
      SHA256.hash(Array("abc".utf8)) == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(SHA256.hash([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    let key = SecretBytes([UInt8](repeating: 0x0B, count: 22))
    let first = HKDF.sha256(key, salt: Array(0...12), info: Array(0xF0...0xF9), count: 42)
    #expect(
      first.copy
        == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    let third = HKDF.sha256(key, info: "", count: 42)
    #expect(
      third.copy
        == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
  }

  @Test("Keys of fabrics and groups are derived")
  func derived() {
    for vector in Self.file.list("compressed_fabric_id") {
      let key = SecretBytes(Array(vector.bytes("root_public").dropFirst()))
      let compressed = HKDF.sha256(key, salt: vector.bytes("fabric_id"), info: "CompressedFabric", count: 8)
      #expect(compressed.copy == vector.bytes("compressed"))
    }
    for vector in Self.file.list("group_keys") {
      let key = HKDF.sha256(
        Self.secret(vector, "epoch_key"), salt: vector.bytes("compressed_fabric_id"), info: "GroupKey v1.0", count: 16)
      #expect(key.copy == vector.bytes("operational_key"))
    }
    for vector in Self.file.object("case").list("destination_id") {
      let message =
        ["initiator_random", "root_public"].flatMap { vector.bytes($0) }
        + ["fabric_id", "node_id"].flatMap { vector.bytes($0).reversed() }
      #expect(SHA256.hmac(message, key: Self.secret(vector, "ipk")) == vector.bytes("destination_id"))
    }
  }

  private static func secrets(_ vector: [String: Any]) throws -> SPAKE2Plus.Secrets {
    try #require(
      SPAKE2Plus.Secrets(
        passcode: UInt32(vector["passcode"] as! Int), salt: vector.bytes("salt"),
        iterations: vector["iterations"] as! Int))
  }

  @Test("The passcode gives w0, w1 and L; the verifier is written and read")
  func passcodes() throws {
    for vector in Self.file.list("pbkdf") {
      let secrets = try Self.secrets(vector)
      #expect(secrets.w0 == Self.secret(vector, "w0") && secrets.w1 == Self.secret(vector, "w1"))
      let verifier = secrets.verifier
      #expect(verifier.l == vector.bytes("L"))
      #expect(verifier.bytes.copy == vector.bytes("w0") + vector.bytes("L"))
      let again = try #require(SPAKE2Plus.Verifier(verifier.bytes))
      #expect(again.w0 == verifier.w0 && again.l == verifier.l)
    }
  }

  @Test(
    "Parameters outside of the limits are refused",
    arguments: [(16, 999), (16, 100_001), (16, 0), (16, -1), (16, Int(UInt32.max)), (15, 1000), (33, 1000), (0, 1000)])
  func limits(_ saltCount: Int, _ iterations: Int) {
    let salt = [UInt8](repeating: 1, count: saltCount)
    #expect(SPAKE2Plus.Secrets(passcode: 20_202_021, salt: salt, iterations: iterations) == nil)
  }

  @Test("A verifier that is malformed is refused")
  func wrongVerifiers() throws {
    let vector = Self.file.list("pbkdf")[0]
    let good = vector.bytes("w0") + vector.bytes("L")
    #expect(SPAKE2Plus.Verifier(SecretBytes(good)) != nil)
    var outside = good
    outside[96] ^= 1
    let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    for wrong in [
      outside, Array(good.dropLast()), good + [0], [], [UInt8](repeating: 0, count: 32) + vector.bytes("L"),
      order + vector.bytes("L"), vector.bytes("w0") + [UInt8](repeating: 0, count: 65),
    ] { #expect(SPAKE2Plus.Verifier(SecretBytes(wrong)) == nil, "\(wrong)") }
  }

  @Test("Both ends of SPAKE2+ give the values of the vectors")
  func spake2plus() throws {
    for vector in Self.file.list("spake2plus") {
      let secrets = SPAKE2Plus.Secrets(w0: Self.secret(vector, "w0"), w1: Self.secret(vector, "w1"))
      #expect(secrets.verifier.l == vector.bytes("L"))
      let names = SPAKE2Plus.Names(prover: vector.bytes("prover"), verifier: vector.bytes("verifier"))
      var prover = SPAKE2Plus.Run(prover: secrets, x: Self.secret(vector, "x"))
      var verifier = SPAKE2Plus.Run(verifier: secrets.verifier, y: Self.secret(vector, "y"))
      #expect(prover.share == vector.bytes("X") && verifier.share == vector.bytes("Y"))
      let context = vector.bytes("context")
      let first = try prover.finish(verifier.share, context: context, names: names).orFail()
      let second = try verifier.finish(prover.share, context: context, names: names).orFail()
      #expect(first.proof == vector.bytes("cA") && second.proof == vector.bytes("cB"))
      #expect(first.key(ifPeerProofIs: second.proof) == Self.secret(vector, "Ke"))
      #expect(second.key(ifPeerProofIs: first.proof) == Self.secret(vector, "Ke"))
      #expect(first.key(ifPeerProofIs: first.proof) == nil && second.key(ifPeerProofIs: []) == nil)
      for end in [prover.finish(verifier.share, context: context), verifier.finish(prover.share, context: context)] {
        #expect(end == nil, "a run has one end")
      }
    }
  }

  @Test("The device's end gives the messages and the keys of a recorded PASE")
  func pase() throws {
    for vector in Self.file.list("pase") {
      let context = SHA256.hash(
        Array("CHIP PAKE V1 Commissioning".utf8) + vector.bytes("request") + vector.bytes("response"))
      #expect(context == vector.bytes("context"))
      var run = SPAKE2Plus.Run(verifier: try Self.secrets(vector).verifier, y: Self.secret(vector, "y"))
      // Pake1 {1: X}, Pake2 {1: Y, 2: cB}, Pake3 {1: cA}: each value has a header of three bytes, after one of the structure.
      let outcome = try run.finish(Array(vector.bytes("pake1")[4..<69]), context: context).orFail()
      #expect(vector.bytes("pake2")[4..<69] == run.share[...])
      #expect(vector.bytes("pake2")[72..<104] == outcome.proof[...])
      let key = try #require(outcome.key(ifPeerProofIs: Array(vector.bytes("pake3")[4..<36])))
      #expect(key == Self.secret(vector, "Ke"))
      let keys = HKDF.sha256(key, info: "SessionKeys", count: 48).copy
      #expect(keys == ["i2r", "r2i", "attestation_challenge"].flatMap { vector.bytes($0) })
    }
  }

  @Test("Two ends with one passcode and one context agree, others do not")
  func random() throws {
    let random = RandomSource.seeded(1)
    let secrets = try [20_202_021, 20_202_022].map {
      try #require(SPAKE2Plus.Secrets(passcode: $0, salt: [UInt8](repeating: 1, count: 16), iterations: 1000))
    }
    for (passcode, context) in [(0, 1), (1, 1), (0, 2)] as [(Int, UInt8)] {
      var prover = SPAKE2Plus.Run(prover: secrets[passcode], random: random)
      var verifier = SPAKE2Plus.Run(verifier: secrets[0].verifier, random: random)
      let first = try prover.finish(verifier.share, context: [context]).orFail()
      let second = try verifier.finish(prover.share, context: [1]).orFail()
      let isSame = passcode == 0 && context == 1
      #expect((first.key(ifPeerProofIs: second.proof) != nil) == isSame)
      #expect((second.key(ifPeerProofIs: first.proof) != nil) == isSame)
      #expect((first.secret == second.secret) == isSame)
    }
  }

  @Test("A share that is no point, or that makes the secret worthless, ends the run")
  func worthlessShares() throws {
    let secrets = try #require(
      SPAKE2Plus.Secrets(passcode: 20_202_021, salt: [UInt8](repeating: 1, count: 16), iterations: 1000))
    let random = RandomSource.seeded(2)
    let share = SPAKE2Plus.Run(prover: secrets, random: random).share
    var outside = share
    outside[64] ^= 1
    // The worthless ones: w0 · M for the device, w0 · N for the commissioner.
    let (m, n) = (SPAKE2Plus.m, SPAKE2Plus.n)
    let blinds = [m, n].map { CurvePoint($0)!.times(BigNumber(secrets.w0))!.bytes }
    let wrong = [outside, [], [0], [UInt8](repeating: 0, count: 65), Array(share[..<33])]
    for wrong in wrong + [blinds[0]] {
      var run = SPAKE2Plus.Run(verifier: secrets.verifier, random: random)
      let outcomes = [run.finish(wrong, context: [1]), run.finish(share, context: [1])]
      #expect(outcomes.allSatisfy { $0 == nil })
    }
    for wrong in wrong + [blinds[1]] {
      var run = SPAKE2Plus.Run(prover: secrets, random: random)
      let outcome = run.finish(wrong, context: [1])
      #expect(outcome == nil)
    }
  }

  @Test("Sealed messages of the vectors are opened and sealed; each changed bit is found")
  func sealed() throws {
    for vector in Self.file.object("messages").list("sealed") {
      let sealer = CCMCipher(key: Self.secret(vector, "key"), .sealing)
      let cipher = CCMCipher(key: Self.secret(vector, "key"), .opening)
      let (header, nonce, plain) = (vector.bytes("header"), vector.bytes("nonce"), vector.bytes("plain"))
      let sealed = Array(vector.bytes("packet")[header.count...])
      for _ in 0..<2 { #expect(sealer.seal(plain, nonce: nonce, aad: header) == sealed) }
      #expect(cipher.open(sealed, nonce: nonce, aad: header) == plain)
      for bit in 0..<8 * sealed.count {
        var wrong = sealed
        wrong[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(cipher.open(wrong, nonce: nonce, aad: header) == nil)
      }
      #expect(cipher.open(sealed, nonce: nonce, aad: Array(header.dropLast())) == nil)
      #expect(cipher.open(sealed, nonce: [UInt8](repeating: 0, count: 13), aad: header) == nil)
      #expect(cipher.open(sealed, nonce: nonce, aad: header) == plain, "an earlier failure changes nothing")
      for count in 0..<16 { #expect(cipher.open(Array(sealed[..<count]), nonce: nonce, aad: header) == nil) }
    }
  }

  @Test("The longest text is sealed and opened, a longer one is not opened")
  func longTexts() {
    let key = SecretBytes([UInt8](repeating: 1, count: 16))
    let (sealer, opener) = (CCMCipher(key: key, .sealing), CCMCipher(key: key, .opening))
    let (nonce, text) = ([UInt8](repeating: 2, count: 13), [UInt8](repeating: 3, count: CCMCipher.mostTextBytes))
    let sealed = sealer.seal(text, nonce: nonce)
    #expect(opener.open(sealed, nonce: nonce) == text)
    #expect(opener.open([0] + sealed, nonce: nonce) == nil)
    #expect(opener.open(sealed, nonce: nonce) == text)
  }

  @Test("The proofs of a resumption are tags without text")
  func resumption() throws {
    for vector in Self.file.object("case").list("resumption") {
      let shared = Self.secret(vector, "shared_secret")
      for (info, id, nonce, key, proof) in [
        ("Sigma1_Resume", "resumption_id", "NCASE_SigmaS1", "S1RK", "initiator_resume_mic"),
        ("Sigma2_Resume", "new_resumption_id", "NCASE_SigmaS2", "S2RK", "sigma2_resume_mic"),
      ] {
        let derived = HKDF.sha256(
          shared, salt: vector.bytes("initiator_random") + vector.bytes(id), info: info, count: 16)
        #expect(derived == Self.secret(vector, key))
        #expect(CCMCipher(key: derived, .sealing).seal([], nonce: Array(nonce.utf8)) == vector.bytes(proof))
        let cipher = CCMCipher(key: derived, .opening)
        #expect(cipher.open(vector.bytes(proof), nonce: Array(nonce.utf8)) == [])
        for bit in 0..<128 {
          var wrong = vector.bytes(proof)
          wrong[bit / 8] ^= 1 << UInt8(bit % 8)
          #expect(cipher.open(wrong, nonce: Array(nonce.utf8)) == nil)
        }
        #expect(cipher.open(vector.bytes(proof), nonce: Array("NCASE_SigmaS3".utf8)) == nil)
        #expect(cipher.open(Array(vector.bytes(proof).dropLast()), nonce: Array(nonce.utf8)) == nil)
      }
    }
  }
}

extension SPAKE2Plus.Outcome? {
  /// `#require` cannot call a mutating function.
  fileprivate func orFail() throws -> SPAKE2Plus.Outcome { try #require(self) }
}
