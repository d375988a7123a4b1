import HAPWire
import Testing

struct DNSNameTests {
  @Test(
    "Names are equal regardless of the case of ASCII letters, and of nothing else",
    arguments: ["_hap._tcp.local", "A", "."])
  func cases(_ text: String) throws {
    let name = try #require(DNSName(text))
    let shouted = try #require(DNSName(text.uppercased()))
    #expect(name == shouted && name.hashValue == shouted.hashValue)
    #expect(name != name.prefixed(by: [0]))
    #expect(Set([name, shouted]).count == 1)
  }

  @Test("Letters beyond ASCII, and bytes near the ASCII letters, are not folded")
  func noOtherFolding() {
    #expect(DNSName([utf8("ä")]) != DNSName([utf8("Ä")]))
    #expect(DNSName([[0x40]]) != DNSName([[0x60]]))
    #expect(DNSName([[0x5B]]) != DNSName([[0x7B]]))
    #expect(DNSName([[1, 1]]) != DNSName([[1], [1]]))
  }

  @Test("The bytes of a label survive conversion to text and back")
  func texts() throws {
    for byte in UInt8.min...UInt8.max {
      let name = DNSName([[0x61, byte, 0x31], utf8("local")])
      let text = name.description
      #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(text)")
      #expect(try #require(DNSName(text)).labels == name.labels)
    }
    #expect(DNSName([utf8("Lamp. A\\"), utf8("local")]).description == "Lamp\\.\\032A\\\\.local")
    #expect(DNSName([]).description == ".")
    #expect(DNSName("a.b.")?.labels == [utf8("a"), utf8("b")])
    #expect(DNSName("")?.labels == [])
  }

  @Test("A label of any length is escaped byte by byte")
  func escaping() {
    #expect(DNSName.escaped("Lamp #2".utf8) == "Lamp\\032#2")
    #expect(DNSName.escaped("a.b\\c".utf8) == "a\\.b\\\\c")
    #expect(DNSName.escaped([0, 9, 127, 255]) == "\\000\\009\\127\\255")
    #expect(DNSName.escaped([]) == "")
    #expect(DNSName.escaped(repeatElement(0x20, count: 300)) == String(repeating: "\\032", count: 300))
  }

  @Test(
    "Malformed names are refused",
    arguments: [
      "..", ".a", "a..b", "a..", "\\", "a\\", "\\1", "\\25", "\\256", "\\999", "\\1a2",
      String(repeating: "a", count: 64), String(repeating: "ab.", count: 85),
    ])
  func noNames(_ text: String) { #expect(DNSName(text) == nil) }

  @Test("The longest name has 255 bytes on the wire, and the longest label 63")
  func lengths() {
    let label = [UInt8](repeating: 0x61, count: 63)
    #expect(DNSName([label, label, label, Array(label[..<61])]).isWellFormed)
    #expect(!DNSName([label, label, label, Array(label[..<62])]).isWellFormed)
    #expect(!DNSName([label + [0x61]]).isWellFormed)
    #expect(!DNSName([[]]).isWellFormed)
    #expect(DNSName([]).isWellFormed)
  }

  @Test("A name is within its parent names, compared by label")
  func within() throws {
    let type = try #require(DNSName("_hap._tcp.local"))
    let lamp = type.prefixed(by: utf8("Lamp"))
    #expect(lamp.isWithin(type) && type.isWithin(type) && lamp.isWithin(DNSName([])))
    #expect(!type.isWithin(lamp))
    #expect(!(try #require(DNSName("x_hap._tcp.local")).isWithin(type)))
    // The bytes of a label look like the end of another name.
    #expect(!DNSName([[0x61] + [5] + utf8("local")]).isWithin(DNSName([utf8("local")])))
    #expect(lamp.parent == type && lamp.firstLabel == utf8("Lamp"))
    #expect(DNSName([]).parent == nil && DNSName([]).firstLabel == nil)
  }
}
