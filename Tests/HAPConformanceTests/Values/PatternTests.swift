import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("Patterns") struct PatternTests {
  struct Row: CustomTestStringConvertible {
    var pattern: String
    var fits: [String]
    /// Values that don't fit, with a part of the message; "-" is a missing value.
    var differs: [(value: String, message: String)]
    var testDescription: String { pattern }

    init(_ pattern: String, fits: [String], _ differs: (value: String, message: String)...) {
      (self.pattern, self.fits, self.differs) = (pattern, fits, differs)
    }
  }

  private static let rows: [Row] = [
    Row("$absent", fits: ["-"], ("null", "v must be absent, but is null"), ("1", "but is 1")),
    Row("$present", fits: ["null", "0", "[]"], ("-", "v is missing")),
    Row("$anything", fits: ["-", "null", "5"]),
    Row(
      "5", fits: ["5", "5.0", "5.0000001"], ("6", "v is 6, not 5"), ("-", "v is missing; 5 is expected"),
      ("'5'", "\"5\"")),
    Row("true", fits: ["true", "1", "1.0"], ("false", "v is false, not true"), ("2", "not true")),
    Row("null", fits: ["null"], ("0", "not null"), ("false", "not null"), ("-", "missing")),
    Row("text", fits: ["text"], ("Text", "v is \"Text\", not \"text\""), ("5", "not \"text\"")),
    Row(
      "{ a: 1, b: { c: $absent } }", fits: ["{ a: 1, b: {}, d: 5 }"], ("{ a: 2, b: {} }", "v.a is 2, not 1"),
      ("{ a: 1 }", "v.b is missing"), ("{ a: 1, b: { c: 0 } }", "v.b.c must be absent"), ("[1]", "not an object")),
    Row(
      "[1, { $min: 2 }]", fits: ["[1, 2]"], ("[1]", "has 1 elements, not 2"), ("[1, 1]", "v[1] is 1, less than 2"),
      ("1", "not a list")),
    Row("{ $is: { a: 1 } }", fits: ["{ a: 1 }", "{ a: true }"], ("{ a: 1, b: 2 }", "not {\"a\":1}"), ("-", "missing")),
    Row("{ $not: 5 }", fits: ["6", "null"], ("5", "v is 5, which it must not be"), ("5.0", "must not be")),
    Row("{ $any: [1, $absent, { $min: 9 }] }", fits: ["1", "-", "10"], ("5", "v is 5, not 1, absent or at least 9")),
    Row("{ $any: [1, 2] }", fits: ["2"], ("-", "v is missing")),
    Row("{ $all: [{ $min: 1 }, { $max: 3 }] }", fits: ["1", "3"], ("0", "less than 1"), ("4", "more than 3")),
    Row(
      "{ $min: 1, $max: 3 }", fits: ["1", "3", "true", "2.5"], ("0.5", "less than 1"), ("4", "more than 3"),
      ("'2'", "not a number"), ("-", "missing")),
    Row(
      "{ $near: 10, $by: 0.5 }", fits: ["10", "10.5", "9.5"], ("10.6", "further than 0.5 from 10"),
      ("ten", "not a number")),
    Row("{ $near: 1000000 }", fits: ["1000000.5"], ("1000002", "further than 1.0 from 1000000")),
    Row("{ $max: 2, $factor: 3 }", fits: ["6"], ("7", "more than")),
    Row(
      "{ $decimal: { $min: 1 } }", fits: ["'1'", "'65535'"], ("'0'", "less than 1"),
      ("'01'", "not a decimal number"),
      ("'+1'", "not a decimal number"), ("1", "not a decimal number")),
    Row("{ $matches: \"[0-9]+\" }", fits: ["'12'"], ("'12a'", "not of the form \"[0-9]+\""), ("12", "not text")),
    Row("{ $starts: ab }", fits: ["abc", "ab"], ("cab", "which doesn't start with \"ab\""), ("5", "not text")),
    Row("{ $contains: b }", fits: ["abc"], ("ac", "which doesn't contain \"b\""), ("[b]", "not text")),
    Row(
      "{ $length: { $min: 2 } }", fits: ["[1, 2]", "ab", "{ a: 1, b: 2 }"], ("[1]", "v.length is 1, less than 2"),
      ("5", "which has no length")),
    Row(
      "{ $bytes: 2 }", fits: ["aabb", "AABB"], ("aa", "the number of bytes of v is 1, not 2"), ("abc", "not bytes"),
      ("5", "not bytes")),
    Row("{ $utf8: 2 }", fits: ["é", "ab"], ("é1", "the UTF-8 length of v is 3, not 2"), ("5", "not text")),
    Row(
      "{ $kind: integer }", fits: ["5", "-1"], ("5.5", "not of kind \"integer\""), ("true", "not of kind"),
      ("'5'", "not of kind")),
    Row("{ $kind: number }", fits: ["5", "5.5"], ("true", "not of kind \"number\"")),
    Row("{ $kind: boolean }", fits: ["true"], ("1", "not of kind")),
    Row("{ $kind: string }", fits: ["a"], ("1", "not of kind")),
    Row("{ $kind: 'null' }", fits: ["null"], ("0", "not of kind")),
    Row("{ $kind: list }", fits: ["[]"], ("{}", "not of kind")),
    Row("{ $kind: object }", fits: ["{}"], ("[]", "not of kind")),
    Row(
      "{ $set: [1, { $min: 5 }] }", fits: ["[1, 6]", "[6, 1]"], ("[1]", "has 1 elements, not 2"),
      ("[1, 1]", "has no element that is at least 5"), ("5", "not a list")),
    Row("{ $includes: [1, 2] }", fits: ["[3, 2, 1]"], ("[1]", "v has no element that is 2"), ("1", "not a list")),
    Row("{ $each: { $min: 1 } }", fits: ["[]", "[1, 2]"], ("[1, 0]", "v[1] is 0, less than 1"), ("1", "not a list")),
    Row(
      "{ $distinct: true }", fits: ["[]", "[1, 2]", "[{ a: 1 }, { a: 2 }]"],
      ("[2, 1, true]", "v: elements 1 and 2 are both true"), ("1", "not a list")),
    Row("{ $distinct: false }", fits: ["[2, 1, 2]"], ("[2, 1]", "without two equal elements")),
    Row(
      "{ $only: { a: $anything, b: 1 } }", fits: ["{ b: 1 }", "{ a: 1, b: 1 }"],
      ("{ b: 1, c: 1 }", "v has \"c\", which isn't allowed"), ("{ a: 1 }", "v.b is missing"), ("1", "not an object")),
    Row(
      "{ $base64: { $bytes: 2 } }", fits: ["qrs="], ("qg==", "the number of bytes of v is 1, not 2"),
      ("'*'", "not base64"), ("5", "not base64")),
    Row("{ $base64: '' }", fits: ["''"], ("qg==", "v is \"aa\", not \"\"")),
    Row("{ $upper: true }", fits: ["AB-1", "''"], ("Ab", "not all upper case"), ("5", "not text")),
    Row("{ $upper: false }", fits: ["Ab"], ("AB", "v is \"AB\", all upper case")),
    Row("{ $multiple: 0.1 }", fits: ["0.3", "0", "-5.5"], ("0.25", "not a multiple of 0.1"), ("a", "not a number")),
  ]

  @Test("Values fit or don't fit, with the expected message", arguments: rows) func table(_ row: Row) throws {
    let pattern = try yaml(row.pattern)
    for text in row.fits {
      let value = text == "-" ? nil : try yaml(text)
      #expect(try Pattern.mismatch(value, pattern, at: "v") == nil, "\(text)")
    }
    for (text, fragment) in row.differs {
      let value = text == "-" ? nil : try yaml(text)
      let message = try #require(try Pattern.mismatch(value, pattern, at: "v"), "\(text) fits")
      #expect(message.contains(fragment), "\(text)")
    }
  }

  @Test("Each constraint of the vocabulary is in the table", arguments: Vocabulary.constraints.map(\.name))
  func complete(_ name: String) {
    #expect(Self.rows.contains { $0.pattern.contains("\(name):") }, "\(name)")
  }

  @Test("A value without a name is \"it\", and its members have no leading dot") func names() throws {
    #expect(try Pattern.mismatch(yaml("5"), yaml("6")) == "it is 5, not 6")
    #expect(try Pattern.mismatch(yaml("{ a: 5 }"), yaml("{ a: 6 }")) == "a is 5, not 6")
  }

  @Test(
    "A malformed pattern is an error of the suite, with its place",
    arguments: [
      ("{ $min: a }", "a number is expected here"), ("{ $max: [] }", "a number"), ("{ $near: a }", "a number"),
      ("{ $near: 1, $by: a }", "a number"), ("{ $multiple: a }", "a number"),
      ("{ $any: 1 }", "a list is expected here"),
      ("{ $all: a }", "a list"), ("{ $matches: 5 }", "regular expression"),
      ("{ $matches: '(' }", "regular expression"),
      ("{ $starts: 5 }", "text is"), ("{ $contains: 5 }", "text is"), ("{ $kind: 5 }", "text is"),
      ("{ $nope: 5 }", "there is no constraint $nope"), ("{ a: 1, $min: 5 }", "there is no constraint a"),
    ])
  func wrongPatterns(_ text: String, _ fragment: String) throws {
    let pattern = try yaml(text)
    let value = try yaml(text.contains("$m") && !text.contains("$matches") || text.contains("$near") ? "1" : "a")
    let error = try #require(
      stepError { () throws(StepError) in try Pattern.mismatch(value, pattern) }, "\(text) is accepted")
    #expect(error.message.contains(fragment) && error.place.line == 1)
  }

  @Test("A list constraint without a list is an error of the suite", arguments: ["$set", "$includes"])
  func wrongLists(_ name: String) throws {
    let pattern = try yaml("{ \(name): 1 }")
    #expect(stepError { () throws(StepError) in try Pattern.mismatch(JSONNode.list([]), pattern) } != nil)
  }

  @Test("Equality is symmetric and reflexive, and each value fits itself as a pattern")
  func equality() throws {
    let values = try [
      "null", "true", "false", "0", "1", "1.0", "1.5", "-7", "1e300", "18446744073709551615", "''", "a", "'1'", "[]",
      "[1, a]", "[a, 1]", "{}", "{ a: 1 }", "{ b: 1 }", "{ a: 1, b: [null] }",
    ].map(yaml)
    for (index, a) in values.enumerated() {
      #expect(Pattern.equal(a, a))
      #expect(try Pattern.mismatch(a, a) == nil)
      for b in values[..<index] { #expect(Pattern.equal(a, b) == Pattern.equal(b, a)) }
    }
    #expect(try !Pattern.equal(yaml("18446744073709551615"), yaml("18446744073709551614")))
    #expect(try Pattern.equal(yaml("{ a: 1, b: 2 }"), yaml("{ b: 2, a: 1 }")))
  }

  @Test("Long values are shortened in messages") func shown() throws {
    let text = Pattern.shown(.text(String(repeating: "x", count: 100_000)))
    #expect(text.count == 151 && text.contains("…") && text.hasSuffix("x\""))
    #expect(Pattern.shown(nil) == "missing")
  }
}
