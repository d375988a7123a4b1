import HAPCrypto
import HAPModel
import HAPWire
import HAPTestSupport
import Testing

@testable import HAPPairing

private let m1 = Fixture.message(Fixture.verify.object("M1").bytes("message"))
private let m2 = Fixture.message(Fixture.verify.object("M2").bytes("message"))
private let m3 = Fixture.message(Fixture.verify.object("M3").bytes("message"))
private let m4 = Fixture.message(Fixture.verify.object("M4").bytes("message"))
private let keys = SessionKeys(pairVerify: SecretBytes(Fixture.verify.bytes("sharedSecret")))
private let refusal = PairVerifyServer.Action.reply(TLV((6, [4]), (7, [2])))

private struct VerifyBench {
  var server = PairVerifyServer()
  var pairings = [Fixture.pairing]
  var random = RandomSource.script(Fixture.verify.bytes("accessorySecret"))

  mutating func receive(_ message: TLV) -> [PairVerifyServer.Action] {
    let pairings = pairings
    return server.receive(
      message, identity: Fixture.accessory, pairing: { id in pairings.first { $0.identifier == id } }, random: random)
  }

  /// Runs M1 to M4 with our controller. The bench may be in any state before.
  mutating func verifies() -> Bool {
    random = .seeded(9)
    var client = PairVerifyClient(identity: Fixture.controller, accessory: Fixture.paired, random: .seeded(8))
    guard case .reply(let second)? = receive(client.start()).first,
      case .send(let third)? = client.receive(second).first
    else { return false }
    let last = receive(third)
    guard case .reply(let fourth)? = last.first, case .established(let mine)? = client.receive(fourth).first
    else { return false }
    return last == [.reply(TLV((6, [4]))), .established(mine, Fixture.pairing)]
  }

  /// A bench after a valid M1 with the vectors' keys.
  static var afterM1: VerifyBench {
    var bench = VerifyBench()
    _ = bench.receive(m1)
    return bench
  }
}

private let sessionKey = SecretBytes(Fixture.verify.bytes("sessionKey"))
private let inner = Fixture.message(Fixture.verify.object("M3").bytes("subTLV"))
private func m3(_ inner: [UInt8]) -> TLV {
  TLV((6, [3]), (5, ChaChaPoly.seal(inner, key: sessionKey, nonce: "PV-Msg03")))
}

@Suite struct PairVerifyServerTests {
  @Test(
    "[PV.1] [PV.2] [PV.4] [KD.3] [KD.4] [KD.5] The accessory's messages and keys equal the vectors byte for byte"
  )
  func vectors() {
    var bench = VerifyBench()
    #expect(bench.receive(m1) == [.reply(m2)])
    #expect(m2.encoded() == Fixture.verify.object("M2").bytes("message"))
    #expect(bench.receive(m3) == [.reply(m4), .established(keys, Fixture.pairing)])
    #expect(bytes(keys.accessoryToController) == Fixture.verify.bytes("accessoryToController"))
    #expect(bytes(keys.controllerToAccessory) == Fixture.verify.bytes("controllerToAccessory"))
    #expect(bytes(keys.sharedSecret) == Fixture.verify.bytes("sharedSecret"))
    #expect(!bench.server.isUnderWay)
  }

  @Test("[PV.9] [TLV.12] M1 with a missing key, a key of another length, or no state is answered 400")
  func malformedStart() {
    for (type, value) in [
      (3, nil), (3, []), (3, [UInt8](repeating: 9, count: 31)), (3, [UInt8](repeating: 9, count: 33)), (6, nil),
      (6, []), (6, [1, 0]), (6, [0]), (6, [2]), (6, [4]), (6, [255]),
    ] as [(UInt8, [UInt8]?)] {
      for stage in [VerifyBench(), .afterM1] {
        var bench = stage
        #expect(bench.receive(m1.with(type, value)) == [.badRequest])
        #expect(bench.receive(m3) == [.badRequest], "the procedure is reset")
        #expect(bench.verifies() == true)
      }
    }
  }

