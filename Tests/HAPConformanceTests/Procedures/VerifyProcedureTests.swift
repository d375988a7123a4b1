import HAPCrypto
import HAPModel
import HAPPairing
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Pair Verify of the tester") struct VerifyProcedureTests {
  /// An accessory's side in memory, with one paired controller.
  final class Server {
    private var core = PairVerifyServer()
    private(set) var keys: SessionKeys?
    let guest: TestController
    private let random = RandomSource.seeded(3)
    let identity = AccessoryIdentity(
      deviceID: DeviceID(TestHome.deviceID)!, key: TestHome.accessoryKey,
      verifier: SRPVerifier(code: TestHome.code, salt: [UInt8](repeating: 0, count: 16)))
    var paired: PairedAccessory { PairedAccessory(identifier: identity.identifier, publicKey: identity.key.publicKey) }

    init(_ guest: TestController) { self.guest = guest }

    /// The answer; `nil` for HTTP 400.
    func answer(_ draft: TLVDraft) throws -> TLV? {
      let pairing = Pairing(
        identifier: guest.credentials.identifier, publicKey: guest.credentials.key.publicKey, isAdmin: true)
      var reply: TLV?
      for action in core.receive(
        try TLV(decoding: draft.encoded()), identity: identity, pairing: { $0 == pairing.identifier ? pairing : nil },
        random: random)
      {
        switch action {
        case .reply(let message): reply = message
        case .established(let keys, _): self.keys = keys
        case .badRequest: reply = nil
        }
      }
      return reply
    }
  }

  private let guest = TestController(name: "guest", random: .seeded(5))
  private let random = RandomSource.seeded(6)

  private func begun(_ server: Server) throws -> VerifyProcedure {
    var verify = VerifyProcedure()
    let second = try #require(try server.answer(verify.start(random: random, publicKey: nil)))
    #expect(verify.take("M2", second, from: server.paired) == nil)
    return verify
  }

  @Test("A valid Pair Verify ends with the same keys on both sides") func right() throws {
    let server = Server(guest)
    var verify = try begun(server)
    let third = verify.sealedFinish(
      try verify.finish(guest, signedBy: nil, over: nil).encoded(), nonce: "PV-Msg03", wrongKey: nil, random: random)
    let fourth = try #require(try server.answer(third))
    #expect(verify.take("M4", fourth, from: server.paired) == nil)
    let keys = try #require(verify.sessionKeys)
    #expect(server.keys == keys && verify.identifier == server.identity.identifier)
  }

  @Test("An M3 with any defect gets no session", arguments: 0..<8) func wrongThird(_ which: Int) throws {
    let server = Server(guest)
    var verify = try begun(server)
    let stranger = TestController(name: "stranger", random: .seeded(50))
    var other = VerifyProcedure()
    _ = other.start(random: random, publicKey: nil)
    let maker = ByteMaker(random: .seeded(1))
    var inner = try verify.finish(
      which == 0 ? stranger : guest, signedBy: which == 1 ? stranger.credentials.key : nil,
      over: which == 2 ? other : nil)
    if which == 3 { try inner.alter(MessageAlteration.list(yaml("[{ flip: signature }]")), maker) }
    if which == 4 { try inner.alter(MessageAlteration.list(yaml("[{ drop: identifier }]")), maker) }
    var third = verify.sealedFinish(
      inner.encoded(), nonce: which == 5 ? "PV-Msg02" : "PV-Msg03",
      wrongKey: which == 6 ? RandomSource.seeded(8).secret(32) : nil, random: random)
    if which == 7 {
      try third.alter(MessageAlteration.list(yaml("[{ flip: { item: encrypted-data, at: -1 } }]")), maker)
    }
    let reply = try server.answer(third)
    if let reply { #expect(verify.take("M4", reply, from: nil) == "Error 2 (authentication)") }
    #expect(server.keys == nil)
  }

  @Test("Without M1 or M2, M3 can't be built, and a sealed M3 can't be opened") func order() throws {
    let verify = VerifyProcedure()
    #expect(throws: ProcedureError("M3 needs an M1 first")) { try verify.finish(guest, signedBy: nil, over: nil) }
    #expect(verify.sessionKeys == nil)
    let draft = verify.sealedFinish([1], nonce: "PV-Msg03", wrongKey: nil, random: random)
    #expect(draft.items.map(\.type) == [6, 5] && draft.items[1].value.count == 17)
    var untold = VerifyProcedure()
    #expect(untold.take("M2", TLV(state: 2), from: nil) == "no M1 was sent")
  }

  @Test("A malformed M2 is reported with its defect, and yields no keys") func wrongSecond() throws {
    let server = Server(guest)
    var verify = VerifyProcedure()
    let second = try #require(try server.answer(verify.start(random: random, publicKey: nil)))
    func problem(_ message: TLV, _ accessory: PairedAccessory? = nil) -> String? {
      var copy = verify
      let problem = copy.take("M2", message, from: accessory ?? server.paired)
      return problem
    }
    func without(_ type: UInt8) -> TLV { TLV(second.items.filter { $0.type != type }) }
    #expect(problem(TLV.error(.busy, state: 2)) == "Error 7 (busy)")
    #expect(problem(TLV(state: 4)) == "State is 4, not 2")
    #expect(problem(without(TLVType.publicKey)) == "PublicKey is missing, not 32 bytes")
    #expect(problem(without(TLVType.encryptedData)) == "EncryptedData is missing")
    #expect(problem(flipped(second, TLVType.publicKey, 5)) == "EncryptedData doesn't authenticate")
    #expect(problem(flipped(second, TLVType.encryptedData, 0)) == "EncryptedData doesn't authenticate")
    var worthless = without(TLVType.publicKey)
    worthless.append(TLVType.publicKey, [UInt8](repeating: 0, count: 32))
    #expect(problem(worthless) == "PublicKey leads to a publicly known secret")
    var twice = second
    twice.append(TLVType.state, [2])
    #expect(problem(twice) == "an item occurs twice")
    let id = PairedAccessory(identifier: [1], publicKey: server.paired.publicKey)
    #expect(problem(second, id) == "Identifier isn't that of M6")
    let key = PairedAccessory(identifier: server.paired.identifier, publicKey: guest.credentials.key.publicKey)
    #expect(problem(second, key) == "the signature is invalid")
    #expect(problem(second) == nil)
  }

  @Test("Another M1 restarts the procedure") func anew() throws {
    let server = Server(guest)
    var verify = try begun(server)
    #expect(verify.sessionKeys != nil)
    let first = verify.ephemeral?.publicKey
    let start = verify.start(random: random, publicKey: [1, 2])
    #expect(start.items[1].value == [1, 2] && verify.sessionKeys == nil && verify.ephemeral?.publicKey != first)
  }

  @Test("A controller has an upper-case UUID of version 4, and equal seeds give equal UUIDs") func controllers() {
    let text = String(decoding: guest.credentials.identifier, as: UTF8.self)
    #expect(
      text.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil, "\(text)")
    #expect(TestController(name: "x", random: .seeded(5)).credentials.identifier == guest.credentials.identifier)
    #expect(TestController(name: "x", random: .seeded(6)).credentials.identifier != guest.credentials.identifier)
  }
}
