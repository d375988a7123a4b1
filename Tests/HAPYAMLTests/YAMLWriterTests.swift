import HAPTestSupport
import HAPWire
import Testing

@testable import HAPYAML

@Suite("Writing YAML") struct YAMLWriterTests {
  private func json(_ text: String) throws -> JSONNode { try JSONNode.parse(Array(text.utf8)) }

  @Test("Small collections are on one line, and others are blocks")
  func layout() throws {
    let long = String(repeating: "x", count: 80)
    let node = try json(
      """
      {"home": "My Home", "rooms": ["Hall", "Living Room"], "zones": {"Down": ["Hall", "18:00"]}, "none": [], "nothing": {},
       "scenes": {"hi house": {"type": "home-arrival", "set": {"Light/On": "on", "Light/Hue": 120}}},
       "triggers": {"t": {"when": [{"a": ["b"]}, {"c": "\(long)", "d": [1, 2.50, null, true]}], "run": ["\(long)", ""]}},
       "nested": [[["a"], []], [{"b": {"c": {"d": [1]}}}]]}
      """)
    #expect(
      node.yamlText == """
        home: My Home
        rooms: [Hall, Living Room]
        zones: { Down: [Hall, "18:00"] }
        none: []
        nothing: {}
        scenes:
          hi house: { type: home-arrival, set: { Light/On: "on", Light/Hue: 120 } }
        triggers:
          t:
            when:
              - { a: [b] }
              - c: \(long)
                d: [1, 2.50, null, true]
            run: [\(long), ""]
        nested:
          - [[a], []]
          - - b:
                c: { d: [1] }

        """)
  }

  @Test(
    "A text that would be read as something else is in quotes",
    arguments: [
      "", " a", "a ", "null", "~", "true", "12", "-1.5", "0x1F", ".inf", "-", "- a", "?", "a: b", "a:b", "a #b", "#a",
      "&a",
      "*a", "!a", "|", ">", "%a", "@1", "`a", "[a", "{a", "a, b", "a]", "\"a\"", "it's", "<<", "---", "...", "... a",
      "a\nb",
      "a\tb", "a\rb", "a\u{0}b", "a\u{85}b", "a\u{2028}b", "\u{FEFF}a", "a\u{7F}", "=",
      // Other values by YAML 1.1.
      "on", "OFF", "yes", "No", "y", "2026-06-01", "0b1", "0x1F", "1_000", "+1", "05-06", "1e3",
    ])
  func quotes(_ text: String) throws {
    #expect(YAMLWriter.scalar(text).hasPrefix("\""))
    try same(.object([(name: text, value: .list([.text(text), .object([(name: text, value: .text(text))])]))]))
  }

  @Test(
    "Other texts are plain",
    arguments: [
      "once", "yesterday", "My Home", "hi house", "Front Door Lock/On", "a-b", "a.b", "Küche", "💡", "1a", "a\\/b",
      "\u{A0}",
      "a@b", "2nd Floor", "0x1G",
      "<a>", "a*", "a&b!",
    ])
  func plain(_ text: String) throws {
    #expect(YAMLWriter.scalar(text) == text)
    try same(.object([(name: text, value: .list([.text(text), .object([(name: text, value: .text(text))])]))]))
  }

  @Test("Long keys and deep trees are read again", arguments: [150, 199, 200, 201, 1500])
  func longKeys(_ length: Int) throws {
    let key = String(repeating: "k", count: length)
    try same(
      .object([(name: key, value: .object([(name: key, value: .list([.text(key)]))])), (name: "a", value: .text("b"))]))
    try same(.list([.list([.object([(name: key, value: .object([]))])])]))
    var deep = JSONNode.text("deep")
    for level in 0..<60 {
      deep = level % 3 == 0 ? .object([(name: "a", value: deep)]) : .list([deep, .integer(level)])
    }
    try same(deep)
  }

  @Test("Each random tree is read again", arguments: 0..<300)
  func random(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<10 { try same(Self.tree(3, &random)) }
  }

  private func same(_ node: JSONNode, _ comment: Comment? = nil) throws {
    let text = node.yamlText
    let again = try JSONNode.yaml(Array(text.utf8))
    #expect(again.says(node), "\(text)")
    #expect(again.yamlText == text)
  }

  private static let pieces = [
    "a", "B", "0", "1", " ", "  ", ":", ": ", "#", " #", "-", "- ", "?", ",", "[", "]", "{", "}", "'", "\"", "\\", "\n",
    "\t",
    "\u{0}", "\u{85}", "\u{2029}", "\u{FEFF}", "é", "💡", "null", "true", ".", "e", "!", "&", "*", "%", "@", "|", ">",
    "<<", "\r\n",
  ]

  private static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0..<6, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
  }

  private static func tree(_ depth: Int, _ random: inout SeededGenerator) -> JSONNode {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
    case 0: return JSONNode(.null)
    case 1: return JSONNode(.bool(Bool.random(using: &random)))
    case 2: return .integer(Int.random(in: -9...99, using: &random))
    case 3: return .number(Double.random(in: -1...1, using: &random))
    case 4: return .text(text(&random))
    case 5, 6: return .list((0..<Int.random(in: 0..<4, using: &random)).map { _ in tree(depth - 1, &random) })
    default:
      var members: [(name: String, value: JSONNode)] = []
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let name = text(&random)
        if !members.contains(where: { $0.name == name }) { members.append((name, tree(depth - 1, &random))) }
      }
      return .object(members)
    }
  }
}
