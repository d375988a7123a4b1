import HAPWire
import HAPYAML
import Testing

@testable import HAPSuite

@Suite("Owned procedures of a case, and its stacks")
struct CaseCausesTests {
  private func read(_ lines: String, head: String = "") throws -> (suite: Suite, problems: [String]) {
    let text = """
      area: tiny
      title: Tiny
      \(head)
      cases:
        - id: AA-01
          name: first
          requirement: r
          level: must
          section: s
          \(lines.split(separator: "\n").joined(separator: "\n    "))
          steps: [{ wait: 1ms }]
      """
    let document = try JSONNode.yaml(Array(text.utf8))
    let (suite, problems) = SuiteReader.read(document, file: "tiny.yaml")
    return (suite, problems.map(\.message))
  }

  @Test("A case owns procedures and comes after cases, each with the reason")
  func causes() throws {
    let (suite, problems) = try read(
      "owns: [list-pairings, busy]\nlasting: true\nafter: { PV-06: the tag is wrong as well }")
    #expect(problems == [])
    let causes = try #require(suite.cases.first?.causes)
    #expect(causes.owns == [.listPairings, .busy] && causes.isLasting)
    #expect(causes.after == [.init(id: "PV-06", reason: "the tag is wrong as well")])
  }

  @Test("An unknown procedure and a case that comes after itself are mistakes")
  func mistakes() throws {
    #expect(try read("owns: [list-pairing]").problems.first?.contains("list-pairings") == true)
    #expect(try read("after: { AA-01: x }").problems == ["a case cannot list itself in \"after\""])
  }

  @Test("A stack has its behaviour, and the places of a source whose revision the suite names")
  func stacks() throws {
    let lines = """
      stacks:
        HomeKitADK: { does: Error 6, at: "HAP/A.c:10" }
        HAP-python: { does: Error 2, at: ["pyhap/a.py:1-4", "pyhap/b.py:7"] }
        HomeSpan: Error 1
      """
    let (suite, problems) = try read(lines, head: "revisions: { HomeKitADK: fb201f9, HAP-python: 67a9d2b }")
    #expect(problems == [])
    let stacks = try #require(suite.cases.first?.stacks)
    #expect(stacks.map(\.name) == ["HomeKitADK", "HAP-python", "HomeSpan"])
    #expect(stacks.map(\.behaviour) == ["Error 6", "Error 2", "Error 1"])
    #expect(stacks.map(\.source) == ["fb201f9 HAP/A.c:10", "67a9d2b pyhap/a.py:1-4 pyhap/b.py:7", nil])
  }

  @Test("A place in a source without a revision is a mistake, and so is a behaviour without a place")
  func stackMistakes() throws {
    #expect(
      try read("stacks: { HomeSpan: { does: x, at: a.c:1 } }").problems == [
        "the suite's \"revisions\" has no revision of HomeSpan"
      ])
    #expect(try !read("stacks: { HomeSpan: { does: x } }").problems.isEmpty)
  }

  @Test("The cases of each suite come after existing cases, and each procedure has an owner")
  func shipped() {
    let cases = SuiteLibrary.embedded.cases
    let ids = Set(cases.map(\.id))
    for definition in cases {
      for precursor in definition.causes.after {
        #expect(ids.contains(precursor.id), "\(definition.id) comes after \(precursor.id)")
        #expect(!precursor.reason.isEmpty)
      }
    }
    let owned = Set(cases.flatMap(\.causes.owns))
    #expect(Procedure.allCases.filter { !owned.contains($0) } == [])
  }
}
