import HAPAttributes
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

@Suite("Accessory: a device that answers later") struct AccessoryDeviceTests {
  let accessory = TestHome.accessory()
  let controller: MemoryController
  let brightness = TestHome.id(TestHome.ID.brightness), hue = TestHome.id(TestHome.ID.hue)

  init() { controller = accessory.verified() }

  // MARK: Reads

  @Test("[CH.80] The device is asked for a live value at each read, and the answer waits for it")
  func asks() throws {
    accessory.core.attributes.setLive([brightness])
    #expect(controller.get("/characteristics?id=1.12,1.11,1.12") == nil)
    #expect(accessory.reads.map(\.ids) == [[brightness]])
    accessory.answer(brightness, .success(77), ticket: accessory.reads[0].ticket)
    let reply = try #require(controller.takeReply())
    #expect(reply.status == 200)
    #expect(reply.entries.map { $0.int("value") } == [77, 0, 77])
    #expect(controller.get("/characteristics?id=1.11")?.status == 200)
    #expect(accessory.reads.count == 1, "the device is not asked for a stored value")
  }

  @Test("[CH.80, EV.15] Requests and events that arrive in the meantime wait until after the answer")
  func order() throws {
    accessory.core.attributes.setLive([brightness])
    #expect(controller.subscribe("1.51")?.status == 204)
    controller.send(
      MemoryController.request("GET", "/characteristics?id=1.12")
        + MemoryController.request("GET", "/characteristics?id=1.11"))
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.advance(.seconds(1))
    #expect(controller.messages.isEmpty)
    let other = accessory.verified(TestHome.secondAdmin)
    #expect(other.get("/characteristics?id=1.11")?.status == 200, "others are served")
    accessory.answer(brightness, .success(1), ticket: accessory.reads[0].ticket)
    #expect(controller.messages.map(\.isEvent) == [false, false, true])
  }

  @Test("[CH.81] After nine seconds a missing value gets -70408; the other values are unaffected")
  func timeOut() throws {
    accessory.core.attributes.setLive([brightness, hue])
    #expect(controller.get("/characteristics?id=1.11,1.12,1.13") == nil)
    accessory.answer(hue, .success(.float(30)), ticket: accessory.reads[0].ticket)
    accessory.advance(.milliseconds(8_999))
    #expect(controller.takeReply() == nil)
    accessory.advance(.milliseconds(1))
    let reply = try #require(controller.takeReply())
    #expect(reply.status == 207)
    #expect(reply.statuses == ["1.11": 0, "1.12": -70408, "1.13": 0])
    #expect(reply.entry("1.12")?["value"] == nil)
    #expect(reply.entry("1.13")?.int("value") == 30)
    // Too late, twice and unrequested.
    accessory.answer(brightness, .success(99), ticket: accessory.reads[0].ticket)
    #expect(controller.messages.isEmpty)
    #expect(accessory.core.attributes.database[brightness] == 50)
    #expect(accessory.core.attributes.nextDeadline == nil)
  }

  @Test("[CH.81] The quirks set the deadline")
  func ownDeadline() {
    var quirks = Quirks()
    quirks.deviceDeadline = .seconds(2)
    let accessory = TestHome.accessory(quirks: quirks)
    accessory.core.attributes.setLive([brightness])
    let controller = accessory.verified()
    #expect(controller.get("/characteristics?id=1.12") == nil)
    accessory.advance(.seconds(2))
    #expect(controller.takeReply()?.statuses == ["1.12": -70408])
  }

  @Test("[CH.82] A value that the device can't read has the device's status, and is null in /accessories")
  func failure() throws {
    accessory.core.attributes.setLive([brightness])
    #expect(controller.get("/characteristics?id=1.12") == nil)
    accessory.answer(brightness, .failure(.unableToCommunicate), ticket: accessory.reads[0].ticket)
    #expect(controller.takeReply()?.statuses == ["1.12": -70402])
    #expect(controller.get("/accessories") == nil)
    accessory.answer(brightness, .failure(.unableToCommunicate), ticket: accessory.reads[1].ticket)
    let all = try #require(controller.takeReply())
    #expect(all.status == 200)
    #expect(all.text.contains(#""iid":12,"type":"8","perms":["pr","pw","ev"]"#))
    #expect(all.text.contains(#""minStep":1,"value":null}"#))
    #expect(controller.get("/accessories") == nil)
    accessory.answer(brightness, .success(3), ticket: accessory.reads[2].ticket)
    #expect(controller.takeReply()?.text.contains(#""minStep":1,"value":3}"#) == true)
  }

