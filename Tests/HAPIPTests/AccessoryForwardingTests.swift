import HAPIP
import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@Suite("Accessory: forwarding") struct AccessoryForwardingTests {
  let accessory = TestHome.accessory()

  init() { accessory.core.forwards = true }

  private func answer(_ status: Int, _ body: String, chunked: Bool = false) -> LinkMessage {
    LinkMessage(status: status, contentType: .hapJSON, body: Array(body.utf8), isChunked: chunked)
  }

  @Test("A verified controller's request is forwarded unchanged, and so is the answer")
  func passesOn() throws {
    let controller = accessory.verified()
    #expect(controller.get("/characteristics?id=1.11,7.7&ev=1") == nil)
    let asked = try #require(accessory.forwarded.last)
    #expect(asked.request == ControllerRequest("GET", "/characteristics?id=1.11,7.7&ev=1"))
    accessory.answer(answer(207, "{ \"any\": 1 }"), ticket: asked.ticket)
    let reply = try #require(controller.takeReply())
    #expect(reply.status == 207 && reply.body == Array("{ \"any\": 1 }".utf8))

    #expect(controller.put("{\"x\":1}") == nil)
    let write = try #require(accessory.forwarded.last)
    #expect(
      write.request
        == ControllerRequest(
          "PUT", "/characteristics", contentType: "application/hap+json", body: Array("{\"x\":1}".utf8)))
    accessory.answer(LinkMessage(status: 204), ticket: write.ticket)
    #expect(controller.takeReply()?.status == 204)

    // Unknown resources are forwarded, too, with any method.
    for (method, target) in [("GET", "/vendor?x"), ("PUT", "/resource"), ("GET", "/accessories"), ("PUT", "/prepare")] {
      #expect(controller.exchange(method, target) == nil)
      #expect(accessory.forwarded.last?.request.name == "\(method) \(target.prefix { $0 != "?" })")
      accessory.answer(answer(404, "no", chunked: true), ticket: try #require(accessory.forwarded.last).ticket)
      #expect(controller.takeReply()?.body == Array("no".utf8))
    }
  }

  @Test("Unverified requests are refused locally, and pairings are answered locally")
  func own() throws {
    let stranger = try #require(accessory.connect(TestHome.admin))
    #expect(stranger.get("/characteristics?id=1.11")?.status == 470)
    #expect(stranger.exchange("POST", "/identify")?.status == 400)
    #expect(stranger.get("/vendor")?.status == 470)
    let controller = accessory.verified()
    #expect(controller.post("/pairings", PlainTLV([(6, [1]), (0, [5])]))?.status == 200)
    #expect(controller.exchange("POST", "/identify")?.status == 400)
    #expect(accessory.forwarded.isEmpty)
  }

  @Test("Each connection has one forwarded request at a time; others are served, and events are sent at once")
  func order() throws {
    let controller = accessory.verified()
    let other = accessory.verified(TestHome.secondAdmin)
    controller.send(MemoryController.request("GET", "/a") + MemoryController.request("GET", "/b"))
    #expect(accessory.forwarded.map(\.request.target) == ["/a"])
    #expect(other.get("/c") == nil)
    #expect(accessory.forwarded.map(\.request.target) == ["/a", "/c"])
    accessory.tell(answer(200, "{}"), to: accessory.forwarded[0].connection)
    #expect(controller.takeEvents().map(\.body) == [Array("{}".utf8)] && other.messages.isEmpty)
    accessory.answer(answer(200, "1"), ticket: accessory.forwarded[0].ticket)
    #expect(controller.takeReply()?.body == Array("1".utf8))
    #expect(accessory.forwarded.map(\.request.target) == ["/a", "/c", "/b"])
  }

  @Test("Without an answer the connection closes; a late, second or unrequested answer has no effect")
  func without() throws {
    let controller = accessory.verified()
    _ = controller.get("/a")
    let asked = try #require(accessory.forwarded.last)
    accessory.answer(nil, ticket: asked.ticket)
    #expect(controller.isClosed)
    accessory.answer(answer(200, "late"), ticket: asked.ticket)
    accessory.tell(answer(200, "late"), to: asked.connection)
    accessory.answer(answer(200, "unasked"), ticket: Ticket(number: 999))

    let second = accessory.verified()
    _ = second.get("/a")
    accessory.answer(answer(200, "last"), ticket: try #require(accessory.forwarded.last).ticket, closing: true)
    #expect(second.takeReply()?.body == Array("last".utf8) && second.isClosed)

    let third = accessory.verified()
    _ = third.get("/a")
    let gone = try #require(accessory.forwarded.last)
    accessory.disconnect(third)
    accessory.answer(answer(200, "gone"), ticket: gone.ticket)
    #expect(third.messages.isEmpty)
  }

  @Test("An answer or event above the limit closes the connection")
  func bounds() throws {
    let long = LinkMessage(status: 200, body: [UInt8](repeating: 0, count: AccessoryCore.forwardLimit + 1))
    let controller = accessory.verified()
    _ = controller.get("/a")
    accessory.answer(long, ticket: try #require(accessory.forwarded.last).ticket)
    #expect(controller.isClosed && controller.messages.isEmpty)
    let other = accessory.verified()
    _ = other.get("/a")
    let id = try #require(accessory.forwarded.last).connection
    accessory.tell(long, to: id)
    #expect(other.isClosed && other.messages.isEmpty)
  }
}
