import HAPCommandLine
import HAPHome

/// The reason why a command fails: what failed, why, and what to do.
package struct HomeFailure: Error, Hashable, Sendable {
  package var code: ExitCode
  /// One line for each error, without a period at the end.
  package var lines: [String]

  package init(_ code: ExitCode, _ message: String) { (self.code, lines) = (code, [message]) }

  /// A failure because of the homes.
  init(_ message: String) { self.init(.problem, message) }

  /// - Parameter lines: at least one.
  init(_ code: ExitCode = .problem, lines: [String]) { (self.code, self.lines) = (code, lines) }

  /// The failure for any error.
  package init(_ error: any Error) {
    switch error {
    case let error as HomeFailure: self = error
    case let error as HomeError:
      self.init(error.code == .noHomeHub ? .cannotRun : .problem, "\(error)")
    case let error as FileError: self.init(.cannotRun, error.message)
    default: self.init(.cannotRun, "\(error)")
    }
  }
}
