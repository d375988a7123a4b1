#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a command writes, and what it may know of the terminal and the environment. Handed in, so that a test can compare.
package struct Console: Sendable {
  private let writeOut: @Sendable (String) -> Void
  private let writeError: @Sendable (String) -> Void
  private let readAnswer: @Sendable () -> String?
  /// What standard output is.
  package var output: Terminal
  /// What standard error is.
  package var errors: Terminal
  /// A variable of the environment.
  package var environment: @Sendable (String) -> String?
  /// Whether text for standard output was lost, which has been reported on standard error.
  package var isOutputIncomplete: @Sendable () -> Bool

  /// - Parameter answer: a line that a person typed; nil where nobody can be asked.
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

  /// This process's own.
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

  /// A line on standard output.
  package func print(_ line: String = "") { writeOut(line + "\n") }

  /// Text on standard output, as it is.
  package func show(_ text: String) { writeOut(text) }

  /// A line on standard error.
  package func complain(_ line: String) { writeError(line + "\n") }

  /// A person's answer to a question asked on standard error; nil where nobody can be asked.
  package func ask(_ question: String) -> String? {
    guard errors.isTerminal else { return nil }
    writeError(question + " ")
    return readAnswer()
  }
}

/// A variable of this process's environment.
@Sendable private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
