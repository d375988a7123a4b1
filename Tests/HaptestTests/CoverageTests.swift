import Foundation
import HAPDeviations
import HAPSuite
import HAPWire
import Testing

/// Compares the built-in suites with the catalogue of requirements, and with the page on their coverage.
///
/// With HAPTEST_WRITE_DOCS=1 in the environment, the page is written instead.
@Suite struct CoverageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private struct Catalogue {
    var areas: [(area: String, ids: [String])]
    var unscripted: [(id: String, requirement: String, reason: String)]

    init() throws {
      let text = try Data(contentsOf: CoverageTests.root.appending(path: "Suites/catalogue.json"))
      let node = try JSONNode.parse(Array(text))
      areas = try node.list("areas").map { entry in
        let prefix = try entry.string("prefix")
        let count = Int(try entry.required("count").asInteger(in: 1...999))
        return (
          try entry.string("area"),
          (1...count).map { "\(prefix)-\(String(repeating: "0", count: $0 < 10 ? 1 : 0))\($0)" }
        )
      }
      unscripted = try node.list("unscripted").map { entry in
        (try entry.string("id"), try entry.string("requirement"), try entry.string("reason"))
      }
    }
  }

  @Test("Each requirement of the catalogue is a case, or is on the list of exceptions, with a reason")
  func everyRow() throws {
    let catalogue = try Catalogue()
    let library = SuiteLibrary(embeddedTrusting: false)
    #expect(library.problems.map { "\($0)" } == [])
    let scripted = Set(library.cases.map(\.id))
    let open = Set(catalogue.unscripted.map(\.id))
    #expect(scripted.isDisjoint(with: open), "\(scripted.intersection(open).sorted())")
    for (area, ids) in catalogue.areas {
      for id in ids { #expect(scripted.contains(id) || open.contains(id), "\(id) of \(area) is neither") }
      for one in library.cases where ids.contains(one.id) { #expect(one.area == area, "\(one.id)") }
    }
    for entry in catalogue.unscripted { #expect(!entry.reason.isEmpty) }
  }

  @Test("docs/reference/coverage.md matches the suites")
  func page() throws {
    let place = Self.root.appending(path: "docs/reference/coverage.md")
    let made = try text()
    if ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] != nil {
      try made.write(to: place, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: place, encoding: .utf8) == made)
  }

  private func text() throws -> String {
    let catalogue = try Catalogue()
    let cases = SuiteLibrary.embedded.cases
    let all = catalogue.areas.flatMap(\.ids).count
    var page = """
      # What haptest covers

      A test makes this page from [Suites](../../Suites); `HAPTEST_WRITE_DOCS=1 swift test --filter CoverageTests` makes it again.

      <!-- contents -->
      - [Requirements without a case](#requirements-without-a-case)
      - [By section](#by-section)
      - [By case](#by-case)
      <!-- /contents -->

      \(cases.count { one in catalogue.areas.contains { $0.ids.contains(one.id) } }) of the \(all) requirements in `Suites/catalogue.json` have a case. `haptest explain ID` prints a case with all its details.

      | area | cases | must | should | info | requirements |
      |---|---|---|---|---|---|

      """
    for (area, ids) in catalogue.areas {
      let own = cases.filter { $0.area == area }
      let counts = CaseLevel.allCases.map { level in "\(own.count { $0.level == level })" }
      page += "| \(area) | \(own.count) | \(counts.joined(separator: " | ")) | \(ids.count) |\n"
    }
    page += "\n## Requirements without a case\n"
    page += catalogue.unscripted.isEmpty ? "None.\n" : "| | requirement | why |\n|---|---|---|\n"
    for entry in catalogue.unscripted { page += "| \(entry.id) | \(entry.requirement) | \(entry.reason) |\n" }
    page += """

      ## By section
      A section or table without the name of a document is one of the HomeKit Accessory Protocol Specification, release R2 (non-commercial version).

      \(SectionTable.markdown(of: cases))

      ## By case
      The defects are accessories that break the requirement on purpose. `make prove` checks that the case detects each of them. A case that fails in a procedure that
      it uses is blocked if an owner of the procedure fails.

      | case | section | judges for others | uses | defects |
      |---|---|---|---|---|

      """
    let defects = Dictionary(
      grouping: DefectLibrary.builtIn.entries.flatMap { defect in defect.breaks.map { (id: $0, name: defect.id) } },
      by: \.id)
    for one in cases {
      let parts = [
        one.causes.owns.map(\.rawValue).joined(separator: ", "),
        Procedure.used(by: one).map(\.rawValue).joined(separator: ", "),
        (defects[one.id] ?? []).map { "`\($0.name)`" }.joined(separator: " "),
      ]
      page += "| \(one.id) \(one.name) | \(one.section) | \(parts.joined(separator: " | ")) |\n"
    }
    return page
  }
}
