import HAPWire
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
  @Test("Each byte survives encoding and decoding")
  func bytes() {
    let all = (0...255).map { UInt8($0) }
    #expect(Hexadecimal.bytes(Hexadecimal.text(all)) == all)
    #expect(Hexadecimal.text([0, 0x0A, 0xFF]) == "000aff")
    #expect(Hexadecimal.bytes("0aFF") == [0x0A, 0xFF])
    #expect(Hexadecimal.bytes("") == [])
  }

  @Test("Text other than pairs of digits is refused", arguments: ["0", "0g", "0x00", " 00", "00 ", "\u{FF10}0", "é0"])
  func refused(text: String) { #expect(Hexadecimal.bytes(text) == nil) }
}
