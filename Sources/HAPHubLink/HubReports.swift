import HAPAlmanac
import HAPHome
import HAPHomeEngine

extension EvaluationReport {
  /// Creates the report of an evaluation.
  /// - Parameters:
  ///   - home: the home of the trigger.
  ///   - zone: the zone of the times in the text.
  package init(_ evaluation: Evaluation, in home: Home, zone: ZoneRules) {
    self.init(
      trigger: evaluation.trigger, number: evaluation.number, time: evaluation.time, outcome: evaluation.outcome.name,
      text: EvaluationText(home, zone: zone).lines(evaluation).joined(separator: "\n"),
      detail: evaluation.json.compactText)
  }
}

extension ExecutionResult {
  /// Creates the result of an execution by `SceneRun`.
  package init(_ result: SceneResult) {
    self.init(
      actions: result.actions.map(Action.init), skipped: result.skipped.map { SkippedSet($0.actionSet, $0.error) },
      error: result.error)
  }
}

extension ExecutionResult.Action {
  fileprivate init(_ action: SceneResult.Action) {
    let (outcome, status): (ExecutionResult.Outcome, Int?) =
      switch action.outcome {
      case .done: (.done, nil)
      case .refused(let status, _): (.refused, status)
      case .notSent: (.notSent, nil)
      case .unknown: (.unknown, nil)
      }
    self.init(
      actionSet: action.actionSet, action: action.action, outcome: outcome, status: status, error: action.outcome.error)
  }
}
