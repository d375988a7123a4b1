import HAPAlmanac
import HAPHome
import HAPModel

/// Writes that are executed at once.
public enum SceneRequest: Hashable, Sendable {
  /// Action sets of one home. A set that a trigger owns is executed only for this trigger (rule S4).
  /// `trigger`: the trigger that fired; nil: a person executes the sets.
  case actionSets([HomeObjectID], trigger: HomeObjectID?)
  /// Writes without an action set, such as those of a group, at most one for each characteristic.
  case writes(home: HomeObjectID, [HomeAction])
}

/// The number of an execution. Its end has the same number.
public struct SceneTicket: Hashable, Comparable, Sendable {
  let number: Int

  /// Compares the order of the starts.
  public static func < (left: SceneTicket, right: SceneTicket) -> Bool { left.number < right.number }
}

/// The time of an input. Time limits use `uptime`, so a change of the wall clock neither ends nor delays an execution.
public struct SceneTime: Hashable, Sendable {
  /// The time since any moment, of a clock that is never set.
  public var uptime: Duration
  /// The civil time, for `ActionSet.lastExecution`.
  public var wall: Instant

  /// Creates a time.
  public init(uptime: Duration, wall: Instant) { (self.uptime, self.wall) = (uptime, wall) }
}

/// The state of the one connection to a paired device.
public enum SceneConnection: Hashable, Sendable {
  /// Requests are sent at once.
  case ready
  /// There is no connection, and the session tries to open one.
  case connecting
  /// The session does not try again, for example because the accessory no longer has the pairing.
  case ended
}

/// The surroundings of an execution at its start: the user, and the state of the accessories.
public struct SceneContext {
  /// The user who executes; nil: the owner, or the hub itself for a trigger.
  public var user: HomeObjectID?
  /// Returns the state of the connection to a device. A connection for which `SceneAction.giveUp` was returned is over.
  public var connection: (DeviceID) -> SceneConnection
  /// Returns whether the last answer about an accessory was that its bridge can't reach it.
  public var isUnreachable: (HomeObjectID) -> Bool

  /// Creates a context.
  public init(
    user: HomeObjectID? = nil, connection: @escaping (DeviceID) -> SceneConnection,
    isUnreachable: @escaping (HomeObjectID) -> Bool = { _ in false }
  ) {
    (self.user, self.connection, self.isUnreachable) = (user, connection, isUnreachable)
  }
}

/// Limits that no public source states.
public struct ScenePolicy: Hashable, Sendable {
  /// The time for which a write waits while there is no connection.
  public var connectionLimit: Duration = .seconds(2)
  /// The time for which a PUT waits for its answer.
  public var answerLimit: Duration = .seconds(10)
  /// The greatest number of actions without an outcome, of all executions.
  public var actions = 100_000

  /// Creates the default policy.
  public init() {}
}
