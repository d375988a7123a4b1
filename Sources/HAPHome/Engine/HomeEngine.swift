import HAPAlmanac
import HAPModel

/// The automations of all homes of a hub. docs/internals/home.md, "The engine".
public struct HomeEngine: Sendable {
  /// Creates an engine that is not started.
  /// - Parameter zoneRules: returns the rules of a zone; nil if the machine does not have the zone.
  public init(policy: EnginePolicy = EnginePolicy(), zoneRules: @escaping @Sendable (ZoneName) -> ZoneRules?) {}

  /// The time of the next `advance` that is required; nil: none.
  public var nextDeadline: Instant? { nil }

  /// Starts the engine with a model and the states that were recorded.
  public mutating func start(
    _ model: HomeModel, states: [TriggerState], persons: [PersonState], at time: Instant
  ) -> [EngineAction] { [] }

  /// Sets the clock. The shell calls it before each other input, and at `nextDeadline`.
  public mutating func advance(to time: Instant) -> [EngineAction] { [] }

  /// Receives the value of a characteristic.
  /// - Parameter isCatchUp: the value was read after a gap: at the start, or after the session was lost.
  public mutating func value(_ value: Value, of id: HomeObjectID, isCatchUp: Bool = false) -> [EngineAction] { [] }

  /// Receives that the values of characteristics are not known any more, because the session was lost.
  public mutating func valuesLost(_ ids: [HomeObjectID]) {}

  /// Receives the place of a user.
  public mutating func person(_ user: HomeObjectID, _ place: PersonState.Place) -> [EngineAction] { [] }

  /// Receives changes of the model that commands made, with the model after them.
  public mutating func changed(_ changes: [HomeChange], _ model: HomeModel) -> [EngineAction] { [] }

  /// Receives the values of a `read`.
  /// - Parameters:
  ///   - values: the values that were read.
  ///   - why: the reason for those that are missing.
  public mutating func readEnded(
    _ ticket: EngineTicket, _ values: [HomeObjectID: Value], why: String? = nil
  ) -> [EngineAction] { [] }

  /// Receives that a `record` is durable.
  /// - Parameter failure: the reason why it could not be stored.
  public mutating func recorded(_ ticket: EngineTicket, failure: String? = nil) -> [EngineAction] { [] }

  /// Receives the results of `execute` or `restore`.
  public mutating func sceneEnded(_ ticket: EngineTicket, _ report: ExecutionReport) -> [EngineAction] { [] }

  /// Receives whether the home has a hub (rule E17).
  public mutating func hubIs(on: Bool) {}

  /// Returns the last evaluations of a trigger, the oldest first; at most `EnginePolicy.keptEvaluations`.
  public func evaluations(of trigger: HomeObjectID) -> [Evaluation] { [] }
}
