import HapsimInputs
import HAPCommandLine
import HAPCommands
import HAPHost
import HAPLoop

/// A recording of a run as a scenario. The file is a valid scenario from the start and after each step.
///
/// Belongs to the loop's thread until the loop has ended.
final class ScenarioRecording {
  private let file: AppendedFile
  private let loop: EventLoop
  private let recorder: ScenarioRecorder
  private let complain: (FileError) -> Void
  private var trouble: FileError?

  init(
    _ file: AppendedFile, of simulation: Simulation, _ options: RunOptions, complain: @escaping (FileError) -> Void
  ) {
    self.file = file
    loop = simulation.loop
    self.complain = complain
    recorder = ScenarioRecorder(simulation.clock, expects: options.recordsExpectations)
  }

  func listen(to events: EventListeners, _ dispatcher: inout CommandDispatcher) {
    events.add { self.keep(self.recorder.lines(for: $0)) }
    let bound = LoopBound(here: loop, self)
    dispatcher.onCommand = { command in
      let lines = bound.value.recorder.lines(for: command)
      return { bound.value.keep(lines) }
    }
  }

  private func keep(_ lines: String) {
    guard !lines.isEmpty, trouble == nil else { return }
    do throws(FileError) { try file.append(lines) } catch {
      trouble = error
      complain(error)
    }
  }

  /// Whether the whole recording could be written.
  var isWhole: Bool { trouble == nil }
}
