import HAPDefects

/// Something that is wrong on purpose, so that an invariant is seen to fail.
package enum SwarmMutation: String, CaseIterable, Sendable {
  // The world's.
  case diskIgnoresSync = "disk-ignores-sync"
  case valuesLost = "values-lost"
  case stateLost = "state-lost"
  // Of the accessory: defects of Defects/*.yaml, by their id.
  case unsubscribing = "unsubscribing-is-not-done"
  case eventLost = "changes-of-brightness-untold"
  case counter = "event-takes-answers-number"
  case configuration = "configuration-number-constant"

  /// The defect that is installed in each accessory.
  var defect: Defect? { DefectLibrary.builtIn[rawValue] }

  /// The profile that it needs; nil: any.
  var profile: String? { self == .eventLost ? "light-white" : nil }

  /// The invariant that fails.
  package var breaks: SwarmInvariant {
    switch self {
    case .diskIgnoresSync: .pairingsAgree
    case .valuesLost: .writesAreKept
    case .stateLost: .identityIsKept
    case .unsubscribing: .noEventUnsubscribed
    case .eventLost: .noEventLost
    case .counter: .countersAreUnique
    case .configuration: .configurationRises
    }
  }
}
