import HAPReport
import Testing

struct RunReportTests {
  @Test("Each case of the plan is reported in order, whether it ran or not")
  func planOrder() {
    let cases = Fixture.failing.cases
    #expect(cases.map(\.description.id) == Fixture.outcomes.map(\.description.id))
    #expect(cases.map(\.verdict) == Fixture.outcomes.map(\.verdict))
    #expect(
      Fixture.failing.tally.text.hasPrefix("1 failed, 1 flaky, 1 error, 1 passed unexpectedly, 1 failed as expected"))
    #expect(Fixture.failing.tally.ran == 8)
  }

  @Test("A planned case that never ran is reported as not run, with the reason")
  func notRun() {
    let cases = Fixture.lost.cases
    #expect(cases[0].result == .ended(.fail))
    #expect(cases[1].result == .notRun)
    #expect(cases[1].outcome.message == "it was running when the accessory was lost")
    #expect(cases[2].outcome.message == "not run: the accessory was lost")
    #expect(cases[5].result == .ended(.skip))
    #expect(Fixture.interrupted.cases[2].outcome.message == "not run: the run was interrupted")
    #expect(Fixture.brokenOff.cases[2].outcome.message == "not run: the run ended early")
    #expect(Fixture.lost.tally.notRun == 7)
  }

  @Test("A case that is not in the plan is reported after it, and one that ends twice is reported once")
  func strays() {
    var report = Fixture.failing
    report.take(.caseEnded(CaseOutcome(Fixture.description("ZZ-1", "stray", area: "stray"), .fail)))
    var again = Fixture.failure
    again.verdict = .pass
    again.description.name = "another name"
    report.take(.caseEnded(again))
    #expect(report.cases.count == 10)
    #expect(report.cases.last?.description.id == "ZZ-1")
    #expect(report.outcome(of: "PS-29")?.verdict == .pass)
    #expect(report.cases[0].description.name == "m1-while-paired")
    #expect(report.areas.last?.name == "stray")
  }

  @Test("A run's conclusion matches its exit status")
  func conclusions() {
    #expect(Fixture.failing.conclusion() == .failures)
    #expect(Fixture.lost.conclusion() == .lost)
    #expect(Fixture.nothingSelected.conclusion() == .nothingRan)
    #expect(Fixture.brokenOff.conclusion() == .failures)
    #expect(Fixture.empty.conclusion() == .ownFault)
    let rows: [(Verdict, Set<Verdict>, RunConclusion)] = [
      (.pass, [], .conforms), (.nonStrict, [], .conforms), (.info, [], .conforms), (.xfail, [], .conforms),
      (.fail, [], .failures), (.flaky, [], .failures), (.error, [], .ownFault), (.xpass, [], .unexpectedPass),
      (.skip, [], .nothingRan), (.nonStrict, [.nonStrict], .failures), (.skip, [.skip], .failures),
      (.xpass, [.xpass], .failures),
    ]
    for (verdict, failingOn, conclusion) in rows {
      let report = RunReport(Fixture.events(of: [CaseOutcome(Fixture.description("A-1", "a"), verdict)]))
      #expect(report.conclusion(failingOn: failingOn) == conclusion, "\(verdict)")
      var interrupted = report
      interrupted.take(.interrupted)
      #expect(interrupted.conclusion(failingOn: failingOn) == (conclusion == .failures ? .failures : .interrupted))
    }
    let should = RunReport(
      Fixture.events(of: [CaseOutcome(Fixture.description("A-1", "a", level: .should), .fail)]))
    #expect(should.conclusion() == .failures && should.conclusion(mustOnly: true) == .conforms)
    #expect(should.conclusion(failingOn: [.fail], mustOnly: true) == .failures)
    let must = RunReport(Fixture.events(of: [CaseOutcome(Fixture.description("A-1", "a"), .flaky)]))
    #expect(must.conclusion(mustOnly: true) == .failures)
    #expect(RunConclusion.allCases.map(\.exitStatus) == [0, 1, 3, 3, 4, 5, 6, 3])
  }
}
