import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTestSupport
import Testing

@Suite("How many may be connected, and who gives way")
struct AccessorySessionLimitTests {
  private func home(_ limit: Int = 17) -> MemoryAccessory {
    var conduct = Conduct()
    conduct.maximumSessions = limit
    return TestHome.accessory(conduct: conduct)
  }

  @Test("[CN.10] The eighteenth connection is refused, and the seventeen go on", arguments: [8, 17, 200])
  func limit(_ limit: Int) {
    let accessory = home(limit)
    let controllers = (0..<limit).map { _ in accessory.verified() }
    #expect(accessory.connect(TestHome.admin) == nil)
    for controller in controllers { #expect(controller.get("/characteristics?id=1.11")?.status == 200) }
    accessory.disconnect(controllers[3])
    #expect(accessory.connect(TestHome.admin) != nil)
    #expect(accessory.connect(TestHome.admin) == nil)
  }

  @Test("[CN.11] With room left nobody is closed, however long they are silent")
  func roomLeft() {
    let accessory = home(3)
    let (one, two) = (accessory.verified(), accessory.unverified())
    accessory.advance(.seconds(1_000_000))
    #expect(accessory.connect(TestHome.admin) != nil)
    #expect(!one.isClosed && !two.isClosed)
  }

  @Test(
    "[CN.12] When all are taken the unverified connection silent longest gives way after ten seconds, before any session"
  )
  func unverifiedFirst() throws {
    let accessory = home(4)
    let session = accessory.verified()
    let first = accessory.unverified()
    accessory.advance(.seconds(1))
    let second = accessory.unverified()
    accessory.advance(.seconds(1))
    let third = accessory.unverified()
    accessory.advance(.milliseconds(7_999))
    #expect(accessory.connect(TestHome.admin) == nil)
    accessory.advance(.milliseconds(1))
    #expect(accessory.connect(TestHome.admin) != nil)
    #expect(first.isClosed && !second.isClosed && !third.isClosed && !session.isClosed)
    // A request is a sign of life.
    accessory.advance(.seconds(1))
    #expect(second.get("/accessories")?.status == 470)
    #expect(accessory.connect(TestHome.admin) == nil)
    accessory.advance(.seconds(1))
    #expect(accessory.connect(TestHome.admin) != nil)
    #expect(third.isClosed && !second.isClosed && !session.isClosed)
  }

  @Test("[CN.13] Else the session silent longest gives way after a minute")
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
    #expect(accessory.connect(TestHome.admin) != nil)
    #expect(controllers.map(\.isClosed) == [false, true] + Array(repeating: false, count: 7))
  }

  @Test("[CN.14] Unverified connections take no more than what leaves eight sessions")
  func safeSessions() {
    let accessory = home(10)
    let sessions = (0..<10).map { _ in accessory.verified() }
    accessory.advance(.seconds(3600))
    var intruders: [MemoryController] = []
    for _ in 0..<20 {
      if let intruder = accessory.connect(TestHome.stranger) { intruders.append(intruder) }
      accessory.advance(.seconds(1))
    }
    #expect(intruders.filter { !$0.isClosed }.count == 2)
    #expect(sessions.filter { !$0.isClosed }.count == 8)
  }

  @Test("[CN.15] A connection whose answer is owed stays")
  func owed() {
    let accessory = home(1)
    accessory.core.setLive([TestHome.id(TestHome.ID.brightness)])
    let controller = accessory.verified()
    controller.send(MemoryController.request("GET", "/characteristics?id=1.12"))
    accessory.advance(.seconds(8))
    #expect(accessory.connect(TestHome.admin) == nil)
    #expect(!controller.isClosed)
  }

  @Test("[CN.16] Bytes without end are no sign of life, before Pair Verify and after")
  func trickle() {
    let accessory = home(2)
    let (plain, secured) = (accessory.unverified(), accessory.verified())
    let frame = secured.frame(MemoryController.request("GET", "/accessories"))
    for byte in 0..<30 {
      plain.sendRaw([UInt8(ascii: byte == 0 ? "G" : "E")])
      secured.sendRaw([frame[byte]])
      accessory.advance(.seconds(2))
    }
    #expect(accessory.connect(TestHome.admin) != nil)
    #expect(plain.isClosed && !secured.isClosed)
  }

  @Test("[CN.17] An unverified controller that reads nothing makes no more than a few answers wait")
  func unreadAnswers() {
    let accessory = home()
    guard let connection = accessory.core.open(peer: "deaf", at: accessory.now) else {
      Issue.record("no room")
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

  @Test("[CN.5] An accessory that is let go takes connections with it whose answers nobody fetched")
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
