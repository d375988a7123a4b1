import HAPLoop

/// A program on a simulated host, for its main function: arguments, input, output and loops. Belongs to the world's
/// thread.
// Safe: the constants are set in `init`. Only the program and `SimulatedChild` set and call the closures. The world's
// agenda runs both (`process.post`), on the world's thread.
package final class ProgramRun: @unchecked Sendable {
  package let world: SimulatedWorld
  package let process: SimulatedProcess
  /// The arguments, without the program's name.
  package let arguments: [String]
  /// The complete environment of the program.
  package let environment: [String: String]
  /// Called with each line of its input, without the line's end.
  package var onLine: (([UInt8]) -> Void)?
  /// Called once, after the last line.
  package var onInputEnd: (() -> Void)?
  /// Called when it is asked to end.
  package var onTerminate: (() -> Void)?
  private let onOutput: (ChildProcess.Event) -> Void

  init(
    _ world: SimulatedWorld, _ process: SimulatedProcess, _ arguments: [String], _ environment: [String: String],
    onOutput: @escaping (ChildProcess.Event) -> Void
  ) {
    self.world = world
    self.process = process
    self.arguments = arguments
    self.environment = environment
    self.onOutput = onOutput
    process.whenDead { [self] in died() }
  }

  /// Makes a loop that runs in this process. It is not started.
  package func makeLoop(_ name: String) -> EventLoop { world.makeUnstartedLoop(name, of: process) }

  /// Runs `action` after the current turn of each loop.
  package func later(_ action: @escaping @Sendable () -> Void) { process.post(action) }

  /// Writes a line. `line` has no line end.
  package func write(_ line: String, to stream: ChildProcess.Stream = .output) {
    if process.isAlive { onOutput(.line(stream, Array(line.utf8))) }
  }

  /// Ends the process. Its loops must have ended.
  package func exit(_ code: Int32) { process.exit(code) }

  private func died() {
    onLine = nil
    onInputEnd = nil
    onTerminate = nil
    onOutput(.ended(process.exitStatus.map { .code(Int($0)) } ?? .signal(9)))
  }
}

/// A program that another process of its host started.
final class SimulatedChild: LaunchedProcess {
  private let parent: SimulatedLoopDriver
  private let run: ProgramRun
  private let lineLimit: Int
  let output: Output
  /// Lines that the program has not read; nil: the end of the input.
  private var input = Fifo<String?>()
  private var isInputOpen = true
  private var isReading = false

  /// The events for the parent, in order. The program and the parent share this object.
  final class Output {
    var events = Fifo<ChildProcess.Event>()
    var onEvent: ((ChildProcess.Event) -> Void)?
    var isDelivering = false
    var hasEnded = false

    /// Releases the events of the program, which refer to the parent's objects.
    func close() {
      onEvent = nil
      events = Fifo()
    }
  }

  init(
    _ parent: SimulatedLoopDriver, _ process: SimulatedProcess, _ world: SimulatedWorld, _ arguments: [String],
    _ launch: ChildProcess.Launch, onEvent: @escaping (ChildProcess.Event) -> Void
  ) {
    self.parent = parent
    lineLimit = launch.lineLimit
    let output = Output()
    output.onEvent = onEvent
    self.output = output
    run = ProgramRun(world, process, arguments, launch.environment) { [parent, lineLimit] event in
      if case .ended = event { output.hasEnded = true }
      if case .line(let stream, let bytes) = event, bytes.count > lineLimit {
        output.events.append(.tooLong(stream, limit: lineLimit))
      } else {
        output.events.append(event)
      }
      Self.deliver(output, to: parent)
    }
  }

  /// Runs the program's main function.
  func start(_ main: @escaping (ProgramRun) -> Void) { run.process.post { [run] in main(run) } }

  private static func deliver(_ output: Output, to parent: SimulatedLoopDriver) {
    guard !output.isDelivering else { return }
    output.isDelivering = true
    parent.later {
      output.isDelivering = false
      parent.turn {
        while let event = output.events.popFirst() { output.onEvent?(event) }
        if output.hasEnded {
          output.close()
          parent.remove(output)
        }
      }
    }
  }

  // MARK: LaunchedProcess

  var processID: Int32 { run.process.pid }
  var isRunning: Bool { !output.hasEnded }

  func write(line: String) -> Bool {
    guard isInputOpen, isRunning else { return false }
    feed(line)
    return true
  }

  func closeInput() {
    guard isInputOpen else { return }
    isInputOpen = false
    feed(nil)
  }

  private func feed(_ line: String?) {
    input.append(line)
    guard !isReading else { return }
    isReading = true
    run.process.post { [self] in
      isReading = false
      while let line = input.popFirst() {
        if let line { run.onLine?(Array(line.utf8)) } else { run.onInputEnd?() }
      }
    }
  }

  func terminate(grace: Duration) {
    guard isRunning else { return }
    run.process.post { [run] in run.onTerminate?() }
    parent.world.agenda.schedule(after: grace.clampedNanoseconds) { [run] in run.process.kill() }
  }

  func close() {
    output.close()
    closeInput()
  }
}

/// Returns the words of a command, split as by the shell: blanks separate words, unless they are quoted or escaped.
///
/// - Returns: nil for a quote that isn't closed.
package func shellWords(_ command: String) -> [String]? {
  var words: [String] = []
  var word: String?
  var quote: Character?
  var isEscaped = false
  for character in command {
    if isEscaped {
      word = (word ?? "") + String(character)
      isEscaped = false
    } else if character == "\\", quote != "'" {
      isEscaped = true
    } else if let open = quote {
      if character == open { quote = nil } else { word = (word ?? "") + String(character) }
    } else if character == "'" || character == "\"" {
      quote = character
      word = word ?? ""
    } else if character.isWhitespace {
      if let done = word { words.append(done) }
      word = nil
    } else {
      word = (word ?? "") + String(character)
    }
  }
  guard quote == nil, !isEscaped else { return nil }
  return words + [word].compactMap { $0 }
}
