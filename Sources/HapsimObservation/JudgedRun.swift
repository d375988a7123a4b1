import HAPCommandLine
import HAPHost
import HAPLoop
import HAPObservation
import HAPPreparation
import HAPReport
import HapsimInputs

/// The conformance check of the controllers of a run, from its start to its report. Belongs to the loop's thread
/// during the run.
package final class JudgedRun {
  private let judgement: TrialConclusion
  private let patience: Duration
  private var observation: ControllerObservation?
  private var found: [RunEvent] = []

  package init(_ judging: JudgeOptions, of accessories: [PreparedAccessory], _ options: RunOptions) {
    judgement = TrialConclusion(judging, of: accessories, options)
    patience = judging.patience
  }

  /// Starts to observe.
  /// - Parameter lines: receives each violated rule at once; nil: violations are only in the report.
  package func begin(on loop: EventLoop, reportingTo lines: LineOutput?, json: Bool, _ terminal: Terminal) {
    let observation = ControllerObservation(patience: patience, on: loop)
    self.observation = observation
    guard let lines else { return }
    observation.onBreach = { [judgement] in judgement.tell($0, $1, json: json, lines, terminal) }
  }

  /// Sets the observation of a simulation's accessories.
  package func observe(in setting: inout Simulation.Setting) { setting.observation = observation }

  /// Stores the findings. Called before the accessories end, because controllers are not responsible for this end.
  package func conclude() { found = observation?.events(judgement.header) ?? [] }

  /// Ends the observation. Can be called any number of times.
  package func close() { observation?.close() }

  /// Writes the reports and prints the conclusion. Called after the run.
  /// - Parameters:
  ///   - hasPassed: false: the scenario failed.
  ///   - json: whether standard output is JSON lines.
  package func report(hasPassed: Bool, json: Bool, _ lines: LineOutput, _ console: Console) -> ExitCode {
    judgement.tell(found, hasPassed: hasPassed, json: json, lines, console)
  }
}
