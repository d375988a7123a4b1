import HAPAlmanac
import HAPHome
import HAPHomeEngine
import HAPHubLink

extension EvaluationReport {
  /// - Parameter zone: the zone of the times in the text.
  init(_ evaluation: Evaluation, in home: Home, zone: ZoneRules) {
    self.init(
      trigger: evaluation.trigger, number: evaluation.number, time: evaluation.time,
      outcome: evaluation.outcome.name,
      text: EvaluationText(home, zone: zone).lines(evaluation).joined(separator: "\n"),
      detail: evaluation.json.compactText)
  }
}
