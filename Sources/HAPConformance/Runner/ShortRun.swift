import HAPSuite

/// The cases of a short run: cases of the level `must` that need little waiting and few Pair Setups.
struct ShortRun {
  /// The limit on Pair Setups by cases. The tester pairs once more, for all cases that need a pairing.
  static let pairSetupLimit = 2
  /// The limit on the sum of all waits.
  static let waitLimit = Duration.seconds(5)
  /// The limit on the wait of a case, regardless of the remaining sum.
  static let caseWaitLimit = Duration.milliseconds(500)

  private var pairSetups = 0
  private var waits = Duration.zero

  /// Whether the case belongs to the run. Called for the cases in order; each that belongs uses up part of the limits.
  mutating func takes(_ definition: CaseDefinition) -> Bool {
    let needs = definition.needs
    // Exclude hooks and resets, which restart the accessory, and multicast, which waits for announcements.
    guard definition.level == .must, !needs.isLong, !needs.resets, !needs.unpairs, !needs.multicast,
      needs.hooks.isEmpty,
      needs.wrongCodes == 0
    else { return false }
    let cost = CaseCost(definition)
    guard cost.waits <= Self.caseWaitLimit, waits + cost.waits <= Self.waitLimit,
      pairSetups + cost.pairSetups <= Self.pairSetupLimit
    else { return false }
    waits += cost.waits
    pairSetups += cost.pairSetups
    return true
  }
}
