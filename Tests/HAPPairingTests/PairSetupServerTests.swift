import HAPCrypto
import HAPModel
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPPairing

private let m1 = TLV((6, [1]), (0, [0]))

/// The stage of a procedure at which a wrong message arrives.
enum SetupStage: CaseIterable, Sendable {
  case idle, keyAwaited, proofExpected, secretAwaited, exchangeExpected, storeAwaited, finished, refused
}

/// The controller's side, one message at a time, so each message can be altered.
struct SetupController {
  let proof: SRPClientProof
  let m3: TLV

  init?(_ outcomes: [Outcome], code: String = Fixture.code, seed: UInt64 = 3) {
    guard case .reply(let m2)? = outcomes.last, let salt = m2[2], let b = m2[3] else { return nil }
    let client = SRPClient(code: code, privateKey: RandomSource.seeded(seed).secret(32))
    guard let proof = client.agree(salt: salt, serverPublicKey: b) else { return nil }
    self.proof = proof
    m3 = TLV((6, [3]), (3, client.publicKey), (4, proof.proof))
  }

  /// The sealed items of M5.
  var inner: TLV {
    let key = Fixture.controller.key, identifier = Fixture.controller.identifier
    let signed = PairingKeys.controllerSigned(proof.key) + identifier + key.publicKey
    return TLV((1, identifier), (3, key.publicKey), (10, key.sign(signed)))
  }

  func m5(_ inner: [UInt8]) -> TLV {
    TLV((6, [5]), (5, ChaChaPoly.seal(inner, key: PairingKeys.pairSetup(proof.key), nonce: "PS-Msg05")))
  }
  var m5: TLV { m5(inner.encoded()) }
}

extension SetupBench {
  /// A bench at `stage`; a running computation is in `pending`.
  static func at(_ stage: SetupStage) throws -> (bench: SetupBench, m5: TLV) {
    var bench = SetupBench()
    var m5 = TLV((6, [5]), (5, [UInt8](repeating: 0, count: 20)))
    switch stage {
    case .idle: break
    case .keyAwaited:
      bench.isPrompt = false
      #expect(bench.receive(m1) == [.computing])
    case .proofExpected: _ = bench.receive(m1)
    case .secretAwaited:
      let controller = try #require(SetupController(bench.receive(m1)))
      bench.isPrompt = false
      #expect(bench.receive(controller.m3) == [.computing])
    case .exchangeExpected, .storeAwaited:
      let controller = try #require(SetupController(bench.receive(m1)))
      _ = bench.receive(controller.m3)
      m5 = controller.m5
      guard stage == .storeAwaited else { break }
      bench.isPrompt = false
      #expect(bench.receive(m5) == [.store(Fixture.pairing)])
    case .finished: #expect(bench.pairs() == true)
    case .refused:
      let controller = try #require(SetupController(bench.receive(m1), code: "111-22-333"))
      #expect(bench.receive(controller.m3) == [.failedAttempt, .reply(.error(.authentication, state: 4))])
    }
    return (bench, m5)
  }
}

@Suite struct PairSetupServerTests {
  // MARK: M1

  @Test("[PS.7] [PS.23] M1 while paired is refused with Unavailable") func paired() {
    var bench = SetupBench()
    bench.context = .init(isPaired: true)
    #expect(bench.receive(m1) == [.reply(TLV((6, [2]), (7, [6])))])
    #expect(!bench.server.isUnderWay)
  }

  @Test("[PS.40] M1 after 100 failed attempts is refused with MaxTries", arguments: [false, true])
  func maxTries(_ isLocked: Bool) {
    var bench = SetupBench()
    bench.context = .init(isPaired: false, isLocked: isLocked)
    let isRefused = bench.receive(m1) == [.reply(.error(.maxTries, state: 2))]
    #expect(isRefused == isLocked)
  }

