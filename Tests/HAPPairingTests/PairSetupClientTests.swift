import HAPCrypto
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPPairing

/// The reply that the controller awaits.
enum ReplyStage: UInt8, CaseIterable, Sendable { case m2 = 2, m4 = 4, m6 = 6 }

/// A controller during Pair Setup with `bench`, and the valid reply that it awaits.
private struct Conversation {
  var client: PairSetupClient
  var bench: SetupBench
  var reply: TLV

  init(_ stage: ReplyStage, code: String = Fixture.code) throws {
    client = PairSetupClient(code: code, identity: Fixture.controller, random: .seeded(5))
    bench = SetupBench()
    reply = try Self.reply(&bench, client.start())
    if stage == .m2 { return }
    try answer()
    if stage == .m4 { return }
    try answer()
  }

  /// Passes the reply to the controller, and gets the next one.
  private mutating func answer() throws {
    var actions = client.receive(reply)
    if case .compute(let work)? = actions.first { actions = client.computed(work.perform()) }
    guard case .send(let next)? = actions.first else { throw Stuck() }
    reply = try Self.reply(&bench, next)
  }

  private static func reply(_ bench: inout SetupBench, _ message: TLV) throws -> TLV {
    for outcome in bench.receive(message) { if case .reply(let reply) = outcome { return reply } }
    throw Stuck()
  }

  struct Stuck: Error {}

  /// The controller's failure after `reply`; `nil` if it continues.
  mutating func failure(_ reply: TLV) -> PairingFailure? {
    guard case .failed(let failure)? = client.receive(reply).first else { return nil }
    return failure
  }
}

@Suite struct PairSetupClientTests {
  @Test(
    "[PS.37] An error in any reply ends the procedure, and is reported with its step",
    arguments: ReplyStage.allCases)
  func refusals(_ stage: ReplyStage) throws {
    for code in [1, 2, 5, 6, 7, 99] as [UInt8] {
      for state in [stage.rawValue, 4, 0] {
        var conversation = try Conversation(stage)
        let failure = conversation.failure(TLV((6, [state]), (7, [code])))
        #expect(failure == PairingFailure(step: stage.rawValue, cause: .refused(code)))
        #expect(conversation.failure(conversation.reply)?.cause == .unexpectedMessage, "the procedure has ended")
      }
    }
  }

  @Test("[PS.37] A reply of the wrong state ends the procedure", arguments: ReplyStage.allCases)
  func wrongState(_ stage: ReplyStage) throws {
    for state in [nil, [], [0], [1], [3], [5], [255], [stage.rawValue, 0], [stage.rawValue ^ 6]] as [[UInt8]?] {
      var conversation = try Conversation(stage)
      let failure = conversation.failure(conversation.reply.with(6, state))
      let seen = state?.count == 1 ? state?[0] : nil
      #expect(failure == PairingFailure(step: stage.rawValue, cause: .unexpectedState(seen)))
    }
  }

  @Test("A duplicate item ends the procedure", arguments: ReplyStage.allCases)
  func duplicates(_ stage: ReplyStage) throws {
    var conversation = try Conversation(stage)
    let spoilt = TLV(conversation.reply.items + [.init(type: 6, value: [stage.rawValue])])
    #expect(conversation.failure(spoilt)?.cause == .unreadable)
  }

  @Test("A reply with a missing item, or one of a wrong length, ends the procedure") func malformed() throws {
    for (stage, type, count) in [
      (.m2, 2, nil), (.m2, 2, 0), (.m2, 2, 15), (.m2, 2, 17), (.m2, 3, nil), (.m2, 3, 385), (.m4, 4, nil),
      (.m4, 4, 0), (.m4, 4, 63), (.m4, 4, 65), (.m6, 5, nil), (.m6, 5, 15),
    ] as [(ReplyStage, UInt8, Int?)] {
      var conversation = try Conversation(stage)
      let failure = conversation.failure(conversation.reply.with(type, count.map { [UInt8](repeating: 1, count: $0) }))
      let cause = count.map { PairingFailure.Cause.wrongLength(type: type, count: $0) } ?? .missing(type: type)
      #expect(failure == PairingFailure(step: stage.rawValue, cause: cause))
    }
  }

