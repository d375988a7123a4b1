import HAPCrypto
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: identify") struct AccessoryIdentifyTests {
  @Test("[ID.1] Unpaired, POST /identify is 204 and identifies")
  func unpaired() {
    let accessory = TestHome.accessory(pairings: [])
    let reply = accessory.unverified().exchange("POST", "/identify")
    #expect(reply?.status == 204)
    #expect(accessory.identified == [1])
  }

  @Test("[ID.2] Paired, POST /identify is 400 with -70401 and identifies nothing, even in a session")
  func paired() {
    let accessory = TestHome.accessory()
    for controller in [accessory.unverified(), accessory.verified()] {
      let reply = controller.exchange("POST", "/identify", body: [])
      #expect(reply?.status == 400)
      #expect(reply?.text == #"{"status":-70401}"#)
      #expect(reply?.type == "application/hap+json")
    }
    #expect(accessory.identified.isEmpty)
  }

  @Test("[HTTP.20] A wrong method on /identify is 405 and identifies nothing", arguments: ["GET", "PUT", "DELETE"])
  func wrongMethod(_ method: String) {
    let accessory = TestHome.accessory(pairings: [])
    #expect(accessory.unverified().exchange(method, "/identify")?.status == 405)
    #expect(accessory.identified.isEmpty)
  }

  @Test("[ID.3] Each write of true to Identify is 204 and identifies that accessory", arguments: ["true", "1"])
  func written(_ value: String) {
    let accessory = TestHome.accessory()
    let controller = accessory.verified()
    #expect(controller.set("2.2", value)?.status == 204)
    #expect(controller.set("1.2", value)?.status == 204)
    #expect(controller.set("1.2", value)?.status == 204)
    #expect(accessory.identified == [2, 1, 1] || accessory.wrote.map(\.id.aid) == [2, 1, 1])
  }

  @Test("[ID.4] Writing false to Identify is -70410 and identifies nothing", arguments: ["false", "0"])
  func writtenFalse(_ value: String) {
    let accessory = TestHome.accessory()
    let reply = accessory.verified().set("1.2", value)
    #expect(reply?.statuses == ["1.2": -70410])
    #expect(accessory.identified.isEmpty)
    #expect(accessory.wrote.isEmpty)
  }
}
