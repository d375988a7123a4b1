#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The outputs of a command and its view of the terminal and the environment. Commands receive it as a parameter, so
/// tests can capture the output.
package struct Console: Sendable {
  private let writeOut: @Sendable (String) -> Void
  private let writeError: @Sendable (String) -> Void
  private let readAnswer: @Sendable () -> String?
  /// The kind of standard output.
  package var output: Terminal
  /// The kind of standard error.
  package var errors: Terminal
  /// Returns an environment variable's value.
  package var environment: @Sendable (String) -> String?
  /// Whether text for standard output was lost. The loss has been reported on standard error.
  package var isOutputIncomplete: @Sendable () -> Bool

  /// - Parameter answer: reads a line that the user typed; returns nil if input is not interactive.
  package init(
    out: @escaping @Sendable (String) -> Void, error: @escaping @Sendable (String) -> Void,
    answer: @escaping @Sendable () -> String? = { nil }, output: Terminal = .none, errors: Terminal = .none,
    environment: @escaping @Sendable (String) -> String? = { _ in nil },
    isOutputIncomplete: @escaping @Sendable () -> Bool = { false }
  ) {
    writeOut = out
    writeError = error
    readAnswer = answer
    self.output = output
    self.errors = errors
    self.environment = environment
    self.isOutputIncomplete = isOutputIncomplete
  }

  /// The outputs and environment of this process.
  package static let standard = Console(
    out: { standardOutput.write($0) }, error: { writeText($0, to: STDERR_FILENO) },
    answer: { isatty(STDIN_FILENO) == 1 ? readLine() : nil },
    output: Terminal(descriptor: STDOUT_FILENO, environment: variable),
    errors: Terminal(descriptor: STDERR_FILENO, environment: variable), environment: variable,
    isOutputIncomplete: { standardOutput.isIncomplete })

  private static let standardOutput = StandardOutput(STDOUT_FILENO) { reason in
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "error"
    writeText("\(program): standard output can't be written: \(reason)\n", to: STDERR_FILENO)
  }

  /// Prints a line to standard output.
  package func print(_ line: String = "") { writeOut(line + "\n") }

  /// Prints text to standard output without adding a newline.
  package func show(_ text: String) { writeOut(text) }

  /// Prints a line to standard error.
  package func complain(_ line: String) { writeError(line + "\n") }

  /// Asks a question on standard error and returns the user's answer; nil if there is no terminal.
  package func ask(_ question: String) -> String? {
    guard errors.isTerminal else { return nil }
    writeError(question + " ")
    return readAnswer()
  }
}

/// Returns a variable of this process's environment.
@Sendable private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
