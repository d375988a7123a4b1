import HAPCommandLine

/// A file that a command needs can't be read, or has errors. The reasons have already been printed.
package struct BadInput: Error {
  /// The exit status: 3 if a file can't be read, else 1.
  package var code: ExitCode

  package init(code: ExitCode) { self.code = code }
}
