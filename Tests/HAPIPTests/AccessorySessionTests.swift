import HAPCrypto
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: Pair Verify and sessions") struct AccessorySessionTests {
  let accessory = TestHome.accessory()

  private func isError(_ reply: AccessoryMessage?, state: UInt8, _ code: UInt8) -> Bool {
    reply?.status == 200 && reply?.type == "application/pairing+tlv8"
      && reply?.tlv == PlainTLV([(6, [state]), (7, [code])])
  }

  private func start(_ controller: MemoryController) throws -> MemoryController.Verify {
    let start = controller.startVerify()
    return try #require(controller.readM2(controller.post("/pair-verify", start.m1), start))
  }

  // MARK: Pair Verify

  @Test(
    "[PV.1, PV.2, PV.4, AD.3] M2 is signed by the accessory that M6 and the TXT record name, and M4 has only the state")
  func whole() throws {
    let controller = accessory.unverified()
    let begun = controller.startVerify()
    let m2 = controller.post("/pair-verify", begun.m1)
    #expect(m2?.tlv.map { Set($0.items.map(\.type)) } == [6, 3, 5])
    #expect(m2?.tlv?[3]?.count == 32)
    let verify = try #require(controller.readM2(m2, begun))
    #expect(verify.accessoryIdentifier == Array(TestHome.deviceID.utf8))
    let signed = verify.accessoryKey + verify.accessoryIdentifier + verify.agreement.publicKey
    #expect(isValidSignature(verify.accessorySignature, of: signed, by: TestHome.accessoryKey.publicKey))
    let m4 = controller.post("/pair-verify", controller.m3(verify))
    #expect(m4?.tlv == PlainTLV([(6, [4])]))
    controller.secure(verify)
    #expect(controller.get("/accessories")?.status == 200)
    #expect(accessory.core.advertisement.txt.first { $0.key == "id" }?.value == TestHome.deviceID)
  }

  @Test("[PV.3] Each M1 gets another key, and replayed messages fail")
  func replay() throws {
    let controller = accessory.unverified()
    let begun = controller.startVerify()
    let verify = try #require(controller.readM2(controller.post("/pair-verify", begun.m1), begun))
    let m3 = controller.m3(verify)
    #expect(controller.post("/pair-verify", m3)?.tlv == PlainTLV([(6, [4])]))
    let thief = accessory.unverified()
    let again = thief.post("/pair-verify", begun.m1)
    #expect(again?.tlv?[3] != verify.accessoryKey)
    #expect(isError(thief.post("/pair-verify", m3), state: 4, 2))
    #expect(thief.get("/accessories")?.status == 470)
  }

  @Test(
    "[PV.5, PV.7, PV.12] Unknown identifiers (case is significant) and wrong keys fail in M4 with HTTP 200; a retry may succeed"
  )
  func wrongControllers() throws {
    let controller = accessory.unverified()
    let lowerCase = Array(String(decoding: TestHome.admin.identifier, as: UTF8.self).lowercased().utf8)
    for other in [
      TestHome.stranger, ControllerIdentity(identifier: TestHome.admin.identifier, key: TestHome.stranger.key),
      ControllerIdentity(identifier: TestHome.admin.identifier, key: TestHome.user.key),
      ControllerIdentity(identifier: TestHome.stranger.identifier, key: TestHome.admin.key),
    ] {
      #expect(
        isError(controller.post("/pair-verify", controller.m3(try start(controller), identity: other)), state: 4, 2))
    }
    let other = ControllerIdentity(identifier: lowerCase, key: TestHome.admin.key)
    #expect(
      isError(controller.post("/pair-verify", controller.m3(try start(controller), identity: other)), state: 4, 2))
    #expect(controller.get("/accessories")?.status == 470)
    #expect(controller.verify() == nil)
  }

  @Test("[PV.17] Identifiers are bytes, and a pairing removed between M1 and M3 fails")
  func removedMeanwhile() throws {
    let controller = accessory.unverified(TestHome.user)
    let verify = try start(controller)
    let remove = PlainTLV([(6, [1]), (0, [4]), (1, TestHome.user.identifier)])
    #expect(accessory.verified().post("/pairings", remove)?.tlv == PlainTLV([(6, [2])]))
    #expect(isError(controller.post("/pair-verify", controller.m3(verify)), state: 4, 2))
  }

  @Test("[PV.6] A broken seal of M3 is Authentication")
  func brokenSeal() throws {
    let controller = accessory.unverified()
    let verify = try start(controller)
    for place in [0, 30, -1] {
      var m3 = controller.m3(place == 0 ? verify : try start(controller))
      m3.items[1].value[place < 0 ? m3.items[1].value.count - 1 : place] ^= 0x80
      #expect(isError(controller.post("/pair-verify", m3), state: 4, 2))
    }
    #expect(controller.verify() == nil)
  }

  @Test("[PV.8, TLV.4] M3 with a missing or malformed item is 400")
  func malformedM3() throws {
    let controller = accessory.unverified()
    for size in [0, 1, 15] {
      _ = try start(controller)
      #expect(
        controller.post("/pair-verify", PlainTLV([(6, [3]), (5, [UInt8](repeating: 7, count: size))]))?.status == 400)
    }
    _ = try start(controller)
    #expect(controller.post("/pair-verify", PlainTLV([(6, [3])]))?.status == 400)
    let id = TestHome.admin.identifier
    for inner in [
      [], [1], PlainTLV([(1, id)]).encoded, PlainTLV([(0x0A, [UInt8](repeating: 0, count: 64))]).encoded,
      PlainTLV([(1, id), (0x0A, [UInt8](repeating: 0, count: 63))]).encoded,
      PlainTLV([(1, id + [1]), (0x0A, [UInt8](repeating: 0, count: 64))]).encoded, [1, 1, 0x41, 1, 1, 0x42],
    ] {
      let verify = try start(controller)
      let reply = controller.post("/pair-verify", controller.m3(verify, inner: inner))
      #expect(reply?.status == 400)
      #expect(reply?.body == [])
    }
    #expect(controller.verify() == nil)
  }

  @Test("[PV.9, PV.13, PV.14] A malformed M1, and states out of order, are 400")
  func malformedM1() throws {
    let controller = accessory.unverified()
    let key = AgreementKey(privateKey: RandomSource.seeded(5).secret(32)).publicKey
    for message in [
      PlainTLV([(6, [1])]), PlainTLV([(6, [1]), (3, Array(key.dropLast()))]), PlainTLV([(6, [1]), (3, key + [0])]),
      PlainTLV([(6, [1]), (3, [])]), PlainTLV([(3, key)]), PlainTLV([(6, [1]), (3, key), (0, [2])]),
      PlainTLV([(6, [1]), (3, key), (0, [0])]),
      PlainTLV([(6, [1]), (3, key), (0, [6]), (0x0E, [UInt8](repeating: 1, count: 8))]),
      PlainTLV([(6, [0]), (3, key)]), PlainTLV([(6, [2]), (3, key)]), PlainTLV([(6, [4])]), PlainTLV([(6, [5])]),
      PlainTLV([(6, [3]), (5, [UInt8](repeating: 0, count: 120))]), PlainTLV([(6, [1]), (3, key), (6, [1])]),
    ] {
      let reply = controller.post("/pair-verify", message)
      #expect(reply?.status == 400)
      #expect(reply?.body == [])
      if message.state == 3 { continue }  // a well-formed M3 gets Authentication during a procedure
      // During a procedure, such a message ends it.
      let verify = try start(controller)
      #expect(controller.post("/pair-verify", message)?.status == 400)
      #expect(controller.post("/pair-verify", controller.m3(verify))?.status == 400)
    }
    #expect(controller.verify() == nil)
  }

  @Test("[PV.10] Keys of small order are refused and give no session", arguments: [0, 1] as [UInt8])
  func smallOrder(_ first: UInt8) {
    let controller = accessory.unverified()
    let reply = controller.post("/pair-verify", PlainTLV([(6, [1]), (3, [first] + [UInt8](repeating: 0, count: 31))]))
    #expect(reply != nil)
    #expect(reply?.tlv?[3] == nil)
    #expect(controller.verify() == nil)
  }

  @Test("[PV.11] Without pairings M1 is answered as usual, and M3 fails")
  func unpaired() throws {
    let accessory = TestHome.accessory(pairings: [])
    let controller = accessory.unverified()
    #expect(isError(controller.post("/pair-verify", controller.m3(try start(controller))), state: 4, 2))
  }

  @Test("[PV.15] A second M1 replaces the first")
  func superseded() throws {
    let controller = accessory.unverified()
    let first = try start(controller)
    _ = try start(controller)
    #expect(isError(controller.post("/pair-verify", controller.m3(first)), state: 4, 2))
    _ = try start(controller)
    let second = try start(controller)
    #expect(controller.post("/pair-verify", controller.m3(second))?.tlv == PlainTLV([(6, [4])]))
  }

  @Test("[PV.16, SE.12] Inside a session Pair Verify is 400, sealed, and the session keeps its keys")
  func insideSession() {
    let controller = accessory.verified()
    #expect(controller.post("/pair-verify", controller.startVerify().m1)?.status == 400)
    #expect(controller.get("/accessories")?.status == 200)
  }

  @Test("[PV.18] Overlapping procedures on two connections both succeed, with different keys")
  func overlapping() throws {
    let one = accessory.unverified()
    let other = accessory.unverified(TestHome.user)
    let (first, second) = (try start(one), try start(other))
    #expect(first.accessoryKey != second.accessoryKey)
    #expect(other.post("/pair-verify", other.m3(second))?.tlv == PlainTLV([(6, [4])]))
    #expect(one.post("/pair-verify", one.m3(first))?.tlv == PlainTLV([(6, [4])]))
    one.secure(first)
    other.secure(second)
    #expect(one.get("/accessories")?.status == 200)
    #expect(other.get("/accessories")?.status == 200)
  }

  // MARK: Frames

  @Test("[SE.6] The first sealed request may come in the same segment as M3")
  func sameSegment() throws {
    let controller = accessory.unverified()
    let verify = try start(controller)
    let m3 = MemoryController.request(
      "POST", "/pair-verify", body: controller.m3(verify).encoded, type: "application/pairing+tlv8")
    // The answers arrive in one call, M4 in plain text and the others sealed, so they are split by hand.
    let probe = MemoryController(TestHome.admin, random: .seeded(9))
    probe.secure(verify)
    let before = controller.raw.count
    controller.sendRaw(m3 + probe.frames(MemoryController.request("GET", "/characteristics?id=1.12")))
    var answers = Array(controller.raw.dropFirst(before))
    let m4 = try #require(takeMessages(&answers).first)
    #expect(m4.tlv == PlainTLV([(6, [4])]))
    #expect(controller.unread.isEmpty || controller.unread == answers)
    probe.receive(answers)
    #expect(probe.takeReply()?.entry("1.12")?.int("value") == 50)
  }

  @Test("[SE.3, SE.9] Large answers are sent completely, in frames of 1 to 1024 bytes")
  func largeAnswer() {
    let controller = accessory.verified()
    let reply = controller.get("/accessories")
    #expect((reply?.body.count ?? 0) > 3000)
    #expect(reply?.json != nil)
    #expect(controller.frameSizes.allSatisfy { (1...1024).contains($0) })
    #expect(!controller.sawBadFrame)
  }

  @Test(
    "[SE.9] Requests of 1023, 1024, 1025 and 2048 bytes are answered",
    arguments: [1023, 1024, 1025, 2047, 2048, 2049, 3072])
  func requestSizes(_ size: Int) {
    let controller = accessory.verified()
    let core = #"{"characteristics":[{"aid":1,"iid":12,"value":64}]}"#
    var body = Array(core.utf8)
    while MemoryController.request("PUT", "/characteristics", body: body).count < size { body.append(0x20) }
    let request = MemoryController.request("PUT", "/characteristics", body: body)
    #expect(request.count == size)
    controller.send(request)
    #expect(controller.takeReply()?.status == 204)
  }

  @Test("[SE.9] Answers of each size near the maximum of a frame arrive complete", arguments: 0..<40)
  func answerSizes(_ extra: Int) {
    let controller = accessory.verified()
    // Reads of many entries, whose answers exceed 1024 bytes at one of these lengths.
    let ids = Array(repeating: "1.11", count: 24).joined(separator: ",") + String(repeating: ",1.5", count: extra % 8)
    #expect(controller.set("1.22", "\"\(String(repeating: "z", count: extra))\"")?.status == 204)
    let reply = controller.get("/characteristics?id=1.22,\(ids)")
    #expect(reply?.json != nil)
    #expect(controller.unread == [])
  }

  @Test(
    "[SE.7, SE.8] Requests split into frames of any size, and several in one frame, are answered in order",
    arguments: [1, 2, 3, 10, 100, 1024])
  func frameSizes(_ size: Int) {
    let controller = accessory.verified()
    let put = Array(#"{"characteristics":[{"aid":1,"iid":12,"value":65}]}"#.utf8)
    let stream =
      MemoryController.request("GET", "/characteristics?id=1.12")
      + MemoryController.request("PUT", "/characteristics", body: put)
      + MemoryController.request("GET", "/characteristics?id=1.12")
    controller.sendRaw(controller.frames(stream, size: size))
    #expect(controller.messages.map(\.status) == [200, 204, 200])
    #expect(controller.messages.last?.entry("1.12")?.int("value") == 65)
  }

  @Test(
    "[SE.4] A frame above 1024 bytes closes the connection when its length has arrived",
    arguments: [1025, 2048, 32768, 65535])
  func tooLong(_ length: Int) {
    let controller = accessory.verified()
    let before = controller.raw.count
    controller.sendRaw([UInt8(length & 255), UInt8(length >> 8)])
    #expect(controller.isClosed)
    #expect(controller.raw.count == before)
  }

  @Test("[SE.5, SE.13, CN.3] A frame that doesn't open closes only its own connection, without an answer")
  func broken() {
    let other = accessory.verified(TestHome.user)
    #expect(other.subscribe("1.51")?.status == 204)
    for place in [0, 1, 2, 20, -1, -16] {
      let controller = accessory.verified()
      #expect(controller.set("1.12", "40")?.status == 204)
      let before = controller.raw.count
      var frame = controller.frame(
        MemoryController.request(
          "PUT", "/characteristics", body: Array(#"{"characteristics":[{"aid":1,"iid":12,"value":1}]}"#.utf8)))
      let index = place < 0 ? frame.count + place : place
      frame[index] ^= place == 1 ? 0x04 : 0x01
      controller.sendRaw(frame + [UInt8](repeating: 0, count: 1100))
      #expect(controller.isClosed)
      #expect(controller.raw.count == before)
    }
    #expect(other.int("1.12") == 40)
    accessory.change(TestHome.id("1.51"), to: true)
    #expect(other.takeEvents().count == 1)
  }

  @Test("[SE.5] A repeated frame, and one with a skipped count, close the connection and change nothing")
  func replayedFrame() {
    let put = MemoryController.request(
      "PUT", "/characteristics", body: Array(#"{"characteristics":[{"aid":1,"iid":12,"value":1}]}"#.utf8))
    let again = accessory.verified()
    let frame = again.frame(put)
    again.sendRaw(frame)
    #expect(again.takeReply()?.status == 204)
    #expect(again.set("1.12", "2")?.status == 204)
    again.sendRaw(frame)
    #expect(again.isClosed)
    let skipping = accessory.verified()
    skipping.sendRaw(skipping.frame(put, counter: 1))
    #expect(skipping.isClosed)
    #expect(accessory.verified().int("1.12") == 2)
  }

  @Test("[SE.5, CN.3] A frame of another session closes the connection that receives it")
  func foreignFrame() {
    let one = accessory.verified()
    let other = accessory.verified(TestHome.user)
    one.sendRaw(other.frame(MemoryController.request("GET", "/accessories")))
    #expect(one.isClosed)
  }

  @Test("[SE.10] An empty frame is counted and otherwise ignored")
  func emptyFrame() {
    let controller = accessory.verified()
    for _ in 0..<3 { controller.sendRaw(controller.frame([])) }
    #expect(controller.messages.isEmpty)
    #expect(controller.int("1.12") == 50)
    let request = MemoryController.request("GET", "/characteristics?id=1.12")
    controller.sendRaw(
      controller.frame(Array(request.prefix(9))) + controller.frame([]) + controller.frame(Array(request.dropFirst(9))))
    #expect(controller.takeReply()?.status == 200)
  }

  @Test(
    "[SE.12] Plain HTTP inside a session is never answered",
    arguments: ["GET /accessories HTTP/1.1\r\n\r\n", "POST /pair-verify HTTP/1.1\r\n"])
  func plainInSession(_ text: String) {
    let controller = accessory.verified()
    let before = controller.raw.count
    controller.sendRaw(Array(text.utf8))
    #expect(controller.isClosed)
    #expect(controller.raw.count == before)
  }

  @Test("[SE.1, SE.2] After three hundred mixed requests, both counters still agree")
  func counts() {
    let controller = accessory.verified()
    for round in 0..<300 {
      let status =
        round % 3 == 0
        ? controller.set("1.12", "\(round % 100)")?.status : controller.get("/characteristics?id=1.12")?.status
      #expect(status == 204 || status == 200)
    }
    #expect(!controller.sawBadFrame)
  }
}
