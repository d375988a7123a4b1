import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPPairing

private let m1 = TLV((6, [1]), (0, [1]))

@Suite struct PairSetupMethodTests {
  private func bench(_ setting: PairingQuirks.SetupMethod1) -> SetupBench {
    var quirks = PairingQuirks()
    quirks.setupMethod1 = setting
    return SetupBench(quirks: quirks)
  }

  @Test("[PS.19] By default, M1 with method 1 starts the same procedure as M1 with method 0") func accepted() throws {
    var bench = SetupBench()
    let first = bench.receive(m1)
    guard case .reply(let m2)? = first.last else { Issue.record("no M2"); return }
    #expect(m2.items.map(\.type) == [6, 3, 2])
    let controller = try #require(SetupController(first))
    guard case .reply(let m4)? = bench.receive(controller.m3).last else { Issue.record("no M4"); return }
    #expect(m4.items.map(\.type) == [6, 4])
    #expect(controller.proof.check(proof2: m4[4] ?? []))
    let last = bench.receive(controller.m5)
    #expect(last.first == .store(Fixture.pairing))
    guard case .reply(let m6)? = last.last else { Issue.record("no M6"); return }
    #expect(m6.items.map(\.type) == [6, 5])
  }

  @Test("[PS.53] By default, flags apply with method 1 as with method 0") func flags() throws {
    var bench = SetupBench()
    let first = bench.receive(m1.with(0x13, [0x10, 0, 0, 1]))
    guard case .reply(let m2)? = first.last else { Issue.record("no M2"); return }
    #expect(m2[0x13] == [0x10, 0, 0, 1])
    let controller = try #require(SetupController(first))
    let keys = SessionKeys(transientPairSetup: controller.proof.key)
    #expect(bench.receive(controller.m3).last == .transient(keys))
  }

  @Test("[PS.70, PS.53] 500-in-m4: method 1 gets an ordinary M2 without flags, and then 500 instead of M4")
  func refusedInM4() throws {
    var bench = bench(.internalErrorInM4)
    let first = bench.receive(m1.with(0x13, [0x10, 0, 0, 1]))
    guard case .reply(let m2)? = first.last else { Issue.record("no M2"); return }
    #expect(m2.items.map(\.type) == [6, 3, 2])
    let controller = try #require(SetupController(first))
    #expect(bench.receive(controller.m3) == [.clearFailedAttempts, .methodRefused(.failure(nil))])
    #expect(bench.receive(controller.m5) == [.badRequest])
    let wrong = try #require(SetupController(bench.receive(m1), code: "518-08-583"))
    #expect(bench.receive(wrong.m3) == [.failedAttempt, .reply(.error(.authentication, state: 4))])
    #expect(bench.pairs() == true)
  }

  @Test(
    "[PS.71] 400-authentication and unavailable: method 1 is refused in M2, after the checks of each M1",
    arguments: [PairingQuirks.SetupMethod1.badRequest, .unavailable])
  func refusedInM2(_ setting: PairingQuirks.SetupMethod1) {
    var bench = bench(setting)
    let refusal: Outcome =
      setting == .badRequest
      ? .methodRefused(.badRequest(TLV((6, [2]), (7, [2])))) : .methodRefused(.reply(TLV((6, [2]), (7, [6]))))
    #expect(bench.receive(m1) == [refusal])
    #expect(!bench.server.isUnderWay)
    bench.context.isOtherUnderWay = true
    #expect(bench.receive(m1) == [.reply(.error(.busy, state: 2))])
    bench.context.isOtherUnderWay = false
    #expect(bench.pairs() == true)
  }
}
