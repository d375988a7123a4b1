import HAPHome

/// The result of an execution: one outcome for each action.
public struct SceneResult: Hashable, Sendable {
  /// How an action ended.
  public enum Outcome: Hashable, Sendable {
    /// The accessory confirmed the write.
    case done
    /// The accessory refused the write; nil: an HTTP error without a HAP status.
    case refused(status: Int?, HomeError)
    /// The write was not sent: a check failed, or there was no connection within 2 s.
    case notSent(HomeError)
    /// The write was sent, and the accessory may have executed it: there was no valid answer within 10 s.
    case unknown(HomeError)

    /// The reason; nil for an action that is done.
    public var error: HomeError? {
      switch self {
      case .done: nil
      case .refused(_, let error), .notSent(let error), .unknown(let error): error
      }
    }
  }

  /// An action and its outcome.
  public struct Action: Hashable, Sendable {
    /// The action set; nil for a write without a set.
    public let actionSet: HomeObjectID?
    /// The characteristic, and the value that was sent or was to be sent.
    public let action: HomeAction
    /// How it ended.
    public let outcome: Outcome
  }

  /// An action set that was not executed while others of the same request were.
  public struct SkippedSet: Hashable, Sendable {
    /// The action set.
    public let actionSet: HomeObjectID
    /// The reason.
    public let error: HomeError
  }

  /// The actions in the order of the request.
  public let actions: [Action]
  /// The sets that were not executed.
  public let skipped: [SkippedSet]

  init(actions: [Action], skipped: [SkippedSet]) { (self.actions, self.skipped) = (actions, skipped) }

  /// The number of actions that are done.
  public var doneCount: Int { actions.count { $0.outcome == .done } }

  /// The error for the whole execution: nil if all is done, 64 if a part is done, 63 if nothing is.
  public var error: HomeError? {
    let failures = actions.compactMap(\.outcome.error) + skipped.map(\.error)
    guard let first = failures.first else { return nil }
    let done = doneCount
    let code: HomeError.Code = done == 0 ? .actionSetExecutionFailed : .actionSetExecutionPartialSuccess
    return HomeError(
      code, nil, "\(done) of \(actions.count) actions are done; the first error is: \(first.message)")
  }
}
