import HAPTestSupport
import Testing

@Suite("Accessory: the stream of requests") struct AccessoryRequestStreamTests {
  let accessory = TestHome.accessory()

  @Test("[HTTP.27, CN.6] A connection serves request after request, with any pause in between")
  func persistent() {
    let controller = accessory.verified()
    for _ in 0..<50 {
      #expect(controller.get("/characteristics?id=1.11")?.status == 200)
      accessory.advance(.seconds(3600))
    }
    #expect(!controller.isClosed)
  }

  @Test("[HTTP.27] Pipelined requests are answered in order")
  func pipelined() {
    let controller = accessory.verified()
    let put = Array(#"{"characteristics":[{"aid":1,"iid":12,"value":33}]}"#.utf8)
    controller.send(
      MemoryController.request("GET", "/characteristics?id=1.12")
        + MemoryController.request("PUT", "/characteristics", body: put)
        + MemoryController.request("GET", "/characteristics?id=1.12") + MemoryController.request("GET", "/nope"))
    #expect(controller.takeReply()?.entry("1.12")?.int("value") == 50)
    #expect(controller.takeReply()?.status == 204)
    #expect(controller.takeReply()?.entry("1.12")?.int("value") == 33)
    #expect(controller.takeReply()?.status == 404)
    #expect(controller.takeReply() == nil)
  }

  @Test("[CN.7] A flood of requests is answered completely, with a bounded queue of answers at any moment")
  func flood() {
    let controller = accessory.verified()
    let requests = (0..<3000).flatMap { _ in MemoryController.request("GET", "/accessories") }
    controller.send(requests)
    #expect(controller.messages.count { $0.status == 200 } == 3000)
    let answer = controller.raw.count / 3000
    #expect(accessory.mostUnsent < 256 << 10 + 2 * answer)
  }

  @Test("[HTTP.27] Pipelined requests on a plain connection are answered in order")
  func pipelinedPlain() {
    let controller = accessory.unverified()
    controller.send(
      MemoryController.request("GET", "/accessories") + MemoryController.request("GET", "/nope")
        + MemoryController.request("POST", "/identify"))
    #expect(controller.messages.map(\.status) == [470, 470, 400])
  }

  @Test(
    "[HTTP.28] A duplicate or malformed Content-Length closes the connection after at most a 4xx",
    arguments: [
      "Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2\r\nContent-Length: 3", "Content-Length:",
      "Content-Length: -1",
      "Content-Length: x", "Content-Length: 2x", "Content-Length: 2147483648", "Content-Length: 18446744073709551616",
      "Content-Length: 99999999999999999999999999999999999999", "Content-Length: 1, 1", "Content-Length: 0x2",
    ])
  func badLength(_ field: String) {
    for controller in [accessory.unverified(), accessory.verified()] {
      let isSecured = controller.isSecured
      controller.send(Array("PUT /characteristics HTTP/1.1\r\n\(field)\r\n\r\n{}".utf8))
      #expect(controller.isClosed)
      #expect(controller.messages.count <= 1)
      #expect(controller.messages.allSatisfy { (400...499).contains($0.status) && $0.status != 470 })
      #expect(!controller.sawBadFrame || !isSecured)
    }
  }

  @Test("[HTTP.29] A chunked request has one body")
  func chunked() {
    let controller = accessory.verified()
    let body = #"{"characteristics":[{"aid":1,"iid":12,"value":77}]}"#
    let chunks = [body.prefix(8), body.dropFirst(8).prefix(30), body.dropFirst(38)]
      .map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined()
    controller.send(Array("PUT /characteristics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n".utf8))
    let reply = controller.takeReply()
    #expect(reply?.status == 204)
    #expect(controller.int("1.12") == 77)
  }

  @Test(
    "[HTTP.30, HTTP.31] Field names may have any case, and values a leading blank; Host and type are ignored",
    arguments: [
      "content-length: @", "CONTENT-LENGTH:@", "Content-Length:   @", "cOnTeNt-LeNgTh: @\r\nHost:",
      "Host: My\\032Garage.local\r\nContent-Length: @", "Host: grüße\r\nContent-Length: @",
      "Content-Type: text/plain\r\nContent-Length: @",
      "X-Long: \(String(repeating: "x", count: 1024))\r\nContent-Length: @",
    ])
  func fields(_ fields: String) {
    let controller = accessory.verified()
    let body = #"{"characteristics":[{"aid":1,"iid":12,"value":44}]}"#
    let head = fields.replacing("@", with: "\(body.utf8.count)")
    controller.send(Array("PUT /characteristics HTTP/1.1\r\n\(head)\r\n\r\n\(body)".utf8))
    #expect(controller.takeReply()?.status == 204)
    #expect(controller.int("1.12") == 44)
  }

  @Test(
    "[HTTP.32, CN.3] Bytes other than HTTP close only their own connection, after at most a 400",
    arguments: [
      "GET\r\n\r\n", "GET /accessories\r\n\r\n", "GET /accessories FTP/1.1\r\n\r\n",
      "GET /accessories HTTP/1.9\r\n\r\n",
      "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n",
      "\0\0\0\0\r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\nA\u{1}b: c\r\n\r\n",
    ])
  func noHTTP(_ text: String) {
    let other = accessory.verified(TestHome.secondAdmin)
    for controller in [accessory.unverified(), accessory.verified()] {
      controller.send(Array(text.utf8))
      #expect(controller.isClosed)
      #expect(controller.messages.count <= 1)
      #expect(controller.messages.allSatisfy { $0.status == 400 })
    }
    #expect(other.get("/accessories")?.status == 200)
  }

  @Test("[HTTP.33] A head without end closes the connection soon")
  func endlessHead() {
    for controller in [accessory.unverified(), accessory.verified()] {
      controller.send(Array("GET /accessories HTTP/1.1\r\n".utf8))
      var sent = 0
      while !controller.isClosed, sent < 1 << 20 {
        controller.send(Array("X-Filler: \(String(repeating: "y", count: 500))\r\n".utf8))
        sent += 512
      }
      #expect(controller.isClosed)
      #expect(sent <= 64 * 1024)
    }
  }

  @Test("[HTTP.33] A line without end closes the connection soon")
  func endlessLine() {
    let controller = accessory.unverified()
    var sent = 0
    while !controller.isClosed, sent < 1 << 20 {
      controller.send([UInt8](repeating: 0x41, count: 1000))
      sent += 1000
    }
    #expect(sent <= 64 * 1024)
  }

  @Test("[HTTP.33] A body above 32 KiB closes the connection after at most a 4xx; one of 32 KiB is read")
  func largeBody() {
    for controller in [accessory.unverified(), accessory.verified()] {
      let status = controller.isSecured ? 204 : 470
      let core = #"{"characteristics":[{"aid":1,"iid":12,"value":45}]}"#
      let legal = core + String(repeating: " ", count: 32 * 1024 - core.utf8.count)
      #expect(controller.put(legal)?.status == status)
      controller.send(MemoryController.request("PUT", "/characteristics", body: Array((legal + " ").utf8)))
      #expect(controller.isClosed)
      #expect(controller.messages.allSatisfy { (400...499).contains($0.status) })
    }
  }

  @Test(
    "[HTTP.34, SE.7, SE.11] All requests work byte by byte, on plain and secured connections", arguments: [1, 2, 7, 17])
  func byteByByte(_ size: Int) {
    let controller = accessory.unverified()
    controller.segmentSize = size
    #expect(controller.get("/accessories")?.status == 470)
    #expect(controller.verify() == nil)
    #expect(controller.get("/characteristics?id=1.11,1.12")?.status == 200)
    #expect(controller.set("1.12", "61")?.status == 204)
    #expect(controller.int("1.12") == 61)
  }

  @Test("[HTTP.34] The accessory waits for an incomplete body, while others are served")
  func halfBody() {
    let controller = accessory.verified()
    let other = accessory.verified(TestHome.secondAdmin)
    let whole = MemoryController.request(
      "PUT", "/characteristics", body: Array(#"{"characteristics":[{"aid":1,"iid":12,"value":62}]}"#.utf8))
    controller.send(Array(whole.dropLast(5)))
    #expect(controller.takeReply() == nil)
    #expect(!controller.isClosed)
    #expect(other.int("1.12") == 50)
    controller.send(Array(whole.suffix(5)))
    #expect(controller.takeReply()?.status == 204)
    #expect(other.int("1.12") == 62)
  }

  @Test("[HTTP.35] Unknown members are ignored, whatever their values")
  func unknownMembers() {
    let controller = accessory.verified()
    let reply = controller.put(
      #"{"x":{"characteristics":[1]},"characteristics":[{"remote":true,"deep":[[{"aid":9}]],"aid":1,"iid":12,"value":63,"z":null}],"y":[]}"#
    )
    #expect(reply?.status == 204)
    #expect(controller.int("1.12") == 63)
  }

  @Test("[HTTP.36] JSON that is nested too deeply, badly escaped or not UTF-8 is 400")
  func hostileJSON() {
    let controller = accessory.verified()
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    let texts = [
      #"{"x":\#(deep)}"#, #"{"x":"\q","characteristics":[]}"#, #"{"x":"\u12"}"#, #"{"x":"\ud800"}"#,
      "{\"x\":\"\u{1}\"}",
    ]
    for text in texts { #expect(controller.put(text)?.status == 400, "\(text.prefix(40))") }
    let broken = Array(#"{"characteristics":[{"aid":1,"iid":22,"value":""#.utf8) + [0xC3, 0x28] + Array(#""}]}"#.utf8)
    #expect(controller.exchange("PUT", "/characteristics", body: broken)?.status == 400)
    #expect(controller.value("1.22") as? String == "first")
  }

  @Test("[HTTP.37] Pairing requests without a body are 400", arguments: ["/pair-setup", "/pair-verify"])
  func noBody(_ target: String) {
    let controller = accessory.unverified()
    #expect(controller.exchange("POST", target)?.status == 400)
    #expect(controller.exchange("POST", target, body: [])?.status == 400)
    #expect(controller.verify() == nil)
  }

  @Test("[HTTP.37] /pairings without a body is 400")
  func noPairingsBody() {
    let controller = accessory.verified()
    #expect(controller.exchange("POST", "/pairings")?.status == 400)
    #expect(controller.exchange("POST", "/pairings", body: [])?.status == 400)
    #expect(controller.get("/accessories")?.status == 200)
  }
}
