/// A program with subcommands. It selects the subcommand, and handles `help` and the options of the program.
package struct Program: Sendable {
  package var name: String
  /// Nil for a group of commands, which has no version of its own.
  package var version: String?
  /// One sentence without a full stop.
  package var summary: String
  package var commands: [Command]
  /// Paragraphs of help below the summary.
  package var discussion: [String] = []
  package var examples: [(line: String, meaning: String)] = []
  /// The values of the exit status and their meanings, for help.
  package var exitCodes: [(term: String, meaning: String)]
  /// Returns the name that the user probably meant.
  package var nearest: @Sendable (_ word: String, _ names: [String]) -> String?

  package init(
    name: String, version: String?, summary: String, commands: [Command],
    exitCodes: [(term: String, meaning: String)] = Self.usualExitCodes,
    nearest: @escaping @Sendable (_ word: String, _ names: [String]) -> String? = { _, _ in nil }
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands
    self.exitCodes = exitCodes
    self.nearest = nearest
  }

  package static let usualExitCodes: [(term: String, meaning: String)] = [
    ("0", "success"), ("1", "a problem was found"), ("2", "wrong usage"), ("3", "could not run"),
  ]

  /// Runs the command that the words select.
  /// - Parameter words: the command line without the program's name.
  /// - Returns: the command's exit status, or `cannotRun` if text for standard output was lost.
  package func run(_ words: some Sequence<String>, console: Console) -> ExitCode {
    let code = perform(words, console)
    return console.isOutputIncomplete() ? .cannotRun : code
  }

  private func perform(_ words: some Sequence<String>, _ console: Console) -> ExitCode {
    let words = Array(words)
    guard let first = words.first else {
      console.complain(helpText(width: console.errors.textWidth))
      return .usage
    }
    switch first {
    case "--help", "-h": return showHelp(of: nil, console)
    case "help": return showHelp(of: words.dropFirst().first, console)
    default: break
    }
    if let version, let code = answer(words, version, console) { return code }
    guard let command = commands.first(where: { $0.name == first }) else { return unknown(first, console) }
    if !command.commands.isEmpty { return group(command).perform(words.dropFirst(), console) }
    let rest = command.rewrite(Array(words.dropFirst()))
    // `--help` has precedence over errors in the other words.
    let asked = rest.prefix { $0 != "--" }
    if asked.contains("--help") || asked.contains("-h") { return showHelp(of: command.name, console) }
    do throws(UsageError) {
      let arguments = try Arguments(parsing: rest, options: command.options, nearest: nearest)
      try command.check(arguments.operands)
      return try command.run(arguments, console)
    } catch {
      console.complain("\(name) \(command.name): \(error.message)")
      if error.code == .usage { console.complain("Try '\(name) \(command.name) --help'.") }
      return error.code
    }
  }

  /// The commands of a group as a program.
  package func group(_ command: Command) -> Program {
    var program = Program(
      name: "\(name) \(command.name)", version: nil, summary: sentence(command.summary), commands: command.commands,
      exitCodes: exitCodes, nearest: nearest)
    program.summary.removeLast()
    (program.discussion, program.examples) = (command.discussion, command.examples)
    return program
  }

  /// The help text, without a newline at the end.
  package func helpText(width: Int) -> String {
    var lines = ["usage: \(name) COMMAND [options]", ""]
    for paragraph in [summary + "."] + discussion { lines += wrapped(paragraph, width: width) + [""] }
    lines += ["commands:"]
    lines += definitionList(commands.map { ($0.name, $0.summary) }, width: width)
    lines += ["", "options:"] + definitionList(options.map { ($0.label, $0.summary) }, width: width)
    if !examples.isEmpty {
      lines += ["", "examples:"]
      for example in examples { lines += ["  \(example.line)"] + wrapped(example.meaning, width: width, indent: 6) }
    }
    lines += ["", "exit status:"]
    lines += definitionList(exitCodes, width: width)
    return lines.joined(separator: "\n")
  }

  private func showHelp(of command: String?, _ console: Console) -> ExitCode {
    guard let command else {
      console.print(helpText(width: console.output.textWidth))
      return .well
    }
    guard let found = commands.first(where: { $0.name == command }) else { return unknown(command, console) }
    if !found.commands.isEmpty { return group(found).showHelp(of: nil, console) }
    console.print(found.helpText(program: name, width: console.output.textWidth))
    return .well
  }

  private func unknown(_ word: String, _ console: Console) -> ExitCode {
    let kind = word.hasPrefix("-") ? "option" : "command"
    if let new = renamedCommands["\(name) \(word)"] {
      console.complain("\(name): the command \(word) is called \(new) now")
      return .usage
    }
    let meant = nearest(word, commands.map(\.name) + options.map { "--\($0.name)" })
    console.complain("\(name): unknown \(kind) \(shown(word))" + (meant.map { "; did you mean \($0)?" } ?? ""))
    console.complain("Try '\(name) --help'.")
    return .usage
  }
}

/// Commands that had another name before.
private let renamedCommands = ["hapsim conduct": "quirks", "haptest replay": "rerun"]