  @Test("[PS.60] M1 while another procedure is under way is refused with Busy") func busy() {
    var bench = SetupBench()
    bench.context = .init(isPaired: false, isOtherUnderWay: true)
    #expect(bench.receive(m1) == [.reply(.error(.busy, state: 2))])
    bench.context.isOtherUnderWay = false
    #expect(bench.pairs() == true)
  }

  @Test("[PS.42, PS.61] Unavailable comes before MaxTries, and MaxTries before Busy") func order() {
    var bench = SetupBench()
    bench.context = .init(isPaired: true, isLocked: true, isOtherUnderWay: true)
    #expect(bench.receive(m1) == [.reply(.error(.unavailable, state: 2))])
    bench.context.isPaired = false
    #expect(bench.receive(m1) == [.reply(.error(.maxTries, state: 2))])
  }

  @Test(
    "[PS.17] [TLV.12] M1 with a missing method, or one other than a byte 0 or 1, is answered 400, paired or not")
  func methods() {
    for isPaired in [false, true] {
      for value in [nil, [], [2], [3], [6], [255], [0, 0]] as [[UInt8]?] {
        var bench = SetupBench()
        bench.context.isPaired = isPaired
        #expect(bench.receive(m1.with(0, value)) == [.badRequest], "method \(String(describing: value))")
      }
    }
  }

  @Test("[PS.18] Flags of more than 4 bytes are answered 400; unknown bits change nothing")
  func flags() {
    for value in [[0, 0, 0, 0, 0], [UInt8](repeating: 1, count: 300)] as [[UInt8]] {
      var bench = SetupBench()
      #expect(bench.receive(m1.with(0x13, value)) == [.badRequest])
    }
    for value in [[], [0], [0xEF], [0xEF, 0xFF, 0xFF, 0xFE]] as [[UInt8]] {
      var bench = SetupBench()
      guard case .reply(let reply)? = bench.receive(m1.with(0x13, value)).last else {
        Issue.record("no M2")
        continue
      }
      #expect(reply.items.map(\.type) == [6, 3, 2])
    }
  }

  @Test(
    "[PS.51, PS.52] M2 has flags only if Split was requested, whatever other flags were",
    arguments: [
      ([0x10], nil), ([0, 0, 0, 1], [0, 0, 0, 1]), ([0x10, 0, 0, 1], [0x10, 0, 0, 1]),
      ([0xFF, 0xFF, 0xFF, 0xFF], [0x10, 0, 0, 1]),
    ] as [([UInt8], [UInt8]?)])
  func splitFlags(_ asked: [UInt8], _ echoed: [UInt8]?) {
    var bench = SetupBench()
    guard case .reply(let reply)? = bench.receive(m1.with(0x13, asked)).last else { Issue.record("no M2"); return }
    #expect(reply[0x13] == echoed)
  }

