import HAPCommandLine
import HAPConformance
import HAPLint
import HAPReport
import HAPSuite
import HAPTransport
import HAPWire

extension Command {
  private static let asJSON = Flag("json", "write JSON")
  private static let rules = Option(
    "rules", "RULE", repeated: true, "check only these rules, by id or name (default: all)")
  private static let category = Option<Int>(
    "category", "N", in: 0...65_535, "the category that the accessory advertises (ci)")

  static let lint = Command(
    "lint", "check an attribute database against the rules, and show how iOS is known to react",
    operands: .some(label: "FILE|TARGET", count: 1...1),
    options: [
      asJSON.definition, rules.definition, category.definition, RunRequest.code.definition,
      RunRequest.codeFile.definition,
      RunRequest.interface.definition,
    ],
    discussion: [
      "A file holds the accessory's answer to GET /accessories; - is standard input. A target (HOST:PORT, or a name on the network) must be unpaired, and needs --code: haptest pairs with it, reads the database and removes the pairing.",
      "Every finding is tagged \"iOS rejects\", \"iOS tolerates\" (working devices have it) or \"iOS: unknown\". Only violations of MUST and SHOULD rules are failures.",
    ],
    examples: [
      ("haptest lint accessories.json", "find out why iOS calls an accessory out of compliance"),
      ("haptest lint 192.0.2.7:51826 --code 031-45-154", "check an accessory on the network"),
    ]
  ) { (arguments, console) throws(UsageError) in
    try haptest("lint", console) {
      let chosen = try arguments.all(rules)
      for name in chosen where DatabaseLint.rule(name) == nil {
        let names = DatabaseLint.rules.flatMap { [$0.id, $0.name] }
        let meant = nearestName(to: name, in: names).map { "; did you mean \($0)?" } ?? ""
        throw Refusal(.nothingSelected, "there is no rule \(shown(name))\(meant)")
      }
      var facts = LintFacts(category: try arguments.value(category))
      let bytes = try database(arguments, console, &facts)
      let findings = DatabaseLint(bytes).findings(rules: chosen.isEmpty ? nil : Set(chosen), facts: facts)
      if arguments[asJSON] {
        console.print(LintText.json(findings))
      } else {
        console.print(LintText.report(findings))
      }
      return LintText.isFailure(findings) ? .problem : .well
    }
  }

  /// Reads the database from a file, or from an accessory.
  private static func database(_ arguments: Arguments, _ console: Console, _ facts: inout LintFacts) throws -> [UInt8] {
    let place = arguments.operands[0]
    if place == "-" { return try readFile("/dev/stdin", limit: 64 << 20) }
    if fileExists(place) { return try readFile(place, limit: 64 << 20) }
    let target = try TargetText.read(place)
    if case .name = target, place.contains("/") || place.hasSuffix(".json") {
      throw Refusal(.cannotRun, "\(place) does not exist")
    }
    guard let code = try RunRequest.setupCode(arguments) else {
      throw UsageError("there is no file \(shown(place)); for an accessory, --code is required")
    }
    let interfaces = try arguments.all(RunRequest.interface)
    let visit = DatabaseVisit(target: target, code: code, interfaces: interfaces)
    do {
      let read = try onLoop(console) { try await visit.read(on: $0, random: $0.random) }
      facts.category = facts.category ?? read.category
      facts.isReadOverIP = true
      facts.nullAgain = DatabaseLint.nulls(in: read.again)
      return read.bytes
    } catch let failure as ConformanceSession.Failure { throw Refusal(.cannotRun, failure.message) }
  }
}
