import HAPHome
import HAPHomeEngine
import HAPModel

/// News from a hub to an attached app.
package enum HubEvent: Hashable, Sendable {
  /// Changes that another app or the hub made. `app`: the name of the app; nil: the hub.
  case changed([HomeChange], app: String?)
  /// Values of characteristics that this app subscribed to. `isCatchUp`: read after a gap, so values between may be
  /// missing.
  case values([CharacteristicReading], isCatchUp: Bool)
  /// An accessory can be reached or not. `why`: the reason if not.
  case reachability(HomeObjectID, isReachable: Bool, why: String?)
  /// A trigger was evaluated.
  case evaluated(EvaluationReport)
  /// Action sets or writes ended, by a person or a trigger. `app`: the name of the app; nil: a trigger.
  case executed(ExecutionResult, sets: [HomeObjectID], trigger: HomeObjectID?, app: String?)
  /// Another app, or the hub, changed the place of a user.
  case person(PersonState)
  /// A new accessory appeared, or its record changed.
  case found(NewAccessory)
  /// A new accessory disappeared, or was paired.
  case gone(DeviceID)
  /// Events were dropped because the app read too slowly. It has to attach again.
  case missed
  /// The hub ends.
  case stopping
}
