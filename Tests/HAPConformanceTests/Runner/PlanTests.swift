import HAPModel
import HAPSuite
import HAPWire
import Testing

@testable import HAPConformance
@testable import HAPExpectation
@testable import HAPTarget

@Suite("The plan of a run") struct PlanTests {
  private struct Hooks: HookRunner {
    func isAvailable(_ name: HookName) -> Bool { name == .reboot }
    func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? { nil }
  }

  private func plan(
    _ cases: [String], options: TestOptions = TestOptions(), hasCode: Bool = true, isForeign: Bool = false,
    isBorrowed: Bool = false, noMulticast: String? = nil, isSilent: Bool = false, claims: Claims = Claims(),
    only ids: [String]? = nil
  ) throws -> Plan {
    Plan(
      try TinyCase.suites(cases), options: options,
      circumstances: Plan.Circumstances(
        hasCode: hasCode, isForeign: isForeign, isBorrowed: isBorrowed, noMulticast: noMulticast,
        isSilent: isSilent, hooks: Hooks(), claims: claims)
    ) { ids?.contains($0.id) ?? true }
  }

  private func needing(_ id: String, _ needs: String, shared: Bool = false) -> String {
    TinyCase.text(id, "needs: [\(needs)]", "shared: \(shared)", steps: "wait: 1ms")
  }

