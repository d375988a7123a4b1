import Foundation
import HAPIP
import HAPModel
import HAPProfile
import HAPTestSupport
import Testing

@Suite("Accessory: reading") struct AccessoryReadTests {
  let accessory = TestHome.accessory()

  private func listing() throws -> [[String: Any]] {
    let controller = accessory.verified()
    defer { accessory.disconnect(controller) }
    let json = try #require(controller.get("/accessories")?.json)
    return try #require(json["accessories"] as? [[String: Any]])
  }

  private func services(_ aid: Int) throws -> [[String: Any]] {
    let found = try #require(try listing().first { $0.int("aid") == aid })
    return try #require(found["services"] as? [[String: Any]])
  }

  private func characteristic(_ iid: Int) throws -> [String: Any] {
    let all = try services(1).flatMap { $0["characteristics"] as? [[String: Any]] ?? [] }
    return try #require(all.first { $0.int("iid") == iid })
  }

  @Test("[CH.24] /accessories lists each accessory, service and characteristic with its members")
  func members() throws {
    #expect(try listing().compactMap { $0.int("aid") } == [1, 2])
    #expect(try services(1).compactMap { $0.int("iid") } == [1, 10, 20, 40, 50, 55, 57, 60])
    for service in try services(1) + services(2) {
      #expect(service["type"] is String)
      for characteristic in try #require(service["characteristics"] as? [[String: Any]]) {
        #expect(characteristic["iid"] is NSNumber)
        #expect(characteristic["type"] is String)
        #expect(characteristic["format"] is String)
        #expect((characteristic["perms"] as? [String])?.isEmpty == false)
      }
    }
    #expect(try characteristic(12)["perms"] as? [String] == ["pr", "pw", "ev"])
    #expect(try characteristic(12).int("value") == 50)
  }

  @Test("[CH.25] primary, hidden and linked are present only if they are true or not empty")
  func serviceMembers() throws {
    for service in try services(1) {
      let isLight = service.int("iid") == 10
      #expect((service.int("primary") == 1) == isLight)
      #expect((service["primary"] == nil) == !isLight)
      #expect(service["hidden"] == nil)
      #expect((service["linked"] as? [Int]) == (isLight ? [40] : nil))
    }
  }

  @Test("[CH.26] Formats and metadata have the specification's names")
  func metadata() throws {
    let formats = [
      11: "bool", 33: "uint8", 30: "uint16", 31: "uint32", 26: "uint64", 32: "int", 34: "float", 22: "string",
      25: "tlv8",
      24: "data",
    ]
    for (iid, format) in formats { #expect(try characteristic(iid)["format"] as? String == format) }
    #expect(try characteristic(12).int("minValue") == 0)
    #expect(try characteristic(12).int("maxValue") == 100)
    #expect(try characteristic(12).int("minStep") == 1)
    #expect(try characteristic(23).int("maxLen") == 5)
    #expect(try characteristic(24).int("maxDataLen") == 4)
    #expect(try characteristic(27)["valid-values"] as? [Int] == [0, 1, 3])
    #expect(try characteristic(28)["valid-values-range"] as? [Int] == [2, 4])
    #expect(try (characteristic(21)["minStep"] as? NSNumber)?.doubleValue == 0.1)
  }

  @Test("[CH.27] Apple's types are short, others complete")
  func types() throws {
    #expect(try characteristic(11)["type"] as? String == "25")
    #expect(try characteristic(21)["type"] as? String == "7E536242-341C-4862-BE90-272CE15BD633")
    #expect(try services(1).compactMap { $0["type"] as? String }.contains("3E"))
  }

  @Test("[CH.22] A characteristic that can't be read has no value in /accessories")
  func unreadable() throws {
    #expect(try characteristic(2)["value"] == nil)
    #expect(try characteristic(29)["value"] == nil)
  }

  @Test("[CH.21] A programmable switch reads null, alone and in /accessories, also after a press")
  func button() throws {
    accessory.change(TestHome.id(TestHome.ID.button), to: 1)
    #expect(try characteristic(41).isNull("value"))
    let reply = accessory.verified().get("/characteristics?id=1.41")
    #expect(reply?.status == 200)
    #expect(reply?.entry("1.41")?.isNull("value") == true)
  }

  @Test("[CH.23] An empty tlv8 is an empty string in /accessories, an empty value of another format is null")
  func silent() throws {
    #expect(try characteristic(35)["value"] as? String == "")
    #expect(try characteristic(38).isNull("value"))
    var quirks = Quirks()
    quirks.listsEmptyTLV8AsNull = true
    let other = TestHome.accessory(quirks: quirks)
    let listing = try #require(other.verified().get("/accessories"))
    #expect(listing.text.contains(#/"iid":35,[^}]*"value":null}/#))
  }

  @Test("[CH.20] NaN and infinities are sent as null", arguments: [Double.nan, .infinity, -.infinity])
  func notFinite(_ number: Double) throws {
    let controller = accessory.verified()
    #expect(controller.subscribe("1.34")?.status == 204)
    accessory.change(TestHome.id("1.34"), to: .float(number))
    accessory.advance(.seconds(1))
    #expect(controller.get("/characteristics?id=1.34")?.entry("1.34")?.isNull("value") == true)
    #expect(controller.takeEvents().first?.entry("1.34")?.isNull("value") == true)
    #expect(try characteristic(34).isNull("value"))
  }

  @Test("[CH.14] A read without permission is -70405")
  func writeOnly() {
    let reply = accessory.verified().get("/characteristics?id=1.29,1.2")
    #expect(reply?.status == 207)
    #expect(reply?.statuses == ["1.29": -70405, "1.2": -70405])
  }

  @Test("[CH.28, CH.29] Each flag adds its members, as in /accessories, and 0 or an absent flag adds none")
  func flags() throws {
    let controller = accessory.verified()
    let bare = try #require(controller.get("/characteristics?id=1.12")?.entry("1.12"))
    #expect(Set(bare.keys) == ["aid", "iid", "value"])
    let off = try #require(controller.get("/characteristics?id=1.12&meta=0&perms=0&type=0&ev=0")?.entry("1.12"))
    #expect(Set(off.keys) == ["aid", "iid", "value"])

    let meta = try #require(controller.get("/characteristics?id=1.12&meta=1")?.entry("1.12"))
    #expect(Set(meta.keys) == ["aid", "iid", "value", "format", "minValue", "maxValue", "minStep"])
    #expect(meta["format"] as? String == "int")
    #expect(meta.int("maxValue") == 100)
    let perms = try #require(controller.get("/characteristics?id=1.12&perms=1")?.entry("1.12"))
    #expect(Set(perms.keys) == ["aid", "iid", "value", "perms"])
    #expect(perms["perms"] as? [String] == ["pr", "pw", "ev"])
    let type = try #require(controller.get("/characteristics?id=1.12&type=1")?.entry("1.12"))
    #expect(Set(type.keys) == ["aid", "iid", "value", "type"])
    #expect(type["type"] as? String == "8")
    let ev = try #require(controller.get("/characteristics?id=1.12&ev=1")?.entry("1.12"))
    #expect(Set(ev.keys) == ["aid", "iid", "value", "ev"])
    #expect(ev.int("ev") == 0)
  }

  @Test("[CH.28, EV.7] ev=1 returns this connection's own subscription")
  func subscriptionFlag() throws {
    let one = accessory.verified()
    let other = accessory.verified()
    #expect(one.subscribe("1.12")?.status == 204)
    #expect(one.get("/characteristics?id=1.12&ev=1")?.entry("1.12")?.int("ev") == 1)
    #expect(other.get("/characteristics?id=1.12&ev=1")?.entry("1.12")?.int("ev") == 0)
  }

  @Test("[CH.28] All flags together are valid JSON, also in a 207")
  func allFlags() {
    let reply = accessory.verified().get("/characteristics?id=1.12,1.29,1.999,1.22&meta=1&perms=1&type=1&ev=1")
    #expect(reply?.status == 207)
    #expect(reply?.entries.count == 4)
    #expect(reply?.entry("1.12")?["perms"] as? [String] == ["pr", "pw", "ev"])
    #expect(reply?.entry("1.999")?.int("status") == -70409)
  }

  @Test("[CH.30] Parameters may be in any order, and entries follow the ids")
  func order() {
    let controller = accessory.verified()
    let one = controller.get("/characteristics?id=2.11,1.12,1.11&meta=1&ev=1")
    let other = controller.get("/characteristics?ev=1&meta=1&id=2.11,1.12,1.11")
    #expect(one?.body == other?.body)
    #expect(one?.entries.map { $0.int("aid") } == [2, 1, 1])
    #expect(one?.entries.map { $0.int("iid") } == [11, 12, 11])
  }

  @Test("[CH.24] /accessories is identical twice, and has the values of single reads")
  func stable() throws {
    let controller = accessory.verified()
    #expect(controller.get("/accessories")?.body == accessory.verified().get("/accessories")?.body)
    #expect(controller.set("1.12", "99")?.status == 204)
    #expect(try characteristic(12).int("value") == 99)
  }

  @Test(
    "[CH.32] Booleans have one form in all answers: numbers, unless the quirks ask for words",
    arguments: [(IPQuirks.Booleans.numbers, "1", "0"), (.words, "true", "false")])
  func truth(_ manner: IPQuirks.Booleans, _ on: String, _ off: String) throws {
    var quirks = Quirks()
    #expect(quirks.booleans == .numbers)
    quirks.booleans = manner
    let accessory = TestHome.accessory(quirks: quirks)
    let controller = accessory.verified()
    #expect(controller.get("/characteristics?id=1.51")?.text.contains(#""value":\#(off)}"#) == true)
    #expect(controller.subscribe("1.51")?.status == 204)
    accessory.change(TestHome.id("1.51"), to: true)
    #expect(controller.takeEvents().first?.text.contains(#""value":\#(on)}"#) == true)
    let listing = try #require(controller.get("/accessories")?.text)
    #expect(listing.contains(#""value":\#(on)}"#))
  }
}
