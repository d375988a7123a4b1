import HAPCrypto
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: connections") struct AccessoryConnectionTests {
  let accessory = TestHome.accessory()

  @Test("[CN.1] Eight sessions at once all get replies and events")
  func eight() {
    let sessions = (0..<8).map { accessory.verified($0 % 2 == 0 ? TestHome.admin : TestHome.user) }
    for session in sessions { #expect(session.subscribe("1.51")?.status == 204) }
    accessory.change(TestHome.id("1.51"), to: true)
    for session in sessions {
      #expect(session.takeEvents().count == 1)
      #expect(session.int("1.12") == 50)
    }
  }

  @Test("[CN.2] Each session of a controller has its own keys and subscriptions")
  func twoSessions() {
    let one = accessory.verified()
    let other = accessory.verified()
    #expect(one.subscribe("1.51")?.status == 204)
    #expect(one.get("/characteristics?id=1.51&ev=1")?.entry("1.51")?.int("ev") == 1)
    #expect(other.get("/characteristics?id=1.51&ev=1")?.entry("1.51")?.int("ev") == 0)
    accessory.disconnect(one)
    #expect(other.get("/accessories")?.status == 200)
  }

  @Test("[CN.3, CN.5] A connection that ends at any byte of a request doesn't affect the others")
  func anyByte() {
    let accessory = TestHome.accessory()
    let other = accessory.verified(TestHome.user)
    let request = MemoryController.request("GET", "/characteristics?id=1.12")
    for count in 0...request.count {
      let controller = accessory.verified()
      controller.sendRaw(Array(controller.frames(request).prefix(count)))
      accessory.disconnect(controller)
    }
    #expect(other.get("/accessories")?.status == 200)
    #expect(accessory.core.connections.count == 1)
  }

  @Test("[CN.4] Bytes after a connection's end are ignored")
  func afterEnd() {
    let controller = accessory.verified()
    let frame = controller.frame(
      MemoryController.request(
        "PUT", "/characteristics", body: Array(#"{"characteristics":[{"aid":1,"iid":12,"value":1}]}"#.utf8)))
    controller.sendRaw([0xFF, 0xFF] + frame)
    controller.sendRaw(frame)
    #expect(controller.isClosed)
    #expect(accessory.verified().int("1.12") == 50)
  }

  @Test(
    "[CN.3] Random bytes on plain and secured connections affect no other session",
    arguments: 0..<50 as Range<UInt64>)
  func noise(_ seed: UInt64) {
    let other = accessory.verified(TestHome.user)
    let random = RandomSource.seeded(seed)
    for controller in [accessory.unverified(), accessory.verified()] {
      controller.sendRaw(random.bytes(3000))
      if controller.isSecured, !controller.isClosed { controller.send(random.bytes(1500)) }
    }
    let sealedNoise = accessory.verified()
    sealedNoise.send(random.bytes(2000) + [13, 10, 13, 10])
    #expect(other.get("/accessories")?.status == 200)
  }
}
