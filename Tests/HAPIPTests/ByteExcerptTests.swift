import HAPWire
import Testing

@testable import HAPIP

@Suite struct ByteExcerptTests {
  @Test("Bytes are shown in lines of 16 with offset and text, with an arrow at the fault") func lines() {
    let excerpt = ByteExcerpt(of: Array("HTTP/1.1 2000 x\r\n\u{1}".utf8), around: 9)
    #expect(
      excerpt.lines == [
        "bytes 0..<18 of 18, error at byte 9:",
        "> 000000  48 54 54 50 2f 31 2e 31 20 32 30 30 30 20 78 0d  HTTP/1.1 2000 x.",
        "  000010  0a 01                                            ..",
      ])
    #expect(ByteExcerpt(of: [], around: 7).lines == ["no bytes were received"])
  }

  @Test(
    "Of a long message at most 256 bytes are shown, including the fault",
    arguments: [0, 1, 191, 5000, 9_999, 10_000, 20_000, -1])
  func bounds(fault: Int) {
    let whole = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    let excerpt = ByteExcerpt(of: whole, around: fault)
    #expect(excerpt.bytes.count <= ByteExcerpt.most && excerpt.offset % 16 == 0)
    #expect((excerpt.offset...excerpt.offset + excerpt.bytes.count).contains(excerpt.fault))
    #expect(excerpt.bytes == Array(whole[excerpt.offset..<excerpt.offset + excerpt.bytes.count]))
    #expect(excerpt.lines.count <= 17 && excerpt.lines.filter { $0.hasPrefix(">") }.count == 1)
  }

  @Test("The byte of a line and column is found, also after multi-byte characters") func places() {
    let text = Array("{\"ä\":\n [€,x]}".utf8)
    for offset in text.indices where text[offset] & 0xC0 != 0x80 {
      let place = text.withUnsafeBytes { JSONPlace(offset: offset, in: $0) }
      #expect(ByteExcerpt.offset(of: place, in: text) == offset)
    }
    #expect(ByteExcerpt.offset(of: JSONPlace(line: 9, column: 1), in: text) == text.count)
  }

  @Test("A link keeps the bytes around a malformed message") func link() throws {
    let link = ControllerLink(host: "x")
    link.incoming.append(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n".utf8))
    #expect(throws: LinkFailure.http(.badChunk)) { try link.received() }
    let fault = try #require(link.fault)
    #expect(fault.offset == 0 && fault.lines.contains { $0.hasPrefix("> ") && $0.contains("zz") })

    let cut = ControllerLink(host: "x")
    cut.incoming.append(Array("HTTP/1.1 200 OK\r\n".utf8))
    #expect(try cut.received() == [])
    #expect(throws: LinkFailure.cutOff(17)) { try cut.ended() }
    #expect(cut.fault?.fault == 17)
  }
}
