import HAPCommandLine

/// A file that a command needs can't be read, or has errors. The reasons are printed already.
struct BadInput: Error {
  /// 3 where a file can't be read, else 1.
  var code: ExitCode
}
