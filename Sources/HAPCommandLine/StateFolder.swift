/// Returns the default state folder of a program: `$XDG_STATE_HOME/hapsim`, else `~/.local/state/hapsim`. A relative
/// `$XDG_STATE_HOME` is ignored (XDG Base Directory Specification). nil if neither variable is set.
package func defaultStateFolder(of program: String, _ environment: (String) -> String?) -> String? {
  if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/\(program)" }
  if let home = environment("HOME"), home.hasPrefix("/") { return "\(home)/.local/state/\(program)" }
  return nil
}

/// Returns the given folder, or the default one.
package func stateFolder(of program: String, given: String?, _ console: Console) throws(UsageError) -> String {
  if let path = given ?? defaultStateFolder(of: program, console.environment) { return path }
  throw UsageError("there is no default state folder, since neither XDG_STATE_HOME nor HOME is set; give --state DIR")
}

/// Returns the folder of a hub of homes: the given one, or `home` in hapctl's state folder.
package func hubFolder(given: String?, _ environment: (String) -> String?) throws(UsageError) -> String {
  if let folder = given ?? defaultStateFolder(of: "hapctl", environment).map({ $0 + "/home" }) { return folder }
  throw UsageError("there is no default folder, since neither XDG_STATE_HOME nor HOME is set; give --folder DIR")
}
