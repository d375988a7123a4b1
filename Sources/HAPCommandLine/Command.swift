/// One subcommand of a program: what it takes, its help, and what it does.
package struct Command: Sendable {
  /// What its operands are.
  package enum Operands: Equatable, Sendable {
    case none
    /// Named in help as `label`, "PROFILE…", and counted.
    case some(label: String, count: ClosedRange<Int>)
  }

  package var name: String
  /// For the list of commands: no capital, no full stop.
  package var summary: String
  package var operands: Operands
  package var options: [OptionDefinition]
  /// Paragraphs of help, under the usage line.
  package var discussion: [String]
  /// Command lines worth trying, with what they do.
  package var examples: [(line: String, meaning: String)]
  /// A usage error it throws is told with the way to its help.
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

  /// Every command has it.
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

  /// Whether the number of operands is right.
  func check(_ operands: [String]) throws(UsageError) {
    switch self.operands {
    case .none:
      guard operands.isEmpty else { throw UsageError("\(shown(operands[0])) is one word too many") }
    case .some(let label, let count):
      guard operands.count >= count.lowerBound else { throw UsageError("\(label) is missing") }
      guard operands.count <= count.upperBound else {
        throw UsageError("\(shown(operands[count.upperBound])) is one word too many")
      }
    }
  }
}

/// With a capital and a full stop.
private func sentence(_ phrase: String) -> String { phrase.prefix(1).uppercased() + phrase.dropFirst() + "." }
