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
  /// The words that an operand or the value of an option may be, by its placeholder without brackets and "…". They are
  /// for completions in shells.
  package var candidates: [String: [String]]
  /// For a group: the name of its command that prints the words that can follow, for completions in shells.
  package var printer: String?
  /// Returns the words of the command line in the form that is parsed.
  package var rewrite: @Sendable ([String]) -> [String] = { $0 }
  /// The action. A usage error it throws is printed with a pointer to the command's help.
  package var run: @Sendable (Arguments, Console) throws(UsageError) -> ExitCode

  package init(
    _ name: String, _ summary: String, operands: Operands = .none, candidates: [String: [String]] = [:],
    options: [OptionDefinition] = [],
    discussion: [String] = [],
    examples: [(line: String, meaning: String)] = [],
    run: @escaping @Sendable (Arguments, Console) throws(UsageError) -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.candidates = candidates
    self.options = options + [Self.help.definition]
    self.discussion = discussion
    self.examples = examples
    self.run = run
  }

  /// Creates a group of commands, at least one.
  package init(
    _ name: String, _ summary: String, commands: [Command], printer: String? = nil, discussion: [String] = [],
    examples: [(line: String, meaning: String)] = []
  ) {
    precondition(!commands.isEmpty, "a group has a command")
    self.init(
      name, summary, operands: .some(label: "COMMAND…", count: 1...1000), discussion: discussion, examples: examples
    ) { (_, _) throws(UsageError) in throw UsageError("a command is missing") }
    self.commands = commands
    self.printer = printer
  }

  /// The flag that every command has.
  package static let help = Flag("help", letter: "h", "show this help")

  /// The command with its operands: "run PROFILE… [options]".
  var usage: String {
    guard case .some(let label, _) = operands else { return "\(name) [options]" }
    return "\(name) \(label) [options]"
  }

  /// The help text, without a newline at the end.
  package func helpText(program: String, width: Int) -> String {
    var lines = ["usage: \(program) \(usage)", ""]
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
