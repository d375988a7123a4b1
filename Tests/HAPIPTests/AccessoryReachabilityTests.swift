import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: an unreachable bridged accessory") struct AccessoryReachabilityTests {
  let accessory = TestHome.accessory()
  let controller: MemoryController

  init() { controller = accessory.verified() }

  private func setReachable(_ isReachable: Bool) {
    accessory.core.attributes.setReachable(isReachable, aid: 2, at: accessory.now)
    accessory.advance(.zero)
  }

  @Test("[CH.90] Reads and writes of it are -70402, others are unaffected; its ids and values stay in the database")
  func statuses() {
    let before = controller.get("/accessories")?.text
    setReachable(false)
    let read = controller.get("/characteristics?id=1.11,2.11,2.99")
    #expect(read?.status == 207)
    #expect(read?.statuses == ["1.11": 0, "2.11": -70402, "2.99": -70409])
    #expect(controller.write(#""aid":2,"iid":11,"value":true"#)?.statuses == ["2.11": -70402])
    #expect(controller.write(#""aid":2,"iid":2,"value":true"#)?.statuses == ["2.2": -70402])
    #expect(controller.write(#""aid":1,"iid":11,"value":true"#)?.status == 204)
    #expect(controller.write(#""aid":1,"iid":11,"value":false"#)?.status == 204)
    #expect(controller.get("/accessories")?.text == before)
    #expect(accessory.wrote.map(\.0.aid) == [1, 1] && accessory.identified.isEmpty)
    setReachable(true)
    #expect(controller.get("/characteristics?id=1.11,2.11")?.status == 200)
    #expect(controller.write(#""aid":2,"iid":11,"value":true"#)?.status == 204)
  }

  @Test("[EV.45] It sends no events, not even pending ones; changes are sent when it is reachable again")
  func events() {
    #expect(controller.subscribe("1.11", "2.11")?.status == 204)
    let other = accessory.verified(TestHome.secondAdmin)
    accessory.change(TestHome.id("2.11"), to: true)
    setReachable(false)
    #expect(other.subscribe("2.11")?.status == 204)
    accessory.change(TestHome.id("2.11"), to: false)
    accessory.change(TestHome.id("1.11"), to: true)
    accessory.advance(.seconds(1))
    #expect(controller.takeEvents().flatMap(\.entries).map { $0.int("aid") } == [1])
    accessory.change(TestHome.id("2.11"), to: true)
    setReachable(true)
    accessory.advance(.seconds(1))
    // The value is the same as before the loss, so there is no event.
    #expect(controller.takeEvents().isEmpty && other.takeEvents().isEmpty)
    for _ in 0..<2 { setReachable(false) }
    accessory.change(TestHome.id("2.11"), to: false)
    for _ in 0..<2 { setReachable(true) }
    accessory.advance(.seconds(1))
    for each in [controller, other] {
      #expect(each.takeEvents().flatMap(\.entries).map { $0.int("value") } == [0])
    }
  }

  @Test("[CH.90] It stays unreachable with another database, until it is removed")
  func replacing() throws {
    setReachable(false)
    try accessory.replace(TestHome.accessories, configurationNumber: 2)
    #expect(controller.get("/characteristics?id=2.11")?.statuses == ["2.11": -70402])
    try accessory.replace(TestHome.accessories.dropLast(), configurationNumber: 3)
    try accessory.replace(TestHome.accessories, configurationNumber: 4)
    #expect(controller.get("/characteristics?id=2.11")?.status == 200)
  }

  @Test("[CH.90] The device is not asked for unreachable values") func live() {
    accessory.core.attributes.setLive([TestHome.id("2.11"), TestHome.id("1.11")])
    setReachable(false)
    #expect(controller.get("/characteristics?id=2.11")?.statuses == ["2.11": -70402])
    #expect(accessory.reads.isEmpty)
  }
}
