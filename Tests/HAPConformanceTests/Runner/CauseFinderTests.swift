import HAPReport
import HAPWire
import Testing

@testable import HAPConformance
@testable import HAPSuite

@Suite("The cause of a failure")
struct CauseFinderTests {
  /// PR-01 judges the list of pairings and PV-01 judges Pair Verify.
  private static let owners: [Procedure: [String]] = [.listPairings: ["PR-01"], .pairVerify: ["PV-01"]]

  private func definition(
    _ id: String, owns: [Procedure] = [], after: [String] = []
  ) -> CaseDefinition {
    var definition = CaseDefinition(
      id: id, name: id.lowercased(), area: "x", level: .must, requirement: "", section: "", cause: nil, fix: nil,
      impact: nil, stacks: [], aliases: [], needs: CaseNeeds(), find: [], variants: [], steps: [], isShared: false,
      file: "x.yaml", place: JSONPlace(line: 1, column: 1))
    definition.causes.owns = owns
    definition.causes.after = after.map { CaseCauses.Precursor(id: $0, reason: "the same stimulus") }
    return definition
  }

  private func passed(_ definition: CaseDefinition) -> CaseExecution.Result {
    CaseExecution.Result(outcome: CaseOutcome(definition.description, .pass))
  }

  /// Each failure is a variant with the procedures that it used.
  private func failed(_ definition: CaseDefinition, _ failures: [Procedure]...) -> CaseExecution.Result {
    let endings = failures.enumerated().map { number, procedures in
      var failure = CaseFailure("wrong \(number)")
      failure.procedures = procedures
      return CaseExecution.Ending(verdict: .fail, message: failure.message, failure: failure)
    }
    return CaseExecution.Result(
      outcome: CaseOutcome(definition.description, .fail, message: "wrong 0"), failures: endings)
  }

  private func texts(_ outcomes: [CaseOutcome]) -> [String] {
    outcomes.map { "\($0.description.id) \($0.verdict.rawValue) \($0.blockedBy ?? "-"): \($0.message)" }
  }

