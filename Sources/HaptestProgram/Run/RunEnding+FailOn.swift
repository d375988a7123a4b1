import HAPCommandLine
import HAPReport

extension RunEnding {
  var code: ExitCode { ExitCode(rawValue: conclusion.exitStatus) ?? .ownFault }

  /// - Parameter areReportsWritten: whether every requested report was written.
  init(_ report: RunReport, _ failOn: RunRequest.FailOn, areReportsWritten: Bool = true) {
    let conclusion = report.conclusion(failingOn: failOn.verdicts, mustOnly: failOn.isMustAlone)
    var meaning = conclusion.meaning()
    let broken = report.outcomes.count { $0.verdict == .fail || $0.verdict == .flaky }
    if conclusion == .conforms, broken > 0 {
      meaning = "no MUST rule is violated; \(broken) SHOULD \(broken == 1 ? "rule is" : "rules are")"
    }
    let ending = RunEnding(conclusion, reasons: [meaning])
    self = areReportsWritten ? ending : ending.withReportNotWritten
  }
}
