import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("Patterns in messages") struct PatternWordsTests {
  @Test(
    "A pattern is described in words",
    arguments: [
      ("{ $any: [200, 429] }", "200 or 429"), ("{ $any: [200, 204, 429] }", "200, 204 or 429"),
      ("{ $any: [$absent, { $decimal: { $max: 3 } }] }", "absent or a decimal number, at most 3"),
      ("{ $min: 1, $max: 3 }", "at least 1 and at most 3"), ("{ $max: 2, $factor: 3 }", "at most 3 times 2"),
      ("{ $near: 10, $by: 0.5 }", "within 0.5 of 10"), ("{ $not: 5 }", "not 5"),
      ("{ status: 0, value: { $any: [1, true] } }", "{status: 0, value: 1 or true}"),
      ("[1, { $kind: integer }]", "[1, an integer]"), ("abc", "\"abc\""), ("$present", "present"),
      (
        "{ $all: [{ $starts: a }, { $length: { $max: 64 } }] }",
        "text that starts with \"a\" and a length of at most 64"
      ),
    ])
  func words(_ pattern: String, _ text: String) throws { #expect(Pattern.words(try yaml(pattern)) == text) }

  @Test(
    "No constraint of the vocabulary is shown in the syntax of suites", arguments: Vocabulary.constraints.map(\.name))
  func noSyntax(_ name: String) throws {
    let words = Pattern.words(try yaml("{ \(name): [1, 2] }"))
    #expect(!words.contains("$"), "\(words)")
  }

  @Test("A mismatch describes the expectation in words") func mismatch() throws {
    let problem = try Pattern.mismatch(.integer(500), try yaml("{ $any: [200, 429] }"), at: "status")
    #expect(problem == "status is 500, not 200 or 429")
  }

  @Test("Long hexadecimal text is shortened, with a pointer to the evidence") func hex() {
    let shown = Pattern.shown(.text(String(repeating: "a5", count: 384)))
    #expect(shown == "\"\(String(repeating: "a5", count: 40))…\" (344 more bytes in the evidence)")
    #expect(Pattern.shown(.text("a5a5")) == "\"a5a5\"")
  }
}
