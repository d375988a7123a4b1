/// A shell for which the programs print completions.
package enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}

extension Program {
  /// Returns a script that completes the commands, options and operands of the program in a shell.
  package func completions(for shell: CompletionShell, _ version: String) -> String {
    let head =
      "# Completions of \(name) \(version) for \(shell.rawValue), made by: \(name) --completions \(shell.rawValue)"
    let body =
      switch shell {
      case .bash: bashCompletions
      case .zsh: zshCompletions
      case .fish: fishCompletions
      }
    // zsh reads the first line.
    return (shell == .zsh ? "#compdef \(name)\n" : "") + head + "\n" + body
  }
}

/// Returns a text as one word of bash and zsh: in single quotes, if it has a character with a meaning.
package func shellQuoted(_ text: String) -> String {
  isPlain(text) ? text : "'" + text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
}

/// Whether the text is a word without quotes in each shell.
func isPlain(_ text: String) -> Bool {
  !text.isEmpty
    && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x2D...0x39).contains($0) }
}

/// Returns a text in one line. Shells show descriptions in one line.
func inOneLine(_ text: String) -> String {
  text.unicodeScalars.split { $0.value <= 0x20 || (0x7F...0xA0).contains($0.value) }.map { String($0) }
    .joined(separator: " ")
}

extension OptionDefinition {
  /// The names as they are written: ["-o", "--output"].
  var writtenNames: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
}
