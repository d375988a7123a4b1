import HAPReport
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("A baseline draft from a run") struct BaselineDraftTests {
  private func outcome(
    _ id: String, _ verdict: Verdict, _ message: String, repetitions: [Verdict] = [], expected: String? = nil
  ) -> CaseOutcome {
    CaseOutcome(
      CaseDescription(id: id, name: "", area: "a", level: .must, requirement: "", section: ""), verdict,
      message: message, repetitions: repetitions, expected: expected)
  }

  private func draft(_ outcomes: [CaseOutcome]) -> BaselineDraft {
    BaselineDraft(of: RunReport(outcomes.map { RunEvent.caseEnded($0) }))
  }

  @Test("Each failed case gets an entry whose reason is still empty; other cases get none") func entries() {
    let made = draft([
      outcome("A-1", .fail, "status is 500, not 200"), outcome("A-2", .pass, ""), outcome("A-3", .skip, "no code"),
      outcome("A-4", .flaky, "passed 2 of 3 times: no answer"), outcome("A-5", .error, ""),
      outcome("A-6", .fail, "it is \(Redaction.mark), not 1"), outcome("A-7", .xpass, "", expected: "old"),
      outcome("A-8", .xfail, "no answer", repetitions: [.nonStrict], expected: "#12"),
    ])
    #expect(
      made.entries == [
        .init(id: "A-1", verdict: .fail, message: "status is 500, not 200", reason: ""),
        .init(id: "A-4", verdict: .flaky, message: "*", reason: ""),
        .init(id: "A-5", verdict: .error, message: "*", reason: ""),
        .init(id: "A-6", verdict: .fail, message: "it is *, not 1", reason: ""),
        .init(id: "A-8", verdict: .nonStrict, message: "no answer", reason: "#12"),
      ])
  }

  @Test("A draft file is refused until each reason is written") func file() throws {
    var made = draft([outcome("A-1", .fail, "a \"b\"\n"), outcome("A-2", .fail, "x")])
    let mistakes = #expect(throws: Baseline.Mistakes.self) {
      try Baseline(Array(made.fileText.utf8), ids: ["A-1", "A-2"])
    }
    #expect(mistakes?.problems.map(\.path) == ["entries[0].reason", "entries[1].reason"])
    for index in made.entries.indices { made.entries[index].reason = "known" }
    let baseline = try Baseline(Array(made.fileText.utf8), ids: ["A-1", "A-2"])
    #expect(
      baseline.judge(id: "A-1", verdict: .fail, message: "a \"b\"\n", today: nil) == .expected(reason: "known"))
    #expect(try Baseline(Array(draft([]).fileText.utf8), ids: []).entries.isEmpty)
  }
}
