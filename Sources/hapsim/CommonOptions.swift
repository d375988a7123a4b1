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

/// The state folder of someone who names none: `$XDG_STATE_HOME/hapsim`, else `~/.local/state/hapsim`. A relative
/// `$XDG_STATE_HOME` doesn't count (XDG Base Directory Specification). Nil when neither variable says.
func defaultStateFolder(_ environment: (String) -> String?) -> String? {
  if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/hapsim" }
  if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/state/hapsim" }
  return nil
}

/// The folder that a command is to look into.
func stateFolder(_ arguments: Arguments, _ console: Console) throws(UsageError) -> String {
  if let given = try arguments.value(CommonOptions.state) { return given }
  guard let path = defaultStateFolder(console.environment) else {
    throw UsageError("there is no default state folder, since neither XDG_STATE_HOME nor HOME is set; give --state DIR")
  }
  return path
}

extension Console {
  /// Why it could not be done, in one line.
  func complain(_ error: StoreError) { complain("hapsim: \(error)") }
}
