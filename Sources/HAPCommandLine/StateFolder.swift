/// The folder in which a program keeps its state when none is named: `$XDG_STATE_HOME/hapsim`, else `~/.local/state/hapsim`. A relative
/// `$XDG_STATE_HOME` doesn't count (XDG Base Directory Specification). Nil when neither variable says.
package func defaultStateFolder(of program: String, _ environment: (String) -> String?) -> String? {
  if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/\(program)" }
  if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.local/state/\(program)" }
  return nil
}

/// The folder that is named, else the default one.
package func stateFolder(of program: String, given: String?, _ console: Console) throws(UsageError) -> String {
  if let path = given ?? defaultStateFolder(of: program, console.environment) { return path }
  throw UsageError("there is no default state folder, since neither XDG_STATE_HOME nor HOME is set; give --state DIR")
}
