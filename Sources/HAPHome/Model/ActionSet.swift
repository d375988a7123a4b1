import HAPAlmanac
import HAPModel

/// An action set: writes that are sent at once. Apps call it a scene.
public struct ActionSet: Hashable, Sendable {
  /// The type of an action set. HMActionSet's types.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Good morning.
    case wakeUp = "wake-up"
    /// Good night.
    case sleep
    /// A person leaves the home.
    case homeDeparture = "home-departure"
    /// A person comes home.
    case homeArrival = "home-arrival"
    /// Created by a person.
    case userDefined = "user-defined"
    /// Part of one trigger. It is neither listed, executed by a person, nor renamed (rule S4).
    case triggerOwned = "trigger-owned"

    /// Whether each home has one set of this type from the start (rule S1).
    public var isBuiltIn: Bool { self != .userDefined && self != .triggerOwned }
  }

  /// The persistent identifier.
  public let id: HomeObjectID
  /// The name.
  public internal(set) var name: HomeName
  /// The type.
  public let kind: Kind
  /// The actions, at most one for each characteristic (rule S3), in the order in which they were added.
  public internal(set) var actions: [HomeAction] = []
  /// The end of the last execution; nil: never executed.
  public internal(set) var lastExecution: Instant?
}

/// An action: one write. Its characteristic identifies it within its set.
public struct HomeAction: Hashable, Sendable {
  /// The characteristic.
  public let characteristic: HomeObjectID
  /// The value, canonical for the characteristic's format.
  public let value: Value

  /// Creates an action.
  public init(_ characteristic: HomeObjectID, _ value: Value) {
    (self.characteristic, self.value) = (characteristic, value)
  }
}
