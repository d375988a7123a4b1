import HAPCommandLine

/// A file that a command needs can't be read, or has errors. The reasons are printed already.
package struct BadInput: Error {
  /// 3 where a file can't be read, else 1.
  package var code: ExitCode

  package init(code: ExitCode) { self.code = code }
}
