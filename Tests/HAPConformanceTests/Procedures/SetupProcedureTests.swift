import HAPCrypto
import HAPModel
import HAPPairing
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Pair Setup of the tester") struct SetupProcedureTests {
  /// An accessory's side in memory: slow work runs immediately, stores succeed.
  final class Server {
    private var core: PairSetupServer
    private(set) var pairings: [Pairing] = []
    private(set) var failures = 0
    let identity: AccessoryIdentity

    init(seed: UInt64 = 1) {
      identity = AccessoryIdentity(
        deviceID: DeviceID(TestHome.deviceID)!, key: TestHome.accessoryKey,
        verifier: SRPVerifier(code: TestHome.code, salt: RandomSource.seeded(78).bytes(16)))
      core = PairSetupServer(identity: identity, random: .seeded(seed))
    }

    /// The answer; `nil` for HTTP 400.
    func answer(_ draft: TLVDraft) throws -> TLV? {
      var actions = core.receive(try TLV(decoding: draft.encoded()), context: .init(isPaired: !pairings.isEmpty))
      var reply: TLV?
      while !actions.isEmpty {
        switch actions.removeFirst() {
        case .reply(let message): reply = message
        case .compute(let work): actions += core.computed(work.perform())
        case .store(let pairing):
          pairings.append(pairing)
          actions += core.stored(true)
        case .failedAttempt: failures += 1
        default: break
        }
      }
      return reply
    }
  }

  private let guest = TestController(name: "guest", random: .seeded(5))

  /// Runs M1 and M2.
  private func begun(_ server: Server) throws -> SetupProcedure {
    var setup = SetupProcedure()
    let second = try #require(try server.answer(SetupProcedure.start()))
    #expect(setup.take("M2", second) == nil)
    return setup
  }

  @Test("A valid Pair Setup pairs any controller, and returns the accessory's identity") func right() throws {
    let server = Server()
    var setup = try begun(server)
    let proof = try setup.proof(code: TestHome.code, random: .seeded(9))
    let fourth = try #require(try server.answer(proof))
    #expect(setup.take("M4", fourth) == nil)
    let inner = try setup.exchange(guest)
    let fifth = try setup.sealedExchange(inner.encoded())
    let sixth = try #require(try server.answer(fifth))
    #expect(setup.take("M6", sixth) == nil)
    #expect(
      setup.accessory
        == PairedAccessory(identifier: server.identity.identifier, publicKey: server.identity.key.publicKey))
    #expect(server.pairings.map(\.identifier) == [guest.credentials.identifier] && server.failures == 0)
    #expect(server.pairings.map(\.publicKey) == [guest.credentials.key.publicKey])
  }

  @Test("A wrong code is refused and counted") func wrongCode() throws {
    let server = Server()
    var setup = try begun(server)
    let proof = try setup.proof(code: "518-08-583", random: .seeded(9))
    let fourth = try #require(try server.answer(proof))
    #expect(setup.take("M4", fourth) == "Error 2 (authentication)")
    #expect(server.failures == 1)
  }

  @Test(
    "A forged key is sent as requested, and no predictable secret opens the accessory",
    arguments: [0, 1, 2])
  func forged(_ which: Int) throws {
    let keys = [[UInt8](repeating: 0, count: 384), SRPChoices.prime, SRPChoices.twicePrime]
    let server = Server()
    var setup = try begun(server)
    var choices = SRPChoices()
    choices.publicKey = keys[which]
    choices.secret = [UInt8](repeating: 0, count: 384)
    let draft = try setup.proof(code: TestHome.code, choices, random: .seeded(1))
    #expect(draft.items[1].value == keys[which])
    // 385 bytes are not a key.
    let reply = try server.answer(draft)
    #expect(keys[which].count > 384 ? reply == nil : reply?.byte(TLVType.error) == 2)
    #expect(server.pairings.isEmpty)
  }

  @Test("A short A omits its leading zero, and is accepted") func short() throws {
    let server = Server()
    var setup = try begun(server)
    var choices = SRPChoices()
    choices.isShort = true
    let draft = try setup.proof(code: TestHome.code, choices, random: .seeded(9))
    #expect(draft.items[1].value.count < 384 && draft.items[1].value.first != 0)
    let fourth = try #require(try server.answer(draft))
    #expect(setup.take("M4", fourth) == nil)
  }

  @Test("A secret with a leading zero is found; K is hashed with the zero or without it") func zeroSecret() throws {
    let server = Server()
    let begun = try begun(server)
    var choices = SRPChoices()
    choices.wantsZeroSecret = true
    var stripped = begun
    let first = try stripped.proof(code: TestHome.code, choices, random: .seeded(2))
    choices.isPadded = true
    var padded = begun
    let second = try padded.proof(code: TestHome.code, choices, random: .seeded(2))
    #expect(first.items[1] == second.items[1] && first.items[2] != second.items[2])
    #expect(first.items[1].value.count == 384)
    let reply = try #require(try server.answer(first))
    #expect(stripped.take("M4", reply) == nil)
    #expect(padded.take("M4", reply) == "the accessory's proof is wrong")
  }

  @Test("Steps out of order are reported as the tester's own mistake") func order() throws {
    var setup = SetupProcedure()
    #expect(throws: ProcedureError("M3 needs an M2 first")) { try setup.proof(code: "", random: .seeded(1)) }
    #expect(throws: ProcedureError("M5 needs an M3 first")) { try setup.exchange(guest) }
    #expect(throws: ProcedureError("M5 needs an M3 first")) {
      try setup.sealedExchange([])
    }
    var fourth = TLV(state: 4)
    fourth.append(TLVType.proof, [UInt8](repeating: 0, count: 64))
    #expect(setup.take("M4", fourth) == "no M3 was sent")
    #expect(setup.take("M6", TLV(state: 6)) == "no M3 was sent")
  }

  @Test("A degenerate B is distinguished from a usable one") func worthlessKey() throws {
    for key in [[UInt8](repeating: 0, count: 384), SRPChoices.prime] {
      var setup = SetupProcedure()
      var second = TLV(state: 2)
      second.append(TLVType.salt, [UInt8](repeating: 1, count: 16))
      second.append(TLVType.publicKey, key)
      #expect(setup.take("M2", second) == nil)
      #expect(throws: ProcedureError.self) { try setup.proof(code: TestHome.code, random: .seeded(1)) }
    }
  }

  private static let wrongSeconds: [(items: [(UInt8, [UInt8])], problem: String)] = [
    ([(6, [2]), (7, [6])], "Error 6 (unavailable)"), ([(7, [99])], "Error 99"), ([], "State is missing, not 2"),
    ([(6, [4])], "State is 4, not 2"), ([(6, [4]), (2, [1]), (6, [4])], "State is 4, not 2"),
    ([(6, [2, 0])], "State is missing, not 2"),
    ([(6, [2]), (2, [1]), (6, [2])], "an item occurs twice"), ([(6, [2])], "Salt is missing, not 16 bytes"),
    ([(6, [2]), (2, [1, 2])], "Salt is 2 bytes, not 16 bytes"),
    ([(6, [2]), (2, [UInt8](repeating: 0, count: 16))], "PublicKey is missing, not 1 to 384 bytes"),
    (
      [(6, [2]), (2, [UInt8](repeating: 0, count: 16)), (3, [UInt8](repeating: 1, count: 385))],
      "PublicKey is 385 bytes"
    ),
    ([(6, [2]), (2, [UInt8](repeating: 0, count: 16)), (3, [])], "PublicKey is 0 bytes"),
  ]

  @Test("A malformed M2 is reported with its defect", arguments: wrongSeconds.indices)
  func wrongSecond(_ index: Int) throws {
    let row = Self.wrongSeconds[index]
    var setup = SetupProcedure()
    let problem = setup.take("M2", TLV(row.items.map { TLV.Item(type: $0.0, value: $0.1) }))
    #expect(problem?.hasPrefix(row.problem) == true, "\(problem ?? "nothing")")
    #expect(setup.challenge == nil)
  }

  @Test("A flipped bit anywhere in M4 or M6 is detected") func flippedReplies() throws {
    let server = Server()
    var setup = try begun(server)
    let fourth = try #require(try server.answer(setup.proof(code: TestHome.code, random: .seeded(9))))
    for byte in [0, 31, 63] {
      #expect(setup.take("M4", flipped(fourth, TLVType.proof, byte)) == "the accessory's proof is wrong")
    }
    #expect(setup.take("M4", fourth) == nil)
    let inner = try setup.exchange(guest)
    let sixth = try #require(
      try server.answer(setup.sealedExchange(inner.encoded())))
    let count = try #require(sixth[TLVType.encryptedData]).count
    for byte in [0, count / 2, count - 1] {
      #expect(setup.take("M6", flipped(sixth, TLVType.encryptedData, byte)) == "EncryptedData doesn't authenticate")
    }
    #expect(setup.accessory == nil)
    #expect(setup.take("M6", sixth) == nil)
  }

  @Test("A correctly sealed M6 with wrong contents is refused") func wrongSixth() throws {
    let server = Server()
    var setup = try begun(server)
    _ = try server.answer(setup.proof(code: TestHome.code, random: .seeded(9)))
    let key = try #require(setup.key)
    let accessory = server.identity
    let signature = accessory.key.sign(
      PairingKeys.accessorySigned(key) + accessory.identifier + accessory.key.publicKey)
    func sixth(_ items: [(UInt8, [UInt8])]) -> TLV {
      let inner = TLVDraft(items.map { .init(type: $0.0, value: $0.1) }).encoded()
      var message = TLV(state: 6)
      message.append(
        TLVType.encryptedData, ChaChaPoly.seal(inner, key: PairingKeys.pairSetup(key), nonce: "PS-Msg06"))
      return message
    }
    let other = SigningKey(seed: RandomSource.seeded(4).secret(32))
    #expect(setup.take("M6", TLV(state: 6)) == "EncryptedData is missing")
    #expect(setup.take("M6", sixth([(3, accessory.key.publicKey), (10, signature)])) == "Identifier is missing")
    #expect(setup.take("M6", sixth([(1, accessory.identifier), (10, signature)])) == "PublicKey isn't 32 bytes")
    #expect(
      setup.take("M6", sixth([(1, accessory.identifier), (3, accessory.key.publicKey)])) == "Signature isn't 64 bytes")
    #expect(setup.take("M6", sixth([(1, [1]), (1, [1])])) == "the decrypted EncryptedData isn't TLV8")
    #expect(setup.take("M6", sixth([(1, []), (3, [1])])) == "Identifier is missing")
    var short = TLV(state: 6)
    short.append(TLVType.encryptedData, [1, 2])
    #expect(setup.take("M6", short) == "EncryptedData doesn't authenticate")
    for (identifier, publicKey) in [([1], accessory.key.publicKey), (accessory.identifier, other.publicKey)] {
      #expect(
        setup.take("M6", sixth([(1, identifier), (3, publicKey), (10, signature)])) == "the signature is invalid")
    }
    #expect(
      setup.take("M6", sixth([(1, accessory.identifier), (3, accessory.key.publicKey), (10, signature)])) == nil)
  }

  @Test("An accessory identifier longer than 36 bytes is accepted in M6") func longIdentifier() throws {
    let server = Server()
    var setup = try begun(server)
    _ = try setup.proof(code: TestHome.code, random: .seeded(9))
    let key = try #require(setup.key)
    let long = [UInt8](repeating: 0x41, count: 37), signer = server.identity.key
    var items = TLV()
    items.append(TLVType.identifier, long)
    items.append(TLVType.publicKey, signer.publicKey)
    items.append(TLVType.signature, signer.sign(PairingKeys.accessorySigned(key) + long + signer.publicKey))
    var message = TLV(state: 6)
    message.append(
      TLVType.encryptedData, ChaChaPoly.seal(items.encoded(), key: PairingKeys.pairSetup(key), nonce: "PS-Msg06"))
    #expect(setup.take("M6", message) == nil && setup.accessory?.identifier == long)
  }

  @Test(
    "An M5 with wrong contents, a foreign signature or a wrong key or nonce pairs no controller", arguments: 0..<7)
  func wrongFifth(_ which: Int) throws {
    let server = Server()
    var setup = try begun(server)
    let fourth = try #require(try server.answer(setup.proof(code: TestHome.code, random: .seeded(9))))
    #expect(setup.take("M4", fourth) == nil)
    let other = SigningKey(seed: RandomSource.seeded(4).secret(32))
    var inner = try setup.exchange(guest, signedBy: which == 0 ? other : nil)
    let maker = ByteMaker(random: .seeded(1))
    if which == 1 { try inner.alter(MessageAlteration.list(yaml("[{ flip: signature }]")), maker) }
    if which == 2 { try inner.alter(MessageAlteration.list(yaml("[{ drop: identifier }]")), maker) }
    if which == 3 {
      try inner.alter(MessageAlteration.list(yaml("[{ truncate: { item: public-key, by: 1 } }]")), maker)
    }
    var message = try setup.sealedExchange(
      inner.encoded(), nonce: which == 4 ? "PS-Msg06" : "PS-Msg05",
      wrongKey: which == 5 ? RandomSource.seeded(8).secret(32) : nil)
    if which == 6 { try message.alter(MessageAlteration.list(yaml("[{ flip: encrypted-data }]")), maker) }
    let reply = try server.answer(message)
    if let reply { #expect(setup.take("M6", reply) == "Error 2 (authentication)") }
    #expect(server.pairings.isEmpty)
  }

  @Test("By default, A, K and the proof equal those of the controller's own SRP") func workbench() throws {
    let salt = RandomSource.seeded(1).bytes(16)
    let server = SRPServer(
      SRPVerifier(code: TestHome.code, salt: salt), privateKey: RandomSource.seeded(2).secret(32))
    for seed in UInt64(10)..<14 {
      let privateKey = RandomSource.seeded(seed).bytes(32)
      let client = SRPClient(code: TestHome.code, privateKey: SecretBytes(privateKey))
      let agreed = try #require(client.agree(salt: salt, serverPublicKey: server.publicKey))
      let made = try SRPChoices().proof(
        code: TestHome.code, salt: salt, serverPublicKey: server.publicKey, privateKey: privateKey)
      #expect(made.publicKey == client.publicKey && made.publicKey.count == 384)
      #expect(made.key.withBytes { Array($0) } == agreed.key.withBytes { Array($0) })
      #expect(made.proof == agreed.proof)
      let accepted = try #require(server.agree(with: client.publicKey)?.verify(made.proof, forms: .stripped))
      #expect(made.check(proof2: accepted.proof2))
      var wrong = accepted.proof2
      wrong[9] ^= 1
      #expect(!made.check(proof2: wrong))
    }
    #expect(throws: SRPChoices.Problem.worthlessKey) {
      try SRPChoices().proof(code: "", salt: [], serverPublicKey: SRPChoices.twicePrime, privateKey: [1])
    }
    #expect(SRPChoices.twicePrime.count == 385)
  }

  @Test("The accessory's proof over an A longer than 384 bytes is checked and refused") func longKey() throws {
    var choices = SRPChoices()
    choices.publicKey = SRPChoices.twicePrime
    let made = try choices.proof(code: "", salt: [1], serverPublicKey: [2], privateKey: [])
    #expect(made.publicKey.count == 385 && !made.check(proof2: [UInt8](repeating: 0, count: 64)))
  }
}

/// A message with one flipped bit in the value of an item.
func flipped(_ message: TLV, _ type: UInt8, _ byte: Int) -> TLV {
  TLV(
    message.items.map { item in
      var item = item
      if item.type == type { item.value[byte] ^= 1 }
      return item
    })
}
