import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

@Suite("Accessory: events") struct AccessoryEventTests {
  let accessory = TestHome.accessory()

  private func subscriber(_ ids: [String], as identity: ControllerIdentity = TestHome.secondAdmin) -> MemoryController {
    let controller = accessory.verified(identity)
    for id in ids { #expect(controller.subscribe(id)?.status == 204) }
    return controller
  }

  /// Ids and values of all received events, in order.
  private func told(_ controller: MemoryController) -> [String] {
    controller.takeEvents().flatMap { event in
      event.entries.map {
        "\($0.int("aid") ?? -1).\($0.int("iid") ?? -1)=\($0.isNull("value") ? "null" : "\($0.int("value") ?? -1)")"
      }
    }
  }

  @Test("[EV.1] ev true or 1 subscribes, and false or 0 unsubscribes", arguments: ["true", "1"], ["false", "0"])
  func subscribing(_ on: String, _ off: String) {
    let controller = accessory.verified()
    #expect(controller.write(MemoryController.entry("1.51", ev: on))?.status == 204)
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.advance(.seconds(1))
    #expect(told(controller) == ["1.51=1"])
    #expect(controller.write(MemoryController.entry("1.51", ev: off))?.status == 204)
    accessory.change(TestHome.id("1.51"), to: false)
    accessory.advance(.seconds(1))
    #expect(told(controller) == [])
  }

  @Test(
    "[EV.2] Any other value of ev makes the whole request 400",
    arguments: ["null", "2", "-1", #""true""#, "1.0", "[]", "{}", #""""#])
  func wrongEv(_ ev: String) {
    let controller = accessory.verified()
    let reply = controller.write(
      MemoryController.entry("1.12", value: "20"), MemoryController.entry("1.51", ev: ev))
    #expect(reply?.status == 400)
    #expect(controller.int("1.12") == 50)
    #expect(controller.get("/characteristics?id=1.51&ev=1")?.entry("1.51")?.int("ev") == 0)
  }

  @Test("[EV.3] ev without the permission is -70406", arguments: ["true", "false", "1", "0"])
  func noPermission(_ ev: String) {
    let reply = accessory.verified().write(
      MemoryController.entry("1.37", ev: ev), MemoryController.entry("1.36", ev: ev))
    #expect(reply?.statuses == ["1.37": -70406, "1.36": -70406])
  }

  @Test("[EV.4] value and ev in one entry both take effect")
  func both() {
    let controller = accessory.verified()
    #expect(controller.write(MemoryController.entry("1.12", value: "80", ev: "true"))?.status == 204)
    #expect(controller.int("1.12") == 80)
    accessory.advance(.seconds(1))
    #expect(told(controller) == [])
    accessory.change(TestHome.id("1.12"), to: 81)
    accessory.advance(.seconds(1))
    #expect(told(controller) == ["1.12=81"])
  }

  @Test("[EV.5] If an entry has a value, too, the write's status replaces that of the refused ev")
  func bothWithoutPermission() {
    let controller = accessory.verified()
    let reply = controller.write(MemoryController.entry("1.37", value: "true", ev: "true"))
    #expect(reply?.status == 204)
    #expect(controller.int("1.37") == 1)
    let refused = controller.write(MemoryController.entry("1.36", value: #""x""#, ev: "true"))
    #expect(refused?.statuses == ["1.36": -70404])
  }

  @Test("[EV.6] An event has its own start line, type, length and entries without status")
  func form() throws {
    let controller = subscriber(["1.12", "1.22"])
    let before = controller.writes.count
    accessory.change(TestHome.id("1.12"), to: 5)
    accessory.change(TestHome.id("1.22"), to: "new")
    accessory.advance(.seconds(1))
    let events = controller.takeEvents()
    #expect(events.count == 1)
    let event = try #require(events.first)
    #expect(event.startLine == "EVENT/1.0 200 OK")
    #expect(event.type == "application/hap+json")
    #expect(event.field("content-length") == "\(event.body.count)")
    #expect(event.field("transfer-encoding") == nil)
    #expect(event.entries.map { Set($0.keys) } == [["aid", "iid", "value"], ["aid", "iid", "value"]])
    #expect(event.entry("1.12")?.int("value") == 5)
    #expect(event.entry("1.22")?["value"] as? String == "new")
    #expect(controller.writes.count == before + 1)
    #expect(controller.unread == [])
  }

  @Test("[EV.7] Subscriptions belong to one connection and end with it")
  func ownConnection() {
    let one = subscriber(["1.51"])
    let other = accessory.verified(TestHome.secondAdmin)
    accessory.disconnect(one)
    let again = accessory.verified(TestHome.secondAdmin)
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.advance(.seconds(1))
    #expect(told(other) == [])
    #expect(told(again) == [])
    #expect(told(one) == [])
  }

  @Test("[EV.8, CN.2] The writing connection gets no event; all others do, including the writer's second one")
  func notToWriter() {
    let writer = subscriber(["1.12"], as: TestHome.admin)
    let sameController = subscriber(["1.12"], as: TestHome.admin)
    let other = subscriber(["1.12"], as: TestHome.user)
    #expect(writer.set("1.12", "71")?.status == 204)
    accessory.advance(.seconds(2))
    #expect(told(writer) == [])
    #expect(told(sameController) == ["1.12=71"])
    #expect(told(other) == ["1.12=71"])
  }

  @Test("[EV.9] The writer gets events for other changes")
  func othersToWriter() {
    let writer = subscriber(["1.12", "1.51"], as: TestHome.admin)
    #expect(writer.set("1.12", "71")?.status == 204)
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.change(TestHome.id("1.12"), to: 72)
    accessory.advance(.seconds(2))
    #expect(told(writer).sorted() == ["1.12=72", "1.51=1"])
  }

  @Test("[EV.10] A write of the present value is no event")
  func unchanged() {
    let watcher = subscriber(["1.12", "1.51"])
    let writer = accessory.verified()
    #expect(writer.set("1.12", "50")?.status == 204)
    accessory.change(TestHome.id("1.51"), to: false)
    accessory.advance(.seconds(2))
    #expect(told(watcher) == [])
  }

  @Test("[EV.11] Subscribing sends no event, and subscribing twice has no further effect")
  func twice() {
    let watcher = subscriber(["1.12", "1.12"])
    accessory.advance(.seconds(5))
    #expect(watcher.takeEvents().isEmpty)
    accessory.change(TestHome.id("1.12"), to: 3)
    accessory.advance(.seconds(5))
    #expect(told(watcher) == ["1.12=3"])
    #expect(watcher.write(MemoryController.entry("1.12", ev: "false"))?.status == 204)
    #expect(watcher.write(MemoryController.entry("1.12", ev: "false"))?.status == 204)
    accessory.change(TestHome.id("1.12"), to: 4)
    accessory.advance(.seconds(5))
    #expect(told(watcher) == [])
  }

  @Test("[EV.12] Changes within 250 ms are one event at the end, with each characteristic's last value")
  func coalescing() {
    let watcher = subscriber(["1.12", "1.11"])
    accessory.change(TestHome.id("1.12"), to: 1)
    for value in 2...20 {
      accessory.advance(.milliseconds(10))
      accessory.change(TestHome.id("1.12"), to: .integer(Int128(value)))
    }
    accessory.change(TestHome.id("1.11"), to: true)
    accessory.advance(.milliseconds(59))
    #expect(watcher.takeEvents().isEmpty)
    accessory.advance(.milliseconds(1))
    let events = watcher.takeEvents()
    #expect(events.count == 1)
    #expect(events.first?.entries.count == 2)
    #expect(events.first?.entry("1.12")?.int("value") == 20)
    #expect(events.first?.entry("1.11")?.int("value") == 1)
    accessory.advance(.seconds(5))
    #expect(watcher.takeEvents().isEmpty)
    accessory.change(TestHome.id("1.12"), to: 21)
    accessory.advance(.milliseconds(249))
    #expect(watcher.takeEvents().isEmpty)
    accessory.advance(.milliseconds(1))
    #expect(told(watcher) == ["1.12=21"])
  }

  @Test("[EV.12] Another coalescing time applies, including none", arguments: [0, 1000])
  func otherWindow(_ milliseconds: Int) {
    var quirks = Quirks()
    quirks.coalescing = .milliseconds(milliseconds)
    let accessory = TestHome.accessory(quirks: quirks)
    let watcher = accessory.verified()
    #expect(watcher.subscribe("1.12")?.status == 204)
    accessory.change(TestHome.id("1.12"), to: 9)
    if milliseconds > 0 {
      accessory.advance(.milliseconds(milliseconds - 1))
      #expect(watcher.takeEvents().isEmpty)
      accessory.advance(.milliseconds(1))
    }
    #expect(watcher.takeEvents().count == 1)
  }

  @Test("[EV.13] Buttons, motion and contact are sent at once, together with pending events")
  func immediate() {
    let watcher = subscriber(["1.41", "1.58", "1.51", "1.56", "1.12"])
    accessory.change(TestHome.id("1.41"), to: 2)
    #expect(told(watcher) == ["1.41=2"])
    accessory.change(TestHome.id("1.58"), to: .data([1, 1, 1]))
    #expect(watcher.takeEvents().count == 1)
    accessory.change(TestHome.id("1.51"), to: true)
    #expect(told(watcher) == ["1.51=1"])
    accessory.change(TestHome.id("1.56"), to: 1)
    #expect(told(watcher) == ["1.56=1"])
    accessory.change(TestHome.id("1.12"), to: 13)
    #expect(told(watcher) == [])
    accessory.change(TestHome.id("1.51"), to: false)
    #expect(told(watcher).contains("1.51=0"))
    accessory.advance(.milliseconds(250))
    #expect(watcher.takeEvents().count <= 1)
  }

  @Test("[EV.14] Each press is an event with its value, even if it is unchanged")
  func presses() {
    let watcher = subscriber(["1.41"])
    for value in [0, 0, 2, 2, 2] as [Int128] { accessory.change(TestHome.id("1.41"), to: .integer(value)) }
    #expect(told(watcher) == ["1.41=0", "1.41=0", "1.41=2", "1.41=2", "1.41=2"])
  }

  @Test("[EV.14, EV.15] Presses during a pending answer are all sent after it")
  func pressesWhileWaiting() {
    let watcher = subscriber(["1.41"], as: TestHome.admin)
    accessory.storing = .held
    let other = TestHome.stranger
    let add = PlainTLV([(6, [1]), (0, [3]), (1, other.identifier), (3, other.key.publicKey), (0x0B, [0])])
    #expect(watcher.post("/pairings", add) == nil)
    accessory.change(TestHome.id("1.41"), to: 1)
    accessory.change(TestHome.id("1.41"), to: 1)
    accessory.advance(.seconds(3))
    #expect(watcher.messages.isEmpty)
    accessory.releaseStores()
    accessory.advance(.seconds(1))
    #expect(watcher.messages.first?.isEvent == false)
    #expect(watcher.takeReply()?.tlv?.state == 2)
    #expect(told(watcher) == ["1.41=1", "1.41=1"])
  }

  @Test("[EV.15] A half-received request doesn't delay events, and they precede its complete answer")
  func duringRequest() {
    let watcher = subscriber(["1.51"])
    let request = MemoryController.request("GET", "/accessories")
    watcher.send(Array(request.prefix(20)))
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.advance(.seconds(1))
    watcher.send(Array(request.dropFirst(20)))
    #expect(watcher.messages.map(\.isEvent) == [true, false])
    #expect(watcher.unread == [])
  }

  @Test("[EV.15, SE.2] Events and many large replies alternate without a broken frame")
  func interleaved() {
    let watcher = subscriber(["1.51", "1.12"])
    for round in 0..<50 {
      accessory.change(TestHome.id("1.51"), to: .bool(round % 2 == 0))
      watcher.send(MemoryController.request("GET", "/accessories") + MemoryController.request("GET", "/accessories"))
      accessory.change(TestHome.id("1.12"), to: .integer(Int128(round)))
      accessory.advance(.milliseconds(100))
    }
    accessory.advance(.seconds(1))
    #expect(!watcher.sawBadFrame)
    #expect(watcher.unread == [])
    #expect(watcher.messages.filter { !$0.isEvent }.count == 100)
    #expect(watcher.messages.filter { $0.isEvent }.count >= 50)
  }

  @Test("[EV.16] A subscription that has ended gets no events")
  func endedBefore() {
    let watcher = subscriber(["1.12", "1.11"])
    accessory.change(TestHome.id("1.12"), to: 1)
    accessory.change(TestHome.id("1.11"), to: true)
    #expect(watcher.write(MemoryController.entry("1.12", ev: "false"))?.status == 204)
    accessory.advance(.seconds(1))
    #expect(told(watcher) == ["1.11=1"])
  }

  @Test("[EV.17] Valid entries are subscribed even if others in the request are invalid")
  func bulk() {
    let controller = accessory.verified()
    let reply = controller.subscribe("1.51", "1.37", "1.999", "1.12")
    #expect(reply?.status == 207)
    #expect(reply?.statuses == ["1.51": 0, "1.37": -70406, "1.999": -70409, "1.12": 0])
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.change(TestHome.id("1.12"), to: 3)
    accessory.advance(.seconds(1))
    #expect(told(controller).sorted() == ["1.12=3", "1.51=1"])
  }

  @Test("[EV.18] A connection that isn't secured gets no event")
  func plain() {
    let controller = accessory.unverified()
    #expect(controller.subscribe("1.51")?.status == 470)
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.advance(.seconds(1))
    #expect(controller.messages.isEmpty)
    #expect(controller.verify() == nil)
    accessory.change(TestHome.id("1.51"), to: false)
    accessory.advance(.seconds(1))
    #expect(controller.takeEvents().isEmpty)
  }

  @Test("[EV.19] A value that can't be read at that time is sent as null")
  func unreadable() {
    let watcher = subscriber(["1.12"])
    accessory.change(TestHome.id("1.12"), to: 7)
    accessory.change(TestHome.id("1.12"), to: .null)
    accessory.advance(.seconds(1))
    #expect(told(watcher) == ["1.12=null"])
  }

  @Test("[EV.6] Events of bridged accessories have their own aid")
  func bridged() {
    let watcher = subscriber(["2.11", "1.11"])
    accessory.change(TestHome.id("2.11"), to: true)
    accessory.advance(.seconds(1))
    #expect(told(watcher) == ["2.11=1"])
  }
}
