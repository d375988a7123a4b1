@testable import HAPWire
import Testing

struct HTTPResponseTests {
  @Test("[HTTP.24] [HTTP.25] Heads are written with status, reason, type and length")
  func heads() {
    func written(_ body: (inout ByteBuffer) -> Void) -> String {
      var buffer = ByteBuffer(capacity: 0)
      body(&buffer)
      return String(decoding: buffer.bytes, as: UTF8.self)
    }
    #expect(written { HTTPWriter.head(status: 204, into: &$0) } == "HTTP/1.1 204 No Content\r\n\r\n")
    #expect(
      written { HTTPWriter.head(status: 400, into: &$0) } == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    #expect(
      written { HTTPWriter.head(status: 470, contentType: .hapJSON, contentLength: 17, into: &$0) }
        == "HTTP/1.1 470 Connection Authorization Required\r\nContent-Type: application/hap+json\r\nContent-Length: 17\r\n\r\n"
    )
    #expect(
      written { HTTPWriter.head(status: 200, contentType: .pairingTLV8, contentLength: 3, closes: true, into: &$0) }
        == "HTTP/1.1 200 OK\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    )
    #expect(
      written { HTTPWriter.eventHead(contentLength: 9, into: &$0) }
        == "EVENT/1.0 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 9\r\n\r\n")
    #expect("\(HTTPWriter.reason(207))" == "Multi-Status")
  }

  @Test(
    "[HTTP.26] A body written before its head is sent in one piece with it", arguments: [0, 1, 9, 10, 1024, 100_000])
  func bodyFirst(_ length: Int) {
    var buffer = ByteBuffer(capacity: 0)
    for _ in 0..<2 {
      let gap = HTTPWriter.beginBody(in: &buffer)
      buffer.append([UInt8](repeating: 0x41, count: length))
      HTTPWriter.finish(gap, status: 200, contentType: .hapJSON, in: &buffer)
      let event = HTTPWriter.beginBody(in: &buffer)
      buffer.append([UInt8](repeating: 0x42, count: length))
      HTTPWriter.finishEvent(event, in: &buffer)
    }
    let answer = ParsedMessage(isEvent: false, status: 200, body: [UInt8](repeating: 0x41, count: length))
    let event = ParsedMessage(isEvent: true, status: 200, body: [UInt8](repeating: 0x42, count: length))
    #expect(parseResponses([buffer.bytes]) == MessageLog(messages: [answer, event, answer, event]))
  }

  static let glued = utf8(
    "HTTP/1.1 204 No Content\r\n\r\nEVENT/1.0 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}"
      + "HTTP/1.1 207 Multi-Status\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"
      + "HTTP/1.1 100 Continue\r\n\r\nEVENT/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      + "HTTP/1.0 470 \r\nContent-Length: 0\r\n\r\nHTTP/1.1 400\ncontent-length: 1\n\nx")

  @Test("Concatenated answers and events are separated, at each split and byte by byte")
  func gluedMessages() {
    let whole = parseResponses([Self.glued])
    #expect(whole.error == nil && whole.leftOver == 0)
    #expect(whole.messages.map(\.status) == [204, 200, 207, 100, 200, 470, 400])
    #expect(whole.messages.map(\.isEvent) == [false, true, false, false, true, false, false])
    #expect(whole.messages.map(\.body) == [[], utf8("{}"), utf8("abcd"), [], [], [], utf8("x")])
    for offset in 0...Self.glued.count {
      #expect(parseResponses([Self.glued[..<offset], Self.glued[offset...]]) == whole)
    }
    #expect(parseResponses(Self.glued.map { [$0] }) == whole)
  }

  @Test("Any byte at any position of an answer gives a result, the same in one piece and in two")
  func everyByteEverywhere() {
    for position in Self.glued.indices {
      for byte in stride(from: 0, through: 255, by: 3) {
        var bytes = Self.glued
        bytes[position] = UInt8(byte)
        let (whole, halves) = (parseResponses([bytes]), parseResponses([bytes[..<position], bytes[position...]]))
        if whole != halves { Issue.record("byte \(byte) at \(position)") }
      }
    }
  }

  @Test("An answer without a length ends when the peer closes")
  func untilClose() {
    let text = utf8("HTTP/1.1 470 Connection Authorization Required\r\n\r\n")
    #expect(parseResponses([text]).messages.isEmpty)
    #expect(parseResponses([text], closes: true).messages == [ParsedMessage(isEvent: false, status: 470, body: [])])
    let cut = utf8("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
    #expect(parseResponses([cut], closes: true).messages.isEmpty)
  }

  @Test(
    "A malformed answer is refused",
    arguments: [
      ("HTTP/1.1\r\n\r\n", HTTPError.badStartLine), ("HTTP/1.1 20\r\n\r\n", .badStartLine),
      ("HTTP/1.1 2000 OK\r\n\r\n", .badStartLine), ("HTTP/1.1 abc OK\r\n\r\n", .badStartLine),
      ("HTTP/1.1 099 OK\r\n\r\n", .badStartLine), ("EVENT/1.1 200 OK\r\n\r\n", .badStartLine),
      ("HTTP/2 200 OK\r\n\r\n", .unsupportedVersion), ("\u{0}", .badStartLine),
      ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .badContentLength),
      ("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", .bodyTooLarge),
    ])
  func refused(_ text: String, _ error: HTTPError) {
    #expect(parseResponses([utf8(text)]).error == error)
  }

  @Test("Written chunks are read back")
  func chunkWriter() {
    var buffer = ByteBuffer(capacity: 0)
    HTTPWriter.chunkedHead(status: 200, contentType: .hapJSON, isEvent: true, into: &buffer)
    for piece in ["hello ", "", "chunked world"] {
      utf8(piece).withUnsafeBytes { HTTPWriter.chunk($0, into: &buffer) }
    }
    HTTPWriter.lastChunk(into: &buffer)
    let expected = ParsedMessage(isEvent: true, status: 200, body: utf8("hello chunked world"))
    #expect(parseResponses([buffer.bytes]) == MessageLog(messages: [expected]))
  }
}
