import HAPSuite

/// The cases of a short run: those of the level `must` that need no waiting, with few Pair Setups.
struct ShortRun {
  /// Pair Setups of the cases. The tester pairs once more, for all cases that need a pairing.
  static let pairSetupLimit = 2
  /// The sum of all waits.
  static let waitLimit = Duration.seconds(5)
  /// A case that waits longer is left out, however much of the sum is left.
  static let caseWaitLimit = Duration.milliseconds(500)

  private var pairSetups = 0
  private var waits = Duration.zero

  /// Whether the case belongs to the run. Cases are asked for in order, and each that belongs uses some of the limits.
  mutating func takes(_ definition: CaseDefinition) -> Bool {
    let needs = definition.needs
    // Hooks and resets restart the accessory, and multicast waits for announcements.
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
