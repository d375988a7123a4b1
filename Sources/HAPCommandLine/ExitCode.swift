/// The exit status of a command.
package enum ExitCode: Int32, Equatable, Sendable {
  /// The command succeeded.
  case well = 0
  /// The command ran and found a problem.
  case problem = 1
  /// The command line is wrong.
  case usage = 2
  /// The command could not run because of a file, a port or the state folder.
  case cannotRun = 3
  /// The requested item does not exist; the command did nothing.
  case nothingSelected = 4
  /// The result is better than the baseline expects; the baseline needs an update.
  case unexpectedPass = 5
  /// An internal error of the program.
  case ownFault = 6
}
