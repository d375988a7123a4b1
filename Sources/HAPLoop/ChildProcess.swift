/// A command of the shell in a process group of its own, so that it is ended with all that it started.
///
/// A terminal's Ctrl-C doesn't reach it. Belongs to the loop's thread.
package final class ChildProcess {
  package enum Stream: Hashable, Sendable { case output, error }

  package enum Exit: Hashable, Sendable, CustomStringConvertible {
    case code(Int)
    case signal(Int)

    /// For the sentence "it ended …".
    package var description: String {
      switch self {
      case .code(let code): "with status \(code)"
      case .signal(let signal): "by signal \(signal)"
      }
    }
  }

  package enum Event: Equatable, Sendable {
    /// A line without its end.
    case line(Stream, [UInt8])
    /// A line longer than this was skipped.
    case tooLong(Stream, limit: Int)
    /// The shell has ended and, unless something else holds its output open, all that was written has been told. The last event.
    case ended(Exit)
  }

  /// What is started, and how.
  package struct Launch: Sendable {
    /// For `/bin/sh -c`.
    package var command: String
    /// Variables added to those of this process, or replacing them.
    package var environment: [String: String]
    /// The most bytes in a line of its output.
    package var lineLimit: Int
  }

  package let command: String
  private let process: any LaunchedProcess

  /// Starts `/bin/sh -c command`.
  /// - Parameters:
  ///   - environment: variables set besides those of this process, or in place of them.
  ///   - limit: bytes in a line of its output.
  ///   - onEvent: called on the loop.
  package init(
    _ loop: EventLoop, command: String, environment: [String: String] = [:], limit: Int = 65_536,
    onEvent: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.command = command
    process = try loop.driver.launch(
      Launch(command: command, environment: environment, lineLimit: limit), on: loop, onEvent: onEvent)
  }

  /// The shell's, and its group's.
  package var processID: Int32 { process.processID }
  package var isRunning: Bool { process.isRunning }

  /// Writes a line, whose end is added.
  /// - Returns: false when its input is closed, or it doesn't read what it was given before.
  @discardableResult
  package func write(line: String) -> Bool { process.write(line: line) }

  /// Tells it that nothing more will come.
  package func closeInput() { process.closeInput() }

  /// Asks everything in the group to end, and ends what hasn't after `grace`. The end is told as ever, when all of the group is gone.
  /// Does nothing when the shell has ended by itself.
  package func terminate(grace: Duration = .seconds(5)) { process.terminate(grace: grace) }

  /// Tells nothing any more. The process goes on, unless it was to end: then it does now.
  package func close() { process.close() }
}
