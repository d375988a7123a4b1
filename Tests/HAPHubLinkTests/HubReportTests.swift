import HAPAlmanac
import HAPModel
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine
@testable import HAPHubLink

@Suite("Reports of evaluations and executions") struct HubReportTests {
  @Test("A report has the outcome, the lines for people, and JSON for programs") func evaluation() throws {
    var homes = RandomHomes(seed: 5)
    let home = homes.model.homes[0]
    _ = try homes.perform(
      .addTrigger(home: home.id, name: "Evening", .event(EventTrigger(events: [.calendar(try DateParts(hour: 18))]))))
    let trigger = homes.model.homes[0].triggers[0].id
    let evaluation = Evaluation(
      trigger: trigger, number: 2, time: Instant(seconds: 0), cause: .start, condition: nil, isLast: false,
      outcome: .conditionFalse)
    let report = EvaluationReport(evaluation, in: homes.model.homes[0], zone: .utc)
    #expect(report.trigger == trigger && report.number == 2 && report.time == Instant(seconds: 0))
    #expect(report.outcome == "condition-false" && report.detail == evaluation.json.compactText)
    let lines = EvaluationText(homes.model.homes[0], zone: .utc).lines(evaluation)
    #expect(report.text == lines.joined(separator: "\n") && lines.count == 2 && lines[0].contains("\"Evening\""))
    let message = HubMessage.event(.evaluated(report))
    #expect(try HubMessage(Array(message.bytes.dropLast())) == message)
  }

  @Test("A result has each action with its outcome, status and error, and the skipped sets") func execution() {
    let id = HomeObjectID("00000000-0000-4000-8000-000000000001")!
    let error = HomeError(.accessoryIsBusy, nil, "busy")
    let outcomes: [(SceneResult.Outcome, ExecutionResult.Outcome, Int?, HomeError?)] = [
      (.done, .done, nil, nil), (.refused(status: -70403, error), .refused, -70403, error),
      (.refused(status: nil, error), .refused, nil, error), (.notSent(error), .notSent, nil, error),
      (.unknown(error), .unknown, nil, error),
    ]
    let scene = SceneResult(
      actions: outcomes.map { SceneResult.Action(actionSet: id, action: HomeAction(id, true), outcome: $0.0) },
      skipped: [SceneResult.SkippedSet(actionSet: id, error: error)])
    let result = ExecutionResult(scene)
    #expect(
      result.actions
        == outcomes.map {
          ExecutionResult.Action(actionSet: id, action: HomeAction(id, true), outcome: $0.1, status: $0.2, error: $0.3)
        })
    #expect(result.skipped == [ExecutionResult.SkippedSet(id, error)])
    #expect(result.error == scene.error && result.error?.code == .actionSetExecutionPartialSuccess)
  }
}
