import HAPCommandLine

/// Options that several commands have.
package enum CommonOptions {
  package static let state = Option<String>(
    "state", "DIR",
    "the folder that keeps identities, pairings and values (default: $XDG_STATE_HOME/hapsim, else ~/.local/state/hapsim)"
  )
  package static let defects = Option<String>(
    "defects", "FILE", repeated: true, "a file of defects of your own; may be given several times",
    read: { (text: String) throws(UsageError) in text })
  package static let json = Flag("json", "write JSON, for programs")
}

/// The state folder of someone who names none. Nil when no variable says.
package func defaultStateFolder(_ environment: (String) -> String?) -> String? {
  defaultStateFolder(of: "hapsim", environment)
}

/// The folder that a command is to look into.
package func stateFolder(_ arguments: Arguments, _ console: Console) throws(UsageError) -> String {
  try stateFolder(of: "hapsim", given: try arguments.value(CommonOptions.state), console)
}
