import HAPCommandLine
import HAPReport

/// How `haptest run` ends: its exit status, and the line that says why. Made when all reports are written, so that the
/// two agree.
struct RunEnding: Equatable {
  var conclusion: RunConclusion
  var meaning: String
  var code: ExitCode { ExitCode(rawValue: conclusion.exitStatus) ?? .ownFault }

  /// "Exit 1: there are failures."
  var line: String { "Exit \(code.rawValue): \(meaning)." }

  /// - Parameter areReportsWritten: whether every report that was asked for is there.
  init(_ report: RunReport, _ failOn: RunRequest.FailOn, areReportsWritten: Bool) {
    conclusion = report.conclusion(failOn)
    meaning = conclusion.meaning()
    let broken = report.outcomes.count { $0.verdict == .fail || $0.verdict == .flaky }
    if conclusion == .conforms, broken > 0 {
      meaning = "no MUST rule is violated; \(broken) SHOULD \(broken == 1 ? "rule is" : "rules are")"
    }
    guard !areReportsWritten else { return }
    let loss = RunConclusion.reportNotWritten
    meaning = conclusion == .conforms ? loss.meaning() : "\(meaning), and \(loss.meaning())"
    if conclusion == .conforms { conclusion = loss }
  }
}

extension RunReport {
  func conclusion(_ failOn: RunRequest.FailOn) -> RunConclusion {
    conclusion(failingOn: failOn.verdicts, mustOnly: failOn.isMustAlone)
  }
}
