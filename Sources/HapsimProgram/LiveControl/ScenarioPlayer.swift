import HAPCommands
import HAPControl
import HAPHost
import HAPScenario
import HAPWire

/// A player of scenarios from the control API. It plays one at a time, and none while a scenario from the command line
/// runs.
///
/// Belongs to the loop's thread.
// Safe: it has two users. `LiveControl` belongs to the loop, and creates this player there with a listener that traps
// elsewhere. `ControlAPI` is an actor of the same loop. `read`, which runs on the work pool, is static.
final class ScenarioPlayer: ControlledScenarios, @unchecked Sendable {
  private enum State {
    case none
    case playing(ScenarioRun)
    case passed(after: Duration)
    case failed(ScenarioFailure)
    case stopped
  }

  private let simulation: Simulation
  private let dispatcher: CommandDispatcher
  private let journal: ControlJournal
  private let seed: UInt64
  private var state = State.none
  private var name = ""
  /// The simulated time at the start of the scenario.
  private var start = Duration.zero
  /// The scenario from the command line.
  var first: ScenarioPlay?

  init(_ part: ControlledPart, _ journal: ControlJournal, seed: UInt64) {
    simulation = part.simulation
    dispatcher = part.dispatcher
    self.journal = journal
    self.seed = seed
  }

  var isPlaying: Bool { if case .playing = state { true } else { false } }
  /// Whether the scenario from the command line is still running.
  private var isFirstPlaying: Bool { first.map { $0.exitCode == nil } ?? false }

  func hear(_ event: SimulatorEvent) { if case .playing(let run) = state { run.hear(event) } }

  func close() { if case .playing(let run) = state { run.close() } }

  static func read(_ text: String) throws(ControlProblem) -> Scenario {
    let file = ScenarioFile(Array(text.utf8), file: "scenario", commands: .withoutFiles)
    guard let scenario = file.scenario else {
      throw ControlProblem(
        invalidScenario: file.problems.map { JSONProblem(path: $0.path, place: $0.place, message: $0.message) })
    }
    return scenario
  }

  func begin(_ scenario: Scenario) throws(ControlProblem) {
    guard !isPlaying, !isFirstPlaying else {
      throw ControlProblem(409, "not-possible", "another scenario is running")
    }
    let problems = ScenarioRun.wordProblems(of: scenario, on: simulation, dispatcher)
    guard problems.isEmpty else { throw ControlProblem(invalidScenario: problems) }
    name = scenario.name
    let run = ScenarioRun(scenario, on: simulation, dispatcher, seed: seed)
    run.onNote = { [unowned self] text, time in
      tell([("event", .text("note")), ("text", .text(text)), ("after", .number((time - start) / .seconds(1)))])
    }
    run.onEnd = { [unowned self] in end($0, $1) }
    state = .playing(run)
    start = simulation.clock.now
    tell("playing", "the scenario began")
    run.start()
  }

  private func end(_ outcome: ScenarioRun.Outcome, _ time: Duration) {
    switch outcome {
    case .passed:
      state = .passed(after: time - start)
      tell("passed", "the scenario passed")
    case .failed(let failure):
      state = .failed(failure)
      tell("failed", "the scenario failed: \(failure.message)")
    }
  }

  /// Reports the state of the scenario.
  private func tell(_ state: String, _ text: String) {
    var members: [(name: String, value: JSONNode)] = [
      ("event", .text("scenario")), ("scenario", .text(name)), ("state", .text(state)), ("text", .text(text)),
    ]
    if ["passed", "failed"].contains(state) { members.append(("passed", JSONNode(.bool(state == "passed")))) }
    tell(members)
  }

  func stop() throws(ControlProblem) {
    guard case .playing(let run) = state else {
      throw ControlProblem(
        409, "not-possible",
        isFirstPlaying
          ? "the scenario from the command line can't be stopped here" : "no scenario is running")
    }
    run.close()
    state = .stopped
    tell("stopped", "the scenario was stopped")
  }

  private func tell(_ members: [(name: String, value: JSONNode)]) {
    journal.append(.other(.object(members)), now: simulation.clock.now)
  }

  func write(to json: inout JSONWriter) {
    func member(_ name: String, _ text: String) {
      json.key(name)
      json.string(text)
    }
    if case .none = state, let first {
      member("state", first.exitCode == nil ? "playing" : first.exitCode == .well ? "passed" : "failed")
      return member("name", first.name)
    }
    switch state {
    case .none: return member("state", "none")
    case .playing: member("state", "playing")
    case .passed(let time):
      member("state", "passed")
      json.key("after")
      json.double(time / .seconds(1))
    case .stopped: member("state", "stopped")
    case .failed(let failure):
      member("state", "failed")
      member("message", failure.message)
      json.key("line")
      json.integer(failure.place.line)
      json.key("column")
      json.integer(failure.place.column)
      json.key("after")
      json.double(failure.time / .seconds(1))
      json.key("log")
      json.array { json in
        for entry in failure.log {
          json.object { json in
            json.key("now")
            json.double(entry.time / .seconds(1))
            json.key("text")
            json.string(entry.text)
          }
        }
      }
    }
    member("name", name)
  }
}

extension ControlProblem {
  /// Creates a problem from all errors of a scenario: the first one, with the others attached.
  fileprivate init(invalidScenario found: [JSONProblem]) {
    let problems = found.map { found in
      var problem = ControlProblem(422, "invalid-scenario", found.message)
      problem.path = found.path
      problem.place = found.place
      return problem
    }
    self = problems.first ?? ControlProblem(422, "invalid-scenario", "it is not a scenario")
    others = Array(problems.dropFirst())
  }
}
