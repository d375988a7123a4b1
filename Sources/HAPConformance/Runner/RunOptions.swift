import HAPModel
import HAPSuite

/// What a run may do, and how.
package struct RunOptions: Sendable {
  package var levels: Set<CaseLevel> = Set(CaseLevel.allCases)
  /// Whether cases run that take minutes.
  package var isLong = false
  /// Whether only the cases run that the shortest useful run needs: see `ShortRun`.
  package var isShort = false
  /// Whether pairings that aren't the tester's may be removed, and the accessory be left to be reset.
  package var allowsReset = false
  package var repetitions = 1
  /// Counted from 0: a case that is replayed has the chance of the turn that it had then.
  package var firstTurn = 0
  /// The part of the plan that is run.
  package var shard = Shard.whole
  package var seed: UInt64 = 0
  /// Wrong setup codes that may be entered: accessories take about a hundred in their life.
  package var wrongCodeLimit = 12
  /// Cases that may run side by side.
  package var lanes = 2
  /// How long a case may take before it is given up.
  package var caseLimit: Duration = .seconds(180)
  /// The same for a long one.
  package var longCaseLimit: Duration = .seconds(2 * 3600)
  /// Whether a case whose claim is unknown is an error: so it is with a claims file.
  package var hasClaimsFile = false

  package init() {}
}
