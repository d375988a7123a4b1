import HAPCommandLine
import HAPHost
import HAPLoop
import HAPObservation
import HAPPreparation
import HAPReport
import HapsimInputs

/// The judging of the controllers of a run, from its start to its report. Belongs to the loop's thread while the run lasts.
package final class JudgedRun {
  private let judgement: Judgement
  private let patience: Duration
  private var observation: ControllerObservation?
  private var found: [RunEvent] = []

  package init(_ judging: JudgeOptions, of accessories: [PreparedAccessory], _ options: RunOptions) {
    judgement = Judgement(judging, of: accessories, options)
    patience = judging.patience
  }

  /// Begins to observe.
  /// - Parameter lines: gets each broken rule at once; nil: only the report has them.
  package func begin(on loop: EventLoop, reportingTo lines: LineOutput?, json: Bool, _ terminal: Terminal) {
    let observation = ControllerObservation(patience: patience, on: loop)
    self.observation = observation
    guard let lines else { return }
    observation.onBreach = { [judgement] in judgement.tell($0, $1, json: json, lines, terminal) }
  }

  /// The accessories of a simulation are observed.
  package func observe(in setting: inout Simulation.Setting) { setting.observation = observation }

  /// Keeps what was found. Called before the accessories end, because their end is not their controllers' fault.
  package func conclude() { found = observation?.events(judgement.header) ?? [] }

  /// Any number of times.
  package func close() { observation?.close() }

  /// Writes the reports and prints the conclusion. Called after the run.
  /// - Parameters:
  ///   - hasPassed: false: the scenario failed.
  ///   - json: whether standard output is JSON lines.
  package func report(hasPassed: Bool, json: Bool, _ lines: LineOutput, _ console: Console) -> ExitCode {
    judgement.tell(found, hasPassed: hasPassed, json: json, lines, console)
  }
}
