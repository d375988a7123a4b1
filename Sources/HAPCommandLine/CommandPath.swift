/// A program, a group or a command with the words that select it: the form of the tables from which the manual page and
/// the completions are made.
package struct CommandPath: Sendable {
  /// An operand, or the alternatives for it: "import|export".
  package struct Operand: Equatable, Sendable {
    package var label: String
    package var candidates: ValueCandidates
    /// Whether it may be repeated. Only the last operand may.
    package var isRepeated = false
  }

  /// The words, such as ["home", "room", "add"]; empty for the program.
  package let words: [String]
  /// The commands of the program or group; empty for a command with an action.
  package let commands: [Command]
  package let options: [OptionDefinition]
  /// The operands of a command with an action, in order.
  package let operands: [Operand]
  private let known: [String: [String]]
  /// The command that prints candidates where the tables have none.
  private let printer: [String]?

  init(_ program: Program) {
    words = []
    commands = program.commands + [program.helpWord]
    options = program.options
    operands = []
    known = [:]
    printer = nil
  }

  init(_ words: [String], _ command: Command, printer: [String]?) {
    self.words = words
    (commands, options, known) = (command.commands, command.options, command.candidates)
    self.printer = printer
    guard commands.isEmpty, case .some(let label, _) = command.operands else {
      operands = []
      return
    }
    let forms = label.split(separator: " | ").map { $0.split(separator: " ").map(String.init) }
    func find(_ label: String) -> ValueCandidates { Self.candidates(label, command.candidates, printer) ?? .nothing }
    var operands = (0..<(forms.map(\.count).max() ?? 0)).map { position in
      var labels: [String] = []
      for form in forms {
        guard let label = position < form.count ? form[position] : form.last.flatMap({ isRepeated($0) ? $0 : nil })
        else { continue }
        if !labels.contains(ValueCandidates.bare(label)) { labels.append(ValueCandidates.bare(label)) }
      }
      return Operand(
        label: labels.joined(separator: "|"),
        candidates: labels.map(find).reduce(.nothing) { $0.united(with: $1) })
    }
    if let last = operands.indices.last {
      operands[last].isRepeated = forms.contains { $0.last.map(isRepeated) == true }
    }
    self.operands = operands
  }

  /// The words with spaces between them.
  package var name: String { words.joined(separator: " ") }

  /// Returns the candidates for the value of an option; nil for a flag.
  package func candidates(for option: OptionDefinition) -> ValueCandidates? {
    option.placeholder.map { Self.candidates($0, known, printer) ?? .nothing }
  }

  /// The placeholders of which `ValueCandidates` does not know the kind.
  package var unknownPlaceholders: [String] {
    (options.compactMap(\.placeholder) + operands.map(\.label)).filter { ValueCandidates(placeholder: $0) == nil }
  }

  private static func candidates(
    _ placeholder: String, _ known: [String: [String]], _ printer: [String]?
  ) -> ValueCandidates? {
    if let words = known[ValueCandidates.bare(placeholder)] { return .words(words) }
    let candidates = ValueCandidates(placeholder: placeholder)
    return candidates == .nothing ? printer.map { .printed($0) } ?? .nothing : candidates
  }
}

/// Whether an operand of a label may be repeated: "NAME…", "[NAME…]".
private func isRepeated(_ label: String) -> Bool { label.contains("…") }

extension Program {
  /// The program, and all its groups and commands with those of the groups, in the order of help. The word `help` is
  /// the last one.
  package var allPaths: [CommandPath] {
    [CommandPath(self)] + (commands + [helpWord]).flatMap { Self.paths([], $0, printer: nil) }
  }

  /// The word `help`, which the program handles itself, as a command with the names of the others as its operand.
  fileprivate var helpWord: Command {
    var word = Command(
      "help", "show the help of a command", operands: .some(label: "[COMMAND]", count: 0...1),
      candidates: ["COMMAND": commands.map(\.name)]
    ) { (_, _) in .well }
    word.options = []
    return word
  }

  private static func paths(_ above: [String], _ command: Command, printer: [String]?) -> [CommandPath] {
    let words = above + [command.name]
    let printer = command.printer.map { words + [$0] } ?? printer
    return [CommandPath(words, command, printer: printer)]
      + command.commands.flatMap { paths(words, $0, printer: printer) }
  }
}
