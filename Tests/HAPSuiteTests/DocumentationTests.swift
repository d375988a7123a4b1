import Foundation
import Testing

@testable import HAPSuite

/// Checks the files generated from the vocabulary. With `HAPTEST_WRITE_DOCS=1` in the environment, they are written.
@Suite("Files generated from the vocabulary") struct DocumentationTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let writes = ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1"

  private func hold(_ path: String, _ make: (String) -> String) throws {
    let file = Self.folder.appendingPathComponent(path)
    let old = try String(contentsOf: file, encoding: .utf8)
    let new = make(old)
    if Self.writes { return try Data(new.utf8).write(to: file) }
    let different = zip(old.split(separator: "\n", omittingEmptySubsequences: false), new.split(separator: "\n"))
      .enumerated().first { $0.element.0 != $0.element.1 }
    #expect(
      old == new,
      "\(path) is out of date, from line \((different?.offset ?? 0) + 1): HAPTEST_WRITE_DOCS=1 swift test --filter DocumentationTests writes it"
    )
  }

  @Test("Suites/schema.json is the schema") func schema() throws {
    try hold("Suites/schema.json") { _ in SuiteSchema.text }
  }

  @Test("docs/reference/suite-format.md has the tables") func page() throws {
    try hold("docs/reference/suite-format.md", VocabularyTables.filled)
    let page = try String(
      contentsOf: Self.folder.appendingPathComponent("docs/reference/suite-format.md"), encoding: .utf8)
    for (name, text) in VocabularyTables.sections {
      #expect(page.contains("<!-- \(name) -->\n\(text)\n<!-- end of \(name) -->"), "no marks of \(name)")
    }
  }

  @Test("Filling a page twice changes nothing more, and keeps the text around the marks") func filledTwice() {
    let page = "a\n<!-- bytes -->\nold\n<!-- end of bytes -->\nb\n<!-- items -->\nno end\n"
    let once = VocabularyTables.filled(page)
    #expect(VocabularyTables.filled(once) == once)
    #expect(once.hasPrefix("a\n<!-- bytes -->\n| |") && !once.contains("old"))
    #expect(once.hasSuffix("<!-- end of bytes -->\nb\n<!-- items -->\nno end\n"))
  }

  @Test("The embedded suites equal the files of the folder, byte by byte") func embedded() throws {
    let folder = Self.folder.appendingPathComponent("Suites")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    #expect(EmbeddedSuites.files.map(\.name) == names.sorted())
    for file in EmbeddedSuites.files {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(file.name)))
      #expect(file.text.withUTF8Buffer { Array($0) } == bytes, "\(file.name)")
    }
  }

  @Test("Each example of the page is valid") func examples() throws {
    let page = try String(
      contentsOf: Self.folder.appendingPathComponent("docs/reference/suite-format.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    try #require(blocks.count == 4)
    let given = "let: { on: 1, guest: 1 }"
    let texts = [
      blocks[0],
      // The examples omit a case's head.
      blocks[1].replacing(
        "    # …\n",
        with: "    name: a\n    requirement: a\n    level: must\n    section: a\n    find: { lock: { type: On } }\n"
      ).replacing("routines:", with: "area: a\ntitle: a\nroutines:"),
      SuiteText.right.replacing("    steps:\n", with: blocks[2] + "    steps:\n"),
      SuiteText.steps(given) + blocks[3],
    ]
    for text in texts {
      let problems = try SuiteText.problems(text)
      #expect(problems.isEmpty, "\(problems)")
    }
  }
}
