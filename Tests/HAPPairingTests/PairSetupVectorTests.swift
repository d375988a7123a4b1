import HAPCrypto
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPPairing

@Suite struct PairSetupVectorTests {
  private func strip(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 0 }) }

  private var m2: TLV {
    TLV((6, [2]), (3, Fixture.srp.bytes("B")), (2, Fixture.srp.bytes("salt")))
  }
  private var m3: TLV { TLV((6, [3]), (3, Fixture.srp.bytes("A")), (4, Fixture.srp.bytes("M1"))) }
  private var m4: TLV { TLV((6, [4]), (4, Fixture.srp.bytes("M2"))) }
  private var m5: [UInt8] { Fixture.setup.object("M5").bytes("message") }
  private var m6: [UInt8] { Fixture.setup.object("M6").bytes("message") }

  @Test(
    "[PS.1] [PS.24] [PS.26] [PS.31] [PS.32] [KD.1] [KD.2] [KD.5] The accessory's messages equal the vectors byte for byte"
  )
  func accessory() {
    var bench = SetupBench(random: .script(Fixture.srp.bytes("b")))
    #expect(bench.receive(TLV((6, [1]), (0, [0]))) == [.reply(m2)])
    #expect(bench.receive(m3) == [.clearFailedAttempts, .reply(m4)])
    #expect(bench.receive(Fixture.message(m5)) == [.store(Fixture.pairing), .reply(Fixture.message(m6))])
    #expect(Fixture.message(m6).encoded() == m6)
    #expect(!bench.server.isUnderWay)
  }

  @Test("[PS.4] [PS.11] [KD.1] [KD.2] [KD.5] The controller's messages equal the vectors byte for byte")
  func controller() throws {
    var client = PairSetupClient(
      code: Fixture.code, identity: Fixture.controller, random: .script(Fixture.srp.bytes("a")))
    #expect(client.start() == TLV((6, [1]), (0, [0])))
    guard case .compute(let work)? = client.receive(m2).first else { Issue.record("no computation"); return }
    guard case .send(let third)? = client.computed(work.perform()).first else { Issue.record("no M3"); return }
    #expect(third == m3)
    guard case .send(let fifth)? = client.receive(m4).first else { Issue.record("no M5"); return }
    #expect(fifth.encoded() == m5)
    guard case .paired(let accessory)? = client.receive(Fixture.message(m6)).first else {
      Issue.record("no pairing")
      return
    }
    #expect(accessory == Fixture.paired)
  }

  @Test("[PS.6] [PS.8] A controller that pads S and A can pair, with its own K, unless the check is strict")
  func paddedController() throws {
    for vector in try vectorFile("srp").list("cases") where vector.bytes("B")[0] != 0 {
      guard let padded = (vector["alternatives"] as? [String: Any])?.object("everythingPadded") else { continue }
      for strict in [false, true] {
        var bench = SetupBench(random: .script(vector.bytes("b")), checksProofStrictly: strict)
        _ = bench.receive(TLV((6, [1]), (0, [0])))
        let outcome = bench.receive(TLV((6, [3]), (3, vector.bytes("A")), (4, padded.bytes("M1"))))
        if strict {
          #expect(outcome == [.failedAttempt, .reply(.error(.authentication, state: 4))])
        } else {
          #expect(outcome == [.clearFailedAttempts, .reply(TLV((6, [4]), (4, padded.bytes("M2"))))])
        }
      }
    }
  }

  @Test("[PS.5] The accessory redraws until B starts with a non-zero byte") func accessoryDraws() throws {
    let vector = try vectorFile("srp").list("cases")[3]
    #expect(vector.bytes("B")[0] == 0)
    let work = SlowWork(
      number: 0,
      task: .accessoryKey(Fixture.accessory.verifier, seed: SecretBytes(vector.bytes("b")), OrdinarySetupArithmetic()))
    guard case .accessoryKey(let server) = work.perform().outcome else { Issue.record("no key"); return }
    #expect(!server.startsWithZero)
    guard case .accessoryKey(let again) = work.perform().outcome else { Issue.record("no key"); return }
    #expect(again.publicKey == server.publicKey, "equal seeds give equal keys")
  }

  /// An arithmetic whose B starts with a zero byte, padded or stripped, with the salt of its own verifier.
  private struct ZeroLedArithmetic: SetupArithmetic {
    let isPadded: Bool
    let verifier: SRPVerifier
    var refusesAll = false

    func key(_: SRPVerifier, seed: SecretBytes) -> SRPServer {
      firstKey(verifier, seed: seed, keepsZeros: isPadded) { $0.startsWithZero }
    }

    func secret(_ key: SRPServer, controllerKey: [UInt8]) -> SRPServerProof? {
      key.agree(with: refusesAll ? [2] : controllerKey)
    }
  }

  @Test("A custom arithmetic computes the key of M2, and the procedure pairs", arguments: [true, false])
  func otherKey(isPadded: Bool) throws {
    let verifier = SRPVerifier(code: Fixture.code, salt: [0] + Array(repeating: 7, count: 15))
    var bench = SetupBench()
    bench.context.arithmetic = ZeroLedArithmetic(isPadded: isPadded, verifier: verifier)
    guard case .reply(let m2)? = bench.receive(TLV((6, [1]), (0, [0]))).last else { Issue.record("no M2"); return }
    #expect(m2[2] == verifier.salt)
    let key = try #require(m2[3])
    #expect(isPadded ? key.count == 384 && key[0] == 0 : key.count < 384)
    let pairs = bench.pairs()
    #expect(pairs)
  }

  @Test("A custom arithmetic computes the secret of M4, so the right code fails") func otherSecret() {
    var bench = SetupBench()
    bench.context.arithmetic = ZeroLedArithmetic(
      isPadded: true, verifier: SRPVerifier(code: Fixture.code, salt: Array(repeating: 7, count: 16)), refusesAll: true)
    let pairs = bench.pairs()
    #expect(!pairs)
  }

  /// With the first case of the vectors, K starts with a zero byte for this private key. It was searched for.
  private static let zeroLedKey: [UInt8] = [
    0x28, 0x58, 0xDC, 0xD1, 0x05, 0x7D, 0x3E, 0xAE, 0x7F, 0x7D, 0x5F, 0x78, 0x21, 0x67, 0xE2, 0x4B,
    0x61, 0x15, 0x3C, 0x01, 0x55, 0x14, 0x50, 0xA6, 0x28, 0xCE, 0xE7, 0x22, 0x50, 0x9F, 0x65, 0x29,
  ]

  @Test("[PS.10] The controller redraws until neither A, S nor K starts with a zero byte", arguments: [1, 2, nil])
  func controllerDraws(_ index: Int?) throws {
    let vector = try vectorFile("srp").list("cases")[index ?? 0]
    let seed = index == nil ? Self.zeroLedKey : vector.bytes("a")
    let first = SRPClient(code: Fixture.code, privateKey: SecretBytes(seed))
    let firstProof = try #require(first.agree(salt: vector.bytes("salt"), serverPublicKey: vector.bytes("B")))
    #expect(
      [first.startsWithZero, firstProof.startsWithZero, firstProof.keyStartsWithZero]
        == [index == 2, index == 1, index == nil])
    let work = SlowWork(
      number: 0,
      task: .controllerSecret(
        code: Fixture.code, seed: SecretBytes(seed),
        PairSetupChallenge(salt: vector.bytes("salt"), accessoryKey: vector.bytes("B"))))
    guard case .controllerSecret(let proof) = work.perform().outcome else {
      Issue.record("no secret")
      return
    }
    #expect(proof.publicKey.count == 384)
    #expect(proof.publicKey != first.publicKey)
    #expect(!proof.startsWithZero && !proof.keyStartsWithZero)
  }

  @Test("[KD.10] The keys of a transient session equal those of the vectors") func transientKeys() {
    let keys = SessionKeys(transientPairSetup: SecretBytes(Fixture.setup.bytes("K")))
    #expect(bytes(keys.accessoryToController) == Fixture.setup.list("hkdf")[4].bytes("output"))
    #expect(bytes(keys.controllerToAccessory) == Fixture.setup.list("hkdf")[5].bytes("output"))
  }
}
