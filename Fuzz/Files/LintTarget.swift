import FuzzSupport
import HAPLint
import HAPWire

/// The first byte selects the facts; the rest is the database.
package func fuzzLint(_ bytes: UnsafeRawBufferPointer) {
  guard let kind = bytes.first else { return }
  let body = [UInt8](bytes.dropFirst())
  let facts = LintFacts(
    category: kind & 1 == 0 ? nil : Int(kind >> 2), nullAgain: kind & 2 == 0 ? nil : DatabaseLint.nulls(in: body),
    isReadOverIP: kind & 4 != 0)
  let lint = DatabaseLint(body)
  let findings = lint.findings(facts: facts)
  require(findings == lint.findings(facts: facts), "a second run has other findings")
  require(findings.count <= DatabaseLint.mostFindings + 200, "too many findings")
  let isJSON = (try? JSONNode.parse(body)) != nil
  require(isJSON || findings.contains { $0.caseID == "ADB-02" }, "malformed JSON passed")
  for finding in findings {
    require(DatabaseLint.rules.contains { $0.id == finding.caseID }, "a finding has an unknown rule")
    require(!isJSON || finding.place != nil || finding.summary.hasSuffix("more of this kind"), "a finding has no place")
    if let place = finding.place { require(place.line >= 1 && place.column >= 1, "a place is invalid") }
  }
  // A rule has the same findings alone and among others.
  if let finding = findings.first, findings.count < DatabaseLint.mostFindings {
    let alone = lint.findings(rules: [finding.caseID], facts: facts)
    require(alone == findings.filter { $0.caseID == finding.caseID }, "a rule depends on the selection of other rules")
  }
  require((try? JSONNode.parse([UInt8](LintText.json(findings).utf8))) != nil, "the written text is not JSON")
  let report = LintText.report(findings)
  require(!report.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "a control character is printed")
  require(DatabaseLint.structuralDifferences(between: body, and: body).count <= 1, "the database differs from itself")
  require(DatabaseLint.reusedIDs(old: body, new: body).isEmpty, "the database reuses its own ids")
}
