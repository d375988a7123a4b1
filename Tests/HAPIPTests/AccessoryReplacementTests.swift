import HAPAttributes
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: replacing the database at run time") struct AccessoryReplacementTests {
  let accessory = TestHome.accessory()
  let controller: MemoryController

  init() { controller = accessory.verified() }

  /// The test home after a change.
  private func home(_ change: (inout [Accessory]) -> Void) -> [Accessory] {
    var accessories = TestHome.accessories
    change(&accessories)
    return accessories
  }

  /// The test home without the bridged accessory; the light has a new first characteristic and no Brightness.
  private var smaller: [Accessory] {
    home { accessories in
      accessories.removeLast()
      var light = accessories[0].services[1]
      light.characteristics.remove(at: 1)
      var extra = light.characteristics[0]
      extra.iid = 99
      extra.type = TypeID("7E536242-341C-4862-BE90-272CE15BF099") ?? extra.type
      light.characteristics.insert(extra, at: 0)
      accessories[0].services[1] = light
    }
  }

  @Test("[EV.40] Connections and subscriptions stay; removed characteristics send no more events")
  func subscriptions() throws {
    #expect(controller.subscribe("1.11", "1.12", "1.51", "2.11")?.status == 204)
    accessory.change(TestHome.id("1.12"), to: 51)
    accessory.change(TestHome.id("1.11"), to: true)
    try accessory.replace(smaller, configurationNumber: 2)
    accessory.advance(.seconds(1))
    #expect(
      controller.takeEvents().flatMap(\.entries).map { $0.int("iid") } == [11], "the rest of the pending event")
    accessory.change(TestHome.id("1.51"), to: true)
    accessory.change(TestHome.id("1.99"), to: true)
    accessory.advance(.seconds(1))
    #expect(controller.takeEvents().flatMap(\.entries).map { $0.int("iid") } == [51])
    #expect(controller.get("/characteristics?id=1.12,2.11")?.statuses == ["1.12": -70409, "2.11": -70409])
    #expect(controller.get("/characteristics?id=1.11,1.99&ev=1")?.entries.map { $0.int("ev") } == [1, 0])
    #expect(controller.get("/accessories")?.text.contains(#""iid":99"#) == true)
  }

  @Test("[EV.41] Subscribers get events for values that differ now")
  func values() throws {
    #expect(controller.subscribe("1.11", "1.12")?.status == 204)
    let brighter = home { $0[0].services[1].characteristics[1].value = 80 }
    try accessory.replace(brighter, configurationNumber: 1)
    accessory.advance(.seconds(1))
    let entries = controller.takeEvents().flatMap(\.entries)
    #expect(entries.map { $0.int("iid") } == [12])
    #expect(entries.map { $0.int("value") } == [80])
  }

  @Test("[EV.40] A subscription ends if the characteristic has no events any more")
  func permission() throws {
    #expect(controller.subscribe("1.12")?.status == 204)
    try accessory.replace(
      home { $0[0].services[1].characteristics[1].perms = [.pairedRead, .pairedWrite] }, configurationNumber: 2)
    accessory.change(TestHome.id("1.12"), to: 3)
    accessory.advance(.seconds(1))
    #expect(controller.takeEvents().isEmpty)
    try accessory.replace(TestHome.accessories, configurationNumber: 3)
    #expect(controller.get("/characteristics?id=1.12&ev=1")?.entry("1.12")?.int("ev") == 0)
  }

  @Test("[AD.21, AD.22] The new c# is advertised at once, and an equal one isn't advertised again; s# stays 1")
  func advertises() throws {
    try accessory.replace(smaller, configurationNumber: 2)
    #expect(accessory.advertised.map(\.record.configurationNumber) == [2])
    try accessory.replace(smaller, configurationNumber: 2)
    #expect(accessory.advertised.count == 1)
    #expect(accessory.advertised.last?.record.statusFlags == [])
    #expect(accessory.advertised.last?.record.stateNumber == 1)
  }

  @Test("[EV.40] A pending read of the device is answered, whether the database is the old or the new one")
  func deviceRequests() throws {
    let brightness = TestHome.id(TestHome.ID.brightness)
    accessory.core.attributes.setLive([brightness])
    #expect(controller.get("/characteristics?id=1.12,1.11") == nil)
    try accessory.replace(smaller, configurationNumber: 2, live: [brightness])
    accessory.answer(brightness, .success(4), ticket: accessory.reads[0].ticket)
    #expect(controller.takeReply()?.statuses == ["1.12": -70409, "1.11": 0])
    let device = Later()
    accessory.core.attributes.writer = device
    #expect(controller.write(#""aid":1,"iid":13,"value":9"#, #""aid":1,"iid":11,"value":true"#) == nil)
    try accessory.replace(home { $0[0].services.remove(at: 1) }, configurationNumber: 3)
    for number in device.numbers { accessory.judge(number, .accepted()) }
    #expect(controller.takeReply()?.statuses == ["1.13": -70409, "1.11": -70409])
  }

  @Test("The stored values are those of the new database")
  func keptValues() throws {
    #expect(controller.set("1.12", "7")?.status == 204)
    #expect(controller.set("1.11", "true")?.status == 204)
    try accessory.replace(smaller, configurationNumber: 2)
    var kept: [(id: AttributeID, value: Value)] = []
    accessory.core.attributes.takeChanges(into: &kept)
    #expect(kept.map(\.id) == [TestHome.id("1.11")])
  }
}

private final class Later: CharacteristicWriter {
  private(set) var numbers: [UInt64] = []
  func judge(_ write: CharacteristicWrite) -> WriteVerdict {
    numbers.append(write.number)
    return .later
  }
}
