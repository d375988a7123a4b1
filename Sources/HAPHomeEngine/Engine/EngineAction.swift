import HAPHome
import HAPModel

/// A request of the engine to its shell. The shell performs actions in their order; `tell` and `explain` can come last.
public enum EngineAction: Hashable, Sendable {
  /// Subscribe to these characteristics, and to no others for the engine; ascending. Afterwards the shell passes the
  /// values that it knows of them as catch-up values.
  case subscribe([HomeObjectID])
  /// Read these characteristics, ascending, and answer with `readEnded`. The engine stops waiting after 5 s (rule E5).
  case read([HomeObjectID], ticket: EngineTicket)
  /// Apply the changes to the model at once. Store them and the state in one transaction, after all earlier ones, and
  /// answer with `recorded`. Until then, the engine writes nothing for this state.
  case record(TriggerState, with: [HomeChange], ticket: EngineTicket)
  /// Store the place of a user, in the order of the other records, and answer with `recorded`. Until then, no trigger is
  /// activated by it.
  case recordPerson(PersonState, ticket: EngineTicket)
  /// Execute these action sets together, and answer with `sceneEnded`.
  case execute([HomeObjectID], trigger: HomeObjectID, ticket: EngineTicket)
  /// Write these values at the end of a trigger's effect, and answer with `sceneEnded`.
  case restore([HomeAction], trigger: HomeObjectID, ticket: EngineTicket)
  /// Report a change, which is stored already, to all apps.
  case tell(HomeChange)
  /// Report an evaluation. One with the number of an earlier one of the same trigger replaces it.
  case explain(Evaluation)
}

/// The number of a request of one engine. Its answer has the same number.
public struct EngineTicket: Hashable, Comparable, Sendable {
  let number: Int

  /// Compares the order of the requests.
  public static func < (left: EngineTicket, right: EngineTicket) -> Bool { left.number < right.number }
}

/// The results of the writes of one `execute` or `restore`.
public struct ExecutionReport: Hashable, Sendable {
  /// A write that was refused, was not sent, or got no answer.
  public struct Failure: Hashable, Sendable {
    /// The characteristic; or the action set, if it was not executed as a whole.
    public let object: HomeObjectID
    /// The reason, for people.
    public let why: String

    /// Creates a failure.
    public init(_ object: HomeObjectID, why: String) { (self.object, self.why) = (object, why) }
  }

  /// The number of writes that the accessories confirmed.
  public let done: Int
  /// The other writes.
  public let failures: [Failure]

  /// Creates a report.
  public init(done: Int, failures: [Failure] = []) { (self.done, self.failures) = (done, failures) }

  /// Creates the report of an execution by `SceneRun`.
  public init(_ result: SceneResult) {
    let actions = result.actions.compactMap { action in
      action.outcome.error.map { Failure(action.action.characteristic, why: $0.message) }
    }
    self.init(
      done: result.doneCount, failures: actions + result.skipped.map { Failure($0.actionSet, why: $0.error.message) })
  }
}
