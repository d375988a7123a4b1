import HAPCrypto
import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Constraints and bytes of suites") struct ConstraintTests {
  private func problem(_ value: String, _ pattern: String) throws -> String? {
    try Pattern.mismatch(JSONNode.text(value), JSONNode.parse(Array(pattern.utf8)))
  }

  @Test("Text is a decimal number only in decimal notation") func decimal() throws {
    for text in ["0", "1", "65535", "4294967296"] { #expect(try problem(text, #"{"$decimal":{"$min":0}}"#) == nil) }
    for text in ["", "+1", "-1", " 1", "1 ", "01", "1.0", "0x1", "1e3", "one", "１"] {
      #expect(try problem(text, #"{"$decimal":{"$min":0}}"#) != nil, "\(text)")
    }
    #expect(try problem("65536", #"{"$decimal":{"$max":65535}}"#) != nil)
    #expect(try problem("7", #"{"$decimal":7}"#) == nil)
    #expect(try Pattern.mismatch(JSONNode.integer(7), JSONNode.parse(Array(#"{"$decimal":7}"#.utf8))) != nil)
  }

  @Test("Bounds may be numeric text, as in TXT records") func textBounds() throws {
    #expect(try problem("10", #"{"$decimal":{"$min":"9"}}"#) == nil)
    #expect(try problem("8", #"{"$decimal":{"$min":"9"}}"#) != nil)
    #expect(throws: StepError.self) { try problem("8", #"{"$decimal":{"$min":"nine"}}"#) }
  }

  @Test("The hash of bytes is SHA-512") func hash() throws {
    let maker = ByteMaker(random: RandomSource.seeded(1))
    let node = try JSONNode.parse(Array(#"{"of":{"sha512":[{"text":"a"},{"text":"bc"}]},"truncate":4}"#.utf8))
    // FIPS 180-4, the example "abc".
    #expect(try maker.bytes(ByteRecipe(node)) == [0xDD, 0xAF, 0x35, 0xA1])
  }
}