  @Test(
    "[PS.22] M1 during a procedure restarts it with another B, and a proof for the earlier B fails",
    arguments: SetupStage.allCases)
  func restart(_ stage: SetupStage) throws {
    var (bench, _) = try SetupBench.at(stage)
    let stale = bench.pending
    bench.isPrompt = true
    if stage == .storeAwaited {
      // Storing the pairing can't be undone, so the procedure keeps the accessory busy.
      #expect(bench.receive(m1) == [.reply(.error(.busy, state: 2))])
      #expect(bench.receive(TLV((6, [5]))) == [.badRequest])
      #expect(bench.receiveUnreadable() == [.badRequest])
      guard case .reply(let m6)? = bench.stored(true).first else { Issue.record("no M6"); return }
      #expect(m6.state == 6 && !m6.isRefusal)
      return
    }
    let first = bench.receive(m1), earlier = SetupController(first)
    let second = bench.receive(m1)
    #expect(first != second)
    for work in stale { #expect(bench.computed(work) == [], "a stale result is ignored") }
    let outcome = bench.receive(try #require(earlier).m3)
    #expect(outcome == [.failedAttempt, .reply(.error(.authentication, state: 4))])
    #expect(bench.pairs() == true)
  }

  @Test("A result that was computed before the second M1 is ignored, and the new one is used") func staleKey() throws {
    var bench = SetupBench()
    bench.isPrompt = false
    _ = bench.receive(m1)
    _ = bench.receive(m1)
    #expect(bench.computed(bench.pending[0]) == [])
    let controller = try #require(SetupController(bench.computed(bench.pending[1])))
    #expect(bench.computed(bench.pending[1]) == [])
    _ = bench.receive(controller.m3)
    _ = bench.receive(m1)
    #expect(bench.computed(bench.pending[2]) == [], "the proof's secret is outdated")
    #expect(bench.computed(bench.pending[3]).count == 1)
  }

  @Test("Results after a reset are ignored", arguments: SetupStage.allCases) func reset(_ stage: SetupStage) throws {
    var (bench, _) = try SetupBench.at(stage)
    bench.server.reset()
    #expect(!bench.server.isUnderWay)
    for work in bench.pending { #expect(bench.computed(work) == []) }
    #expect(bench.stored(true) == [])
    bench.isPrompt = true
    #expect(bench.pairs() == true)
  }

  // MARK: Wrong states

  @Test(
    "[PS.20] [PS.21] [TLV.12] In each stage, a message out of order is answered 400, and then M1 is awaited",
    arguments: SetupStage.allCases)
  func wrongState(_ stage: SetupStage) throws {
    for state in [nil, [], [0], [2], [3], [4], [5], [6], [7], [255], [1, 0], [3, 0]] as [[UInt8]?] {
      if stage == .proofExpected, state == [3] { continue }
      if stage == .exchangeExpected, state == [5] { continue }
      if stage == .storeAwaited { continue }
      var (bench, m5) = try SetupBench.at(stage)
      let message = m5.with(6, state).with(3, [1]).with(4, [UInt8](repeating: 1, count: 64))
      #expect(bench.receive(message) == [.badRequest], "state \(String(describing: state))")
      #expect(!bench.server.isUnderWay)
      #expect(bench.receive(m5) == [.badRequest], "the procedure is reset")
      for work in bench.pending { #expect(bench.computed(work) == []) }
    }
  }

  @Test(
    "[PS.20] [PS.21] In each stage, a body other than TLV8 is answered 400, and then a complete procedure succeeds",
    arguments: SetupStage.allCases)
  func unreadable(_ stage: SetupStage) throws {
    guard stage != .storeAwaited else { return }
    var (bench, _) = try SetupBench.at(stage)
    #expect(bench.receiveUnreadable() == [.badRequest])
    #expect(!bench.server.isUnderWay)
    for work in bench.pending { #expect(bench.computed(work) == []) }
    bench.isPrompt = true
    #expect(bench.pairs() == true)
  }

  @Test("[TLV.10] A message with a duplicate item is answered 400") func duplicates() throws {
    var bench = SetupBench()
    #expect(bench.receive(TLV((6, [1]), (0, [0]), (6, [1]))) == [.badRequest])
    let controller = try #require(SetupController(bench.receive(m1)))
    #expect(bench.receive(TLV(controller.m3.items + [.init(type: 6, value: [3])])) == [.badRequest])
  }

  @Test("[TLV.8] [TLV.9] Items of unknown type are ignored, and the order doesn't matter") func unknownItems()
    throws
  {
    var bench = SetupBench()
    let unknown: [TLV.Item] = [
      .init(type: 0x40, value: [1]), .init(type: 0xFF, value: []), .init(type: 0x40, value: []),
    ]
    func spoil(_ message: TLV) -> TLV { TLV(unknown + message.items.reversed() + unknown) }
    let controller = try #require(SetupController(bench.receive(spoil(m1))))
    guard case .reply(let m4)? = bench.receive(spoil(controller.m3)).last else { Issue.record("no M4"); return }
    #expect(!m4.isRefusal)
    let inner = spoil(controller.inner)
    #expect(bench.receive(spoil(controller.m5(inner.encoded()))).first == .store(Fixture.pairing))
  }

  // MARK: M3

  @Test("[PS.15] [PS.16] M3 with a missing item, or one of a wrong length, is answered 400 and resets the procedure")
  func malformedProof() throws {
    for (type, value) in [
      (3, nil), (3, [UInt8](repeating: 1, count: 385)), (4, nil), (4, []), (4, [UInt8](repeating: 1, count: 63)),
      (4, [UInt8](repeating: 1, count: 65)),
    ] as [(UInt8, [UInt8]?)] {
      var bench = SetupBench()
      let controller = try #require(SetupController(bench.receive(m1)))
      #expect(bench.receive(controller.m3.with(type, value)) == [.badRequest])
      #expect(bench.receive(controller.m3) == [.badRequest])
      #expect(bench.pairs() == true)
    }
  }

  @Test("[PS.13] An A of zero modulo N gets M4 with Authentication and is no failed attempt", arguments: [0, 1, 384])
  func zeroKey(_ count: Int) throws {
    var bench = SetupBench()
    let controller = try #require(SetupController(bench.receive(m1)))
    let zero = [UInt8](repeating: 0, count: count)
    #expect(bench.receive(controller.m3.with(3, zero)) == [.reply(.error(.authentication, state: 4))])
    #expect(bench.receive(controller.m3) == [.badRequest])
    #expect(bench.pairs() == true)
  }

  @Test("[PS.13] An A of N itself gets M4 with Authentication and is no failed attempt") func primeKey() throws {
    var bench = SetupBench()
    let controller = try #require(SetupController(bench.receive(m1)))
    let prime = try vectorFile("srp").object("group").bytes("N")
    #expect(bench.receive(controller.m3.with(3, prime)) == [.reply(.error(.authentication, state: 4))])
  }

  @Test("[PS.14] A shorter A is used as if padded with leading zeros") func shortKey() throws {
    let vector = try vectorFile("srp").list("cases")[2]
    #expect(vector.bytes("A")[0] == 0)
    for key in [vector.bytes("A"), Array(vector.bytes("A").dropFirst())] {
      var bench = SetupBench(random: .script(vector.bytes("b")))
      _ = bench.receive(m1)
      let reply = TLV((6, [4]), (4, vector.bytes("M2")))
      #expect(bench.receive(TLV((6, [3]), (3, key), (4, vector.bytes("M1")))) == [.clearFailedAttempts, .reply(reply)])
    }
  }

  @Test("[PS.25] [PS.23] A wrong code gets M4 with only Authentication, and counts as one failed attempt")
  func wrongCode() throws {
    var bench = SetupBench()
    let controller = try #require(SetupController(bench.receive(m1), code: "518-08-583"))
    #expect(bench.receive(controller.m3) == [.failedAttempt, .reply(TLV((6, [4]), (7, [2])))])
    #expect(!bench.server.isUnderWay)
    #expect(bench.receive(controller.m3) == [.badRequest], "one proof per B")
    #expect(bench.pairs() == true)
  }

  @Test("[PS.50] Transient stops after M4, with a session and without a pairing") func transient() throws {
    var bench = SetupBench()
    let controller = try #require(SetupController(bench.receive(m1.with(0x13, [0x10]))))
    let outcome = bench.receive(controller.m3)
    #expect(outcome.count == 3)
    #expect(outcome.first == .clearFailedAttempts)
    #expect(outcome.last == .transient(SessionKeys(transientPairSetup: controller.proof.key)))
    #expect(!bench.server.isUnderWay)
    #expect(bench.receive(controller.m5) == [.badRequest])
  }

  // MARK: M5

  @Test("[PS.28] M5 with missing encrypted data, or less than a tag, is answered 400")
  func unsealed() throws {
    for value in [nil, [], [UInt8](repeating: 0, count: 15)] as [[UInt8]?] {
      var (bench, m5) = try SetupBench.at(.exchangeExpected)
      #expect(bench.receive(m5.with(5, value)) == [.badRequest])
      #expect(bench.receive(m5) == [.badRequest])
      #expect(bench.pairs() == true)
    }
  }

  @Test("[PS.27] M5 with a broken seal gets M6 with Authentication") func brokenSeal() throws {
    var (bench, m5) = try SetupBench.at(.exchangeExpected)
    var sealed = try #require(m5[5])
    sealed[7] ^= 1
    #expect(bench.receive(m5.with(5, sealed)) == [.reply(TLV((6, [6]), (7, [2])))])
    #expect(bench.receive(m5) == [.badRequest])
    #expect(bench.pairs() == true)
    var (other, _) = try SetupBench.at(.exchangeExpected)
    #expect(other.receive(m5.with(5, [UInt8](repeating: 0, count: 16))) == [.reply(.error(.authentication, state: 6))])
  }

  @Test("[PS.29] M5 whose sealed part is malformed, lacks an item, or has one of a wrong length, is answered 400")
  func malformedExchange() throws {
    let spoilt: [(TLV) -> [UInt8]] = [
      { _ in [] }, { _ in [1] }, { $0.encoded().dropLast() }, { $0.encoded() + [10, 1, 0] },
      { TLV($0.items + [.init(type: 1, value: [1])]).encoded() }, { $0.with(1, nil).encoded() },
      { $0.with(1, [UInt8](repeating: 65, count: 37)).encoded() }, { $0.with(3, nil).encoded() },
      { $0.with(3, Array($0[3]!.dropLast())).encoded() }, { $0.with(3, $0[3]! + [0]).encoded() },
      { $0.with(10, nil).encoded() }, { $0.with(10, Array($0[10]!.dropLast())).encoded() },
      { $0.with(10, $0[10]! + [0]).encoded() },
    ]
    for (index, spoil) in spoilt.enumerated() {
      var bench = SetupBench()
      let controller = try #require(SetupController(bench.receive(m1)))
      _ = bench.receive(controller.m3)
      #expect(bench.receive(controller.m5(spoil(controller.inner))) == [.badRequest], "variant \(index)")
      #expect(bench.receive(controller.m5) == [.badRequest])
    }
  }

  @Test("[PS.30] M5 with an invalid signature gets M6 with Authentication") func wrongSignature() throws {
    for type in [1, 3, 10] as [UInt8] {
      var bench = SetupBench()
      let controller = try #require(SetupController(bench.receive(m1)))
      _ = bench.receive(controller.m3)
      var value = try #require(controller.inner[type])
      value[3] ^= 1
      let inner = controller.inner.with(type, value).encoded()
      #expect(bench.receive(controller.m5(inner)) == [.reply(.error(.authentication, state: 6))])
      #expect(bench.receive(controller.m5) == [.badRequest])
    }
  }

  @Test("M6 waits for the store, and is Unknown if storing fails") func store() throws {
    var (bench, _) = try SetupBench.at(.storeAwaited)
    #expect(bench.server.isUnderWay)
    #expect(bench.stored(false) == [.reply(.error(.unknown, state: 6))])
    #expect(bench.stored(true) == [])
    bench.isPrompt = true
    bench.storeSucceeds = true
    #expect(bench.pairs() == true)
  }

  @Test("[PS.32] Identifiers up to 36 bytes are stored unchanged", arguments: [0, 1, 36]) func identifiers(
    _ count: Int
  ) throws {
    let identity = ControllerCredentials(
      identifier: [UInt8](repeating: 0xFE, count: count), key: Fixture.controller.key)
    var bench = SetupBench()
    var client = PairSetupClient(code: Fixture.code, identity: identity, random: .seeded(1))
    #expect(converse(&client, with: &bench, from: client.start()) == .paired(Fixture.paired))
  }
}
