/// The conclusion of a run. It determines the exit status.
package enum RunConclusion: String, CaseIterable, Equatable, Sendable {
  case conforms
  case failures
  /// The accessory was lost.
  case lost
  /// A person or the system ended the run.
  case interrupted
  /// No case was selected, or every case was skipped.
  case nothingRan = "nothing-ran"
  case unexpectedPass = "unexpected-pass"
  /// The tester, a suite or a hook failed.
  case ownFault = "own-fault"
  /// The accessory conforms, but a requested report could not be written.
  case reportNotWritten = "report-not-written"

  package var exitStatus: Int32 {
    switch self {
    case .conforms: 0
    case .failures: 1
    case .lost, .interrupted, .reportNotWritten: 3
    case .nothingRan: 4
    case .unexpectedPass: 5
    case .ownFault: 6
    }
  }

  /// Returns the meaning for people, such as "there are failures".
  package func meaning(of program: ReportProgram = .haptest) -> String {
    switch self {
    case .conforms: "the \(program.subject) conforms to the tested requirements"
    case .failures: "there are failures"
    case .lost: "the \(program.subject) was lost"
    case .interrupted: "the run was interrupted"
    case .nothingRan: "nothing ran"
    case .unexpectedPass: "a case passed that the baseline expects to fail"
    case .ownFault: "the \(program == .haptest ? "tester" : "judge") failed"
    case .reportNotWritten: "a report could not be written"
    }
  }
}

extension RunReport {
  /// - Parameters:
  ///   - verdicts: further verdicts that count as failures, in addition to `fail` and `flaky`.
  ///   - mustOnly: whether only failed or flaky cases of the level `must` count.
  package func conclusion(failingOn verdicts: Set<Verdict> = [], mustOnly: Bool = false) -> RunConclusion {
    let tally = tally
    if lost != nil { return .lost }
    if verdicts.contains(where: { tally[$0] > 0 }) || hasFailures(mustOnly: mustOnly) { return .failures }
    if isInterrupted { return .interrupted }
    if tally[.error] > 0 || summary == nil || tally.notRun > 0 { return .ownFault }
    if tally[.xpass] > 0 { return .unexpectedPass }
    return tally.ran == 0 ? .nothingRan : .conforms
  }

  private func hasFailures(mustOnly: Bool) -> Bool {
    outcomes.contains {
      ($0.verdict == .fail || $0.verdict == .flaky) && (!mustOnly || $0.description.level == .must)
    }
  }
}