  @Test("a failure in a procedure whose owner fails is blocked by the owner")
  func blocked() {
    var finder = CauseFinder(owners: Self.owners)
    let owner = definition("PR-01", owns: [.listPairings])
    #expect(
      texts(finder.take(failed(owner, [.listPairings]), of: owner, pending: .init())) == ["PR-01 fail -: wrong 0"])
    let user = definition("PR-05")
    let judged = finder.take(failed(user, [.listPairings]), of: user, pending: .init())
    #expect(texts(judged) == ["PR-05 blocked PR-01: not judged: PR-01 fails: wrong 0"])
    #expect(judged[0].notes == ["it failed: wrong 0"])
  }

  @Test("a failure outside the procedures that it uses stays a failure")
  func own() {
    var finder = CauseFinder(owners: Self.owners)
    let owner = definition("PR-01", owns: [.listPairings])
    _ = finder.take(failed(owner, []), of: owner, pending: .init())
    let user = definition("PR-05")
    #expect(texts(finder.take(failed(user, []), of: user, pending: .init())) == ["PR-05 fail -: wrong 0"])
  }

  @Test("a failure in a procedure whose owner passes stays a failure")
  func ownerPasses() {
    var finder = CauseFinder(owners: Self.owners)
    let owner = definition("PR-01", owns: [.listPairings])
    _ = finder.take(passed(owner), of: owner, pending: .init())
    let user = definition("PR-05")
    #expect(texts(finder.take(failed(user, [.listPairings]), of: user, pending: .init())) == ["PR-05 fail -: wrong 0"])
  }

  @Test("a failure waits for an owner that is still to run", arguments: [true, false])
  func waits(doesOwnerFail: Bool) {
    var finder = CauseFinder(owners: Self.owners)
    let user = definition("PR-05")
    let owner = definition("PR-01", owns: [.listPairings])
    #expect(finder.take(failed(user, [.listPairings]), of: user, pending: .init(planned: ["PR-01"])).isEmpty)
    #expect(finder.held.count == 1 && finder.missing(.init(planned: ["PR-01"])) == nil)
    let end = doesOwnerFail ? failed(owner, []) : passed(owner)
    let judged = finder.take(end, of: owner, pending: .init())
    #expect(judged.map(\.description.id) == ["PR-01", "PR-05"])
    #expect(judged[1].verdict == (doesOwnerFail ? .blocked : .fail))
    #expect(finder.held.isEmpty)
  }

  @Test("one variant that fails by itself decides, whatever the others used")
  func variants() {
    var finder = CauseFinder(owners: Self.owners)
    let owner = definition("PR-01", owns: [.listPairings])
    _ = finder.take(failed(owner, []), of: owner, pending: .init())
    let user = definition("PR-05")
    #expect(
      texts(finder.take(failed(user, [.listPairings], []), of: user, pending: .init())) == ["PR-05 fail -: wrong 1"])
    let other = definition("PR-06")
    #expect(
      finder.take(failed(other, [.listPairings], [.listPairings]), of: other, pending: .init()).map(\.verdict) == [
        .blocked
      ])
  }

  @Test("the cause of a blocked case is the cause of those that it would block")
  func roots() {
    var finder = CauseFinder(owners: Self.owners)
    let verify = definition("PV-01", owns: [.pairVerify])
    _ = finder.take(failed(verify, []), of: verify, pending: .init())
    let list = definition("PR-01", owns: [.listPairings])
    _ = finder.take(failed(list, [.pairVerify]), of: list, pending: .init())
    let user = definition("PR-05")
    let judged = finder.take(failed(user, [.listPairings]), of: user, pending: .init())
    #expect(judged.map(\.blockedBy) == ["PV-01"])
  }

  @Test("a case is blocked by one that it comes after, and two that come after each other are not both blocked")
  func after() {
    var finder = CauseFinder(owners: Self.owners)
    let first = definition("WR-07", after: ["WR-09"])
    let second = definition("WR-09", after: ["WR-07"])
    #expect(finder.take(failed(first, []), of: first, pending: .init(planned: ["WR-09"])).isEmpty)
    #expect(finder.take(failed(second, []), of: second, pending: .init()).isEmpty)
    #expect(
      texts(finder.releaseFirst(pending: .init())) == [
        "WR-07 fail -: wrong 0", "WR-09 blocked WR-07: not judged: WR-07 fails: wrong 0",
      ])
  }

  @Test("a cause that was not selected is waited for, unless each request of a session uses its procedure")
  func onDemand() {
    let owners: [Procedure: [String]] = [.listPairings: ["PR-01"], .session: ["SEC-02"]]
    let pending = CauseFinder.Pending(onDemand: ["PR-01", "SEC-02"])
    var finder = CauseFinder(owners: owners)
    let user = definition("PR-05")
    #expect(finder.take(failed(user, [.listPairings, .session]), of: user, pending: pending).isEmpty)
    #expect(finder.missing(pending) == "PR-01")
    let other = definition("RD-05")
    #expect(finder.take(failed(other, [.session]), of: other, pending: pending).map(\.verdict) == [.fail])
    #expect(finder.releaseFirst(pending: .init()).map(\.verdict) == [.fail])
  }

  @Test("only a case that ran before is the cause of a lasting case", arguments: [true, false])
  func lasting(ranBefore: Bool) {
    var finder = CauseFinder(owners: Self.owners)
    let owner = definition("PR-01", owns: [.listPairings])
    if ranBefore { _ = finder.take(failed(owner, []), of: owner, pending: .init()) }
    var user = definition("PR-05")
    user.causes.isLasting = true
    let pending = CauseFinder.Pending(planned: ["PR-01"], onDemand: ["PR-01"])
    let judged = finder.take(failed(user, [.listPairings]), of: user, pending: pending)
    #expect(judged.map(\.blockedBy) == [ranBefore ? "PR-01" : nil])
  }

  @Test("a cause that can run is found although another cause waits")
  func missingBehindWaiting() {
    var finder = CauseFinder(owners: [.listPairings: ["PR-01"]])
    let pending = CauseFinder.Pending(onDemand: ["PR-01"])
    let (first, second) = (definition("PR-05", after: ["PR-06"]), definition("PR-06", after: ["PR-05"]))
    #expect(finder.take(failed(second, []), of: second, pending: .init(planned: ["PR-05"])).isEmpty)
    #expect(finder.take(failed(first, [.listPairings]), of: first, pending: pending).isEmpty)
    #expect(finder.missing(pending) == "PR-01")
  }

  @Test("a cause that fails ends the wait for the causes after it")
  func likeliest() {
    var finder = CauseFinder(owners: [.listPairings: ["PR-01", "PR-90"]])
    let owner = definition("PR-01", owns: [.listPairings])
    _ = finder.take(failed(owner, []), of: owner, pending: .init(planned: ["PR-90"]))
    let user = definition("PR-05")
    let judged = finder.take(failed(user, [.listPairings]), of: user, pending: .init(planned: ["PR-90"]))
    #expect(judged.map(\.blockedBy) == ["PR-01"])
  }

  @Test("a case that owns a procedure is not blocked by another owner of it")
  func owners() {
    var finder = CauseFinder(owners: [.session: ["SEC-02", "SEC-04"]])
    let first = definition("SEC-02", owns: [.session])
    _ = finder.take(failed(first, [.session]), of: first, pending: .init())
    let second = definition("SEC-04", owns: [.session])
    #expect(finder.take(failed(second, [.session]), of: second, pending: .init()).map(\.verdict) == [.fail])
  }

  @Test("a case that is flaky keeps its message unless it is blocked")
  func flaky() {
    var finder = CauseFinder(owners: Self.owners)
    let user = definition("PR-05")
    var result = failed(user, [.listPairings])
    result.outcome.verdict = .flaky
    result.outcome.message = "passed 1 of 2 times: wrong 0"
    #expect(
      texts(finder.take(result, of: user, pending: .init())) == ["PR-05 flaky -: passed 1 of 2 times: wrong 0"])
  }
}
