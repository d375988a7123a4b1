import HAPCrypto
import HAPIP
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

@Suite("Connection limits and eviction")
struct AccessorySessionLimitTests {
  private func home(_ limit: Int = 17) -> MemoryAccessory {
    var quirks = Quirks()
    quirks.maximumSessions = limit
    return TestHome.accessory(quirks: quirks)
  }

  /// M1 of Pair Verify with any public key.
  private static let verifyStart = MemoryController.request(
    "POST", "/pair-verify", body: [6, 1, 1, 3, 32] + Array(repeating: 9, count: 32))

  @Test("[CN.10] The eighteenth connection is refused, and the seventeen continue", arguments: [8, 17, 200])
  func limit(_ limit: Int) {
    let accessory = home(limit)
    let controllers = (0..<limit).map { _ in accessory.verified() }
    #expect(accessory.connect(TestHome.admin) == nil)
    for controller in controllers { #expect(controller.get("/characteristics?id=1.11")?.status == 200) }
    accessory.disconnect(controllers[3])
    #expect(accessory.connect(TestHome.admin)?.verify() == nil)
    #expect(accessory.connect(TestHome.admin) == nil)
  }

  @Test("[CN.11] While slots are free, no connection is closed, however long it is silent")
  func roomLeft() {
    let accessory = home(3)
    let (one, two) = (accessory.verified(), accessory.unverified())
    accessory.advance(.seconds(1_000_000))
    #expect(accessory.connect(TestHome.admin) != nil)
    #expect(!one.isClosed && !two.isClosed)
  }

  @Test("[CN.12] If all slots are taken, the longest silent unverified connection is evicted before any session")
  func unverifiedFirst() throws {
    let accessory = home(4)
    let session = accessory.verified()
    var others: [MemoryController] = []
    for _ in 0..<3 {
      others.append(accessory.unverified())
      accessory.advance(.seconds(1))
      #expect(others.last?.get("/accessories")?.status == 470)
    }
    accessory.advance(.seconds(1))
    let silent = accessory.unverified()
    #expect(!others[0].isClosed)
    #expect(silent.get("/accessories")?.status == 470)
    #expect(others.map(\.isClosed) == [true, false, false] && !session.isClosed)
    accessory.advance(.seconds(1))
    // Another request counts as activity.
    #expect(others[1].get("/accessories")?.status == 470)
    #expect(accessory.unverified().get("/accessories")?.status == 470)
    #expect(others.map(\.isClosed) == [true, false, true] && !session.isClosed)
  }

  @Test("[CN.12, CN.18] Connections of one address leave slots for that address and for others", arguments: [0, 1])
  func flood(_ requests: Int) throws {
    let accessory = home()
    accessory.core.waitingLimit = 100
    let session = accessory.verified()
    for number in 0..<1000 {
      let hostile = accessory.connect(TestHome.stranger, from: "192.0.2.1:\(number + 1)")
      // An incomplete request, or a complete one.
      hostile?.sendRaw(Array("GET /accessories HTTP/1.1\r\n\(requests == 0 ? "" : "\r\n")".utf8))
    }
    for peer in ["192.0.2.1:2000", "192.0.2.2:2000", "[2001:db8::1]:2000"] {
      let controller = try #require(accessory.connect(TestHome.admin, from: peer))
      try #require(controller.verify() == nil)
      #expect(controller.get("/characteristics?id=1.11")?.status == 200)
    }
    #expect(session.get("/characteristics?id=1.11")?.status == 200)
    #expect(accessory.core.connections.count <= 17 + 100)
  }

  @Test(
    "[CN.10, CN.18, CN.20] A flood of endless first bodies evicts no connection that has sent a complete request",
    arguments: [
      ("Content-Length: 30000", Array(repeating: UInt8(0), count: 29_000)),
      ("Transfer-Encoding: chunked", Array("4000\r\n".utf8) + Array(repeating: UInt8(0), count: 16_000)),
      ("Transfer-Encoding: chunked", Array(String(repeating: "1\r\nx\r\n", count: 1000).utf8)),
    ])
  func slowBodies(_ field: String, _ body: [UInt8]) throws {
    let accessory = home()
    accessory.core.waitingLimit = 100
    let early = try #require(accessory.connect(TestHome.admin, from: "192.0.2.1:3000"))
    #expect(early.get("/accessories")?.status == 470)
    var hostile: [MemoryController] = []
    for number in 0..<200 {
      let connection = try #require(accessory.connect(TestHome.stranger, from: "192.0.2.1:\(number + 1)"))
      connection.sendRaw(Array("POST /pair-setup HTTP/1.1\r\n\(field)\r\n\r\n".utf8) + body)
      hostile.append(connection)
    }
    #expect(hostile.count { !$0.isClosed } == 16)
    #expect(accessory.core.slots.takenCount == 1 && accessory.core.slots.waitingCount == 0)
    #expect(early.get("/accessories")?.status == 470)
    for peer in ["192.0.2.1:2000", "192.0.2.2:2000"] {
      let controller = try #require(accessory.connect(TestHome.admin, from: peer))
      #expect(controller.verify() == nil)
    }
  }

  @Test("[CN.20] A first request with a long body is answered, and takes its slot at its end")
  func longFirstRequest() {
    let accessory = home()
    let controller = accessory.unverified()
    let request = MemoryController.request("PUT", "/characteristics", body: Array(repeating: 0x20, count: 32 << 10))
    controller.send(Array(request.dropLast()))
    #expect(accessory.core.slots.takenCount == 0 && accessory.core.slots.sendingCount == 1)
    controller.send(Array(request.suffix(1)))
    #expect(controller.takeReply()?.status == 470)
    #expect(accessory.core.slots.takenCount == 1 && accessory.core.slots.sendingCount == 0)
    let (other, closing) = (accessory.unverified(), accessory.unverified())
    other.send(Array(request.prefix(request.count - (30 << 10) + 1)))
    #expect(accessory.core.slots.sendingCount == 1)
    // One byte less doesn't exceed the limit.
    closing.send(Array(request.prefix(request.count - (30 << 10))))
    #expect(accessory.core.slots.sendingCount == 1 && accessory.core.slots.waitingCount == 1)
    accessory.disconnect(other)
    #expect(accessory.core.slots.sendingCount == 0)
  }

  @Test("[CN.19] Requests from its own address do not evict a connection between M1 and M3 of Pair Verify")
  func verifying() throws {
    let accessory = home()
    let verifying = try #require(accessory.connect(TestHome.admin, from: "192.0.2.1:1"))
    verifying.send(Self.verifyStart)
    for number in 0..<100 {
      let hostile = accessory.connect(TestHome.stranger, from: "192.0.2.1:\(number + 2)")
      #expect(hostile?.get("/accessories")?.status == 470)
    }
    #expect(!verifying.isClosed)
    // A second M1 gives no further protection.
    accessory.advance(.seconds(5))
    verifying.send(Self.verifyStart)
    for number in 0..<20 {
      _ = accessory.connect(TestHome.stranger, from: "192.0.2.1:\(number + 200)")?.get("/accessories")
    }
    #expect(verifying.isClosed)
  }

  @Test("[CN.13] Without an unverified connection, the session that was silent longest is evicted after a minute")
  func idleSession() {
    let accessory = home(9)
    let controllers = (0..<9).map { number in
      accessory.advance(.seconds(1))
      return accessory.verified(number % 2 == 0 ? TestHome.admin : TestHome.user)
    }
    #expect(controllers[0].get("/characteristics?id=1.11")?.status == 200)
    accessory.advance(.milliseconds(52_999))
    #expect(accessory.connect(TestHome.admin) == nil)
    accessory.advance(.milliseconds(1))
    let newcomer = accessory.connect(TestHome.admin)
    #expect(!controllers[1].isClosed)
    #expect(newcomer?.verify() == nil)
    #expect(controllers.map(\.isClosed) == [false, true] + Array(repeating: false, count: 7))
  }

  @Test("[CN.14] Unverified connections take only the slots that eight sessions leave")
  func safeSessions() {
    let accessory = home(10)
    let sessions = (0..<10).map { _ in accessory.verified() }
    accessory.advance(.seconds(3600))
    var intruders: [MemoryController] = []
    for _ in 0..<20 {
      if let intruder = accessory.connect(TestHome.stranger) {
        intruders.append(intruder)
        intruder.send(Self.verifyStart)
      }
      accessory.advance(.seconds(1))
    }
    #expect(intruders.filter { !$0.isClosed }.count == 2)
    #expect(sessions.filter { !$0.isClosed }.count == 8)
  }

  @Test("[CN.15] A connection with a pending answer is not evicted")
  func owed() {
    let accessory = home(1)
    accessory.core.attributes.setLive([TestHome.id(TestHome.ID.brightness)])
    let controller = accessory.verified()
    controller.send(MemoryController.request("GET", "/characteristics?id=1.12"))
    accessory.advance(.seconds(8))
    #expect(accessory.connect(TestHome.admin) == nil)
    #expect(!controller.isClosed)
  }

  @Test("[CN.16] Endless bytes don't count as activity, before Pair Verify and after")
  func trickle() {
    let accessory = home(3)
    accessory.core.waitingLimit = 2
    let (secured, idle) = (accessory.verified(), accessory.verified())
    let (plain, later) = (accessory.unverified(), accessory.unverified())
    let frame = secured.frame(MemoryController.request("GET", "/accessories"))
    for byte in 0..<30 {
      plain.sendRaw([UInt8(ascii: byte == 0 ? "G" : "E")])
      secured.sendRaw([frame[byte]])
      accessory.advance(.seconds(2))
      if byte < 29 { #expect(idle.get("/characteristics?id=1.11")?.status == 200) }
    }
    #expect(accessory.connect(TestHome.admin)?.verify() == nil)
    #expect(plain.isClosed && !later.isClosed && !secured.isClosed)
    #expect(accessory.connect(TestHome.admin)?.verify() == nil)
    #expect(secured.isClosed && !later.isClosed && !idle.isClosed)
  }

  @Test("[CN.17] An unverified controller that reads nothing causes at most a few queued answers")
  func unreadAnswers() {
    let accessory = home()
    guard let connection = accessory.core.open(peer: "deaf", at: accessory.now) else {
      Issue.record("no free slot")
      return
    }
    let request = MemoryController.request("GET", "/accessories")
    for _ in 0..<2_000 {
      let room = connection.incoming.reserve(request.count)
      room.copyBytes(from: request)
      connection.incoming.commit(request.count)
      guard connection.wantsInput else { break }
      accessory.core.received(on: connection, at: accessory.now)
    }
    #expect(connection.outgoing.readableCount < 9 << 10)
    #expect(!connection.wantsInput)
  }

  @Test("[CN.5] Releasing an accessory releases connections with unread answers")
  func letGo() {
    weak var connection: ConnectionCore?
    do {
      let accessory = home()
      let opened = accessory.core.open(peer: "deaf", at: accessory.now)
      connection = opened
      opened?.incoming.append(MemoryController.request("GET", "/accessories"))
      if let opened { accessory.core.received(on: opened, at: accessory.now) }
      #expect((opened?.outgoing.readableCount ?? 0) > 0)
    }
    #expect(connection == nil)
  }
}
