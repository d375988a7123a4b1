import HAPCrypto
import HAPModel
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPPairing

extension TLV {
  /// A message of random items, many of them with types and lengths of pairing messages.
  static func random(using random: inout SeededGenerator) -> TLV {
    let types: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 6, 6, 7, 10, 11, 0x13, 0xFF, 0x77]
    let lengths = [0, 1, 1, 1, 4, 5, 15, 16, 17, 32, 36, 37, 64, 384, 385, 1000]
    return TLV(
      (0..<Int.random(in: 0...5, using: &random)).map { _ in
        let type = types.randomElement(using: &random)!
        let count = lengths.randomElement(using: &random)!
        let top: UInt8 = type == 6 || type == 0 ? 7 : 255
        return Item(type: type, value: (0..<count).map { _ in UInt8.random(in: 0...top, using: &random) })
      })
  }

  /// The same message with one random change.
  func mutated(using random: inout SeededGenerator) -> TLV {
    var copy = self
    guard let index = items.indices.randomElement(using: &random) else { return .random(using: &random) }
    switch Int.random(in: 0...6, using: &random) {
    case 0: copy.items.remove(at: index)
    case 1: copy.items.insert(items[index], at: 0)
    case 2: copy.items[index].type = UInt8.random(in: 0...255, using: &random)
    case 3: copy.items[index].value.append(0)
    case 4: _ = copy.items[index].value.popLast()
    case 5: copy.items.shuffle(using: &random)
    default:
      guard let place = items[index].value.indices.randomElement(using: &random) else { break }
      copy.items[index].value[place] = UInt8.random(in: 0...255, using: &random)
    }
    return copy
  }
}

@Suite struct PairingPropertyTests {
  @Test(
    "[PS.33] Whatever the random numbers, a controller pairs and verifies, and both sides have the same keys",
    arguments: 0..<8 as Range<UInt64>)
  func everySeed(_ block: UInt64) throws {
    for seed in block * 32..<block * 32 + 32 {
      let random = RandomSource.seeded(seed)
      let code = "031-45-154"
      let identity = AccessoryIdentity(
        deviceID: try #require(DeviceID(bytes: random.bytes(6))), key: SigningKey(seed: random.secret(32)),
        verifier: SRPVerifier(code: code, salt: random.bytes(16)))
      let controller = ControllerCredentials(
        identifier: random.bytes(Int(seed % 37)), key: SigningKey(seed: random.secret(32)))
      var bench = SetupBench(random: random)
      bench.server = PairSetupServer(
        identity: identity, random: random, quirks: .proofs(seed % 2 == 0 ? .stripped : .either))
      var client = PairSetupClient(code: code, identity: controller, random: random)
      guard case .paired(let accessory) = converse(&client, with: &bench, from: client.start()) else {
        Issue.record("seed \(seed) doesn't pair")
        continue
      }
      #expect(accessory == PairedAccessory(identifier: identity.identifier, publicKey: identity.key.publicKey))

      let pairing = Pairing(identifier: controller.identifier, publicKey: controller.key.publicKey, isAdmin: true)
      var server = PairVerifyServer()
      var verifier = PairVerifyClient(identity: controller, accessory: accessory, random: random)
      var message = verifier.start()
      var keys: [SessionKeys] = []
      for _ in 0..<2 {
        for action in server.receive(message, identity: identity, pairing: { _ in pairing }, random: random) {
          switch action {
          case .reply(let reply):
            for next in verifier.receive(reply) {
              switch next {
              case .send(let third): message = third
              case .established(let mine): keys.append(mine)
              case .failed(let failure): Issue.record("seed \(seed): \(failure)")
              }
            }
          case .established(let mine, _): keys.append(mine)
          case .badRequest: Issue.record("seed \(seed): refused")
          }
        }
      }
      #expect(keys.count == 2)
      #expect(keys.first == keys.last)
    }
  }

