/// The result of a case.
package enum Verdict: String, CaseIterable, Equatable, Sendable {
  /// The behaviour is as required.
  case pass
  /// The behaviour differs slightly from the requirement, but other stacks do the same and controllers accept it.
  case nonStrict = "non-strict"
  /// The case has no requirement; its observation is recorded.
  case info
  /// The behaviour is not as required.
  case fail
  /// The tester, a suite or a hook failed. The accessory was not judged.
  case error
  /// The case failed in a procedure that it only uses, and the case that judges this procedure fails as well.
  case blocked
  /// The case did not run, for a reported reason.
  case skip
  /// The case failed, as the baseline expects.
  case xfail
  /// The case passed, but the baseline expects a failure.
  case xpass
  /// The repetitions of the case had different results.
  case flaky

  /// The label in reports, such as "NON-STRICT".
  package var label: String { rawValue.uppercased() }
}

/// The weight of a requirement.
package enum RequirementLevel: String, CaseIterable, Equatable, Sendable {
  /// A violation makes the accessory non-conforming.
  case must
  /// The requirement is a recommendation.
  case should
  /// There is no requirement; the observation is recorded.
  case info
}
