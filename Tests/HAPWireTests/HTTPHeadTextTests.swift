import HAPWire
import Testing

@Suite struct HTTPHeadTextTests {
  private func head(_ text: String) -> HTTPHeadText { HTTPHeadText(Array(text.utf8)) }

  @Test("A head has its first line and its fields, up to the empty line") func whole() {
    let head = head("PUT /x?a=b HTTP/1.1\r\nHost: lamp\r\nX-Odd:\t a: b \t\r\nx-odd:\r\n\r\nHost: body")
    #expect(head.start == "PUT /x?a=b HTTP/1.1" && head.words == ["PUT", "/x?a=b", "HTTP/1.1"])
    #expect(head.fields == [HTTPField("Host", "lamp"), HTTPField("X-Odd", "a: b \t"), HTTPField("x-odd", "")])
    #expect(head.fields.map(\.trimmedValue) == ["lamp", "a: b", ""])
  }

  @Test(
    "Lines end with LF or CR LF, empty lines at the start are ignored, and the empty line may be missing",
    arguments: ["\r\n\nA b\nX: 1\n\n", "A b\r\nX: 1\r\n\r\n", "A b\nX: 1", "A b\r\nX: 1\r\n"])
  func lineEnds(_ text: String) {
    #expect(head(text).start == "A b" && head(text).fields == [HTTPField("X", "1")])
  }

  @Test("Any bytes are parsed as a head") func anything() {
    #expect(head("").start == "" && head("\r\n\r\n").fields.isEmpty)
    let odd = HTTPHeadText([0xFF, 0x0A, 0x58, 0x0A, 0x3A, 0x0A, 0x59, 0x3A, 0xFF, 0x0D, 0x0D, 0x0A])
    #expect(odd.start == "\u{FFFD}", "a line without a colon is left out")
    #expect(odd.fields == [HTTPField("", ""), HTTPField("Y", "\u{FFFD}\r")])
    #expect(odd.fields.map(\.trimmedValue) == ["", "\u{FFFD}"])
  }

  @Test("Only a line feed ends a line; other line separators of Unicode are part of a value") func unicode() {
    #expect(head("A b\nX: 1\u{2028}2\u{85}3\n").fields == [HTTPField("X", "1\u{2028}2\u{85}3")])
  }
}
