/// The command line asks for something that can't be: one sentence for people, without a full stop.
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  package var message: String
  package var description: String { message }

  /// What the process exits with.
  package private(set) var code = ExitCode.usage

  package init(_ message: String) { self.message = message }

  /// An option names a file that can't be read.
  package init(_ error: FileError) {
    message = error.message
    code = .cannotRun
  }

  /// The same error with its option in front of the message.
  func after(_ prefix: String) -> UsageError {
    var error = self
    error.message = "\(prefix): \(message)"
    return error
  }
}
