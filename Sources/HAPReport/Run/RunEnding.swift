/// The conclusion of a run with its reasons. Everything that prints or writes a conclusion uses this type, so that all agree with the
/// exit status.
package struct RunEnding: Equatable, Sendable {
  package let conclusion: RunConclusion
  /// The reasons: at least one, the most important first.
  package let reasons: [String]

  package init(_ conclusion: RunConclusion, reasons: [String]) {
    self.conclusion = conclusion
    self.reasons = reasons
  }

  /// The line to print: "Exit 1: there are failures."
  package var line: String { "Exit \(conclusion.exitStatus): \(reasons.joined(separator: ", and "))." }

  /// The ending if a requested report could not be written.
  package var withReportNotWritten: RunEnding {
    let loss = RunConclusion.reportNotWritten
    guard conclusion == .conforms else { return RunEnding(conclusion, reasons: reasons + [loss.meaning()]) }
    return RunEnding(loss, reasons: [loss.meaning()])
  }
}
