import HAPModel
import HAPWire

/// Holds an attribute database, as JSON that an accessory sent, against the rules of HAP, and says what iOS is reported to do about it.
///
/// The JSON is a stranger's: nothing in it traps, and it takes time in proportion to its length.
package struct DatabaseLint: Sendable {
  let text: [UInt8]
  let reading: DatabaseReading
  let database: SeenDatabase?

  /// Reads strictly first; what can be mended is mended, so that the rest can be judged too.
  /// - Parameter body: the answer to `GET /accessories`, or its list of accessories alone, as recordings have it.
  package init(_ body: [UInt8]) {
    text = body
    reading = DatabaseReading(body)
    database = reading.root.map(SeenDatabase.init)
  }

  /// A database with more accessories, services and characteristics than this together is not judged: a bridge has some thousands.
  static let mostThings = 300_000

  /// Every rule, by number.
  package static let rules: [LintRule] = LintRule.all

  /// The rule of a case ("ADB-08") or with a name ("information-lengths").
  package static func rule(_ name: String) -> LintRule? { rules.first { $0.id == name || $0.name == name } }

  /// The most findings that are told.
  package static let mostFindings = 1000
  /// The most findings of one kind.
  package static let mostOfAKind = 100

  /// - Parameter rules: case ids or names of rules; nil for all. Names that no rule has select nothing.
  /// - Returns: in the order of the text; what is more than `mostFindings`, or more than `mostOfAKind`, is counted in a remark.
  package func findings(rules: Set<String>? = nil, facts: LintFacts = LintFacts()) -> [LintFinding] {
    var run = LintRun(self, rules: rules, facts: facts)
    return run.findings()
  }
}
