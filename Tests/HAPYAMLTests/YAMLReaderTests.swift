import HAPTestSupport
import HAPWire
import Testing

@testable import HAPYAML

private func yaml(_ text: String) throws(JSONError) -> JSONNode { try JSONNode.yaml(Array(text.utf8)) }

private func json(_ text: String) throws(JSONError) -> JSONNode { try JSONNode.parse(Array(text.utf8)) }

private func complaint(_ text: String) -> JSONError? {
  do throws(JSONError) {
    _ = try yaml(text)
    return nil
  } catch { return error }
}

@Suite("YAML") struct YAMLReaderTests {
  @Test("A case of a suite is read with its values")
  func suite() throws {
    let text = """
      # A comment.
      - id: PS-29
        name: m1-while-paired
        requirement: >
          A paired accessory refuses
          Pair Setup.
        needs: [paired]
        steps:
          - send: { path: /pair-setup, tlv: { state: 1, method: 0 } }
          - expect:
              tlv: {state: 2, error: "unavailable"}
              text: |
                two
                lines
      """
    let wanted = #"""
      [{"id": "PS-29", "name": "m1-while-paired", "requirement": "A paired accessory refuses Pair Setup.\n", "needs": ["paired"],
        "steps": [{"send": {"path": "/pair-setup", "tlv": {"state": 1, "method": 0}}},
                  {"expect": {"tlv": {"state": 2, "error": "unavailable"}, "text": "two\nlines"}}]}]
      """#
    #expect(try yaml(text).says(json(wanted)))
  }

  @Test(
    "Plain scalars follow the core schema",
    arguments: [
      ("~", "null"), ("null", "null"), ("Null", "null"), ("NULL", "null"), ("", "null"), ("nULL", "\"nULL\""),
      ("true", "true"), ("True", "true"), ("TRUE", "true"), ("false", "false"), ("tRUE", "\"tRUE\""),
      ("on", "\"on\""), ("off", "\"off\""), ("yes", "\"yes\""), ("No", "\"No\""), ("y", "\"y\""),
      ("0", "0"), ("-19", "-19"), ("+12", "12"), ("007", "7"), ("-0", "-0"), ("0x1F", "31"), ("0xaF", "175"),
      ("0o17", "15"), ("0o18", "\"0o18\""), ("0xG", "\"0xG\""), ("-0x1", "\"-0x1\""), ("0x", "\"0x\""),
      ("0X1", "\"0X1\""),
      ("18446744073709551615", "18446744073709551615"), ("1_000", "\"1_000\""), ("190:20", "\"190:20\""),
      ("0b1", "\"0b1\""), ("1.", "1.0"), (".5", "0.5"), ("+.5e-3", "0.5e-3"), ("-1.50", "-1.50"), ("1e3", "1e3"),
      ("1E+3", "1E+3"), ("01.5", "1.5"), ("1e", "\"1e\""), (".", "\".\""), ("-", "[null]"), ("+", "\"+\""),
      ("e3", "\"e3\""),
      ("1.2.3", "\"1.2.3\""), ("031-45-154", "\"031-45-154\""), ("2027-05-01", "\"2027-05-01\""), ("'1'", "\"1\""),
      ("\"true\"", "\"true\""), ("''", "\"\""), ("! 5", "\"5\""), ("!!str 5", "\"5\""), ("!!int \"5\"", "5"),
      ("!!float 5", "5.0"), ("!!float 5.5", "5.5"), ("!!bool 'true'", "true"), ("!!null ''", "null"),
      ("!!seq [1]", "[1]"),
      ("!!map {a: 1}", "{\"a\":1}"), (".inform", "\".inform\""), ("1e999", "1e999"),
    ]) func scalars(_ text: String, _ wanted: String) throws
  {
    #expect(try yaml("- " + text).says(json("[\(wanted)]")))
    // Each value can be written as JSON with the same meaning.
    let written = JSONWriter.bytes { $0.node((try? yaml("- " + text)) ?? JSONNode(.null)) }
    #expect(try JSONNode.parse(written).says(json("[\(wanted)]")))
  }

  @Test("Integers are exact, up to the range of Int128") func integers() throws {
    let list = try #require(
      try yaml("[0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF, -170141183460469231731687303715884105728]").elements)
    #expect(list[0].integerValue == (Int128(1) << 124) - 1)
    #expect(list[1].integerValue == Int128.min)
    let large = try yaml("170141183460469231731687303715884105728 ")
    #expect(large.integerValue == nil && large.numberValue?.isInteger == true && large.numberValue?.double == 0x1p127)
  }

  @Test("Each value has its path, line and column, counted in characters") func places() throws {
    let node = try yaml("a:\n  näme: é\n  list:\n    - 1\n    - { deep: yes }\n")
    let inner = try #require(node["a"])
    #expect(inner.place == JSONPlace(line: 2, column: 3))
    #expect(inner["näme"]?.place == JSONPlace(line: 2, column: 9))
    #expect(inner.members?[1].place == JSONPlace(line: 3, column: 3))
    let deep = try #require(inner["list"]?.elements?[1]["deep"])
    #expect(deep.place == JSONPlace(line: 5, column: 15))
    #expect(deep.path.description == "a.list[1].deep")
    #expect(node.path == .root)
  }

  @Test("Keys are texts in their written form, and keep their order") func keys() throws {
    let node = try yaml("on: 1\n2: 2\n~: 3\n'': 4\n\"a b\": 5\n!!str 7: 6\n'<<': 7\n&k x: *k\n")
    #expect(node.members?.map(\.name) == ["on", "2", "~", "", "a b", "7", "<<", "x"])
    #expect(node["x"]?.stringValue == "x")
  }

  @Test("An alias is a copy with the places of the original and its own paths") func aliases() throws {
    let node = try yaml("base: &b\n  list: [1, &n two]\nuse:\n  - *b\n  - *n\n&b again: *b\n")
    let used = try #require(node["use"]?.elements)
    #expect(used[0].says(try json(#"{"list": [1, "two"]}"#)))
    #expect(used[0]["list"]?.elements?[1].path.description == "use[0].list[1]")
    #expect(used[0]["list"]?.elements?[1].place == JSONPlace(line: 2, column: 13))
    #expect(used[1].stringValue == "two")
    // A redefined anchor refers to its last definition.
    #expect(node["again"]?.stringValue == "again")
  }

  @Test(
    "An unsupported document is refused with its place and advice",
    arguments: [
      ("", 1, 1, "nothing here"), ("# only a comment\n", 2, 1, "nothing here"),
      ("a: 1\nb: 2\na: 3\n", 3, 1, "\"a\" occurs twice in one object: it is already in line 1"),
      ("{a: 1, 'a': 2}", 1, 8, "occurs twice"), ("1: a\n'1': b\n", 2, 1, "occurs twice"),
      ("? [a, b]\n: c\n", 1, 3, "a key must be a text, not a list"), ("? {a: b}\n: c\n", 1, 3, "not a mapping"),
      ("a: &x 1\n*x : 2\n", 2, 1, "not an alias"), ("?\n: 1\n", 1, 2, "a key is missing"),
      ("a: &m {b: 1}\nc:\n  <<: *m\n", 3, 3, "no merge keys"),
      ("a: 1\n---\nb: 2\n", 2, 1, "a second document"), ("a: 1\n...\n---\nb: 2\n", 3, 1, "a second document"),
      ("a: !thing 1\n", 1, 4, "the tag !thing is not supported here"), ("!!set {a}\n", 1, 1, "!!set"),
      ("!!python/object:os.system x\n", 1, 1, "!!python/object:os.system"), ("a: !!binary aGk=\n", 1, 4, "!!binary"),
      ("!!seq {a: 1}", 1, 1, "!!seq"), ("!!str [a]", 1, 1, "!!str"), ("!!timestamp a: 1", 1, 1, "!!timestamp"),
      ("!e!x 1", 1, 1, "no such tag"), ("%TAG ! tag:x,1:\n---\n!a 1\n", 1, 1, "no tags but"),
      ("a: 1\n...\n%TAG ! tag:x,1:\n---\n!a 1\n", 3, 1, "no tags but"),
      ("!!int x", 1, 1, "\"x\" is not a value of !!int"), ("!!int 1.5", 1, 1, "value of !!int"),
      ("!!bool yes", 1, 1, "value of !!bool"),
      ("!!null 0", 1, 1, "value of !!null"), ("!!float a", 1, 1, "value of !!float"),
      ("a: .nan\n", 1, 4, "\".nan\" is not a JSON number"), ("- -.inf", 1, 3, "\".inf\""),
      ("0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", 1, 1, "too large"),
      ("a: *b\n", 1, 4, "nothing before this has the anchor &b"),
      ("- &thing 1\n- *thnig\n", 2, 3, "did you mean *thing?"), ("a: &a [*a]\n", 1, 8, "is inside its own value"),
      ("a: &x 1\nb: &x {c: *x}\n", 2, 11, "is inside its own value"),
      ("a:\n\tb: 1\n", 2, 1, "blanks, not with tabs"), ("a: @b\n", 1, 4, "a text can't start with \"@\""),
      ("a: b: c\n", 1, 5, "a text with \": \" in quotes"), ("a: 1\n  b: 2\n", 2, 4, "colon is not expected here"),
      ("a:\n   b: 1\n  c: 2\n", 3, 3, "the next key of the mapping that began in line 1"),
      ("a:\n  - b\n c: d\n", 3, 2, "indented like"), ("a: 1\nb\nc: 1\n", 3, 1, "has no colon after it"),
      ("a: \"b\nc: d\n", 3, 1, "the text in quotes that began in line 1 is not closed"),
      ("a: [1, 2\nb: 3\n", 2, 2, "in the list that began in line 1"),
      ("{a: '1' b}", 1, 9, "in the mapping that began in line 1"),
      ("{a: 1\n", 2, 1, "a comma or \"}\""), ("a: \"\\q\"\n", 1, 5, "no such escape"),
      ("a: - b\n", 1, 4, "a list can't start here"),
      ("a: \"\\ud800\"\n", 1, 7, "surrogate"), ("a: b\u{1}\n", 1, 5, "control character"),
      ("[1]]", 1, 4, "one document"),
      ("%YAML 3.0\n---\na\n", 1, 1, "another version"),
    ]) func refusals(_ text: String, _ line: Int, _ column: Int, _ words: String) throws
  {
    let error = try #require(complaint(text))
    #expect(error.message.contains(words), "\(error)")
    #expect(error.place == JSONPlace(line: line, column: column), "\(error)")
  }

  @Test("Bytes other than UTF-8 are refused at their place") func notUTF8() {
    for bytes in [[0xFF, 0xFE, 0x61, 0x00], [0x61, 0x0A, 0x62, 0xC3], [0x61, 0x0A, 0x62, 0xED, 0xA0, 0x80]] as [[UInt8]]
    {
      let error = #expect(throws: JSONError.self) { try JSONNode.yaml(bytes) }
      #expect(error?.message == "the text is not UTF-8")
      #expect(error?.place == (bytes[0] == 0xFF ? JSONPlace(line: 1, column: 1) : JSONPlace(line: 2, column: 2)))
    }
  }

  @Test("A byte order mark at the start is ignored") func byteOrderMark() throws {
    #expect(try yaml("\u{FEFF}a: 1\n")["a"]?.integerValue == 1)
  }

  @Test("Nesting is limited, also through aliases") func depth() throws {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
      func nested(_ depth: Int) -> String {
        String(repeating: open, count: depth) + "b" + String(repeating: close, count: depth)
      }
      #expect(throws: Never.self) { try yaml(nested(64)) }
      #expect(complaint(nested(65))?.message == "nested too deeply")
      #expect(complaint("- &x " + nested(63) + "\n- *x\n- [*x]\n")?.place == JSONPlace(line: 3, column: 4))
    }
    #expect(complaint(String(repeating: "[", count: 100_000))?.message == "nested too deeply")
    #expect(complaint(String(repeating: "- ", count: 100_000))?.message == "nested too deeply")
    #expect(complaint(String(repeating: "{a: ", count: 100_000))?.message == "nested too deeply")
    #expect(throws: JSONError.self) { try JSONNode.yaml(Array("[[1]]".utf8), depthLimit: 1) }
    #expect(throws: JSONError.self) { try JSONNode.yaml(Array("- - 1".utf8), depthLimit: 1) }
  }

  @Test("Values are counted with the copies of aliases, so that a few lines can't fill the memory") func count() throws
  {
    func count(_ text: String, _ limit: Int) throws(JSONError) -> JSONNode {
      try JSONNode.yaml(Array(text.utf8), nodeLimit: limit)
    }
    for text in ["[1, 2, [3]]", "- 1\n- 2\n- [3]", "{\"a\": 1, \"b\": [1, 2]}", "a: &x [1]\nb: *x\n"] {
      #expect(throws: Never.self) { try count(text, 5) }
      let error = #expect(throws: JSONError.self) { try count(text, 4) }
      #expect(error?.message == "there are more than 4 values, including the copies of aliases")
    }
    var laughs = "- &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1..<6 {
      laughs += "- &a\(level) [" + [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ") + "]\n"
    }
    #expect(complaint(laughs)?.message.hasPrefix("there are more than 200000 values") == true)
  }

  @Test("A text that libyaml reads slowly is refused, or read within the limit")
  func quick() {
    let lines = 50_000
    _ = complaint(String(repeating: "%TAG !a! b\n", count: lines))
    _ = complaint((0..<lines).map { "%TAG !\($0)! b\n" }.joined())
    _ = complaint((0..<lines).map { "k\($0): 1\n" }.joined())
    _ = complaint((0..<lines).map { "- &k\($0) 1\n" }.joined() + "- *k")
    _ = complaint(String(repeating: "? ", count: lines))
    _ = complaint("a: \"" + String(repeating: "x\n\n", count: lines))
    _ = complaint(String(repeating: "#\n", count: lines))
    _ = complaint("[" + String(repeating: "a: ", count: lines))
    _ = complaint(String(repeating: " ", count: lines) + "a: 1")
    _ = complaint("a: |\n" + String(repeating: " \n", count: lines))
  }

  @Test("JSON is read with the same result as by the JSON reader", arguments: 0..<300 as Range<UInt64>)
  func anyJSON(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var maker = JSONMaker(hasOddCharacters: true)
    let text = Array(maker.value(depth: 5, &random).utf8)
    #expect(try JSONNode.yaml(text) == JSONNode.parse(text))
  }

  @Test(
    "JSON is read with the same result as by libyaml, except for differences of YAML 1.1",
    arguments: 0..<300 as Range<UInt64>)
  func plainJSON(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var maker = JSONMaker(hasOddCharacters: false)
    let text = Array(maker.value(depth: 5, &random).utf8)
    #expect(try JSONNode.yamlAlone(text) == JSONNode.parse(text))
  }
}

/// Random JSON texts, with blanks everywhere, and without duplicate members.
private struct JSONMaker {
  /// Characters that JSON allows in a string unescaped, and YAML 1.1 doesn't.
  var hasOddCharacters: Bool
  private var names = 0

  init(hasOddCharacters: Bool) { self.hasOddCharacters = hasOddCharacters }

  mutating func value(depth: Int, _ random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: return ["null", "true", "false"].randomElement(using: &random)!
    case 1, 2: return number(&random)
    case 3, 4, 5: return string(&random)
    case 6, 7:
      let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth - 1, &random) }
      return joined("[", elements, "]", &random)
    default:
      let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        names += 1
        return "\"\(names)" + string(&random).dropFirst() + blank(&random) + ":" + blank(&random)
          + value(depth: depth - 1, &random)
      }
      return joined("{", members, "}", &random)
    }
  }

  private func joined(_ open: String, _ parts: [String], _ close: String, _ random: inout SeededGenerator) -> String {
    open + blank(&random) + parts.joined(separator: "," + blank(&random)) + blank(&random) + close
  }

  private func blank(_ random: inout SeededGenerator) -> String {
    // For YAML 1.1, a key and its colon must be on one line.
    ["", " ", "  "].randomElement(using: &random)!
      + (hasOddCharacters ? ["", "\n", "\t", "\r\n"].randomElement(using: &random)! : "")
  }

  private func number(_ random: inout SeededGenerator) -> String {
    [
      "0", "-0", "1", "-7", "255", "18446744073709551616", "-170141183460469231731687303715884105729", "1.0", "-0.5e-3",
      "1e2", "1E+2", "2.5e308", "1e999", "-1e999", "123456789.125",
    ].randomElement(using: &random)!
  }

  private func string(_ random: inout SeededGenerator) -> String {
    var pieces = [
      "a", "é", "😀", " ", ": ", " #", "- ", "'", "\\\"", "\\\\", "\\/", "\\n", "\\t", "\\b", "\\u0041", "{", "]", ",",
      "&", "*", "!", "%", "@", "~",
    ]
    if hasOddCharacters {
      pieces += ["\\ud83d\\ude00", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{FFFE}", "\\u0000"]
    }
    return "\""
      + (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined() + "\""
  }
}
