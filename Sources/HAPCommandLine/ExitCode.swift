/// How a command ended, as the shell sees it.
package enum ExitCode: Int32, Equatable, Sendable {
  /// It did what was asked.
  case well = 0
  /// It looked, and found something wrong with what it looked at.
  case problem = 1
  /// It was asked wrongly.
  case usage = 2
  /// It could not do it: a file, a port, the state folder.
  case cannotRun = 3
  /// What was asked for doesn't exist, so nothing was done.
  case nothingSelected = 4
  /// It went better than expected, and what is expected wants to be set right.
  case unexpectedPass = 5
  /// The program itself is at fault.
  case ownFault = 6
}