  @Test("[CH.83] A value changed by a read is an event for other subscribers; the reader gets it in the answer")
  func subscribers() {
    accessory.core.attributes.setLive([brightness])
    let other = accessory.verified(TestHome.secondAdmin)
    for each in [controller, other] { #expect(each.subscribe("1.12")?.status == 204) }
    #expect(controller.get("/characteristics?id=1.12") == nil)
    accessory.answer(brightness, .success(4), ticket: accessory.reads[0].ticket)
    accessory.advance(.seconds(1))
    #expect(controller.takeEvents().isEmpty)
    #expect(other.takeEvents().count == 1)
  }

  @Test(
    "[CH.86] The countdown of Remaining Duration is no event; any other change is, even to the last sent value"
  )
  func countdown() throws {
    let left = AttributeID(aid: 1, iid: 91)
    var accessories = TestHome.accessories
    let definition = CharacteristicDefinition.remainingDuration
    accessories[0].services.append(
      Service(
        iid: 90, type: ServiceDefinition.valve.type,
        characteristics: [
          Characteristic(
            iid: 91, type: definition.type, format: definition.format, perms: definition.perms, value: 0)
        ]))
    let accessory = TestHome.accessory(accessories: accessories)
    accessory.core.attributes.setLive([left])
    let reader = accessory.verified(), other = accessory.verified(TestHome.secondAdmin)
    for each in [reader, other] { #expect(each.subscribe("1.91")?.status == 204) }
    func events() -> [[Int]] {
      accessory.advance(.seconds(1))
      return [reader, other].map { $0.takeEvents().flatMap(\.entries).compactMap { $0.int("value") } }
    }
    accessory.change(left, to: 600)
    #expect(events() == [[600], [600]])
    #expect(reader.get("/characteristics?id=1.91") == nil)
    accessory.answer(left, .success(599), ticket: accessory.reads[0].ticket)
    #expect(reader.takeReply()?.entries.map { $0.int("value") } == [599])
    #expect(events() == [[], []])
    accessory.change(left, to: 599)
    #expect(events() == [[599], [599]])
  }

  @Test("[CH.80] A closed connection gets no answer, whatever the device returns later")
  func gone() {
    accessory.core.attributes.setLive([brightness])
    #expect(controller.get("/characteristics?id=1.12") == nil)
    accessory.disconnect(controller)
    #expect(accessory.core.attributes.nextDeadline == nil)
    accessory.answer(brightness, .success(4), ticket: accessory.reads[0].ticket)
    #expect(accessory.core.attributes.database[brightness] == 50)
  }

  @Test("A device that doesn't answer for three seconds is reported once")
  func slow() {
    accessory.core.attributes.setLive([brightness, hue])
    #expect(controller.get("/characteristics?id=1.12,1.13") == nil)
    accessory.advance(.milliseconds(2_999))
    #expect(accessory.slow.isEmpty)
    accessory.answer(hue, .success(.float(1)), ticket: accessory.reads[0].ticket)
    accessory.advance(.seconds(3))
    #expect(accessory.slow == [[brightness]])
  }

  // MARK: Writes

  @Test("[CH.84] A write that the device decides later is answered after its decision")
  func lateVerdict() throws {
    let device = Thinker(later: [brightness, hue])
    accessory.core.attributes.writer = device
    #expect(controller.write(#""aid":1,"iid":12,"value":7"#, #""aid":1,"iid":11,"value":true"#) == nil)
    #expect(accessory.core.attributes.database[brightness] == 50)
    accessory.judge(device.asked[0].number, .later)
    #expect(controller.messages.isEmpty)
    accessory.judge(device.asked[0].number, .accepted())
    #expect(controller.takeReply()?.status == 204)
    #expect(controller.int("1.12") == 7)
    #expect(accessory.wrote.map(\.id) == [TestHome.id("1.11"), brightness])

    #expect(controller.write(#""aid":1,"iid":12,"value":8,"r":true"#, #""aid":1,"iid":13,"value":9"#) == nil)
    accessory.judge(device.asked[3].number, .refused(.busy))
    #expect(controller.messages.isEmpty)
    accessory.judge(device.asked[2].number, .accepted())
    #expect(controller.takeReply()?.statuses == ["1.12": -70405, "1.13": -70403])
    #expect(controller.int("1.12") == 8)
    accessory.judge(device.asked[3].number, .accepted())
    #expect(controller.int("1.13") == 120)
  }

  @Test(
    "[CH.84] A write undecided after nine seconds fails with -70408, the value stays, and the other writes succeed")
  func lateWriteTimesOut() {
    let device = Thinker(later: [brightness])
    accessory.core.attributes.writer = device
    #expect(controller.write(#""aid":1,"iid":12,"value":7"#, #""aid":1,"iid":11,"value":true"#) == nil)
    accessory.advance(.seconds(9))
    #expect(controller.takeReply()?.statuses == ["1.12": -70408, "1.11": 0])
    #expect(accessory.slow == [[brightness]])
    accessory.judge(device.asked[0].number, .accepted())
    #expect(controller.int("1.12") == 50)
    #expect(controller.int("1.11") == 1)
  }

  @Test("[CH.85] A request's writes reach the device grouped by service")
  func groups() {
    let reply = controller.write(
      #""aid":1,"iid":12,"value":7"#, #""aid":2,"iid":11,"value":true"#, #""aid":1,"iid":36,"value":"x""#,
      #""aid":1,"iid":13,"value":30"#, #""aid":1,"iid":12,"value":8"#)
    #expect(reply?.status == 207)
    #expect(
      accessory.groups == [
        ServiceWrite(first: .init(brightness, 7), others: [.init(hue, .float(30)), .init(brightness, 8)]),
        ServiceWrite(first: .init(TestHome.id("2.11"), true)),
      ])
  }

  @Test("[CH.84] A request that ends at an unknown id leaves no pending write that would delay a later one")
  func endedByUnknown() {
    var quirks = Quirks()
    quirks.unknownWriteEndsRequest = true
    let accessory = TestHome.accessory(quirks: quirks)
    let controller = accessory.verified()
    let device = Thinker(later: [brightness])
    accessory.core.attributes.writer = device
    #expect(controller.write(#""aid":1,"iid":12,"value":7"#, #""aid":9,"iid":9,"value":7"#)?.status == 400)
    #expect(controller.set("1.11", "true")?.status == 204)
    accessory.judge(device.asked[0].number, .accepted())
    #expect(controller.int("1.12") == 50)
  }
}

/// Accepts each write at once, except those to decide later.
private final class Thinker: CharacteristicWriter {
  private let later: Set<AttributeID>
  private(set) var asked: [CharacteristicWrite] = []

  init(later: Set<AttributeID>) { self.later = later }

  func judge(_ write: CharacteristicWrite) -> WriteVerdict {
    asked.append(write)
    return later.contains(write.id) ? .later : .accepted()
  }
}
