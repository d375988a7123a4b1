/// What became of a case.
package enum Verdict: String, CaseIterable, Equatable, Sendable {
  /// It is as required.
  case pass
  /// It isn't quite as required, but others do the same and controllers live with it.
  case nonStrict = "non-strict"
  /// Nothing is required here; what was seen is recorded.
  case info
  /// It isn't as required.
  case fail
  /// The tester, a suite or a hook failed: says nothing about the accessory.
  case error
  /// It failed in a procedure that it only uses, and the case that judges this procedure fails as well.
  case blocked
  /// It didn't run, for a reason that is told.
  case skip
  /// It failed as the baseline says it does.
  case xfail
  /// The baseline says it fails, and it didn't.
  case xpass
  /// Repeated, it didn't end the same way each time.
  case flaky

  /// "NON-STRICT", as reports show it.
  package var label: String { rawValue.uppercased() }
}

/// How much a requirement weighs.
package enum RequirementLevel: String, CaseIterable, Equatable, Sendable {
  /// An accessory that doesn't keep it is wrong.
  case must
  /// It had better keep it.
  case should
  /// There is nothing to keep; what is seen is recorded.
  case info
}
