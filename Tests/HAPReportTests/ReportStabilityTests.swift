import HAPWire
import Testing

@testable import HAPReport

@Suite("The stability of several runs")
struct ReportStabilityTests {
  private func run(_ ends: [(String, Verdict, String)]) -> RunReport {
    RunReport(
      Fixture.events(
        of: ends.map { CaseOutcome(Fixture.description($0.0, "case-\($0.0.lowercased())"), $0.1, message: $0.2) }))
  }

  @Test("runs whose cases end alike are stable, whatever their messages")
  func stable() {
    let stability = ReportStability([
      run([("A-1", .pass, ""), ("A-2", .fail, "41 ms")]), run([("A-1", .pass, "x"), ("A-2", .fail, "42 ms")]),
    ])
    #expect(stability.isStable && stability.cases == 2)
    #expect(stability.text(redaction: .none) == "0 of 2 verdicts differ between 2 runs.\n")
  }

  @Test("each case that differs has its result in each run and the message of each other result")
  func differing() throws {
    let stability = ReportStability([
      run([("A-1", .pass, ""), ("A-2", .fail, "no answer 031-45-154")]),
      run([("A-1", .pass, ""), ("A-2", .pass, "")]),
      run([("A-1", .pass, ""), ("A-2", .fail, "other"), ("A-3", .pass, "")]),
    ])
    #expect(stability.rows.map(\.id) == ["A-2", "A-3"])
    #expect(stability.rows.map(\.results) == [["fail", "pass", "fail"], ["", "", "pass"]])
    #expect(
      stability.text(redaction: Fixture.redaction) == """
        2 of 3 verdicts differ between 3 runs.
          A-2 case-a-2: FAIL PASS FAIL
              fail: no answer [redacted]
          A-3 case-a-3: - - PASS

        """)
    let json = try JSONNode.parse(Array(stability.json(redaction: Fixture.redaction).utf8))
    #expect(json["differing"]?.elements?.count == 2 && json["runs"]?.integerValue == 3)
    #expect(!stability.json(redaction: Fixture.redaction).contains("031-45-154"))
  }
}
