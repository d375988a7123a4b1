import HAPVocabulary
import HAPWire

/// A sequence of steps for accessories, with expected results. See docs/reference/scenarios.md.
package struct Scenario: Sendable {
  /// The action after the last step.
  package enum Ending: String, CaseIterable, Sendable { case stop, serve }

  /// The name, for messages and reports.
  package var name: String
  /// The paths of the profiles, relative to the scenario's file; empty: the served accessories.
  package var profiles: [String] = []
  /// The random seed; nil: that of the simulation.
  package var seed: UInt64?
  /// The maximum simulated time; nil: no limit.
  package var limit: Duration?
  package var ending = Ending.stop
  package var steps: [ScenarioStep] = []
}

/// One step of a scenario: its start and its action.
package struct ScenarioStep: Sendable {
  package enum Start: Sendable {
    /// When the previous step has ended.
    case atOnce
    /// At this time after the scenario's start; immediately if that time has passed.
    case at(Duration)
    /// At this time after the end of the previous step.
    case after(DurationSpan)
    /// When the condition is true or happens; `within` is the time limit.
    case when(ScenarioCondition, within: Duration?)
  }

  package indirect enum Action: Sendable {
    case nothing
    case command(ScenarioCommand)
    case note(String)
    /// Fails the scenario if the condition is not true, or does not happen, in time.
    case expect(ScenarioCondition, within: Duration)
    /// Fails the scenario if the condition is true or happens in that time.
    case never(ScenarioCondition, for: Duration)
    case steps([ScenarioStep], Repetition)
    /// Runs the lists in parallel, and ends when all have ended.
    case together([[ScenarioStep]])
    /// Runs one of the lists, selected at random.
    case choose([[ScenarioStep]])
    /// Runs the steps in parallel to all following steps, each time the condition becomes true or happens.
    case whenever(ScenarioCondition, [ScenarioStep])
  }

  package struct Repetition: Sendable {
    /// The number of rounds; nil: without end.
    package var times: Int? = 1
    /// The time between the starts of two rounds; nil: a round starts when the previous one ends.
    package var every: DurationSpan?
    /// The probability of each round, in percent.
    package var chance = 100.0
  }

  package var place: JSONPlace
  package var start = Start.atOnce
  package var action = Action.nothing
}

/// A command as a step, and the places of its names.
package struct ScenarioCommand: Sendable {
  package var command: SimulatorCommand
  /// The places of these members, if the command has them.
  package var accessory: WordPlace?
  package var characteristic: WordPlace?
  package var value: WordPlace?
}

/// The place of a name in a scenario.
package struct WordPlace: Sendable {
  private let place: JSONPlace
  private let path: JSONPath

  init(_ node: JSONNode) {
    place = node.place
    path = node.path
  }

  func problem(_ message: String) -> JSONProblem {
    JSONProblem(path: path.description, place: place, message: message)
  }
}

/// A duration, or a random duration between two limits.
package struct DurationSpan: Equatable, Sendable {
  package var least: Duration
  package var most: Duration
}
