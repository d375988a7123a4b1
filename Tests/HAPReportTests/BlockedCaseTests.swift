import HAPWire
import Testing

@testable import HAPReport

@Suite("Blocked cases in reports")
struct BlockedCaseTests {
  private static func blocked(_ id: String, by cause: String) -> CaseOutcome {
    var outcome = CaseOutcome(
      Fixture.description(id, "uses-a-procedure", area: "pairings"), .blocked,
      message: "not judged: \(cause) fails: list answers 400", duration: .milliseconds(2))
    outcome.blockedBy = cause
    return outcome
  }

  private static func run(_ verdict: Verdict) -> [RunEvent] {
    Fixture.events(of: [
      CaseOutcome(
        Fixture.description("PR-01", "list-pairings", area: "pairings"), verdict, message: "list answers 400"),
      blocked("PR-04", by: "PR-01"), blocked("DISC-17", by: "DISC-16"), blocked("PR-05", by: "PR-01"),
    ])
  }

  private let report = RunReport(run(.fail))

  @Test("they are grouped under their cause, the cause of most cases first")
  func groups() {
    #expect(report.blocked.map(\.cause) == ["PR-01", "DISC-16"])
    #expect(report.blocked.map(\.ids) == [["PR-04", "PR-05"], ["DISC-17"]])
    #expect(report.tally.text == "1 failed, 3 blocked")
  }

  @Test("they do not fail a run: their cause does, unless the baseline expects it")
  func conclusion() {
    #expect(report.conclusion() == .failures)
    #expect(RunReport(Self.run(.xfail)).conclusion() == .conforms)
    #expect(RunReport(Self.run(.xfail)).conclusion(failingOn: [.blocked]) == .failures)
    #expect(RunReport(Fixture.events(of: [Self.blocked("PR-04", by: "PR-01")])).conclusion() == .nothingRan)
  }

  @Test("the terminal prints one line for each, and their number for each cause at the end")
  func terminal() {
    var terminal = TerminalReport(isColoured: false, width: 80, redaction: .none)
    let lines = Self.run(.fail).flatMap { terminal.lines(for: $0) }
    #expect(lines.contains("BLOCKED     PR-04 uses-a-procedure  2 ms: not judged: PR-01 fails: list answers 400"))
    #expect(lines.contains("  BLOCKED   2 not judged, because PR-01 fails (PR-04, PR-05)"))
    #expect(lines.contains("  BLOCKED   1 not judged, because DISC-16 fails (DISC-17)"))
    var quiet = TerminalReport(isColoured: false, width: 80, redaction: .none, isQuiet: true)
    let few = Self.run(.fail).flatMap { quiet.lines(for: $0) }
    #expect(few.contains("  BLOCKED   2 not judged, because PR-01 fails (PR-04, PR-05)"))
    #expect(!few.contains { $0.hasPrefix("BLOCKED") })
  }

  @Test("JUnit and TAP mark them as skipped, with the cause")
  func others() {
    let junit = JUnitReport.text(of: report, redaction: .none)
    #expect(junit.contains("<skipped message=\"not judged: PR-01 fails: list answers 400\"/>"))
    #expect(junit.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"3\""))
    let tap = TAPReport.text(of: report, redaction: .none)
    #expect(tap.contains("ok 2 - PR-04 uses-a-procedure # SKIP not judged: PR-01 fails: list answers 400"))
  }

  @Test("Markdown has their number for each cause and folds them")
  func markdown() {
    let text = MarkdownReport.text(of: report, redaction: .none)
    #expect(text.contains("2 cases not judged, because PR-01 fails: PR-04, PR-05."))
    #expect(text.contains("<summary>Blocked: not judged, because another case fails (3)</summary>"))
  }

  @Test("the JSON report keeps the cause")
  func json() throws {
    let text = JSONReport.text(of: report, redaction: .none)
    #expect(text.contains("\"blockedBy\": \"PR-01\"") || text.contains("\"blockedBy\":\"PR-01\""))
    let read = try RunReport(json: JSONNode.parse(Array(text.utf8)))
    #expect(read.outcomes.map(\.blockedBy) == [nil, "PR-01", "DISC-16", "PR-01"])
  }

  @Test("a case that failed and is blocked now is changed, not fixed")
  func difference() {
    var before = Self.run(.fail)
    before[6] = .caseEnded(
      CaseOutcome(Fixture.description("PR-04", "uses-a-procedure", area: "pairings"), .fail, message: "x"))
    let difference = ReportDifference(from: RunReport(before), to: report)
    #expect(difference.fixed.isEmpty && difference.changed.map(\.id) == ["PR-04"])
  }
}