  @Test("Random messages never trap the accessory, and never pair with it", arguments: 0..<8 as Range<UInt64>)
  func randomMessages(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bench = SetupBench(random: .seeded(seed))
    var server = PairVerifyServer()
    for _ in 0..<400 {
      let message = TLV.random(using: &random)
      for outcome in bench.receive(message) {
        if case .store = outcome { Issue.record("a pairing after a random message: \(message)") }
      }
      let actions = server.receive(
        message, identity: Fixture.accessory, pairing: { _ in Fixture.pairing }, random: .seeded(seed))
      for action in actions {
        if case .established = action { Issue.record("a session after a random message: \(message)") }
      }
    }
    #expect(bench.pairs() == true)
  }

  @Test(
    "Altered messages lead to an error or to the right pairing, never to a trap or a wrong one",
    arguments: 0..<40 as Range<UInt64>)
  func mutatedMessages(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bench = SetupBench(random: .seeded(seed))
    for _ in 0..<4 {
      var client = PairSetupClient(code: Fixture.code, identity: Fixture.controller, random: .seeded(seed))
      var message = client.start()
      exchange: for _ in 0..<3 {
        if Int.random(in: 0...3, using: &random) == 0 { message = message.mutated(using: &random) }
        var reply: TLV?
        for outcome in bench.receive(message) {
          if case .reply(let answer) = outcome { reply = answer }
          if case .store(let pairing) = outcome { #expect(pairing == Fixture.pairing) }
        }
        guard var reply else { break }
        if Int.random(in: 0...3, using: &random) == 0 { reply = reply.mutated(using: &random) }
        var actions = client.receive(reply)
        if case .compute(let work)? = actions.first { actions = client.computed(work.perform()) }
        switch actions.first {
        case .send(let next)?: message = next
        case .paired(let accessory)?: #expect(accessory == Fixture.paired)
        case .failed?, .compute?, .startTransientSession?, nil: break exchange
        }
      }
    }
    bench.server.reset()
    #expect(bench.pairs() == true)
  }

  @Test("Random replies never trap a controller, and never complete a procedure", arguments: 0..<8 as Range<UInt64>)
  func randomReplies(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var setup = PairSetupClient(code: Fixture.code, identity: Fixture.controller, random: .seeded(seed))
      _ = setup.start()
      for action in setup.receive(.random(using: &random)) {
        if case .paired = action { Issue.record("paired without an accessory") }
      }
      var verify = PairVerifyClient(identity: Fixture.controller, accessory: Fixture.paired, random: .seeded(seed))
      _ = verify.start()
      for action in verify.receive(.random(using: &random)) {
        if case .established = action { Issue.record("a session without an accessory") }
      }
    }
  }

  @Test("Sealed parts of random bytes never trap either side", arguments: 0..<4 as Range<UInt64>)
  func randomSealedParts(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let key = PairingKeys.pairVerify(SecretBytes(Fixture.verify.bytes("sharedSecret")))
    let m1 = Fixture.message(Fixture.verify.object("M1").bytes("message"))
    let good = Fixture.message(Fixture.verify.object("M3").bytes("subTLV"))
    for _ in 0..<300 {
      var server = PairVerifyServer()
      func receive(_ message: TLV) -> [PairVerifyServer.Action] {
        server.receive(
          message, identity: Fixture.accessory, pairing: { $0 == Fixture.pairing.identifier ? Fixture.pairing : nil },
          random: .script(Fixture.verify.bytes("accessorySecret")))
      }
      _ = receive(m1)
      var inner = good.mutated(using: &random).encoded()
      if Bool.random(using: &random), let place = inner.indices.randomElement(using: &random) {
        inner[place] = UInt8.random(in: 0...255, using: &random)
      }
      let sealed = ChaChaPoly.seal(inner, key: key, nonce: "PV-Msg03")
      for action in receive(TLV((6, [3]), (5, sealed))) {
        if case .established(_, let pairing) = action { #expect(pairing == Fixture.pairing) }
      }
    }
  }
}
