/// An error in the command line: one sentence for users, without a full stop.
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  package var message: String
  package var description: String { message }

  /// The exit status of the process.
  package private(set) var code = ExitCode.usage

  package init(_ message: String) { self.message = message }

  /// The error for an option that names an unreadable file.
  package init(_ error: FileError) {
    message = error.message
    code = .cannotRun
  }

  /// Returns the same error with the option before the message.
  func after(_ prefix: String) -> UsageError {
    var error = self
    error.message = "\(prefix): \(message)"
    return error
  }
}
