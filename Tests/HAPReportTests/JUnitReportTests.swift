import Foundation
import HAPReport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The schema of Jenkins' xUnit plugin (junit-10), and stricter where readers differ: properties come first, a case has
/// one result, output comes last.
struct JUnitReportTests {
  private struct Rule {
    var required: Set<String> = []
    var optional: Set<String> = []
    /// Children in order, with the maximum number of each.
    var children: [(names: Set<String>, most: Int)] = []
    var hasText = false
  }

  private static let rules: [String: Rule] = [
    "testsuites": Rule(required: ["name", "tests", "failures", "errors", "time"], children: [(["testsuite"], .max)]),
    "testsuite": Rule(
      required: ["name", "tests", "failures", "errors", "skipped", "time"], optional: ["timestamp"],
      children: [(["properties"], 1), (["testcase"], .max)]),
    "properties": Rule(children: [(["property"], .max)]),
    "property": Rule(required: ["name", "value"]),
    "testcase": Rule(
      required: ["classname", "name", "time"],
      children: [(["failure", "error", "skipped"], 1), (["system-out"], 1)]),
    "failure": Rule(required: ["message", "type"], hasText: true),
    "error": Rule(required: ["message", "type"], hasText: true),
    "skipped": Rule(required: ["message"]),
    "system-out": Rule(hasText: true),
  ]

  private func check(_ element: XMLElement) throws {
    let name = try #require(element.name)
    let rule = try #require(Self.rules[name], "unknown element \(name)")
    let attributes = Set((element.attributes ?? []).compactMap(\.name))
    #expect(attributes.isSuperset(of: rule.required) && attributes.isSubset(of: rule.required.union(rule.optional)))
    for number in ["tests", "failures", "errors", "skipped"] {
      if let text = element.attribute(forName: number)?.stringValue { #expect(Int(text) != nil) }
    }
    if let time = element.attribute(forName: "time")?.stringValue {
      #expect(time.wholeMatch(of: /[0-9]+\.[0-9]{3}/) != nil)
    }
    if let stamp = element.attribute(forName: "timestamp")?.stringValue {
      #expect(stamp.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}/) != nil)
    }
    let children = (element.children ?? []).compactMap { $0 as? XMLElement }
    var left = children[...]
    for (names, most) in rule.children {
      let those = left.prefix { names.contains($0.name ?? "") }
      #expect(those.count <= most, "\(name) has \(those.count) of \(names)")
      left = left.dropFirst(those.count)
    }
    #expect(left.isEmpty, "\(left.map { $0.name ?? "" }) has no place in \(name)")
    if !rule.hasText {
      let text = (element.children ?? []).filter { $0.kind == .text }.compactMap(\.stringValue).joined()
      #expect(text.allSatisfy { $0.isWhitespace })
    }
    for child in children { try check(child) }
  }

  private func document(_ report: RunReport) throws -> XMLElement {
    let text = JUnitReport.text(of: report, redaction: Fixture.redaction)
    return try #require(try XMLDocument(data: Data(text.utf8)).rootElement())
  }

  private func number(_ element: XMLElement, _ name: String) -> Int {
    Int(element.attribute(forName: name)?.stringValue ?? "") ?? -1
  }

  @Test("Each run is a valid file for JUnit readers, with correct counts", arguments: Fixture.names)
  func structure(_ name: String) throws {
    let root = try document(Fixture.report(name))
    try check(root)
    let suites = root.elements(forName: "testsuite")
    let cases = suites.flatMap { $0.elements(forName: "testcase") }
    #expect(number(root, "tests") == cases.count)
    for (attribute, element) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
      for suite in suites {
        let count = suite.elements(forName: "testcase").count { !$0.elements(forName: element).isEmpty }
        #expect(number(suite, attribute) == count)
      }
      if attribute != "skipped" {
        #expect(number(root, attribute) == cases.count { !$0.elements(forName: element).isEmpty })
      }
    }
    for suite in suites { #expect(number(suite, "tests") == suite.elements(forName: "testcase").count) }
  }

  @Test("Random runs are valid, too", arguments: 0..<50 as Range<UInt64>)
  func anyRun(_ seed: UInt64) throws {
    let root = try document(Fixture.randomReport(seed: seed))
    try check(root)
  }

  @Test("Each verdict has the matching element")
  func verdicts() throws {
    let cases = try document(Fixture.failing).elements(forName: "testsuite").flatMap {
      $0.elements(forName: "testcase")
    }
    let ends = cases.map { one in
      let end = ["failure", "error", "skipped"].first { !one.elements(forName: $0).isEmpty } ?? "passed"
      return "\(one.attribute(forName: "name")?.stringValue ?? "") \(end)"
    }
    #expect(
      ends == [
        "PS-29 m1-while-paired failure", "PS-1 start-response passed", "HTTP-4 content-type-case passed",
        "DB-70 order-of-services passed", "EV-9 hook-reboot error", "DISC-1 txt-record skipped",
        "WR-12 write-of-null skipped", "WR-13 write-out-of-range failure", "TW-3 expired-prepare failure",
      ])
  }

  @Test(
    "An incomplete run has an additional error",
    arguments: ["lost", "interrupted", "broken off", "empty"])
  func ends(_ name: String) throws {
    let suite = try #require(try document(Fixture.report(name)).elements(forName: "testsuite").last)
    #expect(suite.attribute(forName: "name")?.stringValue == "run")
    #expect(number(suite, "errors") == 1)
  }

  @Test("Characters that XML forbids are replaced, and the rest is read back unchanged")
  func hostile() throws {
    let cases = try document(Fixture.hostileRun).elements(forName: "testsuite").flatMap {
      $0.elements(forName: "testcase")
    }
    let failures = cases.compactMap { $0.elements(forName: "failure").first }
    #expect(failures[0].attribute(forName: "message")?.stringValue == Fixture.hostile[0])
    #expect(failures[2].attribute(forName: "message")?.stringValue == Fixture.hostile[4])
    #expect(failures[0].stringValue?.contains("got: \(Fixture.hostile[0])") == true)
    let text = JUnitReport.text(of: Fixture.hostileRun, redaction: .none)
    #expect(
      text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0.value < 0xFFFE || $0.value > 0xFFFF) })
  }
}
