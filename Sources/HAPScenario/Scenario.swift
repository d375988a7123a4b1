import HAPVocabulary
import HAPWire

/// What happens to accessories, in which order, and what has to come of it. See docs/scenarios.md.
package struct Scenario: Sendable {
  /// What follows its last step.
  package enum Ending: String, CaseIterable, Sendable { case stop, serve }

  /// For messages and reports.
  package var name: String
  /// Of the profiles it is about, relative to its file; empty: whatever is served.
  package var profiles: [String] = []
  /// Of its chance; nil: the simulation's.
  package var seed: UInt64?
  /// The longest simulated time that it may take; nil: any.
  package var limit: Duration?
  package var ending = Ending.stop
  package var steps: [ScenarioStep] = []
}

/// One line of a scenario: when something is done, and what.
package struct ScenarioStep: Sendable {
  package enum Start: Sendable {
    /// When the step before it is over.
    case atOnce
    /// So long after the scenario began; at once where that is past.
    case at(Duration)
    /// So long after the step before it was over.
    case after(DurationSpan)
    /// When this is so, or happens; `within` is how long that may take.
    case when(ScenarioCondition, within: Duration?)
  }

  package indirect enum Deed: Sendable {
    case nothing
    case command(ScenarioCommand)
    case note(String)
    /// It fails the scenario when this isn't so, or doesn't happen, in time.
    case expect(ScenarioCondition, within: Duration)
    /// It fails the scenario when this happens, or is so, in that time.
    case never(ScenarioCondition, for: Duration)
    case steps([ScenarioStep], Repetition)
    /// Side by side; over when all are.
    case together([[ScenarioStep]])
    /// One of them, by chance.
    case choose([[ScenarioStep]])
    /// Beside everything that follows, each time that this becomes so, or happens.
    case whenever(ScenarioCondition, [ScenarioStep])
  }

  package struct Repetition: Sendable {
    /// nil: for ever.
    package var times: Int? = 1
    /// From the begin of one round to that of the next; nil: as soon as it is over.
    package var every: DurationSpan?
    /// Of 100, for each round.
    package var chance = 100.0
  }

  package var place: JSONPlace
  package var start = Start.atOnce
  package var deed = Deed.nothing
}

/// A command as a step, and where its words are written.
package struct ScenarioCommand: Sendable {
  package var command: SimulatorCommand
  /// Of these members, where the command has them.
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

/// A duration, or any between two.
package struct DurationSpan: Equatable, Sendable {
  package var least: Duration
  package var most: Duration
}
