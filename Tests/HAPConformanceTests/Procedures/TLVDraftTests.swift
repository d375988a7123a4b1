import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Outgoing TLV8 messages") struct TLVDraftTests {
  private let maker = ByteMaker(random: .seeded(1))

  private func encoded(_ items: String, _ alterations: String? = nil) throws -> [UInt8] {
    var draft = TLVDraft(try MessageItem.list(yaml(items)), maker)
    if let alterations { try draft.alter(MessageAlteration.list(yaml(alterations)), maker) }
    return draft.encoded()
  }

  @Test(
    "Items are written as specified, in order",
    arguments: [
      ("{ state: 1, method: 0 }", "060101 000100"), ("[[method, 0], [state, 1], [state, 2]]", "000100 060101 060102"),
      ("{ error: busy, identifier: ab, salt: aabb }", "070107 01026162 0202aabb"), ("{ '0x7F': '' }", "7f00"),
      ("[[0x7F, aa], [127, bb], ['127', cc]]", "7f01aa 7f01bb 7f01cc"), ("{ retry-delay: 256 }", "08020001"),
      ("{ flags: 65536 }", "130400000100"), ("{ proof: { zeros: 2 }, separator: [] }", "04020000 ff00"), ("{}", ""),
      ("[]", ""),
    ])
  func items(_ text: String, _ bytes: String) throws { #expect(try encoded(text) == hex(bytes)) }

  @Test(
    "A malformed item is reported as an error of the suite",
    arguments: ["{ what: 1 }", "{ 256: 1 }", "[[state]]", "[5]", "{ state: -1 }", "{ salt: zz }", "{ salt: ~ }"])
  func wrongItems(_ text: String) throws {
    let node = try yaml(text)
    #expect(stepError { () throws(StepError) in try MessageItem.list(node) } != nil)
  }

  private static let rows: [(text: String, bytes: String)] = [
    ("[{ drop: state }]", "0202aabb"), ("[{ drop: proof }]", "060103 0202aabb"),
    ("[{ set: { state: 9, proof: cc } }]", "060109 0202aabb 0401cc"),
    ("[{ add: { state: 4 } }]", "060103 0202aabb 060104"),
    ("[{ prepend: { method: 0 } }]", "000100 060103 0202aabb"), ("[{ duplicate: state }]", "060103 0202aabb 060103"),
    ("[{ flip: salt }]", "060103 0202aaba"), ("[{ flip: { item: salt, at: 0 } }]", "060103 0202abbb"),
    ("[{ flip: { item: salt, at: 9 } }]", "060103 0202aabb"),
    ("[{ truncate: { item: salt, to: 1 } }]", "060103 0201aa"),
    ("[{ truncate: { item: salt, by: 1 } }]", "060103 0201aa"),
    ("[{ truncate: { item: salt, by: 9 } }]", "060103 0200"),
    ("[{ truncate: { item: salt, to: 9 } }]", "060103 0202aabb"),
    ("[{ extend: { item: salt, by: 1 } }]", "060103 0203aabb00"),
    ("[{ extend: { item: salt, by: 1, front: true } }]", "060103 020300aabb"),
    ("[{ fragment: { item: salt, sizes: [1, 0] } }]", "060103 0201aa 0200 0201bb"),
    ("[{ fragment: { item: salt, sizes: [2] } }]", "060103 0202aabb"),
    ("[{ fragment: { item: salt, sizes: [9] } }]", "060103 0202aabb"),
    ("[{ declare: { item: salt, length: 5 } }]", "060103 0205aabb"), ("[{ reverse: true }]", "0202aabb 060103"),
    ("[{ reverse: false }]", "060103 0202aabb"), ("[{ move: { item: salt, to: front } }]", "0202aabb 060103"),
    ("[{ move: { item: state, to: end } }]", "0202aabb 060103"),
    ("[{ append: cc }, { append: dd }]", "060103 0202aabb ccdd"),
    ("[{ cut: 1 }, { cut: 2 }]", "060103 02"), ("[{ cut: 99 }]", ""), ("[{ replace: cc }]", "cc"),
    ("[]", "060103 0202aabb"),
    ("[{ set: { state: 5 } }, { drop: salt }, { duplicate: state }]", "060105 060105"),
  ]

  @Test("Each alteration has its documented effect, in turn", arguments: rows) func alterations(
    _ row: (text: String, bytes: String)
  ) throws {
    #expect(try encoded("{ state: 3, salt: aabb }", row.text) == hex(row.bytes), "\(row.text)")
  }

  @Test("Each alteration of the vocabulary has a test") func complete() {
    for member in Vocabulary.alterations {
      #expect(Self.rows.contains { $0.text.contains("{ \(member.name):") }, "\(member.name)")
    }
  }

  @Test(
    "An impossible alteration is an error of the suite, and doesn't trap",
    arguments: [
      "[{ what: state }]", "[state]", "[{}]", "[{ duplicate: proof }]", "[{ flip: proof }]", "[{ flip: what }]",
      "[{ flip: [] }]",
      "[{ truncate: { item: salt, to: -1 } }]", "[{ truncate: { item: salt, by: -9223372036854775808 } }]",
      "[{ truncate: { to: 1 } }]",
      "[{ extend: { item: salt, by: -1 } }]", "[{ extend: { item: salt, by: 99999999999 } }]",
      "[{ fragment: { item: salt, sizes: [-1] } }]", "[{ fragment: { sizes: [1] } }]",
      "[{ declare: { item: proof, length: 1 } }]",
      "[{ move: { item: proof, to: front } }]", "[{ cut: -1 }]", "[{ cut: a }]", "[{ append: zz }]",
      "[{ set: { what: 1 } }]",
    ])
  func refused(_ text: String) throws {
    let node = try yaml(text)
    var draft = TLVDraft(try MessageItem.list(yaml("{ state: 3, salt: aabb }")), maker)
    #expect(throws: StepError.self) { try draft.alter(MessageAlteration.list(node), maker) }
  }

  @Test("For a missing item, the error has the place of the alteration") func missingItem() throws {
    let node = try yaml("[{ drop: salt }, { flip: proof }]")
    var draft = TLVDraft(try MessageItem.list(yaml("{ state: 3, salt: aabb }")), maker)
    let error = stepError { () throws(StepError) in try draft.alter(MessageAlteration.list(node), maker) }
    #expect(error?.message == "the message has no item \"proof\" to alter" && error?.path == "[1].flip")
  }

  @Test("Long values are split into fragments of 255 bytes, after those of explicit sizes") func fragments() throws {
    #expect(try encoded("{ proof: { zeros: 256 } }") == [4, 255] + [UInt8](repeating: 0, count: 255) + [4, 1, 0])
    let odd = try encoded("{ proof: { zeros: 300 } }", "[{ fragment: { item: proof, sizes: [10, 20] } }]")
    #expect(odd.count == 308 && odd[1] == 10 && odd[13] == 20 && odd[35] == 255 && odd[292] == 15)
  }
}
