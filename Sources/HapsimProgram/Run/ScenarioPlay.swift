import HAPCommandLine
import HAPCommands
import HAPHost
import HAPScenario
import HAPWire

/// A scenario of this process. Its notes and its result are reported, and its result is the exit status.
///
/// Belongs to the loop's thread until the loop has ended.
final class ScenarioPlay {
  private let loaded: LoadedScenario
  private let lines: LineOutput
  private let json: Bool
  private let isQuiet: Bool
  private let console: Console
  private let stopped: StopRequest
  private var run: ScenarioRun?
  var name: String { loaded.scenario.name.isEmpty ? loaded.file : loaded.scenario.name }
  /// The exit status; nil while the scenario runs.
  private(set) var exitCode: ExitCode?
  /// Whether to stop the process at the end of the scenario, even if the scenario requests to keep serving.
  var stopsAtEnd = false

  init(
    _ loaded: LoadedScenario, _ lines: LineOutput, json: Bool, isQuiet: Bool, _ console: Console,
    _ stopped: StopRequest
  ) {
    self.loaded = loaded
    self.lines = lines
    self.json = json
    self.isQuiet = isQuiet
    self.console = console
    self.stopped = stopped
  }

  func begin(on simulation: Simulation, _ dispatcher: CommandDispatcher, _ events: EventListeners, seed: UInt64) {
    let run = ScenarioRun(loaded.scenario, on: simulation, dispatcher, seed: seed)
    self.run = run
    run.onNote = { [unowned self] in note($0, $1) }
    run.onEnd = { [unowned self] in end($0, $1) }
    events.add { [weak run] in run?.hear($0) }
    run.start()
  }

  /// Closes the scenario. A scenario that is not finished when the process is stopped has not failed.
  func close() { run?.close() }

  private func note(_ text: String, _ time: Duration) {
    if json {
      let line = JSONWriter.text { json in
        json.object { json in
          json.key("event")
          json.string("note")
          json.key("text")
          json.string(text)
          json.key("now")
          json.seconds(time)
        }
      }
      lines.write(line, isDroppable: false)
    } else if !isQuiet {
      lines.write(console.output.styled("\(time.clockText)  \(text)", .bold), isDroppable: false)
    }
  }

  private func end(_ outcome: ScenarioRun.Outcome, _ time: Duration) {
    var failure: ScenarioFailure?
    if case .failed(let reason) = outcome { failure = reason }
    if json {
      lines.write(line(failure, time), isDroppable: false)
    } else if failure == nil, !isQuiet {
      lines.write(
        console.output.styled("scenario passed: \(name), after \(time.clockText)", .green), isDroppable: false)
    }
    if let failure { console.complain(failure.text(file: loaded.file)) }
    exitCode = failure == nil ? .well : .problem
    if failure != nil || loaded.scenario.ending == .stop || stopsAtEnd { stopped.request() }
  }

  private func line(_ failure: ScenarioFailure?, _ time: Duration) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("event")
        json.string("scenario")
        json.key("scenario")
        json.string(loaded.scenario.name)
        json.key("passed")
        json.bool(failure == nil)
        json.key("now")
        json.seconds(time)
        guard let failure else { return }
        json.key("file")
        json.string(loaded.file)
        json.key("line")
        json.integer(failure.place.line)
        json.key("column")
        json.integer(failure.place.column)
        json.key("message")
        json.string(failure.message)
        json.key("log")
        json.array { json in
          for entry in failure.log {
            json.object { json in
              json.key("now")
              json.seconds(entry.time)
              json.key("text")
              json.string(entry.text)
            }
          }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func seconds(_ time: Duration) { double(time / .seconds(1)) }
}