  @Test("[PV.10] M1 with a key that gives an all-zero secret is refused") func worthlessKey() {
    var bench = VerifyBench()
    let worthless = m1.with(3, [UInt8](repeating: 0, count: 32))
    #expect(bench.receive(worthless) == [.reply(.error(.authentication, state: 2))])
    #expect(bench.receive(m3) == [.badRequest])
    #expect(bench.verifies() == true)
  }

  @Test(
    "[PV.13] M1 with a method item is answered 400, whatever the method",
    arguments: [[], [0], [2], [6], [6, 0]] as [[UInt8]])
  func method(_ value: [UInt8]) {
    var bench = VerifyBench()
    #expect(bench.receive(m1.with(0, value)) == [.badRequest])
    #expect(bench.verifies() == true)
  }

  @Test("[PV.14] M3 without M1, and a second M3, are answered 400") func outOfOrder() {
    var bench = VerifyBench()
    #expect(bench.receive(m3) == [.badRequest])
    #expect(bench.receive(m1).count == 1)
    #expect(bench.receive(m3).count == 2)
    #expect(bench.receive(m3) == [.badRequest])
    #expect(bench.verifies() == true)
  }

  @Test("[TLV.10] A message with a duplicate item, or that doesn't decode, is answered 400 and resets the procedure")
  func unreadable() {
    var bench = VerifyBench.afterM1
    #expect(bench.receive(TLV(m3.items + [.init(type: 6, value: [3])])) == [.badRequest])
    #expect(bench.receive(m3) == [.badRequest])
    var other = VerifyBench.afterM1
    #expect(other.server.receiveUnreadable() == [.badRequest])
    #expect(other.receive(m3) == [.badRequest])
    var third = VerifyBench.afterM1
    third.server.reset()
    #expect(third.receive(m3) == [.badRequest])
  }

  @Test("[TLV.9] Items of unknown type are ignored") func unknownItems() {
    var bench = VerifyBench()
    let unknown = TLV.Item(type: 0x30, value: [1]), separator = TLV.Item(type: 0xFF, value: [])
    #expect(bench.receive(TLV([unknown, separator] + m1.items + [unknown])) == [.reply(m2)])
    let spoilt = TLV([unknown] + inner.items.reversed() + [separator, unknown]).encoded()
    #expect(bench.receive(m3(spoilt)).count == 2)
  }

  @Test("[PV.5] [PV.11] [PV.17] M3 with an unpaired identifier gets M4 with Authentication")
  func unknownController() {
    var bench = VerifyBench.afterM1
    bench.pairings = []
    #expect(bench.receive(m3) == [refusal])
    var lower = VerifyBench.afterM1
    lower.pairings[0].identifier = Array(Fixture.setup.text("controllerID").lowercased().utf8)
    #expect(lower.receive(m3) == [refusal], "identifiers are compared byte by byte")
    #expect(lower.receive(m3) == [.badRequest])
  }

  @Test("[PV.12] After a failed Pair Verify, a new M1 on the same connection succeeds") func afterFailure() {
    var bench = VerifyBench.afterM1
    bench.pairings = []
    #expect(bench.receive(m3) == [refusal])
    bench.pairings = [Fixture.pairing]
    #expect(bench.verifies() == true)
  }

  @Test("[PV.6] M3 with a broken seal gets M4 with Authentication") func brokenSeal() throws {
    let sealed = try #require(m3[5])
    for index in [0, 40, sealed.count - 1] {
      var changed = sealed
      changed[index] ^= 1
      var bench = VerifyBench.afterM1
      #expect(bench.receive(m3.with(5, changed)) == [refusal])
      #expect(bench.receive(m3) == [.badRequest])
    }
  }

  @Test("[PV.7] M3 with an invalid signature gets M4 with Authentication") func wrongSignature() throws {
    var signature = try #require(inner[10])
    signature[9] ^= 1
    var bench = VerifyBench.afterM1
    #expect(bench.receive(m3(inner.with(10, signature).encoded())) == [refusal])
    var other = VerifyBench.afterM1
    other.pairings[0].publicKey = Fixture.accessory.key.publicKey
    #expect(other.receive(m3) == [refusal])
    var short = VerifyBench.afterM1
    short.pairings[0].publicKey = [1]
    #expect(short.receive(m3) == [refusal])
  }

