import HAPModel
import HAPWire

/// Checks an attribute database, as JSON from an accessory, against the rules of HAP, and reports how iOS is known to react.
///
/// The JSON may be hostile. It cannot cause a trap, and it takes time in proportion to its length.
package struct DatabaseLint: Sendable {
  let text: [UInt8]
  let reading: DatabaseReading
  let database: ParsedDatabase?

  /// Reads strictly first. Malformed JSON is repaired where possible, so that the rest can also be checked.
  /// - Parameter body: the answer to `GET /accessories`, or only its list of accessories, as recordings have it.
  package init(_ body: [UInt8]) {
    text = body
    reading = DatabaseReading(body)
    database = reading.root.map(ParsedDatabase.init)
  }

  /// The limit on accessories, services and characteristics together. A larger database is not checked; a bridge has some thousands.
  static let mostThings = 300_000

  /// All rules, by number.
  package static let rules: [LintRule] = LintRule.all

  /// Returns the rule with an id ("ADB-08") or a name ("information-lengths").
  package static func rule(_ name: String) -> LintRule? { rules.first { $0.id == name || $0.name == name } }

  /// The maximum number of findings in a report.
  package static let mostFindings = 1000
  /// The maximum number of findings of one kind.
  package static let mostOfAKind = 100

  /// - Parameter rules: ids or names of rules; `nil`: all. Unknown names select nothing.
  /// - Returns: the findings in the order of the text. Findings beyond `mostFindings` or `mostOfAKind` are counted in a remark.
  package func findings(rules: Set<String>? = nil, facts: LintFacts = LintFacts()) -> [LintFinding] {
    var run = LintRun(self, rules: rules, facts: facts)
    return run.findings()
  }
}
