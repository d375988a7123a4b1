import HAPCommandLine
import HAPStore

/// Options that several commands have.
enum CommonOptions {
  static let state = Option<String>(
    "state", "DIR",
    "the folder that keeps identities, pairings and values (default: $XDG_STATE_HOME/hapsim, else ~/.local/state/hapsim)"
  )
  static let defects = Option<String>(
    "defects", "FILE", repeated: true, "a file of defects of your own; may be given several times",
    read: { (text: String) throws(UsageError) in text })
  static let json = Flag("json", "write JSON, for programs")
}

/// The state folder of someone who names none. Nil when no variable says.
func defaultStateFolder(_ environment: (String) -> String?) -> String? {
  defaultStateFolder(of: "hapsim", environment)
}

/// The folder that a command is to look into.
func stateFolder(_ arguments: Arguments, _ console: Console) throws(UsageError) -> String {
  try stateFolder(of: "hapsim", given: try arguments.value(CommonOptions.state), console)
}

extension Console {
  /// Why it could not be done, in one line.
  func complain(_ error: StoreError) { complain("hapsim: \(error)") }
}