  @Test("[PV.8] M3 with missing encrypted data, less than a tag, or a malformed sealed part is answered 400")
  func malformedFinish() {
    for message in [
      m3.with(5, nil), m3.with(5, []), m3.with(5, [UInt8](repeating: 0, count: 15)), m3([]), m3([1]),
      m3(inner.encoded().dropLast()), m3(inner.with(1, nil).encoded()),
      m3(inner.with(1, [UInt8](repeating: 65, count: 37)).encoded()), m3(inner.with(10, nil).encoded()),
      m3(inner.with(10, [UInt8](repeating: 1, count: 63)).encoded()),
      m3(inner.with(10, [UInt8](repeating: 1, count: 65)).encoded()),
      m3(TLV(inner.items + [.init(type: 1, value: [1])]).encoded()),
    ] {
      var bench = VerifyBench.afterM1
      #expect(bench.receive(message) == [.badRequest])
      #expect(bench.receive(m3) == [.badRequest])
      #expect(bench.verifies() == true)
    }
  }

  @Test(
    "[PV.3] [PV.15] A second M1 gets a new key and replaces the first: M3 for the first fails, for the second succeeds"
  )
  func secondStart() {
    var bench = VerifyBench()
    bench.random = .script(Fixture.verify.bytes("accessorySecret"), [UInt8](repeating: 7, count: 32))
    #expect(bench.receive(m1) == [.reply(m2)])
    guard case .reply(let other)? = bench.receive(m1).first else { Issue.record("no M2"); return }
    #expect(other[3] != m2[3])
    #expect(bench.receive(m3) == [refusal])

    bench.random = .script([UInt8](repeating: 7, count: 32), Fixture.verify.bytes("accessorySecret"))
    _ = bench.receive(m1)
    _ = bench.receive(m1)
    #expect(bench.receive(m3).count == 2)
  }

  @Test("[PV.18] Overlapping procedures on two connections both succeed, with different keys") func overlapping() {
    var benches = [VerifyBench(), VerifyBench()]
    var established: [SessionKeys] = []
    var clients = [UInt64(1), 2].map {
      PairVerifyClient(identity: Fixture.controller, accessory: Fixture.paired, random: .seeded($0))
    }
    var thirds: [TLV] = []
    for index in 0...1 {
      benches[index].random = .seeded(UInt64(index + 10))
      guard case .reply(let second)? = benches[index].receive(clients[index].start()).first,
        case .send(let third)? = clients[index].receive(second).first
      else { Issue.record("no M3"); return }
      thirds.append(third)
    }
    for index in 0...1 {
      if case .established(let keys, _)? = benches[index].receive(thirds[index]).last { established.append(keys) }
    }
    #expect(established.count == 2)
    #expect(established.first != established.last)
  }
}

@Suite struct PairVerifyClientTests {
  private func client() -> PairVerifyClient {
    PairVerifyClient(
      identity: Fixture.controller, accessory: Fixture.paired,
      random: .script(Fixture.verify.bytes("controllerSecret")))
  }
  private func started() -> PairVerifyClient {
    var client = client()
    _ = client.start()
    return client
  }
  private func failure(_ step: UInt8, _ cause: PairingFailure.Cause) -> [PairVerifyClient.Action] {
    [.failed(PairingFailure(step: step, cause: cause))]
  }

  @Test("[KD.3] [KD.4] [KD.5] The controller's messages and keys equal the vectors byte for byte")
  func vectors() {
    var client = client()
    #expect(client.start() == m1)
    #expect(client.receive(m2) == [.send(m3)])
    #expect(client.receive(m4) == [.established(keys)])
    #expect(client.receive(m4) == failure(4, .unexpectedMessage))
  }

