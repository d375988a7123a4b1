import HAPWire
import Testing

@testable import HAPDeviations

@Suite("Edits") struct EditTests {
  private static let lights =
    #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[1,2]}]}"#

  @Test(
    "JSON is changed only at the path",
    arguments: [
      (
        "{ set: \"/characteristics/0/value\", to: 2 }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":2},{"aid":1,"iid":3,"value":"Lamp","x":[1,2]}]}"#
      ),
      (
        "{ set: \"/characteristics/-1/status\", to: 0 }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[1,2],"status":0}]}"#
      ),
      (
        "{ remove: \"/characteristics/*[type=On]\" }",
        #"{"characteristics":[{"aid":1,"iid":3,"value":"Lamp","x":[1,2]}]}"#
      ),
      ("{ remove: \"/characteristics/*\" }", #"{"characteristics":[]}"#),
      ("{ remove: \"/characteristics/?\" }", #"{"characteristics":[{"aid":1,"iid":3,"value":"Lamp","x":[1,2]}]}"#),
      (
        "{ raise: \"/characteristics/*[x]/iid\", by: 100 }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":103,"value":"Lamp","x":[1,2]}]}"#
      ),
      (
        "{ rename: \"/characteristics/0/value\", to: v }",
        #"{"characteristics":[{"aid":1,"iid":9,"v":1},{"aid":1,"iid":3,"value":"Lamp","x":[1,2]}]}"#
      ),
      (
        "{ insert: \"/characteristics/1/x\", value: 0, at: first }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[0,1,2]}]}"#
      ),
      (
        "{ reverse: \"/characteristics/1/x\" }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[2,1]}]}"#
      ),
      (
        "{ quote: \"/characteristics/*[!x]/aid\" }",
        #"{"characteristics":[{"aid":"1","iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[1,2]}]}"#
      ),
      (
        "{ upper: \"/characteristics/*[perms~pr][format=string]/value\" }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"LAMP","x":[1,2]}]}"#
      ),
      (
        "{ repeat: \"/characteristics/0\" }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[1,2]}]}"#
      ),
      (
        "{ copy: \"/characteristics/0/value\", to: \"/characteristics/1/x/-\" }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[1,2,1]}]}"#
      ),
      (
        "{ fill: \"/characteristics/1/value\", to: 3 }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"xxx","x":[1,2]}]}"#
      ),
      (
        "{ crowd: /characteristics, to: 3 }",
        #"{"characteristics":[{"aid":1,"iid":9,"value":1},{"aid":1,"iid":3,"value":"Lamp","x":[1,2]},{"aid":2,"iid":3,"value":"Lamp","x":[1,2]}]}"#
      ),
      ("{ crowd: /characteristics, to: 1 }", lights),
      ("{ crowd: \"/characteristics/0\", to: 3 }", lights),
      ("{ set: /, to: [] }", "[]"),
      ("{ remove: \"/characteristics/7/value\" }", lights),
      ("{ set: \"/missing/value\", to: 1 }", lights),
      ("{ raise: \"/characteristics/1/value\", by: 1 }", lights),
    ])
  func jsonEdits(_ edit: String, _ expected: String) throws {
    let rule = defect("rules: [{ when: { answer: \"*\" }, json: [\(edit)] }]").rules[0]
    #expect(rule.json.apply(to: utf8(Self.lights), lookup).map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test("Bodies other than JSON stay unchanged")
  func noJSON() {
    let rule = defect("rules: [{ when: { answer: \"*\" }, json: [{ remove: /a }] }]").rules[0]
    #expect(rule.json.apply(to: utf8("{"), lookup) == nil)
    #expect(rule.altered(answer(200, "{"), lookup) == answer(200, "{"))
  }

  @Test(
    "A path with filters on numbers and texts finds the matching elements",
    arguments: [
      ("/characteristics/*[value>0]", true), ("/characteristics/*[value>1]", false),
      ("/characteristics/*[value<2]", true),
      ("/characteristics/*[iid!=9]", true), ("/characteristics/*[type=25]", true),
      ("/characteristics/*[type=Brightness]", false),
      ("/characteristics/*[value~am]", true), ("/characteristics/*[service=Lightbulb]", true),
      ("/characteristics/2", false),
      ("/characteristics/-2", true), ("/characteristics/-3", false), ("/", true), ("/characteristics/*[x~2]", true),
    ])
  func paths(_ path: String, _ isThere: Bool) throws {
    #expect(try JSONPattern(path).exists(in: json(Self.lights), lookup) == isThere)
  }

  private static func tlv(_ edits: String) -> [UInt8]? {
    let message = TLV([
      .init(type: 6, value: [2]), .init(type: 2, value: [1, 2, 3]),
      .init(type: 3, value: Array(repeating: 7, count: 300)),
    ])
    return defect("rules: [{ when: { answer: \"*\" }, tlv: [\(edits)] }]").rules[0].tlv.apply(to: message.encoded())
  }

  @Test("TLV8 is changed per item")
  func tlvEdits() throws {
    func items(_ edits: String) throws -> TLV { try TLV(decoding: try #require(Self.tlv(edits))) }
    #expect(try items("{ set: state, to: 4 }").state == 4)
    #expect(try items("{ set: error, to: 2 }").error == .authentication)
    #expect(try items("{ remove: salt }")[TLVType.salt] == nil)
    #expect(try items("{ flip: salt, byte: -1 }")[TLVType.salt] == [1, 2, 2])
    #expect(try items("{ flip: salt, byte: 9 }")[TLVType.salt] == [1, 2, 3])
    #expect(try items("{ cut: salt, to: 1 }")[TLVType.salt] == [1])
    #expect(try items("{ extend: salt, to: 4 }")[TLVType.salt] == [1, 2, 3, 0])
    #expect(try items("{ pad: salt, to: 4 }")[TLVType.salt] == [0, 1, 2, 3])
    #expect(try items("{ reverse: salt }")[TLVType.salt] == [3, 2, 1])
    #expect(try items("{ order: [salt, state] }").items.map(\.type) == [2, 6, 3])
    #expect(try items("{ add: proof, value: \"0x0a0b\", at: first }").items.first?.value == [10, 11])
    #expect(try items("{ set: \"99\", to: hm }")[99] == utf8("hm"))
    let short = try #require(Self.tlv("{ fragments: 100 }"))
    #expect(throws: TLV.DecodingError.self) { try TLV(decoding: short) }
    #expect(Self.tlv("{ repeat: state }")?.prefix(6) == [6, 1, 2, 6, 1, 2])
  }

  @Test("Removing an entry of a pairing list removes one separator, too")
  func entries() throws {
    func entry(_ name: String) -> [TLV.Item] {
      [.init(type: 1, value: utf8(name)), .init(type: 3, value: [1]), .init(type: 11, value: [1])]
    }
    let separator = TLV.Item(type: 0xFF, value: [])
    let list = TLV([.init(type: 6, value: [2])] + entry("A") + [separator] + entry("B") + [separator] + entry("C"))
    func after(_ edit: String) throws -> TLV {
      let rule = defect("rules: [{ when: { answer: \"*\" }, tlv: [\(edit)] }]").rules[0]
      return try TLV(decoding: try #require(rule.tlv.apply(to: list.encoded())))
    }
    #expect(
      try after("{ remove: entry, nth: 2 }")
        == TLV([.init(type: 6, value: [2])] + entry("A") + [separator] + entry("C")))
    #expect(
      try after("{ repeat: entry, nth: 1 }").items.filter { $0.type == 1 }.map(\.value)
        == ["A", "A", "B", "C"].map(utf8))
    #expect(try after("{ remove: entry }") == TLV([.init(type: 6, value: [2])]))
  }
}
