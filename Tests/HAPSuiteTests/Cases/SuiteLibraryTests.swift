import HAPWire
import Testing

@testable import HAPSuite

@Suite("Several suite files") struct SuiteLibraryTests {
  private func library(_ texts: (file: String, text: String)...) -> SuiteLibrary {
    var library = SuiteLibrary()
    for (file, text) in texts { library.add(Array(text.utf8), file: file) }
    return library
  }

  @Test("Cases keep the order of their files, and selectors see their members") func order() {
    let other = SuiteText.right.replacing("LM-01", with: "LM-02").replacing("first", with: "second")
    let library = library(("b.yaml", SuiteText.lines("needs: [unpaired]")), ("a.yaml", other))
    #expect(library.problems.isEmpty)
    #expect(library.cases.map(\.id) == ["LM-01", "LM-02"] && library.cases.map(\.file) == ["b.yaml", "a.yaml"])
    #expect(
      library.selectable.map(\.id) == ["LM-01", "LM-02"] && library.selectable.map(\.tags) == [["unpaired"], []])
  }

  @Test("A duplicate id or name is a problem of the later file") func twins() {
    let sameName = SuiteText.right.replacing("LM-01", with: "LM-02")
    let sameID = SuiteText.right.replacing("first", with: "second")
    let library = library(("a.yaml", SuiteText.right), ("b.yaml", sameName), ("c.yaml", sameID))
    #expect(
      library.problems.map(\.description)
        == [
          "b.yaml:6:5: LM-02: LM-01 first already exists in a.yaml",
          "c.yaml:6:5: LM-01: LM-01 first already exists in a.yaml",
          "c.yaml:6:5: LM-01: LM-02 first already exists in b.yaml",
        ].filter { !$0.hasSuffix("in b.yaml") })
  }

  @Test("A file that isn't YAML has one problem, and doesn't affect the others") func noYAML() {
    let library = library(("a.yaml", "a: [1"), ("b.yaml", ""), ("c.yaml", SuiteText.right))
    #expect(library.problems.map(\.file) == ["a.yaml", "b.yaml"])
    #expect(library.problems.allSatisfy { $0.path.isEmpty && !$0.message.isEmpty })
    #expect(library.cases.count == 1 && library.suites.count == 1)
  }

  @Test("A suite may be JSON, too") func json() {
    let library = library(
      (
        "a.json",
        #"{"area":"a","title":"b","cases":[{"id":"LM-01","name":"a","requirement":"r","level":"must","section":"s","steps":[{"verify":"main"}]}]}"#
      ))
    #expect(library.problems.isEmpty && library.cases.map(\.id) == ["LM-01"])
  }

  @Test("The embedded suites are valid") func embedded() {
    let checked = SuiteLibrary(embeddedTrusting: false)
    #expect(checked.problems.isEmpty, "\(checked.problems)")
    #expect(checked.cases == SuiteLibrary.embedded.cases && !checked.cases.isEmpty)
    #expect(SuiteLibrary.embedded.suites.count == EmbeddedSuites.files.count)
    #expect(SuiteLibrary.embedded.suites.allSatisfy { !$0.cases.isEmpty })
  }
}
