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

  /// - Parameter answer: a line that a person typed; nil where nobody can be asked.
  package init(
    out: @escaping @Sendable (String) -> Void, error: @escaping @Sendable (String) -> Void,
    answer: @escaping @Sendable () -> String? = { nil }, output: Terminal = .none, errors: Terminal = .none,
    environment: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    writeOut = out
    writeError = error
    readAnswer = answer
    self.output = output
    self.errors = errors
    self.environment = environment
  }

  /// This process's own.
  package static let standard = Console(
    out: { write($0, to: STDOUT_FILENO) }, error: { write($0, to: STDERR_FILENO) },
    answer: { isatty(STDIN_FILENO) == 1 ? readLine() : nil },
    output: Terminal(descriptor: STDOUT_FILENO, environment: variable),
    errors: Terminal(descriptor: STDERR_FILENO, environment: variable), environment: variable)

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

/// All of it, whatever `write` takes at a time. Nobody is left to tell when it fails (a closed pipe): it is dropped.
private func write(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)[...]
    while !rest.isEmpty {
      let count = platformWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}

/// The system's, which a function of the same name would hide.
private func platformWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Glibc)
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
  #else
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
  #endif
}