  @Test("[PV.19] An M2 of another accessory, or signed by another key, is refused") func otherAccessory() {
    let other = PairedAccessory(identifier: Array("AA:BB:CC:DD:EE:FF".utf8), publicKey: Fixture.paired.publicKey)
    var client = PairVerifyClient(
      identity: Fixture.controller, accessory: other, random: .script(Fixture.verify.bytes("controllerSecret")))
    _ = client.start()
    #expect(client.receive(m2) == failure(2, .otherAccessory(identifier: Fixture.accessory.identifier)))
    let otherKey = PairedAccessory(
      identifier: Fixture.paired.identifier, publicKey: Fixture.controller.key.publicKey)
    var second = PairVerifyClient(
      identity: Fixture.controller, accessory: otherKey, random: .script(Fixture.verify.bytes("controllerSecret")))
    _ = second.start()
    #expect(second.receive(m2) == failure(2, .wrongSignature))
    #expect(second.receive(m2) == failure(2, .unexpectedMessage))
  }

  @Test("A malformed M2 is reported with its defect") func malformedStart() throws {
    let inner = Fixture.message(Fixture.verify.object("M2").bytes("subTLV"))
    func sealed(_ inner: [UInt8]) -> TLV {
      m2.with(5, ChaChaPoly.seal(inner, key: sessionKey, nonce: "PV-Msg02"))
    }
    var broken = try #require(m2[5])
    broken[0] ^= 1
    for (message, cause) in [
      (m2.with(6, nil), .unexpectedState(nil)), (m2.with(6, [4]), .unexpectedState(4)),
      (m2.with(6, [2, 0]), .unexpectedState(nil)), (m2.with(3, nil), .missing(type: 3)),
      (m2.with(3, [1]), .wrongLength(type: 3, count: 1)), (m2.with(5, nil), .missing(type: 5)),
      (m2.with(5, [1]), .wrongLength(type: 5, count: 1)), (m2.with(5, broken), .brokenSeal),
      (m2.with(3, [UInt8](repeating: 0, count: 32)), .worthlessKey), (sealed([1]), .unreadable),
      (sealed(inner.with(1, nil).encoded()), .missing(type: 1)),
      (sealed(inner.with(10, nil).encoded()), .missing(type: 10)),
      (sealed(inner.with(10, [1]).encoded()), .wrongLength(type: 10, count: 1)),
      (sealed(inner.with(10, [UInt8](repeating: 1, count: 64)).encoded()), .wrongSignature),
      (TLV(m2.items + [.init(type: 6, value: [2])]), .unreadable), (TLV((6, [2]), (7, [2])), .refused(2)),
    ] as [(TLV, PairingFailure.Cause)] {
      var client = started()
      #expect(client.receive(message) == failure(2, cause))
    }
  }

  @Test("A malformed M4 is reported with its defect") func malformedFinish() {
    for (message, cause) in [
      (TLV((6, [4]), (7, [2])), .refused(2)), (TLV((7, [2])), .refused(2)), (TLV(), .unexpectedState(nil)),
      (TLV((6, [2])), .unexpectedState(2)), (TLV((6, [4]), (0x30, []), (6, [4])), .unreadable),
    ] as [(TLV, PairingFailure.Cause)] {
      var client = started()
      _ = client.receive(m2)
      #expect(client.receive(message) == failure(4, cause))
    }
  }

  @Test("A reply before M1 is refused, and a restart works at any time") func startingOver() {
    var client = PairVerifyClient(identity: Fixture.controller, accessory: Fixture.paired, random: .seeded(1))
    #expect(client.receive(m2) == failure(2, .unexpectedMessage))
    let first = client.start(), second = client.start()
    #expect(first != second, "with a new key each time")
    var bench = VerifyBench()
    bench.random = .seeded(2)
    guard case .reply(let stale)? = bench.receive(first).first, case .reply(let good)? = bench.receive(second).first
    else { Issue.record("no M2"); return }
    #expect(client.receive(stale) == failure(2, .brokenSeal))
    _ = good
  }
}
