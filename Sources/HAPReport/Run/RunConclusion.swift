/// What a run comes to, which is what its exit status says.
package enum RunConclusion: String, CaseIterable, Equatable, Sendable {
  case conforms
  case failures
  /// The accessory went away.
  case lost
  /// A person or the system ended the run.
  case interrupted
  /// There was no case to run, or each one was skipped.
  case nothingRan = "nothing-ran"
  case unexpectedPass = "unexpected-pass"
  /// The tester, a suite or a hook failed.
  case ownFault = "own-fault"

  package var exitStatus: Int32 {
    switch self {
    case .conforms: 0
    case .failures: 1
    case .lost, .interrupted: 3
    case .nothingRan: 4
    case .unexpectedPass: 5
    case .ownFault: 6
    }
  }

  /// "1: there are failures".
  package func meaning(of program: ReportProgram = .haptest) -> String {
    switch self {
    case .conforms: "the \(program.subject) conforms, as far as was asked"
    case .failures: "there are failures"
    case .lost: "the \(program.subject) was lost"
    case .interrupted: "the run was interrupted"
    case .nothingRan: "nothing ran"
    case .unexpectedPass: "a case passed that the baseline expects to fail"
    case .ownFault: "the \(program == .haptest ? "tester" : "judge") could not do its work"
    }
  }
}

extension RunReport {
  /// - Parameter verdicts: what is to count as a failure besides `fail` and `flaky`.
  package func conclusion(failingOn verdicts: Set<Verdict> = []) -> RunConclusion {
    let tally = tally
    if lost != nil { return .lost }
    if verdicts.union([.fail, .flaky]).contains(where: { tally[$0] > 0 }) { return .failures }
    if isInterrupted { return .interrupted }
    if tally[.error] > 0 || summary == nil || tally.notRun > 0 { return .ownFault }
    if tally[.xpass] > 0 { return .unexpectedPass }
    return tally.ran == 0 ? .nothingRan : .conforms
  }
}
