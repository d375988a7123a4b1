import HAPAlmanac
import HAPHome
import HAPModel

/// The state of a trigger that survives a restart of the hub. The time of its last execution and its state after
/// `executesOnce` are in the model (`lastFire`, `isEnabled`), and are stored in the same transaction.
public struct TriggerState: Hashable, Sendable {
  /// An execution, or the end of one, that was recorded and whose end is not.
  public struct Started: Hashable, Sendable {
    /// The time of the event. For a timer, a calendar event or a sun event: the time for which it was planned.
    public let time: Instant
    /// Whether it is the end of the effect (rule E14).
    public let isEnd: Bool

    /// Creates an execution.
    public init(time: Instant, isEnd: Bool) { (self.time, self.isEnd) = (time, isEnd) }
  }

  /// An effect that end events will end (rule E14).
  public struct Running: Hashable, Sendable {
    /// The values to restore, ascending by characteristic.
    public var values: [RestorableValue]
    /// The time at which it ends by a duration; nil: the trigger has no duration.
    public var end: Instant?

    /// Creates an effect.
    public init(values: [RestorableValue], end: Instant?) { (self.values, self.end) = (values, end) }
  }

  /// The trigger.
  public let trigger: HomeObjectID
  /// Planned occurrences up to this time are settled: executed, evaluated as not to be executed, or missed. Nil: the
  /// trigger was never enabled.
  public internal(set) var settled: Instant?
  /// Executions that were recorded and whose ends are not, in the order of their start.
  public internal(set) var started: [Started] = []
  /// The effect that will end; nil if there is none.
  public internal(set) var running: Running?

  /// Creates the state of a trigger that never executed anything.
  public init(_ trigger: HomeObjectID) { self.trigger = trigger }
}

/// A value that a trigger overwrote.
public struct RestorableValue: Hashable, Sendable {
  /// The characteristic.
  public let characteristic: HomeObjectID
  /// The value before the trigger executed its sets; nil: it could not be read.
  public let before: Value?
  /// The value that the sets wrote.
  public let written: Value

  /// Creates a value.
  public init(_ characteristic: HomeObjectID, before: Value?, written: Value) {
    (self.characteristic, self.before, self.written) = (characteristic, before, written)
  }
}

/// The place of a user, as far as the hub knows it. It survives a restart.
public struct PersonState: Hashable, Sendable {
  /// A place.
  public enum Place: Hashable, Sendable {
    /// At home, without a position.
    case home
    /// Not at home, without a position. Users start here (rule E8).
    case away
    /// A position; `EnginePolicy.homeRadius` decides whether it is at home.
    case position(Coordinate)
  }

  /// The user.
  public let user: HomeObjectID
  /// The place.
  public let place: Place

  /// Creates a state.
  public init(_ user: HomeObjectID, _ place: Place) { (self.user, self.place) = (user, place) }
}
