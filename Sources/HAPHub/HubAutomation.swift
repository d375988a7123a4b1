import HAPHome
import HAPHomeEngine
import HAPHubLink

/// What the hub keeps for its engine.
struct HubAutomation {
  /// Actions that are not performed yet.
  var actions: [EngineAction] = []
  var isPerforming = false
  /// Whether inputs that waited are being passed.
  var isReleasing = false
  /// Whether records of the engine may follow before a command begins.
  var isBusy: Bool { isPerforming || isReleasing }
  /// The events for apps about the inputs that are being passed; nil: apps get events at once.
  var held: [() -> Void]?
  /// Inputs that wait until a command is stored.
  var waiting: [() -> [EngineAction]] = []
  /// The characteristics with values that are lost because too many inputs waited.
  var lostValues: Set<HomeObjectID> = []
  /// The characteristics to which the engine subscribed.
  var subscribed: Set<HomeObjectID> = []
  /// Called when a place is stored; with the reason if it is not.
  var places: [EngineTicket: (String?) -> Void] = [:]
  /// Triggers that were fired by hand, in the order of the requests.
  var fires: [HomeObjectID: [HubFire]] = [:]
}

/// A trigger that was fired by hand, until its writes have ended.
struct HubFire {
  /// The number of its evaluation; nil: it is not evaluated yet.
  var number: Int?
  let done: (Result<EvaluationReport, HomeError>) -> Void
}

extension Evaluation {
  var isByHand: Bool { if case .hand = cause { true } else { false } }

  /// Whether a later evaluation with this number follows.
  var isOpen: Bool {
    switch outcome {
    case .executing, .ending: true
    default: false
    }
  }
}
