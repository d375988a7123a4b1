import HAPCommandLine

/// One command below `hapctl home`. Words, help, completion and the reference page come from the list of all of them.
package struct HomeVerb: Sendable {
  /// The words that select it, such as ["room", "add"].
  package let words: [String]
  /// The summary, without a capital or a period.
  package let summary: String
  package let operands: [HomeOperand]
  package let options: [HomeOption]
  /// Paragraphs of help.
  package let discussion: [String]
  package let examples: [(line: String, meaning: String)]
  /// What `--json` prints, as a sentence for the reference page.
  package let json: String
  let need: HomePlace.Need
  /// Returns the words in the form that is parsed.
  let rewrite: @Sendable ([String]) -> [String]
  let run: @Sendable (HomeSession, Arguments) async throws -> ExitCode

  /// - Parameter words: separated by spaces.
  init(
    _ words: String, _ summary: String, _ operands: [HomeOperand] = [], options: [HomeOption] = [],
    discussion: [String] = [], examples: [(line: String, meaning: String)], json: String,
    need: HomePlace.Need = .homes, rewrite: @escaping @Sendable ([String]) -> [String] = { $0 },
    run: @escaping @Sendable (HomeSession, Arguments) async throws -> ExitCode
  ) {
    self.words = words.split(separator: " ").map(String.init)
    (self.summary, self.operands, self.options) = (summary, operands, options)
    (self.discussion, self.examples, self.json, self.need) = (discussion, examples, json, need)
    (self.rewrite, self.run) = (rewrite, run)
  }

  package var name: String { words.joined(separator: " ") }

  /// The operands as usage lines show them: "ZONE ROOM…".
  package var usage: String { operands.map(\.usage).joined(separator: " ") }

  /// The permitted number of operands.
  var count: ClosedRange<Int> {
    operands.reduce(0...0) { $0.lowerBound + $1.count.lowerBound...min($0.upperBound + $1.count.upperBound, 10_000) }
  }
}

/// An operand of a command.
package struct HomeOperand: Sendable {
  /// What it refers to, for completion.
  package enum Kind: Sendable {
    case home, room, zone, group, accessory, service, scene, trigger, user
    /// Any object with a name.
    case object
    /// The path of one characteristic, or of several in a place.
    case path
    /// The value of the path before it.
    case value
    /// One of some words.
    case words([String])
    case file
    /// A text without candidates.
    case text
  }

  package let kind: Kind
  package let label: String
  /// How many words it takes.
  package let count: ClosedRange<Int>

  init(_ kind: Kind, _ label: String, _ count: ClosedRange<Int> = 1...1) {
    (self.kind, self.label, self.count) = (kind, label, count)
  }

  static func optional(_ kind: Kind, _ label: String) -> HomeOperand { HomeOperand(kind, label, 0...1) }
  static func several(_ kind: Kind, _ label: String) -> HomeOperand { HomeOperand(kind, label, 1...1000) }
  static func any(_ kind: Kind, _ label: String) -> HomeOperand { HomeOperand(kind, label, 0...1000) }

  var usage: String {
    let text = count.upperBound > 1 && !label.hasSuffix("…") ? "\(label)…" : label
    return count.lowerBound == 0 ? "[\(text)]" : text
  }
}

/// An option of a command, with what its value refers to.
package struct HomeOption: Sendable {
  package let definition: OptionDefinition
  /// Nil for a flag.
  package let kind: HomeOperand.Kind?

  init(_ flag: Flag) { (definition, kind) = (flag.definition, nil) }

  init<Value>(_ option: Option<Value>, _ kind: HomeOperand.Kind = .text) {
    (definition, self.kind) = (option.definition, kind)
  }
}

/// The options that every command has.
enum HomeOptions {
  static let home = Option<String>("home", "NAME", "the home: its name or identifier (default: the primary home)")
  static let folder = Option<String>(
    "folder", "DIR", "the folder of the hub (default: $XDG_STATE_HOME/hapctl/home, else ~/.local/state/hapctl/home)")
  static let json = Flag("json", "write JSON, for programs")

  static let all = [HomeOption(home, .home), HomeOption(folder, .file), HomeOption(json)]
}
