import HAPCommandLine

/// Options that several commands have.
package enum CommonOptions {
  package static let state = Option<String>(
    "state", "DIR",
    "the folder with identities, pairings and values (default: $XDG_STATE_HOME/hapsim, else ~/.local/state/hapsim)"
  )
  package static let defects = Option<String>(
    "defects", "FILE", repeated: true, "a file with custom defects; may be given several times",
    read: { (text: String) throws(UsageError) in text })
  package static let json = Flag("json", "write JSON, for programs")
}

/// Returns the default state folder; nil if no variable defines it.
package func defaultStateFolder(_ environment: (String) -> String?) -> String? {
  defaultStateFolder(of: "hapsim", environment)
}

/// Returns the state folder of a command.
package func stateFolder(_ arguments: Arguments, _ console: Console) throws(UsageError) -> String {
  try stateFolder(of: "hapsim", given: try arguments.value(CommonOptions.state), console)
}
