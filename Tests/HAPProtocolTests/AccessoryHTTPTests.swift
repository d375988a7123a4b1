import HAPTestSupport
import Testing

@Suite("Accessory: HTTP and statuses") struct AccessoryHTTPTests {
  let accessory = TestHome.accessory()

  // MARK: Before Pair Verify

  @Test("[HTTP.1] GET /accessories before Pair Verify is 470 with -70411")
  func plainDatabase() {
    let reply = accessory.unverified().get("/accessories")
    #expect(reply?.startLine == "HTTP/1.1 470 Connection Authorization Required")
    #expect(reply?.type == "application/hap+json")
    #expect(reply?.text == #"{"status":-70411}"#)
  }

  @Test(
    "[HTTP.2] Characteristics, preparations and resources before Pair Verify are 470 with -70411, and nothing is written"
  )
  func plainCharacteristics() {
    let plain = accessory.unverified()
    for reply in [
      plain.get("/characteristics?id=1.11"), plain.get("/characteristics"),
      plain.set(TestHome.ID.on, "true"), plain.subscribe(TestHome.ID.on), plain.put("nonsense"),
      plain.exchange("PUT", "/prepare", body: Array(#"{"ttl":2500,"pid":1}"#.utf8)),
      plain.exchange("POST", "/resource", body: Array(#"{"resource-type":"image"}"#.utf8)),
    ] {
      #expect(reply?.status == 470)
      #expect(reply?.text == #"{"status":-70411}"#)
    }
    #expect(accessory.wrote.isEmpty)
    #expect(accessory.verified().int(TestHome.ID.on) == 0)
  }

  @Test("[HTTP.3] /pairings, /secure-message and unknown addresses before Pair Verify are 470 without body")
  func plainElsewhere() {
    let plain = accessory.unverified()
    let list = PlainTLV([(6, [1]), (0, [5])])
    for reply in [
      plain.post("/pairings", list), plain.get("/nope"), plain.get("/"), plain.get("/accessoriesX"),
      plain.exchange("POST", "/secure-message", body: [0, 1, 0x42, 0, 0], type: "application/octet-stream"),
    ] {
      #expect(reply?.status == 470)
      #expect(reply?.body == [])
    }
  }

  @Test(
    "[HTTP.4] A wrong method on a secured address before Pair Verify is 470 without body",
    arguments: [
      ("POST", "/accessories"), ("DELETE", "/characteristics"), ("GET", "/pairings"), ("POST", "/characteristics"),
    ])
  func plainWrongMethod(_ method: String, _ target: String) {
    let reply = accessory.unverified().exchange(method, target, body: [])
    #expect(reply?.status == 470)
    #expect(reply?.body == [])
  }

  @Test("[HTTP.5] Pair Verify succeeds on a connection that was refused before")
  func verifyAfterRefusal() {
    let controller = accessory.unverified()
    #expect(controller.get("/accessories")?.status == 470)
    #expect(controller.get("/nope")?.status == 470)
    #expect(controller.verify() == nil)
    #expect(controller.get("/accessories")?.status == 200)
  }

  // MARK: Statuses of a session

  @Test("[HTTP.6] A read that succeeds as a whole is 200 without any status")
  func wholeRead() {
    let reply = accessory.verified().get("/characteristics?id=1.11,1.12,2.11")
    #expect(reply?.status == 200)
    #expect(reply?.entries.count == 3)
    #expect(reply?.entries.allSatisfy { $0["status"] == nil && $0["value"] != nil } == true)
  }

  @Test("[HTTP.7, HTTP.10] A read that fails in part is 207 with a status in every entry")
  func partialRead() {
    let reply = accessory.verified().get("/characteristics?id=1.11,1.999,9.1,1.29,2.11")
    #expect(reply?.status == 207)
    #expect(
      reply?.statuses == ["1.11": 0, "1.999": -70409, "9.1": -70409, "1.29": -70405, "2.11": 0])
    #expect(reply?.entry("1.999")?["value"] == nil)
    #expect(reply?.entry("1.29")?["value"] == nil)
    #expect(reply?.entry("1.11")?["value"] != nil)
  }

  @Test("[HTTP.8, CH.15] A write that succeeds as a whole is one 204 with neither body nor content type")
  func wholeWrite() {
    let controller = accessory.verified()
    let reply = controller.write(
      MemoryController.entry("1.11", value: "true"), MemoryController.entry("1.12", value: "20"),
      MemoryController.entry("2.11", value: "1"))
    #expect(reply?.startLine == "HTTP/1.1 204 No Content")
    #expect(reply?.body == [])
    #expect(reply?.type == nil)
    #expect(reply?.field("content-length") == nil || reply?.field("content-length") == "0")
    #expect(controller.unread == [])
    #expect(controller.int("1.12") == 20)
    #expect(controller.int("2.11") == 1)
  }

  @Test("[HTTP.9, HTTP.10, CH.15] A write that fails in part is 207 with a status in every entry, in order")
  func partialWrite() {
    let controller = accessory.verified()
    let reply = controller.write(
      MemoryController.entry("1.12", value: "20"), MemoryController.entry("1.36", value: #""x""#),
      MemoryController.entry("7.7", value: "1"), MemoryController.entry("1.12", value: "101"),
      MemoryController.entry("2.11", value: "1"))
    #expect(reply?.status == 207)
    #expect(reply?.type == "application/hap+json")
    #expect(reply?.entries.map { $0.int("status") } == [0, -70404, -70409, -70410, 0])
    #expect(reply?.entries.map { $0.int("iid") } == [12, 36, 7, 12, 11])
    #expect(reply?.entries.map { $0.int("aid") } == [1, 1, 7, 1, 2])
    #expect(reply?.entries.allSatisfy { $0["value"] == nil } == true)
    #expect(controller.int("1.12") == 20)
    #expect(controller.int("2.11") == 1)
  }

  @Test("[HTTP.9] A write whose single entry fails is 207 too")
  func singleFailure() {
    let reply = accessory.verified().set("1.36", #""x""#)
    #expect(reply?.status == 207)
    #expect(reply?.statuses == ["1.36": -70404])
  }

  @Test(
    "[HTTP.11] A write whose body is no JSON object is 400 and changes nothing",
    arguments: [
      "", " ", "nonsense", "[]", "1", "null", "\"x\"", "{", "{\"characteristics\":", "{\"characteristics\":[}",
      #"{"characteristics":[{"aid":1,"iid":11,"value":true}]"#,
      #"{"characteristics":[{"aid":1,"iid":11,"value":true}]}x"#,
      #"{"characteristics":[{"aid":1,"iid":11,"value":true},]}"#,
      #"{"characteristics":[{"aid":1,"iid":11,"value":tru}]}"#,
      #"{"characteristics":[{"aid":1,"iid":11,"value":01}]}"#, #"{characteristics:[]}"#,
      #"{"characteristics":{"aid":1,"iid":11,"value":true}}"#, #"{"characteristics":[[]]}"#,
      #"{"characteristics":[1]}"#,
      #"{"characteristics":"x"}"#, #"{"characteristics":null}"#,
    ])
  func malformedBody(_ body: String) {
    let controller = accessory.verified()
    let reply = controller.put(body)
    #expect(reply?.status == 400)
    #expect(reply?.body == [])
    #expect(!controller.isClosed)
    #expect(accessory.wrote.isEmpty)
    #expect(controller.int("1.11") == 0)
  }

  @Test("[HTTP.12] A read without a query is 400")
  func noQuery() {
    let controller = accessory.verified()
    #expect(controller.get("/characteristics")?.status == 400)
    #expect(!controller.isClosed)
  }

  @Test("[HTTP.13] A read that names no id is 204", arguments: ["?", "?id="])
  func emptyQuery(_ query: String) {
    #expect(accessory.verified().get("/characteristics" + query)?.status == 204)
  }

  @Test(
    "[HTTP.14] An unknown key in a query is 400",
    arguments: ["x=1", "id=1.11&x=1", "x", "ID=1.11", "id=1.11&", "&id=1.11"])
  func unknownKey(_ query: String) {
    let controller = accessory.verified()
    let reply = controller.get("/characteristics?" + query)
    if query.hasSuffix("&") {
      #expect(reply?.status == 400 || reply?.status == 200)  // an ampersand at the end is nobody's key
    } else {
      #expect(reply?.status == 400)
    }
    #expect(!controller.isClosed)
  }

  @Test(
    "[HTTP.15] An id that isn't two numbers with a dot is 400",
    arguments: [
      "1", "1.", ".2", "a.b", "-1.2", "1.-2", "1.2.3", "1.2,", ",1.2", "1,2", "1.11,,1.12", "18446744073709551616.1",
      "1.18446744073709551616", "1.99999999999999999999999999", "%31.11", "1.11 ", "0x1.2", "+1.2",
    ])
  func malformedID(_ ids: String) {
    let controller = accessory.verified()
    let reply = controller.get("/characteristics?id=" + ids)
    #expect(reply?.status == 400)
    #expect(reply?.entries.isEmpty ?? true)
    if !ids.contains(" ") { #expect(!controller.isClosed) }  // a blank ends the target, so that line is no HTTP
  }

  @Test("[HTTP.15, HTTP.10] The greatest id is legal and doesn't exist")
  func greatestID() {
    let reply = accessory.verified().get("/characteristics?id=18446744073709551615.18446744073709551615,0.0")
    #expect(reply?.status == 207)
    #expect(reply?.entries.map { $0.int("status") } == [-70409, -70409])
    #expect(reply?.text.contains("18446744073709551615") == true)
  }

  @Test(
    "[HTTP.16] A flag other than 0 and 1 is 400", arguments: ["meta", "perms", "type", "ev"],
    ["2", "true", "", "-1", "11", "a"])
  func malformedFlag(_ flag: String, _ value: String) {
    #expect(accessory.verified().get("/characteristics?id=1.11&\(flag)=\(value)")?.status == 400)
  }

  @Test("[HTTP.17] A write of no entries is 400", arguments: [#"{"characteristics":[]}"#, "{}"])
  func emptyWrite(_ body: String) {
    let controller = accessory.verified()
    #expect(controller.put(body)?.status == 400)
    #expect(!controller.isClosed)
  }

  @Test(
    "[HTTP.18] A write of an object without the member is 204", arguments: [#"{"x":1}"#, #"{"chars":[{"aid":1}]}"#])
  func foreignWrite(_ body: String) {
    #expect(accessory.verified().put(body)?.status == 204)
    #expect(accessory.wrote.isEmpty)
  }

  @Test(
    "[HTTP.19] An entry without a good aid and iid makes the whole request 400",
    arguments: [
      #"{"iid":11,"value":true}"#, #"{"aid":1,"value":true}"#, "{}", #"{"aid":"1","iid":11,"value":true}"#,
      #"{"aid":1.0,"iid":11,"value":true}"#, #"{"aid":-1,"iid":11,"value":true}"#,
      #"{"aid":1,"iid":null,"value":true}"#,
      #"{"aid":1,"iid":18446744073709551616,"value":true}"#, #"{"aid":1e0,"iid":11,"value":true}"#,
    ])
  func incompleteEntry(_ entry: String) {
    let controller = accessory.verified()
    let reply = controller.put(#"{"characteristics":[{"aid":1,"iid":12,"value":20},"# + entry + "]}")
    #expect(reply?.status == 400)
    #expect(accessory.wrote.isEmpty)
    #expect(controller.int("1.12") == 50)
  }

  @Test(
    "[HTTP.20] A wrong method on a known address of a session is 405",
    arguments: [
      ("POST", "/accessories"), ("PUT", "/accessories"), ("DELETE", "/accessories"), ("POST", "/characteristics"),
      ("DELETE", "/characteristics"), ("GET", "/pairings"), ("PUT", "/pairings"), ("PATCH", "/characteristics"),
    ])
  func wrongMethod(_ method: String, _ target: String) {
    let controller = accessory.verified()
    let reply = controller.exchange(method, target, body: [])
    #expect(reply?.status == 405)
    #expect(controller.get("/accessories")?.status == 200)
  }

  @Test(
    "[HTTP.20] A wrong method on a plain address is 405 and changes nothing",
    arguments: [("GET", "/pair-setup"), ("PUT", "/pair-setup"), ("GET", "/pair-verify"), ("PUT", "/pair-verify")])
  func wrongMethodPlain(_ method: String, _ target: String) {
    let controller = accessory.unverified()
    let reply = controller.exchange(method, target, body: MemoryController.setupM1.encoded)
    #expect(reply?.status == 405)
    #expect(controller.verify() == nil)
  }

  @Test(
    "[HTTP.21, HTTP.22] An unknown address of a session is 404",
    arguments: [
      "/nope", "/", "/accessoriesX", "/accessories/", "/Accessories", "/acc", "/characteristicsX?id=1.11", "/pairing",
    ])
  func unknownAddress(_ target: String) {
    let controller = accessory.verified()
    #expect(controller.get(target)?.status == 404)
    #expect(controller.get("/accessories")?.status == 200)
  }

  @Test("[HTTP.23] An id asked for twice is worked on twice, in order")
  func twice() {
    let controller = accessory.verified()
    let read = controller.get("/characteristics?id=1.12,1.12")
    #expect(read?.status == 200)
    #expect(read?.entries.count == 2)
    let write = controller.write(
      MemoryController.entry("1.12", value: "20"), MemoryController.entry("1.12", value: "101"),
      MemoryController.entry("1.12", value: "30"))
    #expect(write?.entries.map { $0.int("status") } == [0, -70410, 0])
    #expect(controller.int("1.12") == 30)
  }

  @Test("[HTTP.24, HTTP.25, HTTP.26] Replies say what they are and how long, and leave in one write")
  func framing() {
    let controller = accessory.unverified()
    let start = controller.startVerify()
    let before = controller.writes.count
    let m2 = controller.post("/pair-verify", start.m1)
    #expect(m2?.startLine == "HTTP/1.1 200 OK")
    #expect(m2?.type == "application/pairing+tlv8")
    #expect(m2?.field("content-length") == "\(m2?.body.count ?? -1)")
    #expect(controller.writes.count == before + 1)

    let session = accessory.verified()
    for (target, status) in [
      ("/accessories", 200), ("/characteristics?id=1.11", 200), ("/characteristics?id=1.999", 207),
    ] {
      let before = session.writes.count
      let reply = session.get(target)
      #expect(reply?.startLine.hasPrefix("HTTP/1.1 \(status) ") == true)
      #expect(reply?.type == "application/hap+json")
      #expect(reply?.field("content-length") == "\(reply?.body.count ?? -1)")
      #expect(reply?.field("transfer-encoding") == nil)
      #expect(session.writes.count == before + 1)
      #expect(session.unread == [])
    }
    for (target, status) in [("/nope", 404), ("/characteristics", 400)] {
      let reply = session.get(target)
      #expect(reply?.status == status)
      #expect(reply?.field("content-length") == "0")
    }
  }

  // MARK: The stream of requests

  @Test("[HTTP.27, CN.6] A connection lives on, request after request, with any silence between")
  func persistent() {
    let controller = accessory.verified()
    for _ in 0..<50 {
      #expect(controller.get("/characteristics?id=1.11")?.status == 200)
      accessory.advance(.seconds(3600))
    }
    #expect(!controller.isClosed)
  }

  @Test("[HTTP.27] Requests sent without waiting are answered in order")
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

  @Test("[CN.7] A flood of requests is answered whole, with a bounded heap of answers at any moment")
  func flood() {
    let controller = accessory.verified()
    let requests = (0..<3000).flatMap { _ in MemoryController.request("GET", "/accessories") }
    controller.send(requests)
    #expect(controller.messages.count { $0.status == 200 } == 3000)
    let answer = controller.raw.count / 3000
    #expect(accessory.mostUnsent < 256 << 10 + 2 * answer)
  }

  @Test("[HTTP.27] Requests sent without waiting on a plain connection are answered in order")
  func pipelinedPlain() {
    let controller = accessory.unverified()
    controller.send(
      MemoryController.request("GET", "/accessories") + MemoryController.request("GET", "/nope")
        + MemoryController.request("POST", "/identify"))
    #expect(controller.messages.map(\.status) == [470, 470, 400])
  }

  @Test(
    "[HTTP.28] A Content-Length that is doubled or no length closes the connection after at most a 4xx",
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

  @Test("[HTTP.29] A chunked request is one body")
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
    "[HTTP.30, HTTP.31] Field names come in any case, with or without a blank; Host and type say nothing",
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
    "[HTTP.32, CN.3] What isn't HTTP closes the connection after at most a 400, and no other one",
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

  @Test("[HTTP.33] A head without end closes the connection before long")
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

  @Test("[HTTP.33] A line without end closes the connection before long")
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
    "[HTTP.34, SE.7, SE.11] Everything works byte by byte, on plain and secured connections", arguments: [1, 2, 7, 17])
  func byteByByte(_ size: Int) {
    let controller = accessory.unverified()
    controller.segmentSize = size
    #expect(controller.get("/accessories")?.status == 470)
    #expect(controller.verify() == nil)
    #expect(controller.get("/characteristics?id=1.11,1.12")?.status == 200)
    #expect(controller.set("1.12", "61")?.status == 204)
    #expect(controller.int("1.12") == 61)
  }

  @Test("[HTTP.34] A body that isn't there yet is waited for, while others are served")
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

  @Test("[HTTP.35] Unknown members are passed over, whatever they hold")
  func unknownMembers() {
    let controller = accessory.verified()
    let reply = controller.put(
      #"{"x":{"characteristics":[1]},"characteristics":[{"remote":true,"deep":[[{"aid":9}]],"aid":1,"iid":12,"value":63,"z":null}],"y":[]}"#
    )
    #expect(reply?.status == 204)
    #expect(controller.int("1.12") == 63)
  }

  @Test("[HTTP.36] JSON that is nested too deep, badly escaped or no UTF-8 is 400")
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
