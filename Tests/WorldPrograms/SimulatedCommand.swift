import HAPCommandLine
import HAPLoop
import HAPWorld

extension ProgramRun {
  /// The console of the program: complete lines go to the parent process.
  func makeConsole() -> Console {
    let output = TextLines { self.write($0) }
    let errors = TextLines { self.write($0, to: .error) }
    return Console(out: { output.take($0) }, error: { errors.take($0) }, environment: { self.environment[$0] })
  }

  /// Runs a command of a program whose commands use `CommandPlace`. The process ends with the command.
  func perform(_ program: Program) {
    let state = CommandState()
    // Unless the command catches the signal, SIGTERM ends the process.
    onTerminate = { self.process.kill() }
    let place = CommandPlace(
      run: { name, body in
        let loop = self.makeLoop(name)
        loop.start()
        state.hasBegun = true
        loop.startTask {
          let code = await body(loop)
          self.later { self.exit(code.rawValue) }
        }
        return .well
      },
      whenAskedToEnd: { loop, action in self.onTerminate = { loop.schedule(action) } })
    let code = CommandPlace.$current.withValue(place) { program.run(arguments, console: makeConsole()) }
    if !state.hasBegun { exit(code.rawValue) }
  }
}

private final class CommandState: @unchecked Sendable {  // confined to the world's thread
  /// Whether the command runs on a loop, which then determines the exit status.
  var hasBegun = false
}

/// Splits text that arrives in pieces into lines.
private final class TextLines: @unchecked Sendable {  // confined to the world's thread
  private var rest = ""
  private let write: (String) -> Void

  init(_ write: @escaping (String) -> Void) { self.write = write }

  func take(_ text: String) {
    var lines = (rest + text).split(separator: "\n", omittingEmptySubsequences: false)
    rest = String(lines.removeLast())
    for line in lines { write(String(line)) }
  }
}
