import Foundation
import HAPTestSupport
import Testing
@testable import HAPWire

/// The text after one edit.
private func changed(
  _ text: String, width: Int = 120, _ change: (inout JSONDocument) throws(JSONError) -> Void
) throws -> String {
  var document = try JSONDocument(utf8(text), width: width)
  try change(&document)
  return String(decoding: document.bytes, as: UTF8.self)
}

private func value(_ text: String) throws(JSONError) -> JSONNode { try JSONNode.parse(utf8(text)) }

private func path(_ names: String...) -> JSONPath {
  names.reduce(.root) { parent, name in Int(name).map { .element(of: parent, $0) } ?? .member(of: parent, name) }
}

/// A profile in a hand-written layout.
private let lamp = """
  {
    "name": "Lamp",
    "services": [
      {
        "type": "LightBulb", "primary": true,
        "characteristics": [
          { "type": "On", "value": false },
          { "type": "Hue",   "value": 1.50 }
        ]
      }
    ]
  }

  """

@Suite("Editing JSON text in place") struct JSONDocumentTests {
  // MARK: Replacing

  @Test("A scalar is replaced in place, and no other byte changes")
  func replace() throws {
    let said = try changed(lamp) { (text) throws(JSONError) in
      try text.replace(path("services", "0", "characteristics", "1", "value"), with: .integer(7))
    }
    #expect(said == lamp.replacing("1.50", with: "7"))
    let long = String(repeating: "ä", count: 300)
    #expect(
      try changed("[ 1 ,\"b\"\n]") { (text) throws(JSONError) in try text.replace(path("1"), with: .text(long)) }
        == "[ 1 ,\"\(long)\"\n]")
    #expect(try changed(" 5\n") { (text) throws(JSONError) in try text.replace(.root, with: .list([])) } == " []\n")
  }

  @Test("A list or an object uses the indentation of its first line")
  func replaceTrees() throws {
    let said = try changed(lamp) { (text) throws(JSONError) in
      try text.replace(path("services", "0", "characteristics"), with: value(#"[{"type": "On", "perms": ["pr"]}, {}]"#))
    }
    let list = """
      [
              { "type": "On", "perms": ["pr"] },
              {}
            ]
      """
    let start = try #require(lamp.range(of: "[\n        {")?.lowerBound)
    let end = try #require(lamp.range(of: "1.50 }\n      ]")?.upperBound)
    #expect(said == lamp.replacingCharacters(in: start..<end, with: list))
  }

  // MARK: Adding

  @Test("A new element gets its own line if the others have one, with a comma before it")
  func append() throws {
    let said = try changed(lamp) { (text) throws(JSONError) in
      try text.append(value(#"{"type":"Saturation","value":2}"#), to: path("services", "0", "characteristics"))
    }
    #expect(
      said
        == lamp.replacing(
          "1.50 }", with: "1.50 },\n        { \"type\": \"Saturation\", \"value\": 2 }"))
  }

  @Test("A value with lists of objects is spread over lines, with the text's indentation")
  func appendTrees() throws {
    let service = #"{"type":"Switch","linked":["a","b"],"characteristics":[{"type":"On"}],"behaviour":{}}"#
    let said = try changed(lamp.replacing("  ", with: "\t")) { (text) throws(JSONError) in
      try text.append(value(service), to: path("services"))
    }
    let added = """
      \t\t},
      \t\t{
      \t\t\t"type": "Switch",
      \t\t\t"linked": ["a", "b"],
      \t\t\t"characteristics": [
      \t\t\t\t{ "type": "On" }
      \t\t\t],
      \t\t\t"behaviour": {}
      \t\t}
      \t]
      """
    #expect(said == lamp.replacing("  ", with: "\t").replacing("\t\t}\n\t]", with: added))
  }

  @Test(
    "A new element stays on the line of the others up to the width",
    arguments: [
      (#"[1,2]"#, "3", #"[1,2,3]"#),
      (#"[ 1, 2 ]"#, #"{"a":1}"#, #"[ 1, 2, { "a": 1 } ]"#),
      (#"[]"#, "1", "[1]"), ("[ \n ]", "1", "[1]"),
      (#"{"a":[{"b": 1}]}"#, #"{"c":[2,3]}"#, nil),
    ])
  func inline(_ text: String, _ element: String, _ expected: String?) throws {
    guard let expected else {
      let said = try changed(text) { (text) throws(JSONError) in try text.append(value(element), to: path("a")) }
      #expect(said == #"{"a":[{"b": 1},{"c":[2,3]}]}"#)
      return
    }
    #expect(
      try changed(text) { (text) throws(JSONError) in try text.append(value(element), to: .root) } == expected)
  }

  @Test("A text on one line stays on one line")
  func oneLine() throws {
    let element = #"{"type":"Switch","characteristics":[{"type":"On"}]}"#
    for text in [#"{"services":[{"type":"LightBulb"}]}"#, #"{ "services" : [ { "type" : "LightBulb" } ] }"#] {
      let said = try changed(text, width: 10) { (text) throws(JSONError) in
        try text.append(value(element), to: path("services"))
        try text.set("name", of: path("services", "0"), to: .text("a"))
      }
      #expect(!said.contains("\n"))
      let whole = try changed(text, width: 10) { (text) throws(JSONError) in
        try text.replace(.root, with: value(element))
      }
      #expect(!whole.contains("\n"))
      let blanks = text.contains(" ")
      #expect(
        said.contains(
          blanks
            ? #", { "type" : "Switch", "characteristics" : [ { "type" : "On" } ] }"#
            : #",{"type":"Switch","characteristics":[{"type":"On"}]}"#))
      #expect(said.contains(blanks ? #""LightBulb", "name" : "a" }"# : #""LightBulb","name":"a"}"#))
    }
  }

  @Test("An element stays on one line up to the width, counted in characters")
  func width() throws {
    func append(_ width: Int) throws -> String {
      try changed("[\n  1\n]", width: width) { (text) throws(JSONError) in
        try text.append(.object([("ä", .text("ü"))]), to: .root)
      }
    }
    #expect(try append(14) == "[\n  1,\n  { \"ä\": \"ü\" }\n]")
    #expect(try append(13) == "[\n  1,\n  {\n    \"ä\": \"ü\"\n  }\n]")
  }

  @Test("A line above the width is split, including the surrounding lists and objects on it")
  func spread() throws {
    let text = """
      {
        "services": [ { "type": "LightBulb", "characteristics": [ { "type": "On" } ] }, { "type": "Switch" } ]
      }
      """
    let said = try changed(text, width: 108) { (text) throws(JSONError) in
      try text.append(value(#"{"type":"Hue"}"#), to: path("services", "0", "characteristics"))
    }
    #expect(
      said == """
        {
          "services": [
            {
              "type": "LightBulb",
              "characteristics": [
                { "type": "On" },
                { "type": "Hue" }
              ]
            },
            { "type": "Switch" }
          ]
        }
        """)
    // With a limit that is one column higher, the line stays as it is.
    let kept = try changed(text, width: 123) { (text) throws(JSONError) in
      try text.append(value(#"{"type":"Hue"}"#), to: path("services", "0", "characteristics"))
    }
    #expect(kept == text.replacing(#""On" }"#, with: #""On" }, { "type": "Hue" }"#))
    #expect(kept.split(separator: "\n").map(\.count).max() == 123)
    let broken = try changed(text, width: 122) { (text) throws(JSONError) in
      try text.append(value(#"{"type":"Hue"}"#), to: path("services", "0", "characteristics"))
    }
    #expect(broken == said)
  }

  @Test("A list that replaces a scalar splits its line if the line gets too wide")
  func spreadByReplacing() throws {
    let text = "{\n  \"a\": { \"b\": 1, \"c\": 2 }\n}"
    let said = try changed(text, width: 30) { (text) throws(JSONError) in
      try text.replace(path("a", "b"), with: value("[1111,2222,3333]"))
    }
    #expect(
      said == """
        {
          "a": {
            "b": [1111, 2222, 3333],
            "c": 2
          }
        }
        """)
  }

  @Test("After a multi-line element that starts on the bracket's line, the next one starts there, too")
  func bracketsTogether() throws {
    let text = "{\n  \"list\": [ {\n    \"a\": 1\n  } ]\n}"
    let said = try changed(text) { (text) throws(JSONError) in
      try text.append(value(#"{"a":[{"b":2}]}"#), to: path("list"))
    }
    #expect(
      said == """
        {
          "list": [ {
            "a": 1
          }, {
            "a": [
              { "b": 2 }
            ]
          } ]
        }
        """)
  }

  @Test("An element in an empty list stays on the line if it fits")
  func empty() throws {
    let text = "{\n  \"a\": [],\n  \"b\": { \"c\": [ ] }\n}"
    let own = try changed(text) { (text) throws(JSONError) in try text.append(value(#"{"x":1}"#), to: path("a")) }
    #expect(own == text.replacing("[]", with: "[\n    { \"x\": 1 }\n  ]"))
    let inline = try changed(text) { (text) throws(JSONError) in
      try text.append(value(#"{"x":1}"#), to: path("b", "c"))
    }
    #expect(inline == text.replacing("[ ]", with: "[ { \"x\": 1 } ]"))
    #expect(
      try changed("{}") { (text) throws(JSONError) in try text.set("a", of: .root, to: .integer(1)) } == #"{ "a": 1 }"#)
  }

  @Test("An existing member is replaced, and a new one is inserted in the given order")
  func members() throws {
    let order = ["type", "name", "primary", "id", "characteristics"]
    func set(_ name: String, in text: String = lamp) throws -> String {
      try changed(text) { (text) throws(JSONError) in
        try text.set(name, of: path("services", "0"), to: .text("x"), order: order)
      }
    }
    #expect(try set("type") == lamp.replacing("\"LightBulb\"", with: "\"x\""))
    #expect(try set("name") == lamp.replacing("\"LightBulb\", ", with: "\"LightBulb\", \"name\": \"x\", "))
    #expect(try set("id") == lamp.replacing("true,\n", with: "true, \"id\": \"x\",\n"))
    #expect(try set("x-odd") == lamp.replacing("]\n    }", with: "],\n      \"x-odd\": \"x\"\n    }"))
    let turned = #"{"services":[{"characteristics":[],"type":"A","id":"b"}]}"#
    #expect(try set("name", in: turned) == #"{"services":[{"characteristics":[],"type":"A","name":"x","id":"b"}]}"#)
    #expect(try set("type", in: #"{"services":[{"id":"b"}]}"#) == #"{"services":[{"id":"b","type":"x"}]}"#)
  }

  @Test("A new member shares a line if the others do, up to the width")
  func sharedLines() throws {
    let text = "{\n  \"a\": 1, \"b\": 2,\n  \"c\": 3\n}"
    func set(_ width: Int) throws -> String {
      try changed(text, width: width) { (text) throws(JSONError) in
        try text.set("x", of: .root, to: .integer(7), order: ["a", "x"])
      }
    }
    #expect(try set(25) == text.replacing("1,", with: "1, \"x\": 7,"))
    #expect(try set(24) == text.replacing("1,", with: "1,\n  \"x\": 7,"))
  }

  @Test("A line that is already too wide is kept if it gets no wider")
  func tooWideAlready() throws {
    let text = "[\n  [111], [222], [333]\n]"
    let said = try changed(text, width: 10) { (text) throws(JSONError) in
      try text.replace(path("1"), with: value("[4]"))
    }
    #expect(said == text.replacing("222", with: "4"))
  }

  @Test("The most frequent style of the text is used, not the first")
  func habits() throws {
    let text = """
      {
         "a" :1,
         "b": {"x": 1,"y": 2},
         "c": {"x": 1,"y": 2, "z": []},
         "d": [ 1,2 ],
         "e": [[1], [2]]
      }
      """
    let said = try changed(text) { (text) throws(JSONError) in
      try text.set("f", of: .root, to: value(#"{"x": [1,2], "y": [{"a":1,"b":2}]}"#))
    }
    let added = """
      ,
         "f": {
            "x": [1,2],
            "y": [
               {"a": 1,"b": 2}
            ]
         }
      }
      """
    #expect(said == String(text.dropLast(2)) + added)
  }

  @Test("Line ends are those of the text")
  func lineEnds() throws {
    let text = lamp.replacing("\n", with: "\r\n")
    let said = try changed(text) { (text) throws(JSONError) in
      try text.append(value(#"{"type":"A","characteristics":[{}]}"#), to: path("services"))
    }
    #expect(said.replacing("\r\n", with: "").allSatisfy { !$0.isNewline })
    #expect(said.contains("    },\r\n    {\r\n      \"type\": \"A\",\r\n"))
  }

  @Test("Names and strings are escaped, and columns are counted in characters")
  func escaping() throws {
    let said = try changed("[{\"ä\": 1}]") { (text) throws(JSONError) in
      try text.set("a\"b\n", of: path("0"), to: .text("\u{1}\\"))
    }
    #expect(said == #"[{"ä": 1, "a\"b\n": "\u0001\\"}]"#)
    let wide = "[\n  \"\(String(repeating: "ä", count: 10))\", [1]\n]"
    func add(_ width: Int) throws -> String {
      try changed(wide, width: width) { (text) throws(JSONError) in try text.append(.integer(2), to: path("1")) }
    }
    #expect(try add(22) == wide.replacing("[1]", with: "[1, 2]"))
    #expect(try add(21) == wide.replacing(" [1]", with: "\n  [\n    1,\n    2\n  ]"))
  }

  // MARK: Removing

  @Test(
    "Removing a value removes its comma, and its line if it had one",
    arguments: [
      ("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "a", "{\n  \"b\": 2,\n  \"c\": 3\n}"),
      ("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "b", "{\n  \"a\": 1,\n  \"c\": 3\n}"),
      ("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "c", "{\n  \"a\": 1,\n  \"b\": 2\n}"),
      ("{ \"a\": 1, \"b\": 2,\n  \"c\": 3 }", "a", "{ \"b\": 2,\n  \"c\": 3 }"),
      ("{ \"a\": 1, \"b\": 2,\n  \"c\": 3 }", "b", "{ \"a\": 1,\n  \"c\": 3 }"),
      ("{ \"a\": 1,\n  \"b\": 2, \"c\": 3 }", "b", "{ \"a\": 1,\n  \"c\": 3 }"),
      ("{ \"a\": 1 }", "a", "{}"), ("{\n  \"a\": 1\n}\n", "a", "{}\n"),
    ])
  func remove(_ text: String, _ name: String, _ expected: String) throws {
    #expect(try changed(text) { (text) throws(JSONError) in text.remove(path(name)) } == expected)
  }

  // MARK: Errors

  @Test("Malformed JSON is refused with its place; an edit that nests too deeply changes nothing")
  func refused() throws {
    #expect(throws: JSONError.self) { try JSONDocument(utf8("{\"a\": 1,}")) }
    #expect(throws: JSONError.self) { try JSONDocument(utf8("{\"a\": 1, \"a\": 2}")) }
    let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
    let tree = try value(deep)
    var document = try JSONDocument(utf8("[[1], {}]"))
    func refuse(_ change: (inout JSONDocument) throws(JSONError) -> Void) {
      let error = #expect(throws: JSONError.self) { try change(&document) }
      #expect(error?.message == "nested too deeply")
      #expect(document.bytes == utf8("[[1], {}]") && document.root.elements?.count == 2)
    }
    refuse { (text) throws(JSONError) in try text.append(tree, to: path("0")) }
    refuse { (text) throws(JSONError) in try text.replace(path("0", "0"), with: tree) }
    refuse { (text) throws(JSONError) in try text.set("a", of: path("1"), to: tree) }
    try document.append(tree, to: .root)
    #expect(document.bytes == utf8("[[1], {}, \(deep)]"))
  }

  @Test("A path that doesn't exist is a programming error and traps") func nowhere() async {
    await #expect(processExitsWith: .failure) {
      var document = try JSONDocument(Array("{\"a\": 1}".utf8))
      document.remove(.member(of: .root, "b"))
    }
    await #expect(processExitsWith: .failure) {
      var document = try JSONDocument(Array("[1]".utf8))
      try document.replace(.element(of: .root, 1), with: .integer(2))
    }
    await #expect(processExitsWith: .failure) {
      var document = try JSONDocument(Array("1".utf8))
      document.remove(.root)
    }
  }

  @Test("Equality of values ignores their places")
  func says() throws {
    let node = try value(#"{"a": [1, "x", null, true], "b": {}}"#)
    #expect(try node.says(value(#" {"a":[1,"x",null,true],"b":{ }}"#)))
    for other in [
      #"{"a": [1, "x", null, true], "c": {}}"#, #"{"a": [1, "x", null, true]}"#,
      #"{"a": [1, "x", null, false], "b": {}}"#,
      #"{"a": [1.0, "x", null, true], "b": {}}"#, #"{"a": [1, "x", null], "b": {}}"#,
      #"{"b": {}, "a": [1, "x", null, true]}"#,
      #"{"a": [1, "x", null, true], "b": []}"#, "[]", "1",
    ] {
      #expect(try !node.says(value(other)), "\(other)")
    }
  }
}
