/// A shell command that runs in a separate process group. Terminating it also ends all processes that it has started.
///
/// Ctrl-C in a terminal doesn't reach it. Belongs to the loop's thread.
package final class ChildProcess {
  package enum Stream: Hashable, Sendable { case output, error }

  package enum Exit: Hashable, Sendable, CustomStringConvertible {
    case code(Int)
    case signal(Int)

    /// Completes the sentence "it ended …".
    package var description: String {
      switch self {
      case .code(let code): "with status \(code)"
      case .signal(let signal): "by signal \(signal)"
      }
    }
  }

  package enum Event: Equatable, Sendable {
    /// A line without its terminator.
    case line(Stream, [UInt8])
    /// A line longer than `limit` bytes was skipped.
    case tooLong(Stream, limit: Int)
    /// The last event: the shell has ended and all of its output has been reported. Output is lost if another process
    /// keeps the pipe open.
    case ended(Exit)
  }

  /// The parameters of a launch.
  package struct Launch: Sendable {
    /// The argument of `/bin/sh -c`.
    package var command: String
    /// Variables that are added to those of this process, or replace them.
    package var environment: [String: String]
    /// The maximum length of an output line in bytes.
    package var lineLimit: Int
  }

  package let command: String
  private let process: any LaunchedProcess

  /// Starts `/bin/sh -c command`.
  /// - Parameters:
  ///   - environment: variables that are added to those of this process, or replace them.
  ///   - limit: maximum length of an output line in bytes.
  ///   - onEvent: called on the loop.
  package init(
    _ loop: EventLoop, command: String, environment: [String: String] = [:], limit: Int = 65_536,
    onEvent: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.command = command
    process = try loop.driver.launch(
      Launch(command: command, environment: environment, lineLimit: limit), on: loop, onEvent: onEvent)
  }

  /// The process ID of the shell, which is also the ID of its process group.
  package var processID: Int32 { process.processID }
  package var isRunning: Bool { process.isRunning }

  /// Writes a line and its terminator.
  /// - Returns: false if the input is closed, or if the process doesn't read earlier lines.
  @discardableResult
  package func write(line: String) -> Bool { process.write(line: line) }

  /// Closes the standard input of the process.
  package func closeInput() { process.closeInput() }

  /// Sends SIGTERM to the process group, and SIGKILL to what still runs after `grace`. `ended` is reported when the
  /// whole group is gone. Does nothing if the shell has already ended.
  package func terminate(grace: Duration = .seconds(5)) { process.terminate(grace: grace) }

  /// Stops all events. The process continues, unless `terminate` was called: then it is killed now.
  package func close() { process.close() }
}
