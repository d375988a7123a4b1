/// One subcommand of a program: its arguments, its help text and its action. Or a group of commands, of which the next
/// argument selects one: `add` below `hapctl home room`.
package struct Command: Sendable {
  /// The operands that a command accepts.
  package enum Operands: Equatable, Sendable {
    case none
    /// Operands with a label for the help text, such as "PROFILE…", and their permitted number.
    case some(label: String, count: ClosedRange<Int>)
  }

  package var name: String
  /// The summary for the list of commands, without a capital or a full stop.
  package var summary: String
  package var operands: Operands
  package var options: [OptionDefinition]
  /// Paragraphs of help below the usage line.
  package var discussion: [String]
  /// Example command lines and their descriptions.
  package var examples: [(line: String, meaning: String)]
  /// The commands of a group; empty for a command with an action.
  package private(set) var commands: [Command] = []
  /// Returns the words of the command line in the form that is parsed.
  package var rewrite: @Sendable ([String]) -> [String] = { $0 }
  /// The action. A usage error it throws is printed with a pointer to the command's help.
  package var run: @Sendable (Arguments, Console) throws(UsageError) -> ExitCode

  package init(
    _ name: String, _ summary: String, operands: Operands = .none, options: [OptionDefinition] = [],
    discussion: [String] = [],
    examples: [(line: String, meaning: String)] = [],
    run: @escaping @Sendable (Arguments, Console) throws(UsageError) -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options + [Self.help.definition]
    self.discussion = discussion
    self.examples = examples
    self.run = run
  }

  /// Creates a group of commands, at least one.
  package init(
    _ name: String, _ summary: String, commands: [Command], discussion: [String] = [],
    examples: [(line: String, meaning: String)] = []
  ) {
    precondition(!commands.isEmpty, "a group has a command")
    self.init(
      name, summary, operands: .some(label: "COMMAND…", count: 1...1000), discussion: discussion, examples: examples
    ) { (_, _) throws(UsageError) in throw UsageError("a command is missing") }
    self.commands = commands
  }

  /// The flag that every command has.
  package static let help = Flag("help", letter: "h", "show this help")

  /// The help text, without a newline at the end.
  package func helpText(program: String, width: Int) -> String {
    var usage = "usage: \(program) \(name)"
    if case .some(let label, _) = operands { usage += " \(label)" }
    var lines = [usage + " [options]", ""]
    for paragraph in [sentence(summary)] + discussion { lines += wrapped(paragraph, width: width) + [""] }
    lines += ["options:"] + definitionList(options.map { ($0.label, $0.summary) }, width: width)
    if !examples.isEmpty {
      lines += ["", "examples:"]
      for example in examples { lines += ["  \(example.line)"] + wrapped(example.meaning, width: width, indent: 6) }
    }
    return lines.joined(separator: "\n")
  }

  /// Checks the number of operands.
  func check(_ operands: [String]) throws(UsageError) {
    switch self.operands {
    case .none:
      guard operands.isEmpty else { throw UsageError("unexpected argument \(shown(operands[0]))") }
    case .some(let label, let count):
      guard operands.count >= count.lowerBound else { throw UsageError("\(label) is missing") }
      guard operands.count <= count.upperBound else {
        throw UsageError("unexpected argument \(shown(operands[count.upperBound]))")
      }
    }
  }
}

/// Returns the phrase with a capital and a full stop.
func sentence(_ phrase: String) -> String { phrase.prefix(1).uppercased() + phrase.dropFirst() + "." }
