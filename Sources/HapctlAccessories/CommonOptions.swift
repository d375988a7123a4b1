import HAPCommandLine
import HAPLoop
import HAPStore

/// Options that several commands have.
enum CommonOptions {
  static let state = Option<String>(
    "state", "DIR", "the folder that keeps pairings (default: $XDG_STATE_HOME/hapctl, else ~/.local/state/hapctl)")
  static let json = Flag("json", "write JSON, for programs")
  static let timeout = Option<Int>("timeout", "SEC", in: 1...3600, "seconds to wait for the accessory (default: 10)")

  static let verbose = Flag(
    "verbose", "print tolerated deviations to standard error, with a hex dump around each error")

  static let interface = Option<String>(
    "interface", "IF", repeated: true,
    "search for accessories only on this network interface (default: all of the local network)"
  ) { (name: String) throws(UsageError) in
    do throws(LoopError) { return try NetworkInterface.named(name).name } catch { throw UsageError(error.detail) }
  }

  /// The options of every command that connects to an accessory.
  static let all = [state.definition, timeout.definition, interface.definition, verbose.definition]
}

/// The folder that keeps pairings.
func stateFolder(_ arguments: Arguments, _ console: Console) throws(UsageError) -> String {
  try stateFolder(of: "hapctl", given: try arguments.value(CommonOptions.state), console)
}
