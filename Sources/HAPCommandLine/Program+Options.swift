extension Program {
  private static let versionFlag = Flag("version", letter: "V", "show the version")
  private static let manual = Flag("man", "print the manual page, in the format of man")
  private static let completions = Option<CompletionShell>(
    oneOf: "completions", "print the completions for a shell")

  /// The options of the program. Each is the first word of the line. A group of commands has only `--help`.
  package var options: [OptionDefinition] {
    var help = Command.help.definition
    help.summary = "show this help; \(name) COMMAND --help shows a command's"
    guard version != nil else { return [help] }
    return [help, Self.versionFlag.definition, Self.manual.definition, Self.completions.definition]
  }

  /// Prints the version, the manual page or completions.
  /// - Returns: nil if the first word is none of these options. Other words after it are wrong usage.
  func answer(_ words: [String], _ version: String, _ console: Console) -> ExitCode? {
    let first = String(words[0].prefix { $0 != "=" })
    let choices = [Self.versionFlag.definition, Self.manual.definition, Self.completions.definition]
    guard let option = choices.first(where: { $0.writtenNames.contains(first) }) else { return nil }
    do throws(UsageError) {
      let arguments = try Arguments(parsing: words, options: [option])
      if let extra = arguments.operands.first { throw UsageError("unexpected argument \(shown(extra))") }
      if arguments[Self.manual] {
        console.show(manualPage(version, date: dateOfSources(console)))
      } else if let shell = try arguments.value(Self.completions) {
        console.show(completions(for: shell, version))
      } else {
        console.print("\(name) \(versionText(version))")
      }
      return .well
    } catch {
      console.complain("\(name): \(error.message)")
      console.complain("Try '\(name) --help'.")
      return error.code
    }
  }
}

/// Returns the date of the variable SOURCE_DATE_EPOCH (reproducible-builds.org), such as "2026-11-21"; nil if it is not
/// set.
private func dateOfSources(_ console: Console) -> String? {
  console.environment("SOURCE_DATE_EPOCH").flatMap { Int64($0) }.map {
    String(WallClock.stamp(.seconds($0)).prefix(10))
  }
}
