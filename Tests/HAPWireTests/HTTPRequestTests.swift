@testable import HAPWire
import HAPTestSupport
import Testing

struct HTTPRequestTests {
  @Test("A request is parsed into method, path and query")
  func read() {
    let log = parseRequest("GET /characteristics?id=1.9,1.10&ev=1 HTTP/1.1\r\nHost: Garage._hap._tcp.local\r\n\r\n")
    #expect(
      log.requests == [
        ParsedRequest(
          method: .get, path: "/characteristics", query: "id=1.9,1.10&ev=1", body: [], contentLength: nil,
          isChunked: false, contentType: .none)
      ])
    #expect(log.leftOver == 0)
  }

  @Test("[HTTP.30] Header field names are read in any case, with or without a space")
  func headerCase() {
    for line in ["Content-Length: 2", "content-length:2", "CONTENT-LENGTH:\t 2 \t", "cOnTeNt-LeNgTh:    2"] {
      let log = parseRequest(
        "PUT /x HTTP/1.1\r\n\(line)\r\nContent-type: Application/HAP+json; charset=utf-8\r\n\r\nok")
      #expect(log.requests.first?.body == utf8("ok"))
      #expect(log.requests.first?.contentType == .hapJSON)
    }
  }

  @Test("[HTTP.31] Host may be missing or have any value")
  func host() {
    for host in ["", "Host: \r\n", "Host: My\\032Garage\r\n", "Host: Küche\u{1}\u{0}\u{7F}:::\r\n", "host:a\rb\r\n"] {
      #expect(parseRequest("GET / HTTP/1.1\r\n\(host)\r\n").requests.count == 1)
    }
  }

  @Test(
    "[HTTP.28] A Content-Length that is empty, negative, malformed or too large is refused",
    arguments: [
      ("", HTTPError.badContentLength), ("-1", .badContentLength), ("+1", .badContentLength),
      ("1 2", .badContentLength),
      ("1,1", .badContentLength), ("0x10", .badContentLength), ("1.0", .badContentLength), ("abc", .badContentLength),
      ("32769", .bodyTooLarge), ("9223372036854775807", .bodyTooLarge), ("18446744073709551616", .bodyTooLarge),
      (String(repeating: "9", count: 400), .bodyTooLarge),
    ])
  func contentLength(_ value: String, _ error: HTTPError) {
    #expect(parseRequest("PUT /x HTTP/1.1\r\nContent-Length: \(value)\r\n\r\n").error == error)
  }

  @Test("[HTTP.28] Two Content-Length fields close the connection, even if they agree")
  func duplicateLength() {
    let log = parseRequest("PUT /x HTTP/1.1\r\nContent-Length: 1\r\nContent-length: 1\r\n\r\na")
    #expect(log.error == .duplicateContentLength)
    #expect(HTTPError.duplicateContentLength.status == nil)
  }

  @Test("Content-Length and chunked together are refused in either order")
  func lengthAndChunked() {
    for fields in [
      ["Content-Length: 1", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked", "Content-Length: 1"],
    ] {
      let log = parseRequest("PUT /x HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
      #expect(log.error == .contentLengthAndChunked)
    }
  }

  @Test("[HTTP.29] Chunks are joined; sizes in any case are accepted, extensions and trailers ignored")
  func chunked() {
    let log = parseRequest(
      "PUT /x HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n"
        + "5\r\nhello\r\nA;name=\"v\"\r\n, world...\r\n01\r\n!\r\n0\r\nX-Trailer: 1\r\n\r\nGET /next HTTP/1.1\r\n\r\n")
    #expect(log.requests.map(\.body) == [utf8("hello, world...!"), []])
    #expect(log.requests.map(\.path) == ["/x", "/next"])
    #expect(log.requests[0].isChunked && log.requests[0].contentLength == nil)
  }

  @Test(
    "Malformed chunks are refused",
    arguments: [
      "\r\n", "x\r\n", "-1\r\n", "1\r\nab\r\n", "1\r\na\rb", "FFFFFFFFFFFFFFFF\r\n",
      "1;\(String(repeating: "e", count: 300))\r\n",
      " \r\n", "0x1\r\na\r\n", "1 1\r\n",
    ])
  func badChunks(_ body: String) {
    #expect(parseRequest("PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body).error == .badChunk)
  }

  @Test("Chunked bodies have the same limit, both in contents and in overhead")
  func chunkBounds() {
    let head = "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    let limits = HTTPLimits(head: 200, body: 100)
    #expect(parseRequest(head + "65\r\n", limits: limits).error == .bodyTooLarge)
    #expect(parseRequest(head + "7fffffff\r\n", limits: limits).error == .bodyTooLarge)
    let hundred = String(repeating: "a", count: 100)
    #expect(parseRequest(head + "64\r\n\(hundred)\r\n0\r\n\r\n", limits: limits).requests.first?.body == utf8(hundred))
    #expect(parseRequest(head + "64\r\n\(hundred)\r\n1\r\n", limits: limits).error == .bodyTooLarge)
    let wasteful = String(repeating: "1;\(String(repeating: "x", count: 100))\r\na\r\n", count: 50)
    #expect(parseRequest(head + wasteful, limits: limits).error == .bodyTooLarge)
    let trailer = "0\r\n" + String(repeating: "a: b\r\n", count: 100)
    #expect(parseRequest(head + trailer, limits: limits).error == .headTooLarge)
  }

  @Test("Chunked requests can be refused, as by HomeKitADK; other encodings always are")
  func refusedEncodings() {
    let chunked = "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    #expect(parseRequest(chunked, limits: HTTPLimits(acceptsChunked: false)).error == .chunkedRefused)
    #expect(HTTPError.chunkedRefused.status == 400)
    for encoding in ["gzip", "identity", "gzip, chunked", "chunked, chunked", ""] {
      let text = "PUT /x HTTP/1.1\r\nTransfer-Encoding: \(encoding)\r\n\r\n"
      #expect(parseRequest(text).error == .unsupportedTransferEncoding)
    }
  }

  @Test("A bare LF is accepted as the end of a line")
  func bareLF() {
    let log = parseRequest(
      "\n\r\nPUT /x HTTP/1.1\nContent-Length: 2\n\nokPOST /y HTTP/1.1\nTransfer-Encoding: chunked\n\n1\na\n0\n\n")
    #expect(log.requests.map(\.body) == [utf8("ok"), utf8("a")])
  }

  @Test(
    "[HTTP.32] Bytes other than HTTP are refused",
    arguments: [
      ("GET\r\n\r\n", HTTPError.badStartLine), ("GET /\r\n\r\n", .badStartLine),
      ("GET  / HTTP/1.1\r\n\r\n", .badStartLine),
      ("GET / HTTP/1.1 \r\n\r\n", .unsupportedVersion), ("GET / HTTP/2.0\r\n\r\n", .unsupportedVersion),
      ("GET / http/1.1\r\n\r\n", .badStartLine), ("GET / FTP/1.1\r\n\r\n", .badStartLine),
      ("G(T / HTTP/1.1\r\n\r\n", .badStartLine), ("\u{16}\u{3}\u{1}", .badStartLine),
      (" GET / HTTP/1.1", .badStartLine),
      ("GET /a\u{7F} HTTP/1.1\r\n\r\n", .badStartLine), ("GET / HTTP/1.1\r\nnocolon\r\n\r\n", .badHeader),
      ("GET / HTTP/1.1\r\n: x\r\n\r\n", .badHeader), ("GET / HTTP/1.1\r\nA : x\r\n\r\n", .badHeader),
      ("GET / HTTP/1.1\r\nA: x\r\n folded\r\n\r\n", .badHeader), ("GET / HTTP/1.1\r\nA: x\ry\r\n\r\n", .badHeader),
      ("GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", .badHeader), ("GET / HTTP/1.1\r\nÄ: x\r\n\r\n", .badHeader),
    ])
  func notHTTP(_ text: String, _ error: HTTPError) {
    #expect(parseRequest(text).error == error)
    // Byte by byte the result is the same.
    #expect(parseRequests(utf8(text).map { [$0] }).error == error)
  }

  @Test("[HTTP.33] Heads and bodies at their limits are accepted, and one byte more is refused")
  func limits() {
    let head = "PUT /x HTTP/1.1\r\nContent-Length: 10\r\n\r\n"
    let body = "0123456789"
    let exact = HTTPLimits(head: head.utf8.count, body: 10)
    #expect(parseRequest(head + body, limits: exact).requests.count == 1)
    #expect(parseRequest(head, limits: HTTPLimits(head: head.utf8.count - 1)).error == .headTooLarge)
    #expect(parseRequest(head, limits: HTTPLimits(body: 9)).error == .bodyTooLarge)
    let endless = "GET /" + String(repeating: "a", count: 10_000)
    #expect(parseRequest(endless).error == .headTooLarge)
    #expect(parseRequests(utf8(endless).map { [$0] }).error == .headTooLarge)
    #expect(parseRequest(String(repeating: "\r\n", count: 5000)).error == .headTooLarge)
    let many = "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 65) + "\r\n"
    #expect(parseRequest(many).error == .tooManyHeaders)
  }

  @Test("[HTTP.27] Pipelined requests are parsed one after the other")
  func pipelined() {
    let log = parseRequest(
      "GET /a HTTP/1.1\r\n\r\nPUT /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcPOST /c HTTP/1.0\r\n\r\nDELETE /d HTTP/1.1\r\n\r\nGET"
    )
    #expect(log.requests.map(\.path) == ["/a", "/b", "/c", "/d"])
    #expect(log.requests.map(\.method) == [.get, .put, .post, .other])
    #expect(log.requests[1].body == utf8("abc"))
    #expect(log.leftOver == 3)
  }

  @Test("[HTTP.34] Splits at each offset, and byte by byte, give the same requests")
  func splits() {
    let text = utf8(
      "\r\nPUT /characteristics?x HTTP/1.1\r\nHost: a b\r\nContent-Type: application/hap+json\r\nContent-Length: 5\r\n\r\nhello"
        + "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: 1\r\n\r\nGET /end HTTP/1.1\r\n\r\n"
    )
    let whole = parseRequests([text])
    #expect(whole.requests.map(\.body) == [utf8("hello"), utf8("abcde"), []])
    for offset in 0...text.count { #expect(parseRequests([text[..<offset], text[offset...]]) == whole) }
    #expect(parseRequests(text.map { [$0] }) == whole)
    for seed in 0..<20 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var cuts = (0..<6).map { _ in Int.random(in: 0...text.count, using: &random) }.sorted()
      cuts = [0] + cuts + [text.count]
      #expect(parseRequests(zip(cuts, cuts.dropFirst()).map { text[$0..<$1] }) == whole)
    }
  }

  @Test("Any byte at any position gives a result, the same in one piece and in many, and never traps")
  func everyByteEverywhere() {
    for text in [
      "PUT /c?a=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n{ }",
      "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
    ] {
      let original = utf8(text)
      for position in original.indices {
        for byte in 0...255 as ClosedRange<UInt8> {
          var bytes = original
          bytes[position] = byte
          let whole = parseRequests([bytes])
          let halves = parseRequests([bytes[..<position], bytes[position...]])
          if whole != halves { Issue.record("byte \(byte) at \(position): \(whole) in one piece, \(halves) in two") }
        }
      }
    }
  }

  @Test("Each truncated request waits for more bytes")
  func truncations() {
    let text = utf8("PUT /x HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd")
    for length in 0..<text.count {
      let log = parseRequests([text[..<length]])
      #expect(log.requests.isEmpty && log.error == nil && log.leftOver == length)
    }
  }

  @Test("A query may be missing or empty, and only the first ? counts")
  func queries() {
    #expect(parseRequest("GET /a HTTP/1.1\r\n\r\n").requests[0].query == nil)
    #expect(parseRequest("GET /a? HTTP/1.1\r\n\r\n").requests[0].query == "")
    #expect(parseRequest("GET /a?b?c HTTP/1.1\r\n\r\n").requests[0].query == "b?c")
    #expect(parseRequest("GET /a?b?c HTTP/1.1\r\n\r\n").requests[0].path == "/a")
  }

  @Test("Expect: 100-continue and Connection: close are recognized before the body has arrived")
  func expectations() {
    var parser = HTTPRequestParser()
    var text = utf8("PUT /x HTTP/1.1\r\nExpect: 100-Continue\r\nConnection: Close\r\nContent-Length: 1\r\n\r\n")
    text.withUnsafeMutableBytes { bytes in
      #expect(parser.parse(bytes) == .incomplete)
      #expect(parser.pendingHead?.expectsContinue == true)
      #expect(parser.pendingHead?.closes == true)
      #expect(parser.pendingHead?.hasPath("/x", in: UnsafeRawBufferPointer(bytes)) == true)
      #expect(parser.pendingHead?.hasPath("/", in: UnsafeRawBufferPointer(bytes)) == false)
    }
  }

  @Test("Bytes after a malformed request are not read")
  func malformedStays() {
    var parser = HTTPRequestParser()
    var bad = utf8("(\r\n\r\n")
    var good = utf8("GET / HTTP/1.1\r\n\r\n")
    #expect(bad.withUnsafeMutableBytes { parser.parse($0) } == .malformed(.badStartLine))
    #expect(good.withUnsafeMutableBytes { parser.parse($0) } == .malformed(.badStartLine))
  }

  @Test("A long chunked body that arrives byte by byte is joined")
  func byteByByte() {
    // 32 KiB in single bytes: a parser that started again each time would need half a billion steps.
    let body = String(repeating: "x", count: 32_000)
    let chunked = "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7d00\r\n\(body)\r\n0\r\n\r\n"
    #expect(parseRequests(utf8(chunked).map { [$0] }).requests.count == 1)
  }
}
