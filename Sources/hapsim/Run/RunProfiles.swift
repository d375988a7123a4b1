import HAPCommandLine

/// Serves the profiles until it is told to stop.
/// - Returns: the exit code.
func runProfiles(_ options: RunOptions) -> Int32 {
  Console.standard.complain("hapsim: run is not built yet")
  return ExitCode.cannotRun.rawValue
}
