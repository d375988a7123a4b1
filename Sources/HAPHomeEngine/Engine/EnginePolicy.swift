import HAPHome

/// Limits of the engine that no public source states.
public struct EnginePolicy: Hashable, Sendable {
  /// An occurrence that is late by at most this time is executed; a later one is missed (rule E11).
  public var greatestLateness = Duration.seconds(60)
  /// The time within which a value has to be read (rule E5).
  public var readLimit = Duration.seconds(5)
  /// The number of executions of a trigger within `loopWindow`; with one more, the trigger is disabled (rule E15).
  public var executionsInWindow = 10
  /// The time in which executions are counted.
  public var loopWindow = Duration.seconds(1)
  /// The number of executions of a trigger that may be unfinished. Another one is refused.
  public var unfinishedExecutions = 16
  /// The number of events of a trigger that wait while an earlier one is evaluated or recorded. Another one is refused.
  public var waitingEvents = 8
  /// The time after which the end of an effect that could not be recorded is tried again.
  public var endRetry = Duration.seconds(60)
  /// The number of evaluations of a trigger that are kept.
  public var keptEvaluations = 20
  /// If the clock goes back by at most this time, occurrences are not repeated (rule E12). After a greater step the
  /// clock counts as wrong before, and the occurrences of the new time are executed.
  public var greatestSetBack = Duration.seconds(48 * 3600)
  /// The distance from the home's location, in metres, within which a person is at home.
  public var homeRadius = 100.0

  /// Creates the default policy.
  public init() {}
}
