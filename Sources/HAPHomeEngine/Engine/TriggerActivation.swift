import HAPHome

/// Whether a trigger can be executed (rule E17). HMEventTriggerActivationState.
public enum TriggerActivation: String, CaseIterable, Hashable, Sendable {
  /// A person disabled the trigger, or never enabled it.
  case disabled
  /// The home has no hub. A timer does not need one.
  case disabledNoHomeHub
  /// An event or the condition needs the location of the home, which has none.
  case disabledNoLocationServicesAuthorization
  /// The trigger is executed after its events.
  case enabled
}
