import HAPModel
import HAPSuite

/// Options of a run.
package struct TestOptions: Sendable {
  package var levels: Set<CaseLevel> = Set(CaseLevel.allCases)
  /// Whether to run cases that take minutes.
  package var isLong = false
  /// Whether to run only the cases of the shortest useful run; see `ShortRun`.
  package var isShort = false
  /// Whether the run may remove pairings of other controllers and leave the accessory in need of a factory reset.
  package var allowsReset = false
  package var repetitions = 1
  /// Number of the first repetition, from 0. It selects the random seed when a case is replayed.
  package var firstTurn = 0
  /// The part of the plan to run.
  package var shard = Shard.whole
  package var seed: UInt64 = 0
  /// Number of wrong setup codes that may be entered. Accessories accept about a hundred in their lifetime.
  package var wrongCodeLimit = 12
  /// Number of cases that may run in parallel.
  package var lanes = 2
  /// Time limit of a case.
  package var caseLimit: Duration = .seconds(180)
  /// Time limit of a long case.
  package var longCaseLimit: Duration = .seconds(2 * 3600)
  /// Whether an unknown claim makes a case an error; set when a claims file is used.
  package var hasClaimsFile = false

  package init() {}
}