  private func isM1(_ actions: [PairSetupClient.Action]) -> Bool {
    guard actions.count == 1, case .send(let message)? = actions.first else { return false }
    return message[6] == [1] && message[0] == [0]
  }

  @Test("[PS.10] A B with a leading zero restarts the procedure; an error to that M1 is tolerated once")
  func startsAnew() throws {
    var conversation = try Conversation(.m2)
    let good = conversation.reply
    let short = good.with(3, Array(good[3]!.dropFirst())), zero = good.with(3, [0] + good[3]!.dropFirst())
    #expect(isM1(conversation.client.receive(short)))
    #expect(isM1(conversation.client.receive(zero)))
    let error = TLV((6, [2]), (7, [1]))
    #expect(isM1(conversation.client.receive(error)))
    var other = conversation
    #expect(other.failure(error) == PairingFailure(step: 2, cause: .refused(1)))
    guard case .compute? = conversation.client.receive(good).first else { Issue.record("no computation"); return }

    var strict = PairSetupClient(code: Fixture.code, identity: Fixture.controller, restarts: 0, random: .seeded(5))
    _ = strict.start()
    guard case .compute? = strict.receive(zero).first else { Issue.record("no computation"); return }
  }

  @Test("A B that is zero modulo N ends the procedure", arguments: [0, 1, 384]) func worthlessKey(_ count: Int) throws {
    var conversation = try Conversation(.m2)
    let reply = conversation.reply.with(3, [UInt8](repeating: 0, count: count))
    for _ in 0..<4 { #expect(isM1(conversation.client.receive(reply))) }
    let actions = conversation.client.receive(reply)
    guard case .compute(let work)? = actions.first else { Issue.record("no computation"); return }
    guard case .failed(let failure)? = conversation.client.computed(work.perform()).first else {
      Issue.record("no failure")
      return
    }
    #expect(failure == PairingFailure(step: 2, cause: .worthlessKey))
  }

  @Test("[PS.12] The accessory's proof over A as sent or padded is accepted, any other is not") func proofs() throws {
    var conversation = try Conversation(.m4)
    var proof = try #require(conversation.reply[4])
    proof[0] ^= 1
    #expect(conversation.failure(conversation.reply.with(4, proof)) == PairingFailure(step: 4, cause: .wrongProof))
    var good = try Conversation(.m4)
    #expect(good.failure(good.reply) == nil)
  }

  @Test("[PS.37] A broken seal, a sealed part other than TLV8 and a wrong signature end the procedure") func exchange()
    throws
  {
    var conversation = try Conversation(.m6)
    var sealed = try #require(conversation.reply[5])
    sealed[0] ^= 1
    #expect(conversation.failure(conversation.reply.with(5, sealed)) == PairingFailure(step: 6, cause: .brokenSeal))

    // With the vectors' key, our accessory can seal any bytes.
    let key = SecretBytes(Fixture.setup.bytes("K")), good = Fixture.message(Fixture.setup.object("M6").bytes("subTLV"))
    var otherID = good[1]!, otherKey = good[3]!, otherSignature = good[10]!
    otherID[0] ^= 1
    otherKey[0] ^= 1
    otherSignature[0] ^= 1
    for (inner, cause) in [
      ([6], .unreadable), (good.encoded() + [1, 0], .unreadable), (good.with(1, nil).encoded(), .missing(type: 1)),
      (good.with(1, [UInt8](repeating: 1, count: 37)).encoded(), .wrongLength(type: 1, count: 37)),
      (good.with(3, [1]).encoded(), .wrongLength(type: 3, count: 1)), (good.with(3, nil).encoded(), .missing(type: 3)),
      (good.with(10, [1]).encoded(), .wrongLength(type: 10, count: 1)),
      (good.with(10, nil).encoded(), .missing(type: 10)), (good.with(1, otherID).encoded(), .wrongSignature),
      (good.with(3, otherKey).encoded(), .wrongSignature), (good.with(10, otherSignature).encoded(), .wrongSignature),
    ] as [([UInt8], PairingFailure.Cause)] {
      var client = PairSetupClient(
        code: Fixture.code, identity: Fixture.controller, random: .script(Fixture.srp.bytes("a")))
      _ = client.start()
      let m2 = TLV((6, [2]), (3, Fixture.srp.bytes("B")), (2, Fixture.srp.bytes("salt")))
      guard case .compute(let work)? = client.receive(m2).first else { Issue.record("no computation"); return }
      _ = client.computed(work.perform())
      _ = client.receive(TLV((6, [4]), (4, Fixture.srp.bytes("M2"))))
      let reply = TLV((6, [6]), (5, ChaChaPoly.seal(inner, key: PairingKeys.pairSetup(key), nonce: "PS-Msg06")))
      guard case .failed(let failure)? = client.receive(reply).first else { Issue.record("no failure"); continue }
      #expect(failure == PairingFailure(step: 6, cause: cause))
    }
  }

  @Test("An unexpected reply ends the procedure, and a restart works") func unexpected() throws {
    let good = try Conversation(.m2)
    var client = PairSetupClient(code: Fixture.code, identity: Fixture.controller, random: .seeded(5))
    func cause(_ actions: [PairSetupClient.Action]) -> PairingFailure.Cause? {
      if case .failed(let failure)? = actions.first { failure.cause } else { nil }
    }
    #expect(cause(client.receive(good.reply)) == .unexpectedMessage)
    _ = client.start()
    guard case .compute(let stale)? = client.receive(good.reply).first else { Issue.record("no computation"); return }
    #expect(cause(client.receive(good.reply)) == .unexpectedMessage, "while it computes")
    #expect(client.computed(stale.perform()).isEmpty, "and its late computation is ignored")
    var bench = SetupBench()
    #expect(converse(&client, with: &bench, from: client.start()) == .paired(Fixture.paired))
  }

  @Test("A wrong code is reported as a refusal in M4") func wrongCode() throws {
    var client = PairSetupClient(code: "518-08-583", identity: Fixture.controller, random: .seeded(5))
    var bench = SetupBench()
    let outcome = converse(&client, with: &bench, from: client.start())
    #expect(outcome == .failed(PairingFailure(step: 4, cause: .refused(PairingError.authentication.rawValue))))
  }

  @Test(
    "[PS.50, KD.10] A transient Pair Setup gives both sides the same session, with or without Split",
    arguments: [false, true])
  func transient(_ isSplit: Bool) throws {
    let flags: PairingFlags = isSplit ? [.transient, .split] : .transient
    var client = PairSetupClient(
      code: Fixture.code, identity: Fixture.controller, flags: flags, random: .seeded(5))
    var bench = SetupBench()
    let first = client.start()
    #expect(first[0x13] == (isSplit ? [0x10, 0, 0, 1] : [0x10]))
    guard case .transient(let keys) = converse(&client, with: &bench, from: first) else {
      Issue.record("no session")
      return
    }
    #expect(keys.accessoryToController != keys.controllerToAccessory)
    #expect(!bench.server.isUnderWay)
  }

  @Test("[PS.54] Split alone pairs as usual") func split() {
    var client = PairSetupClient(code: Fixture.code, identity: Fixture.controller, flags: .split, random: .seeded(5))
    var bench = SetupBench()
    #expect(converse(&client, with: &bench, from: client.start()) == .paired(Fixture.paired))
  }
}
