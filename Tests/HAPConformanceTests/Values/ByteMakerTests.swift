import HAPCrypto
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Bytes of suites") struct ByteMakerTests {
  private static let rows: [(text: String, bytes: String)] = [
    ("'aabb'", "aabb"), ("''", ""), ("[aa, { text: b }, [cc]]", "aa 62 cc"), ("{ hex: AABB }", "aabb"),
    ("{ text: é }", "c3a9"), ("{ text: 5 }", "35"), ("{ base64: qrs= }", "aabb"), ("{ zeros: 3 }", "000000"),
    ("{ zeros: 0 }", ""),
    ("{ int: 5 }", "05"), ("{ int: 256 }", "0001"), ("{ int: 65536 }", "00000100"),
    ("{ int: 4294967296 }", "0000000001000000"),
    ("{ int: 5, width: 4 }", "05000000"), ("{ int: 258, width: 1 }", "02"),
    ("{ int: 1, width: 10 }", "01000000000000000000"),
    ("{ repeat: aabb, times: 2 }", "aabbaabb"), ("{ repeat: aabb }", "aabb"), ("{ repeat: aa, times: 0 }", ""),
    ("{ of: aabbcc, truncate: 2 }", "aabb"), ("{ of: aabbcc, skip: 1 }", "bbcc"), ("{ of: aabbcc, skip: 9 }", ""),
    ("{ of: aabbcc, flip: 0 }", "abbbcc"), ("{ of: aabbcc, flip: -1 }", "aabbcd"),
    ("{ of: aabbcc, flip: 9 }", "aabbcc"),
    ("{ of: aabbcc, flip: -9 }", "aabbcc"), ("{ of: '0000aa00', strip: true }", "aa00"),
    ("{ of: 00aa, strip: false }", "00aa"),
    ("{ of: aa, extend: 2 }", "aa0000"), ("{ text: AbZ, lower: true }", "61627a"),
    ("{ of: '00112233', skip: 1, truncate: 2, extend: 1 }", "112200"),
    ("{ of: { of: aabb, skip: 1 }, extend: 1 }", "bb00"),
    // FIPS 180-4: the first bytes of the hash of the empty message.
    ("{ of: { sha512: '' }, truncate: 4 }", "cf83e135"),
  ]

  @Test("Each member generates its bytes", arguments: rows) func table(_ row: (text: String, bytes: String)) throws {
    #expect(try ByteMaker(random: .seeded(1)).bytes(ByteRecipe(yaml(row.text))) == hex(row.bytes), "\(row.text)")
  }

  @Test("Each member of the vocabulary has a test") func complete() {
    let tried = Self.rows.map(\.text).joined() + "random:"
    for member in Vocabulary.bytesMembers { #expect(tried.contains("\(member.name):"), "\(member.name)") }
  }

  @Test("Random bytes depend only on the seed") func random() throws {
    let recipe = try ByteRecipe(yaml("{ random: 16 }"))
    let first = ByteMaker(random: .seeded(1)).bytes(recipe)
    #expect(first.count == 16)
    #expect(ByteMaker(random: .seeded(1)).bytes(recipe) == first)
    #expect(ByteMaker(random: .seeded(2)).bytes(recipe) != first)
  }

  @Test(
    "Malformed bytes, or too many, are an error of the suite and don't trap",
    arguments: [
      "abc", "zz", "5", "true", "~", "{}", "{ what: 5 }", "{ hex: zz }", "{ base64: '*' }", "{ base64: 5 }",
      "{ zeros: -1 }",
      "{ zeros: 16777217 }", "{ zeros: a }", "{ random: 99999999999999999999 }", "{ int: -1 }",
      "{ int: 18446744073709551616 }",
      "{ int: a }", "{ int: 1, width: -1 }", "{ repeat: aa, times: -1 }", "{ repeat: aabb, times: 16777216 }",
      "{ of: aa, skip: -1 }", "{ of: aa, truncate: -1 }", "{ of: aa, extend: -1 }", "{ of: aa, extend: 16777216 }",
      "{ of: aa, skip: a }", "[{ zeros: 16777216 }, { zeros: 1 }]", "[aa, 5]",
      "{ of: { zeros: 16777216 }, extend: 16777216 }",
      "{ repeat: { repeat: '0000', times: 1000000 }, times: 1000000, truncate: 1 }",
      "{ repeat: { repeat: '0000', times: 1000000 }, times: 1000000, skip: 1000000 }",
    ])
  func refused(_ text: String) throws {
    let node = try yaml(text)
    #expect(stepError { () throws(StepError) in try ByteRecipe(node) } != nil)
  }
}