  @Test("Cases are ordered by state: none, unpaired, parallel, paired, unpairing, reset")
  func order() throws {
    var options = TestOptions()
    (options.isLong, options.allowsReset) = (true, true)
    let plan = try plan(
      [
        needing("AA-01", "paired, reset"), needing("AA-02", "paired, unpairs"), needing("AA-03", "paired"),
        needing("AA-04", "paired", shared: true), needing("AA-05", "unpaired, { wrong-codes: 1 }"),
        needing("AA-06", "unpaired"),
        needing("AA-07", "any"), needing("AA-08", "any", shared: true), needing("AA-09", "unpaired"),
      ], options: options)
    #expect(
      plan.entries.map(\.definition.id) == [
        "AA-07", "AA-06", "AA-09", "AA-05", "AA-04", "AA-08", "AA-03", "AA-02", "AA-01",
      ])
    #expect(plan.planned.allSatisfy { $0.skipReason == nil })
  }

  @Test("A short run has only MUST cases without waits, with few Pair Setups, and lists the skipped ones") func short()
    throws
  {
    var options = TestOptions()
    options.isShort = true
    let cases = [
      TinyCase.text("AA-01", steps: "alive: true"), TinyCase.text("AA-02", level: "should", steps: "alive: true"),
      TinyCase.text("AA-03", steps: "wait: 1s"), TinyCase.text("AA-04", "needs: [long]", steps: "alive: true"),
      TinyCase.text("AA-05", "needs: [{ hook: reboot }]", steps: "alive: true"),
    ]
    let pairing = (6...9).map { TinyCase.text("AA-0\($0)", "needs: [unpaired]", steps: "pair: main") }
    let plan = try plan(cases + pairing, options: options)
    #expect(plan.entries.map(\.definition.id) == ["AA-01", "AA-06", "AA-07"])
    #expect(plan.leftOut?.usual == 5 && plan.leftOut?.long == 1)
    #expect(try self.plan(cases).leftOut == nil)
  }

  @Test("Cases that wait for pairing announcements are placed among cases that add no pairing") func spaced() throws {
    let listeners = (1...3).map { needing("LI-0\($0)", "unpaired, multicast") }
    let quiet = (1...8).map { needing("QU-0\($0)", "any") }
    let plan = try plan(listeners + quiet + [needing("UN-01", "unpaired")])
    #expect(
      plan.entries.map(\.definition.id) == [
        "QU-01", "QU-02", "LI-01", "QU-03", "QU-04", "LI-02", "QU-05", "QU-06", "LI-03", "QU-07", "QU-08", "UN-01",
      ])
    let alone = try self.plan(listeners)
    #expect(alone.entries.map(\.definition.id) == ["LI-01", "LI-02", "LI-03"])
  }

  private func reason(
    _ needs: String, options: TestOptions = TestOptions(), hasCode: Bool = true, isForeign: Bool = false,
    isBorrowed: Bool = false, noMulticast: String? = nil, claims: Claims = Claims()
  ) throws -> String? {
    let plan = try plan(
      [needing("AA-01", needs)], options: options, hasCode: hasCode, isForeign: isForeign, isBorrowed: isBorrowed,
      noMulticast: noMulticast, claims: claims)
    return plan.planned[0].skipReason
  }

  @Test("An unmet need is a reason to skip; a met need is not") func reasons() throws {
    var allowed = TestOptions()
    (allowed.isLong, allowed.allowsReset) = (true, true)
    #expect(try reason("long") == "takes long; use --long to run it")
    #expect(try reason("long", options: allowed) == nil)
    #expect(try reason("reset") == "needs a factory reset afterwards; use --allow-reset to run it")
    #expect(try reason("reset", options: allowed) == nil)
    for state in ["paired", "unpaired"] {
      #expect(try reason(state, isForeign: true) == "the accessory is paired with another controller")
    }
    #expect(try reason("any", isForeign: true) == nil)
    #expect(try reason("unpaired", isBorrowed: true) == "the accessory's pairing must be kept")
    #expect(try reason("paired, unpairs", isBorrowed: true) == "removes pairings; use --allow-reset to run it")
    #expect(try reason("paired, unpairs", options: allowed, isBorrowed: true) == nil)
    #expect(try reason("paired, unpairs") == nil)
    for needs in ["paired", "unpaired, code", "any, code"] {
      #expect(try reason(needs, hasCode: false) == "no setup code; use --code")
    }
    #expect(try reason("unpaired", hasCode: false) == nil)
    #expect(try reason("paired", hasCode: false, isBorrowed: true) == nil)
    #expect(try reason("multicast", noMulticast: "no network") == "no multicast: no network")
    #expect(try reason("multicast") == nil)
    for need in ["multicast", "listening"] {
      #expect(try reason(need, noMulticast: "not heard") == "no multicast: not heard")
      let plan = try plan([needing("AA-01", need)], noMulticast: "not heard", isSilent: true)
      #expect((plan.planned[0].skipReason == nil) == (need == "listening"), "the case is about silence")
    }
    #expect(try reason("{ hook: press }") == "no hook press")
    #expect(try reason("{ hook: reboot }") == nil)
  }

  @Test("A case with a false claim is skipped; an unknown claim skips it too, or is an error with a claims file")
  func claims() throws {
    var claims = Claims()
    #expect(try reason("{ claim: setup-id }") == "the claim \"setup-id\" is unknown; use --claims")
    var options = TestOptions()
    options.hasClaimsFile = true
    let plan = try plan([needing("AA-01", "{ claim: setup-id }")], options: options)
    #expect(plan.entries[0].errorReason == "the claim \"setup-id\" is unknown" && plan.entries[0].skipReason == nil)
    claims["setup-id"] = .flag(false)
    #expect(try reason("{ claim: setup-id }", claims: claims) == "according to its claims it has no setup-id")
    claims["setup-id"] = .text("7OSX")
    #expect(try reason("{ claim: setup-id }", claims: claims) == nil)
  }

  @Test("The budget of wrong codes is spent in order and per repetition; cases that reset the accessory are free")
  func wrongCodes() throws {
    var options = TestOptions()
    options.wrongCodeLimit = 5
    options.allowsReset = true
    let cases = [
      needing("AA-01", "unpaired, { wrong-codes: 3 }"), needing("AA-02", "unpaired, { wrong-codes: 3 }"),
      needing("AA-03", "unpaired, { wrong-codes: 2 }"), needing("AA-04", "unpaired, reset, { wrong-codes: 101 }"),
      needing("AA-05", "unpaired, { wrong-codes: 1 }"), needing("AA-06", "unpaired"),
    ]
    func skipped(_ plan: Plan) -> [String] {
      plan.entries.filter { $0.skipReason != nil }.map(\.definition.id).sorted()
    }
    let once = try plan(cases, options: options)
    #expect(skipped(once) == ["AA-02", "AA-05"])
    #expect(once.entries.compactMap(\.skipReason).allSatisfy { $0 == "the limit of 5 wrong setup codes is reached" })
    options.repetitions = 2
    #expect(skipped(try plan(cases, options: options)) == ["AA-01", "AA-02", "AA-05"])
    options.wrongCodeLimit = 0
    #expect(skipped(try plan(cases, options: options)) == ["AA-01", "AA-02", "AA-03", "AA-05"])
  }

  @Test("Each case is in exactly one shard; levels and selection exclude cases from the plan") func shards() throws {
    let cases = (1...7).map { needing("AA-0\($0)", "any") }
    var all: [String] = []
    for part in 0..<3 {
      var options = TestOptions()
      options.shard = try #require(Shard(index: part, count: 3))
      let ids = try plan(cases, options: options).entries.map(\.definition.id)
      #expect(ids.count == (part == 0 ? 3 : 2))
      all += ids
    }
    #expect(all.sorted() == (1...7).map { "AA-0\($0)" })
    #expect(try plan(cases, only: ["AA-03"]).entries.map(\.definition.id) == ["AA-03"])
    var options = TestOptions()
    options.levels = [.info]
    #expect(try plan(cases, options: options).entries.isEmpty)
  }

  @Test("Suites name only claims that exist") func names() {
    for definition in SuiteLibrary.embedded.cases {
      for claim in definition.needs.claims {
        #expect(Claims.known.contains { $0.name == claim }, "\(definition.id) needs the claim \(claim)")
      }
    }
  }
}
