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
    "[HTTP.2] Before Pair Verify, characteristics, preparations and resources are 470 with -70411, and no value is written"
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

  @Test("[HTTP.5] Pair Verify succeeds on a connection after a refused request")
  func verifyAfterRefusal() {
    let controller = accessory.unverified()
    #expect(controller.get("/accessories")?.status == 470)
    #expect(controller.get("/nope")?.status == 470)
    #expect(controller.verify() == nil)
    #expect(controller.get("/accessories")?.status == 200)
  }

  // MARK: Statuses of a session

  @Test("[HTTP.6] A read that succeeds completely is 200 without any status")
  func wholeRead() {
    let reply = accessory.verified().get("/characteristics?id=1.11,1.12,2.11")
    #expect(reply?.status == 200)
    #expect(reply?.entries.count == 3)
    #expect(reply?.entries.allSatisfy { $0["status"] == nil && $0["value"] != nil } == true)
  }

  @Test("[HTTP.7, HTTP.10] A read that fails partly is 207 with a status in each entry")
  func partialRead() {
    let reply = accessory.verified().get("/characteristics?id=1.11,1.999,9.1,1.29,2.11")
    #expect(reply?.status == 207)
    #expect(
      reply?.statuses == ["1.11": 0, "1.999": -70409, "9.1": -70409, "1.29": -70405, "2.11": 0])
    #expect(reply?.entry("1.999")?["value"] == nil)
    #expect(reply?.entry("1.29")?["value"] == nil)
    #expect(reply?.entry("1.11")?["value"] != nil)
  }

  @Test("[HTTP.8, CH.15] A write that succeeds completely is one 204 with neither body nor content type")
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

  @Test("[HTTP.9, HTTP.10, CH.15] A write that fails partly is 207 with a status in each entry, in order")
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

  @Test("[HTTP.9] A write whose single entry fails is 207, too")
  func singleFailure() {
    let reply = accessory.verified().set("1.36", #""x""#)
    #expect(reply?.status == 207)
    #expect(reply?.statuses == ["1.36": -70404])
  }

  @Test(
    "[HTTP.11] A write whose body is not a JSON object is 400 and changes nothing",
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
      #expect(reply?.status == 400 || reply?.status == 200)  // an ampersand at the end adds no key
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
    "[HTTP.19] An entry without a valid aid and iid makes the whole request 400",
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

  @Test("[HTTP.23] A repeated id is processed twice, in order")
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

  @Test("[HTTP.24, HTTP.25, HTTP.26] Replies have a type and a length, and are sent in one write")
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
}
